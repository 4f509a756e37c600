package main

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
)

// terabyteADay is one terabyte per day, in bytes per second.
const terabyteADay = 1e12 / (24 * 60 * 60)

// plan measures the agent and the gateway with the configuration of
// collector/kubernetes. It prints the cores that each needs for one terabyte of logs
// per day.
func plan(ctx context.Context, s settings, table io.Writer) error {
	fmt.Fprintln(table, "errors\trecords\tbytes a record\tagent\tgateway\tagent's memory\tgateway's memory\tagent, 1 TB a day\tgateway, 1 TB a day")
	return eachFile(s, table, func(percent int, from *source, file string, bytes float64) error {
		best, err := cheapest(s.rounds, func() (chainFigures, error) { return chain(ctx, s, from, file) })
		if err != nil {
			return fmt.Errorf("%d %% errors: %w", percent, err)
		}
		a, g := best.agent, best.gateway
		cores := func(f figures) float64 { return terabyteADay / bytes * f.cpu.Seconds() }
		fmt.Fprintf(table, "%d %%\t%d\t%.0f\t%s\t%s\t%.0f MB\t%.0f MB\t%.2f cores\t%.2f cores\n",
			percent, s.records, bytes, micros(a.cpu), micros(g.cpu), a.peak, g.peak, cores(a), cores(g))
		return nil
	})
}

// chainFigures has the figures of an agent and a gateway.
type chainFigures struct{ agent, gateway figures }

func (b chainFigures) cost() time.Duration { return b.agent.cpu + b.gateway.cpu }

// chain sends the records of a file through an agent and a gateway to a sink.
func chain(ctx context.Context, s settings, from *source, file string) (f chainFigures, err error) {
	logs := filepath.Join(s.dir, "pods")
	path, err := containerLog(logs)
	if err != nil {
		return f, err
	}
	to := newSink(s.records, inBody, sameBody(from))
	server, backend, err := to.serveHTTP()
	if err != nil {
		return f, err
	}
	defer func() {
		err = errors.Join(err, server.Close(), os.RemoveAll(logs), os.RemoveAll(filepath.Join(s.dir, "agent")), os.RemoveAll(filepath.Join(s.dir, "gateway")))
	}()
	ports, err := freePorts(9)
	if err != nil {
		return f, err
	}
	shared := []string{"LISTEN=127.0.0.1", "CONFIG=" + s.config}
	gateway, err := startFile(ctx, s, "gateway", filepath.Join(s.config, "gateway.yaml"), "127.0.0.1:"+ports[0], append(shared,
		"STATE="+filepath.Join(s.dir, "gateway"), "BACKEND=http://"+backend,
		"HEALTH_PORT="+ports[0], "OTLP_GRPC_PORT="+ports[1], "OTLP_HTTP_PORT="+ports[2], "OWN_METRICS_PORT="+ports[3]))
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, gateway.stop()) }()
	agent, err := startFile(ctx, s, "agent", filepath.Join(s.config, "agent.yaml"), "127.0.0.1:"+ports[4], append(shared,
		"STATE="+filepath.Join(s.dir, "agent"), "LOGS="+logs, "GATEWAY=127.0.0.1:"+ports[1],
		"HEALTH_PORT="+ports[4], "OTLP_GRPC_PORT="+ports[5], "OTLP_HTTP_PORT="+ports[6], "OWN_METRICS_PORT="+ports[7], "METRICS_PORT="+ports[8]), s.args...)
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, agent.stop()) }()

	use := func(c *collector, f *figures) (err error) {
		cpu, err := c.cpu()
		f.cpu = (cpu - f.cpu) // since the last call
		return err
	}
	if err := errors.Join(use(agent, &f.agent), use(gateway, &f.gateway), os.Link(file, path)); err != nil {
		return f, err
	}
	if err := to.wait(ctx, 10*time.Minute, agent, gateway); err != nil {
		return f, err
	}
	if err := errors.Join(use(agent, &f.agent), use(gateway, &f.gateway)); err != nil {
		return f, err
	}
	if _, err := to.verify(); err != nil {
		return f, err
	}
	f.agent.cpu /= time.Duration(s.records)
	f.gateway.cpu /= time.Duration(s.records)
	if f.agent.peak, err = agent.peak(); err != nil {
		return f, err
	}
	f.gateway.peak, err = gateway.peak()
	return f, err
}

// serveHTTP serves OTLP over HTTP. It returns the server and its address.
func (s *sink) serveHTTP() (*http.Server, string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", err
	}
	server := &http.Server{ReadHeaderTimeout: 5 * time.Second, Handler: http.HandlerFunc(s.receive)}
	go func() { _ = server.Serve(l) }() // returns after Close
	return server, l.Addr().String(), nil
}

func (s *sink) receive(w http.ResponseWriter, r *http.Request) {
	req := plogotlp.NewExportRequest()
	err := func() error {
		body := io.Reader(r.Body)
		if r.Header.Get("Content-Encoding") == "gzip" {
			unzipped, err := gzip.NewReader(r.Body)
			if err != nil {
				return err
			}
			body = unzipped
		}
		data, err := io.ReadAll(body)
		if err != nil {
			return err
		}
		return req.UnmarshalProto(data)
	}()
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	_, _ = s.Export(r.Context(), req) // returns no error
	w.Header().Set("Content-Type", "application/x-protobuf")
}
