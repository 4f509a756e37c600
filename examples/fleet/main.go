// Command fleet shows what 20 worker processes gain if they share circuit breakers
// and rate limits through Redis (package redisgate). It takes some 25 seconds:
//
//	go run ./examples/fleet            # -workers N
//
// It starts a Redis server, a provider with two endpoints, and the workers. After
// one second, both endpoints fail for six seconds: one closes every connection, and
// the other answers 429 with a Retry-After. The program does this twice, without and
// with sharing. Then it prints what the provider and the workers have counted.
//
// If neither redis-server nor valkey-server is installed, it uses miniredis.
//
//	provider.go   the provider: an HTTP server on loopback
//	worker.go     a worker process; newExecutor is the code to copy
//	fleet.go      starts and ends the workers
//	report.go     the figures
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/errclass/errclass/internal/redistest"
)

// plan says when the provider fails, and how many workers call it.
type plan struct {
	workers int
	calm    time.Duration // before the trouble
	trouble time.Duration // while the provider fails
	rest    time.Duration // after the trouble
}

func main() {
	if os.Getenv(asWorker) != "" {
		if err := work(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "fleet worker:", err)
			os.Exit(1)
		}
		return
	}
	workers := flag.Int("workers", 20, "number of worker processes")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Stdout, plan{workers: *workers, calm: time.Second, trouble: 6 * time.Second, rest: 4 * time.Second})
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "fleet:", err)
		os.Exit(1)
	}
}

// run makes two rounds, without and with sharing, and prints the figures of both.
func run(ctx context.Context, w io.Writer, p plan) error {
	addr, name, stop, err := startServer(ctx)
	if err != nil {
		return err
	}
	defer stop()
	fmt.Fprintf(w, "%d worker processes, one provider, %s on %s\n", p.workers, name, addr)
	alone, err := round(ctx, p, "")
	if err != nil {
		return fmt.Errorf("without sharing: %w", err)
	}
	shared, err := round(ctx, p, addr)
	if err != nil {
		return fmt.Errorf("with sharing: %w", err)
	}
	report(w, alone, shared)
	return nil
}

// startServer starts a Redis server on loopback.
func startServer(ctx context.Context) (addr, name string, stop func(), err error) {
	dir, err := os.MkdirTemp("", "errclass-fleet-")
	if err != nil {
		return "", "", nil, err
	}
	s, err := redistest.Start(ctx, dir)
	if err == nil {
		return s.Addr, "a Redis server", func() { s.Kill(); _ = os.RemoveAll(dir) }, nil
	}
	_ = os.RemoveAll(dir)
	if !errors.Is(err, redistest.ErrNotInstalled) {
		return "", "", nil, err
	}
	m, err := miniredis.Run()
	if err != nil {
		return "", "", nil, err
	}
	return m.Addr(), "miniredis", m.Close, nil
}
