// Command service is a small service whose calls fail on demand, so that the
// alerts of this folder have something to fire at:
//
//	curl -X POST 'http://127.0.0.1:9464/call?status=401'
//
// makes it call its provider, which answers with that status. The failure is
// logged with plain slog. The handler around the logger classifies it and
// counts it, and /metrics shows the counter to Prometheus.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	otelprometheus "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/metric"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"

	"github.com/errclass/errclass/otelclass"
	"github.com/errclass/errclass/slogclass"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:9464", "address to serve /call and /metrics at")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *listen); err != nil {
		fmt.Fprintln(os.Stderr, "service:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, listen string) error {
	h, stop, err := newHandler()
	if err != nil {
		return err
	}
	defer stop()
	return serve(ctx, listen, h)
}

// newHandler returns all that the service serves, and what ends its metrics.
func newHandler() (http.Handler, func(), error) {
	registry := prometheus.NewRegistry()
	exporter, err := otelprometheus.New(otelprometheus.WithRegisterer(registry),
		otelprometheus.WithoutScopeInfo(), otelprometheus.WithoutTargetInfo())
	if err != nil {
		return nil, nil, err
	}
	meters := sdkmetric.NewMeterProvider(sdkmetric.WithReader(exporter))
	s, err := newService(meters.Meter("service"))
	if err != nil {
		return nil, nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /call", s.call)
	mux.HandleFunc("POST /breaker", s.breaker)
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	return mux, func() { _ = meters.Shutdown(context.Background()) }, nil
}

// providers are declared, so that their series exist before the first failure:
// an alert on an increase sees nothing of a counter that is born at 1.
var providers = []string{"anthropic", "openai"}

// service calls a provider.
type service struct {
	log   *slog.Logger
	calls *otelclass.CallMetrics
}

func newService(meter metric.Meter) (*service, error) {
	declared := otelclass.WithProviders(providers...)
	counter, err := otelclass.NewCounter(meter, declared)
	if err != nil {
		return nil, err
	}
	calls, err := otelclass.NewCallMetrics(meter, declared)
	if err != nil {
		return nil, err
	}
	handler := slogclass.New(slog.NewJSONHandler(os.Stderr, nil), slogclass.WithObserver(counter.Observe))
	return &service{log: slog.New(handler), calls: calls}, nil
}

// call makes one call to the provider that fails as the query asks for: status
// is an HTTP status (200 = no failure), provider its name.
func (s *service) call(w http.ResponseWriter, r *http.Request) {
	provider := r.FormValue("provider")
	if provider == "" {
		provider = providers[0]
	}
	status, err := strconv.Atoi(r.FormValue("status"))
	if err != nil || http.StatusText(status) == "" {
		http.Error(w, "status: not a status code of HTTP, such as 401", http.StatusBadRequest)
		return
	}
	s.calls.Call(r.Context(), provider)
	if status >= http.StatusBadRequest {
		err = fmt.Errorf("POST https://api.%s.example/v1/messages: HTTP %d %s", provider, status, http.StatusText(status))
		s.log.ErrorContext(r.Context(), "completion failed", "err", err, "provider", provider)
	}
	w.WriteHeader(http.StatusNoContent)
}

// breaker says that the breaker of an endpoint is in a state, as whoever runs
// breakers would.
func (s *service) breaker(w http.ResponseWriter, r *http.Request) {
	s.calls.Breaker(r.Context(), r.FormValue("endpoint"), r.FormValue("state"))
	w.WriteHeader(http.StatusNoContent)
}

func serve(ctx context.Context, listen string, h http.Handler) error {
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second}
	stop := context.AfterFunc(ctx, func() { _ = server.Shutdown(context.WithoutCancel(ctx)) })
	defer stop()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
