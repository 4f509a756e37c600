package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"google.golang.org/grpc"
)

// durable configures an exporter with a queue on disk.
const durable = `    retry_on_failure: {initial_interval: 100ms, max_interval: 500ms, max_elapsed_time: 0}
    sending_queue: {storage: file_storage, queue_size: 100_000, batch: {sizer: items, min_size: 2_000, max_size: 10_000}}`

// kill kills the Collector many times while records arrive over OTLP and in files.
func kill(ctx context.Context, s settings, table io.Writer) error {
	fmt.Fprintln(table, "records come\tkills\tacknowledged\tlost\tdoubled")
	if err := killOTLP(ctx, s, table); err != nil {
		return err
	}
	return killFiles(ctx, s, table)
}

// killRepeatedly starts and kills s.kills Collectors, one after the other. Then it
// starts one more Collector, and returns this Collector and the sink.
//
//   - n is the number of records. A Collector is killed after each n/(s.kills+1) records.
//   - progress returns the number of records that were sent.
//   - listen starts the sink. It is called after half of the kills.
//   - start starts a Collector.
func killRepeatedly(ctx context.Context, s settings, n int, progress func() int, listen func() (*sink, error), start func() (*collector, error)) (*collector, *sink, error) {
	var to *sink
	for k := range s.kills {
		col, err := start()
		if err != nil {
			return nil, to, err
		}
		if k == s.kills/2 {
			if to, err = listen(); err != nil {
				return nil, to, errors.Join(err, col.kill())
			}
		}
		err = until(ctx, 5*time.Minute, "records were sent", func() bool { return progress() >= n*(k+1)/(s.kills+1) })
		if err := errors.Join(err, col.kill()); err != nil {
			return nil, to, errors.Join(err, col.lastWords())
		}
	}
	col, err := start()
	return col, to, err
}

func killOTLP(ctx context.Context, s settings, table io.Writer) (err error) {
	from, err := newSource(10, false)
	if err != nil {
		return err
	}
	addresses, err := free(3)
	if err != nil {
		return err
	}
	config := fmt.Sprintf(`
extensions: {health_check: {endpoint: %q}, file_storage: {directory: %q, create_directory: true}}
receivers: {otlp: {protocols: {grpc: {endpoint: %q}}}}
processors: {errclass: {}}
exporters:
  otlp_grpc:
    endpoint: %q
    tls: {insecure: true}
%s
service:
  extensions: [health_check, file_storage]
  telemetry: {metrics: {level: none}}
  pipelines: {logs: {receivers: [otlp], processors: [errclass], exporters: [otlp_grpc]}}
`, addresses[0], filepath.Join(s.dir, "state-otlp"), addresses[1], addresses[2], durable)

	// The client repeats each batch until the Collector acknowledges it.
	var acknowledged atomic.Int64
	sent := make(chan error, 1)
	go func() {
		sent <- send(ctx, addresses[1], s.records, 4, func(ctx context.Context, client plogotlp.GRPCClient, first, last int) error {
			for {
				_, err := client.Export(ctx, plogotlp.NewExportRequestFromLogs(from.batch(first, last)), grpc.WaitForReady(true))
				if err == nil {
					acknowledged.Add(int64(last - first))
					return nil
				}
				if ctx.Err() != nil {
					return ctx.Err()
				}
			}
		})
	}()
	col, to, err := killRepeatedly(ctx, s, s.records, func() int { return int(acknowledged.Load()) },
		func() (*sink, error) { return listen(addresses[2], s.records, byNumber, unchanged(from)) },
		func() (*collector, error) { return start(ctx, s, "kill-otlp", config, addresses[0]) })
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, col.stop()) }()
	defer to.server.Stop()
	if err := <-sent; err != nil {
		return err
	}
	return arrive(ctx, s, table, "over OTLP", col, to)
}

func killFiles(ctx context.Context, s settings, table io.Writer) (err error) {
	from, err := newSource(10, false)
	if err != nil {
		return err
	}
	addresses, err := free(2)
	if err != nil {
		return err
	}
	logs := filepath.Join(s.dir, "pods")
	config := agent{
		health: addresses[0], logs: logs, backend: addresses[1],
		processors: "  errclass: {}", pipeline: "[errclass]",
		extensions: fmt.Sprintf("  file_storage: {directory: %q, create_directory: true}", filepath.Join(s.dir, "state-files")), names: ", file_storage",
		receiver: "    storage: file_storage\n    retry_on_failure: {enabled: true, max_elapsed_time: 0}", exporter: durable,
	}.config()

	// A goroutine writes the log file in place of a container.
	path, err := containerLog(logs)
	if err != nil {
		return err
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	var written atomic.Int64
	var writing sync.WaitGroup
	var failed error
	writing.Go(func() {
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for n := 0; n < s.records && failed == nil; {
			<-tick.C
			for range min(s.records/1000+1, s.records-n) {
				if _, failed = file.WriteString(from.line(n)); failed != nil {
					break
				}
				n++
			}
			written.Store(int64(n))
		}
	})
	col, to, err := killRepeatedly(ctx, s, s.records, func() int { return int(written.Load()) },
		func() (*sink, error) { return listen(addresses[1], s.records, inBody, sameBody(from)) },
		func() (*collector, error) { return start(ctx, s, "kill-files", config, addresses[0], s.args...) })
	writing.Wait()
	if err := errors.Join(err, failed, file.Close()); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, col.stop()) }()
	defer to.server.Stop()
	return arrive(ctx, s, table, "in files", col, to)
}

// arrive waits until all records have arrived, and prints a line of the table.
func arrive(ctx context.Context, s settings, table io.Writer, how string, col *collector, to *sink) error {
	err := to.wait(ctx, time.Minute, col)
	to.mu.Lock()
	defer to.mu.Unlock()
	fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\n", how, s.kills, s.records, s.records-to.unique, to.doubled)
	return err
}
