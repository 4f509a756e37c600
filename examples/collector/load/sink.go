package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"google.golang.org/grpc"
	_ "google.golang.org/grpc/encoding/gzip" // exporters compress
)

// sink is the backend: an OTLP server that checks each record. It is safe for
// concurrent use.
type sink struct {
	plogotlp.UnimplementedGRPCServer
	server  *grpc.Server
	address string
	id      func(plog.LogRecord) (int, error)
	check   func(n int, r plog.LogRecord) error

	mu         sync.Mutex
	seen       []bool
	unique     int
	doubled    int
	classified int
	err        error // the first
}

// newSink returns a sink that expects n records.
func newSink(n int, id func(plog.LogRecord) (int, error), check func(int, plog.LogRecord) error) *sink {
	return &sink{id: id, check: check, seen: make([]bool, n)}
}

// listen starts a sink that expects n records and serves gRPC at an address.
func listen(address string, n int, id func(plog.LogRecord) (int, error), check func(int, plog.LogRecord) error) (*sink, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	s := newSink(n, id, check)
	s.server, s.address = grpc.NewServer(grpc.MaxRecvMsgSize(64<<20)), l.Addr().String()
	plogotlp.RegisterGRPCServer(s.server, s)
	go func() { _ = s.server.Serve(l) }() // returns after Stop
	return s, nil
}

// Export implements [plogotlp.GRPCServer].
func (s *sink) Export(_ context.Context, req plogotlp.ExportRequest) (plogotlp.ExportResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, rl := range req.Logs().ResourceLogs().All() {
		for _, sl := range rl.ScopeLogs().All() {
			for _, r := range sl.LogRecords().All() {
				if err := s.record(r); err != nil && s.err == nil {
					s.err = err
				}
			}
		}
	}
	return plogotlp.NewExportResponse(), nil
}

func (s *sink) record(r plog.LogRecord) error {
	n, err := s.id(r)
	if err != nil {
		return err
	}
	if n < 0 || n >= len(s.seen) {
		return fmt.Errorf("record %d was never sent", n)
	}
	if s.seen[n] {
		s.doubled++
		return nil
	}
	s.seen[n] = true
	s.unique++
	_, category := r.Attributes().Get("error.category")
	_, reason := r.Attributes().Get("error.reason")
	if category != reason {
		return fmt.Errorf("record %d has only one of category and reason", n)
	}
	if category {
		s.classified++
	}
	return s.check(n, r)
}

// wait waits until all records have arrived, or returns an error after the time
// limit.
func (s *sink) wait(ctx context.Context, limit time.Duration, collectors ...*collector) error {
	err := until(ctx, limit, "all records have arrived", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.unique == len(s.seen)
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	if err = errors.Join(err, s.err); err == nil {
		return nil
	}
	err = fmt.Errorf("%d of %d records have arrived: %w", s.unique, len(s.seen), err)
	for _, c := range collectors {
		err = errors.Join(err, c.lastWords())
	}
	return err
}

// verify returns how many records were classified. It returns an error if a record
// is missing, doubled or changed.
func (s *sink) verify() (classified int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return 0, s.err
	}
	if s.unique != len(s.seen) || s.doubled != 0 {
		return 0, fmt.Errorf("of %d records %d have arrived, and %d again", len(s.seen), s.unique, s.doubled)
	}
	return s.classified, nil
}

// byNumber returns the number of a record from the attribute n.
func byNumber(r plog.LogRecord) (int, error) {
	n, ok := r.Attributes().Get("n")
	if !ok {
		return 0, errors.New("a record has lost its attribute n")
	}
	return int(n.Int()), nil
}

// unchanged returns a function that compares record n with the original, byte for
// byte. It ignores the attributes that errclass adds.
func unchanged(from *source) func(int, plog.LogRecord) error {
	var marshal plog.ProtoMarshaler
	alone := func(fill func(plog.LogRecord)) ([]byte, error) {
		logs := plog.NewLogs()
		fill(logs.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty())
		return marshal.MarshalLogs(logs)
	}
	return func(n int, r plog.LogRecord) error {
		got, err := alone(func(to plog.LogRecord) {
			r.CopyTo(to)
			to.Attributes().Remove("error.category")
			to.Attributes().Remove("error.reason")
		})
		if err != nil {
			return err
		}
		want, err := alone(func(to plog.LogRecord) { from.fill(n, to) })
		if err != nil {
			return err
		}
		if !bytes.Equal(got, want) {
			return fmt.Errorf("record %d has changed:\n%q\nwant\n%q", n, got, want)
		}
		return nil
	}
}
