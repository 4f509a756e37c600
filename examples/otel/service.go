package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/errclass/errclass/otelclass"
)

// requests lists the paths of the requests to the service, in order. The upstream
// gets the same paths.
var requests = []string{"/fine", "/overloaded", "/bad-key", "/slow"}

// makeRequests starts the upstream and the service, makes the requests and
// stops both.
func makeRequests(ctx context.Context, t *telemetry) error {
	upstream, stopUpstream, err := listen(http.HandlerFunc(flaky))
	if err != nil {
		return err
	}
	defer stopUpstream()
	s := &service{telemetry: t, upstream: upstream, client: &http.Client{
		Transport: otelhttp.NewTransport(&http.Transport{DisableKeepAlives: true}, otelhttp.WithTracerProvider(t.tracers)),
	}}
	url, stop, err := listen(otelhttp.NewHandler(s, "answer", otelhttp.WithTracerProvider(t.tracers),
		otelhttp.WithSpanNameFormatter(func(_ string, r *http.Request) string { return "GET " + r.URL.Path })))
	if err != nil {
		return err
	}
	defer stop()
	caller := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for _, path := range requests {
		if _, err := get(ctx, caller, url+path); err != nil {
			return err
		}
	}
	return nil
}

// flaky is the handler of the upstream.
func flaky(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/overloaded":
		http.Error(w, "overloaded", http.StatusServiceUnavailable)
	case "/bad-key":
		http.Error(w, "invalid api key", http.StatusUnauthorized)
	case "/slow":
		<-r.Context().Done() // never answers
	}
}

// service calls its upstream for every request.
type service struct {
	*telemetry
	upstream string
	client   *http.Client
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	err := s.ask(ctx, r.URL.Path)
	if err == nil {
		return
	}
	s.log.ErrorContext(ctx, "no answer from upstream", "err", err)
	span := trace.SpanFromContext(ctx)
	otelclass.RecordError(span, err) // span.RecordError works too, but otelclass then sees only the text of err
	span.SetStatus(codes.Error, "")
	w.WriteHeader(http.StatusBadGateway)
}

// ask calls the upstream. It fails if the upstream fails or exceeds the deadline.
func (s *service) ask(ctx context.Context, path string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	status, err := get(ctx, s.client, s.upstream+path)
	if err != nil {
		return fmt.Errorf("upstream: %w", err)
	}
	if status != http.StatusOK {
		return fmt.Errorf("upstream: HTTP %d %s", status, http.StatusText(status))
	}
	return nil
}

func get(ctx context.Context, client *http.Client, url string) (status int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return 0, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	_, err = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, err
}

// listen serves on a free port of the loopback interface until stop is called.
func listen(h http.Handler) (url string, stop func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(l) // ends with http.ErrServerClosed
	}()
	return "http://" + l.Addr().String(), func() { _ = server.Close(); <-done }, nil
}
