// Command quickstart shows what errclass adds to the logs of a program that
// calls the APIs of model providers. It needs no network and ends by itself:
//
//	go run ./examples/quickstart
//
// What happens:
//
//	provider.go   a server on loopback fails in eight ways, as providers do
//	client.go     a client turns that into errors, as the SDKs of providers do
//	failures.go   a program makes eight calls and logs each error with slog
//	main.go       the one line that puts error.category and error.reason on
//	              every such record; then the same in a chain of slog-multi
//
// Standard output has nothing but JSON, so it can be piped into jq; what is
// meant for people goes to standard error.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	slogmulti "github.com/samber/slog-multi"

	"github.com/errclass/errclass/slogclass"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	url, stop, err := startProvider()
	if err != nil {
		return err
	}
	defer stop()
	calls := newClient(url)

	heading("The default logger, wrapped in one line: see error.category and error.reason")
	slog.SetDefault(slog.New(slogclass.New(slog.NewJSONHandler(os.Stdout, nil))))
	logFailures(ctx, slog.Default(), calls)

	heading("The same through slog-multi, to JSON and to text: both keys stay at the root, outside the group")
	logger := slog.New(slogmulti.
		Pipe(slogclass.Middleware()).
		Handler(slogmulti.Fanout(
			slog.NewJSONHandler(os.Stdout, nil),
			forPeople(os.Stderr),
		)))
	logFailures(ctx, logger.WithGroup("call"), calls)
	return nil
}

func heading(text string) { fmt.Fprintf(os.Stderr, "\n# %s\n", text) }
