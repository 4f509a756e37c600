package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// contender is one way to classify records. The load test compares the contenders.
type contender struct {
	name       string
	processors string // configuration
	pipeline   string // names of the processors
	slow       bool   // gets fewer records
	classifies bool   // must classify every error
}

func contenders(rules []int) []contender {
	all := []contender{
		{name: "none", pipeline: "[]"},
		{name: "errclass", processors: "  errclass: {}\n", pipeline: "[errclass]", classifies: true},
	}
	for _, n := range rules {
		all = append(all, contender{
			name: fmt.Sprintf("transform, %d rules", n), processors: transform(n), pipeline: "[transform]", slow: true,
		})
	}
	return all
}

// figures has the time and memory that a measured Collector has used.
type figures struct {
	records    int
	cpu        time.Duration // per record
	peak       float64       // MB
	classified int
}

func (f figures) cost() time.Duration { return f.cpu }

// overOTLP measures each way to classify records (contender) at each percentage of
// errors.
func overOTLP(ctx context.Context, s settings, table io.Writer) error {
	fmt.Fprintln(table, "errors\ttexts\tprocessor\trecords\tCPU a record\tmore than none\tx-errclass\tpeak memory\tclassified")
	for _, percent := range s.percents {
		texts := []bool{false, true}
		if percent == 0 {
			texts = texts[:1]
		}
		for _, repeated := range texts {
			from, err := newSource(percent, repeated)
			if err != nil {
				return err
			}
			var none, ours time.Duration
			for _, c := range contenders(s.rules) {
				if c.slow && repeated || !strings.HasPrefix(c.name, s.only) {
					continue // the transform processor has no cache of texts
				}
				n := s.records
				if c.slow {
					n = min(n, s.slow)
				}
				best, err := cheapest(s.rounds, func() (figures, error) { return sendAll(ctx, s, c, from, n) })
				if err != nil {
					return fmt.Errorf("%s, %d %% errors: %w", c.name, percent, err)
				}
				more, ratio := "", ""
				switch c.name {
				case "none":
					none = best.cpu
				case "errclass":
					ours = best.cpu - none
					more = micros(ours)
				default:
					more = micros(best.cpu - none)
					if percent >= 10 && ours > 0 { // with fewer errors the two costs are too small to compare
						ratio = fmt.Sprintf("%.1f", float64(best.cpu-none)/float64(ours))
					}
				}
				kind := "new"
				if repeated {
					kind = "recurring"
				}
				fmt.Fprintf(table, "%d %%\t%s\t%s\t%d\t%s\t%s\t%s\t%.0f MB\t%d\n",
					percent, kind, c.name, best.records, micros(best.cpu), more, ratio, best.peak, best.classified)
			}
		}
	}
	fmt.Fprintln(table, intact)
	return nil
}

// intact is the last line of the output, if no check has failed.
const intact = "No record was lost, doubled or changed."

func micros(d time.Duration) string { return fmt.Sprintf("%.2f µs", float64(d)/1e3) }

// cheapest calls the function run several times. It returns the figures with the lowest
// cost.
func cheapest[F interface{ cost() time.Duration }](rounds int, run func() (F, error)) (best F, err error) {
	for round := range rounds {
		f, err := run()
		if err != nil {
			return best, err
		}
		if round == 0 || f.cost() < best.cost() {
			best = f
		}
	}
	return best, nil
}

// sendAll sends n records through a Collector to a sink and checks them.
func sendAll(ctx context.Context, s settings, c contender, from *source, n int) (f figures, err error) {
	to, err := listen("127.0.0.1:0", n, byNumber, unchanged(from))
	if err != nil {
		return f, err
	}
	defer to.server.Stop()
	addresses, err := free(2)
	if err != nil {
		return f, err
	}
	col, err := start(ctx, s, "otlp", fmt.Sprintf(`
extensions: {health_check: {endpoint: %q}}
receivers: {otlp: {protocols: {grpc: {endpoint: %q, max_recv_msg_size_mib: 64}}}}
processors:
%s
exporters: {otlp_grpc: {endpoint: %q, tls: {insecure: true}, compression: none, timeout: 1m, retry_on_failure: {enabled: false}, sending_queue: {enabled: false}}}
service:
  extensions: [health_check]
  telemetry: {metrics: {level: none}}
  pipelines: {logs: {receivers: [otlp], processors: %s, exporters: [otlp_grpc]}}
`, addresses[0], addresses[1], c.processors, to.address, c.pipeline), addresses[0])
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, col.stop()) }()

	// The CPU time before this point is the time of the Collector's start, which
	// does not count.
	before, err := col.cpu()
	if err != nil {
		return f, err
	}
	err = send(ctx, addresses[1], n, 2, func(ctx context.Context, client plogotlp.GRPCClient, first, last int) error {
		_, err := client.Export(ctx, plogotlp.NewExportRequestFromLogs(from.batch(first, last)), grpc.WaitForReady(true))
		return err
	})
	if err != nil {
		return f, errors.Join(err, col.lastWords())
	}
	after, err := col.cpu()
	if err != nil {
		return f, err
	}
	if f.peak, err = col.peak(); err != nil {
		return f, err
	}
	f.records, f.cpu = n, (after-before)/time.Duration(n)
	if f.classified, err = to.verify(); err != nil {
		return f, err
	}
	wrong := 0
	for i := range n {
		if c.classifies && from.isError(i) {
			wrong++
		}
	}
	if c.classifies && f.classified != wrong {
		return f, fmt.Errorf("of %d errors %d were classified", wrong, f.classified)
	}
	return f, nil
}

// send sends the first n records over several connections. export sends one batch:
// the records from first to last-1.
func send(ctx context.Context, address string, n, connections int, export func(ctx context.Context, client plogotlp.GRPCClient, first, last int) error) error {
	var next atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for range connections {
		group.Go(func() (err error) {
			conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, conn.Close()) }()
			client := plogotlp.NewGRPCClient(conn)
			for {
				first := int(next.Add(batchSize)) - batchSize
				if first >= n {
					return nil
				}
				if err := export(ctx, client, first, min(first+batchSize, n)); err != nil {
					return err
				}
			}
		})
	}
	return group.Wait()
}
