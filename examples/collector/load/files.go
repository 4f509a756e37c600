package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/plog"
)

// inFiles measures an agent, which reads the log files of containers.
func inFiles(ctx context.Context, s settings, table io.Writer) error {
	fmt.Fprintln(table, "errors\tprocessor\trecords\tbytes a record\tCPU a record\tmore than none\tpeak memory\tclassified")
	return eachFile(s, table, func(percent int, from *source, file string, bytes float64) error {
		var none time.Duration
		for _, c := range contenders(nil) {
			best, err := cheapest(s.rounds, func() (figures, error) { return tail(ctx, s, c, from, file) })
			if err != nil {
				return fmt.Errorf("%s, %d %% errors: %w", c.name, percent, err)
			}
			more := ""
			if c.classifies {
				more = micros(best.cpu - none)
			} else {
				none = best.cpu
			}
			fmt.Fprintf(table, "%d %%\t%s\t%d\t%.0f\t%s\t%s\t%.0f MB\t%d\n",
				percent, c.name, best.records, bytes, micros(best.cpu), more, best.peak, best.classified)
		}
		return nil
	})
}

// eachFile writes one log file per percentage of errors, and calls measure with each
// file. bytes is the average length of a record.
func eachFile(s settings, table io.Writer, measure func(percent int, from *source, file string, bytes float64) error) error {
	for _, percent := range s.percents {
		from, err := newSource(percent, false)
		if err != nil {
			return err
		}
		file := filepath.Join(s.dir, "file")
		size, err := writeFile(file, from, s.records)
		if err != nil {
			return err
		}
		if err := measure(percent, from, file, float64(size)/float64(s.records)); err != nil {
			return err
		}
	}
	fmt.Fprintln(table, intact)
	return nil
}

// writeFile writes n JSON lines of a program, in the log format of containerd.
func writeFile(path string, from *source, n int) (size int64, err error) {
	file, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	w := bufio.NewWriter(file)
	for i := range n {
		if _, err := w.WriteString(from.line(i)); err != nil {
			return 0, err
		}
	}
	if err := w.Flush(); err != nil {
		return 0, err
	}
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// line returns the line for record n: the JSON of slog, in an entry of containerd.
func (s *source) line(n int) string {
	if !s.isError(n) {
		return fmt.Sprintf("2026-11-23T14:32:37.606323162Z stdout F {\"time\":\"2026-11-23T14:32:37.59320766Z\",\"level\":\"INFO\",\"msg\":%s,\"n\":%d}\n",
			strconv.Quote(s.text(n)), n)
	}
	text := strings.ToValidUTF8(strings.Map(func(r rune) rune {
		if r < ' ' || r == '"' || r == '\\' {
			return '\''
		}
		return r
	}, s.text(n)), "")
	return fmt.Sprintf("2026-11-23T14:32:37.606323162Z stderr F {\"time\":\"2026-11-23T14:32:37.59320766Z\",\"level\":\"ERROR\",\"msg\":\"order failed\",\"err\":\"%s\",\"n\":%d}\n",
		text, n)
}

// inBody returns the number of a record: the value of "n" at the end of its
// JSON line.
func inBody(r plog.LogRecord) (int, error) {
	body := r.Body().Str()
	_, number, ok := strings.Cut(body[max(0, len(body)-20):], `"n":`)
	if !ok {
		return 0, fmt.Errorf("a record has another body: %q", body)
	}
	return strconv.Atoi(strings.TrimSuffix(number, "}"))
}

// agent is a Collector that reads the log files of containers. Its fields are parts
// of the configuration.
type agent struct {
	health     string // address of the health check
	logs       string // directory of the log files
	backend    string // address
	processors string // configuration
	pipeline   string // names of the processors
	extensions string // configuration of further extensions
	names      string // names of the further extensions, each after a comma
	receiver   string // further configuration of the receiver
	exporter   string // further configuration of the exporter
}

func (a agent) config() string {
	return fmt.Sprintf(`
extensions:
  health_check: {endpoint: %q}
%s
receivers:
  file_log:
    include: ["%s/*/*/*.log"]
    start_at: beginning
    include_file_path: true
%s
    operators: [{type: container}]
processors:
%s
exporters:
  otlp_grpc:
    endpoint: %q
    tls: {insecure: true}
    compression: none
%s
service:
  extensions: [health_check%s]
  telemetry: {metrics: {level: none}}
  pipelines: {logs: {receivers: [file_log], processors: %s, exporters: [otlp_grpc]}}
`, a.health, a.extensions, a.logs, a.receiver, a.processors, a.backend, a.exporter, a.names, a.pipeline)
}

// containerLog creates a container's log directory and returns the name of the log
// file.
func containerLog(logs string) (string, error) {
	dir := filepath.Join(logs, "shop_orders-5d8f9c7b6d-x2x4z_0b5b5a0e-6f4f-4d0e-9c39-7d1f8a3b2c10", "orders")
	return filepath.Join(dir, "0.log"), os.MkdirAll(dir, 0o755)
}

// tail measures an agent, which reads a file and sends the records to a sink.
func tail(ctx context.Context, s settings, c contender, from *source, file string) (f figures, err error) {
	logs := filepath.Join(s.dir, "pods")
	path, err := containerLog(logs)
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(logs)) }()
	to, err := listen("127.0.0.1:0", s.records, inBody, sameBody(from))
	if err != nil {
		return f, err
	}
	defer to.server.Stop()
	addresses, err := free(1)
	if err != nil {
		return f, err
	}
	config := agent{
		health: addresses[0], logs: logs, backend: to.address, processors: c.processors, pipeline: c.pipeline,
		exporter: "    sending_queue: {sizer: items, queue_size: 100_000, block_on_overflow: true, batch: {min_size: 2_000, max_size: 10_000}}",
	}.config()
	col, err := start(ctx, s, "files", config, addresses[0], s.args...)
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, col.stop()) }()
	before, err := col.cpu()
	if err != nil {
		return f, err
	}
	if err := os.Link(file, path); err != nil {
		return f, err
	}
	if err := to.wait(ctx, 10*time.Minute, col); err != nil {
		return f, err
	}
	after, err := col.cpu()
	if err != nil {
		return f, err
	}
	if f.peak, err = col.peak(); err != nil {
		return f, err
	}
	f.records, f.cpu = s.records, (after-before)/time.Duration(s.records)
	f.classified, err = to.verify()
	return f, err
}

// sameBody returns a function that compares the body of record n with the original
// line.
func sameBody(from *source) func(int, plog.LogRecord) error {
	return func(n int, r plog.LogRecord) error {
		_, want, _ := strings.Cut(strings.TrimSuffix(from.line(n), "\n"), " F ")
		if got := r.Body().Str(); got != want {
			return fmt.Errorf("record %d has changed: %q, want %q", n, got, want)
		}
		return nil
	}
}
