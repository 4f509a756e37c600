// Command playground serves a page that classifies a pasted error or log. The page
// shows the category, the reason and the matches. It classifies in the browser, with
// WebAssembly, and sends nothing.
//
//	go run ./examples/playground                     # serves it on 127.0.0.1:8017
//	go run ./examples/playground -out playground.html  # writes it to one file
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"time"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8017", "`address` to serve the page on")
	out := flag.String("out", "", "write the page to `FILE` instead")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *listen, *out); err != nil {
		fmt.Fprintln(os.Stderr, "playground:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, listen, out string) error {
	fmt.Fprintln(os.Stderr, "building the page; the first time takes a minute")
	page, err := build(ctx)
	if err != nil {
		return err
	}
	if out != "" {
		return os.WriteFile(out, page, 0o644)
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", listen)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "open http://%s/ (Ctrl-C ends)\n", l.Addr())
	server := &http.Server{Handler: handler(page), ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// handler serves the page at / and nothing else.
func handler(page []byte) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(page) // the browser may have gone
	})
	return mux
}
