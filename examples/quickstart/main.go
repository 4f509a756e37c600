// Command quickstart shows what errclass adds to the logs of a program that
// calls model providers. It needs no network:
//
//	go run ./examples/quickstart
//
// The files:
//
//	provider.go   a server on loopback that fails in eight ways
//	client.go     a client with errors like those of an SDK
//	failures.go   eight calls; slog logs each error
//	main.go       the line that adds error.category and error.reason to every
//	              record; then the same calls with a slog-multi chain
//
// Standard output is JSON, so you can pipe it into jq. Text for people goes to
// standard error.
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
