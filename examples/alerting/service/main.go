// Command service is a small service that fails on demand. A request such as
//
//	curl -X POST 'http://127.0.0.1:9464/call?status=401'
//
// makes the service call a provider, which answers with that status. The service
// logs the failure with slog. slogclass classifies and counts the error. Prometheus
// reads the counter from /metrics.
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
	"strings"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	otelprometheus "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/metric"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"

	"github.com/errclass/errclass/classify"
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

// newHandler returns the service's handler and a function that stops its metrics.
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
	mux.HandleFunc("POST /health", s.health)
	mux.HandleFunc("POST /hold", s.hold)
	mux.HandleFunc("POST /restart", s.restart)
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	return mux, func() { _ = meters.Shutdown(context.Background()) }, nil
}

// providers lists the providers. Their counters start at 0, so alerts see the first
// failure.
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
	endpoints := make([]string, len(providers))
	for i, provider := range providers {
		endpoints[i] = endpoint(provider)
	}
	calls, err := otelclass.NewCallMetrics(meter, declared, otelclass.WithEndpoints(endpoints...))
	if err != nil {
		return nil, err
	}
	handler := slogclass.New(slog.NewJSONHandler(os.Stderr, nil), slogclass.WithObserver(counter.Observe))
	return &service{log: slog.New(handler), calls: calls}, nil
}

// call simulates calls to a provider. The query parameters are:
//
//   - status: the outcomes of the calls, separated by commas. Each is an HTTP status
//     or a key of namedFailures. The calls end at a success or at an error that is
//     not retryable.
//   - provider: the name of the provider.
//   - fallback: the provider to call if the last call fails. Its call always
//     succeeds.
func (s *service) call(w http.ResponseWriter, r *http.Request) {
	provider := r.FormValue("provider")
	if provider == "" {
		provider = providers[0]
	}
	statuses := strings.Split(r.FormValue("status"), ",")
	for _, status := range statuses {
		if _, err := answer(provider, status); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
	}
	res := s.ask(r.Context(), provider, statuses)
	if fallback := r.FormValue("fallback"); fallback != "" && res.Category != "" {
		s.calls.Fallback(r.Context(), provider, fallback, res)
		s.calls.Call(r.Context(), fallback)
		s.calls.Attempt(r.Context(), fallback, endpoint(fallback), classify.Result{})
	}
	w.WriteHeader(http.StatusNoContent)
}

// ask calls the provider until a call succeeds, an error is not retryable, or no
// status is left. It returns the result of the last call.
func (s *service) ask(ctx context.Context, provider string, statuses []string) (res classify.Result) {
	for i, status := range statuses {
		s.calls.Call(ctx, provider)
		failure, _ := answer(provider, status)
		if failure != nil {
			s.log.ErrorContext(ctx, "completion failed", "err", failure, "provider", provider)
		}
		before := res
		res = classify.Error(failure)
		s.calls.Attempt(ctx, provider, endpoint(provider), res)
		if i > 0 {
			s.calls.Retry(ctx, provider, before, res.Category == "")
		}
		if !res.Retryable() {
			break
		}
	}
	return res
}

// namedFailures are failures without an HTTP status.
var namedFailures = map[string]error{
	"overflow": errors.New("prompt is too long: 210000 tokens > 200000 maximum"),
	"deadline": context.DeadlineExceeded,
	"canceled": context.Canceled,
}

// answer returns the error of a call as failure, or nil after a success. If the
// status is invalid, err is not nil.
func answer(provider, status string) (failure, err error) {
	url := endpoint(provider) + "/v1/messages"
	if named := namedFailures[status]; named != nil {
		return fmt.Errorf("POST %s: %w", url, named), nil
	}
	code, err := strconv.Atoi(status)
	if err != nil || http.StatusText(code) == "" {
		return nil, errors.New("status: want an HTTP status, such as 401")
	}
	if code < http.StatusBadRequest {
		return nil, nil
	}
	return fmt.Errorf("POST %s: HTTP %d %s", url, code, http.StatusText(code)), nil
}

func endpoint(provider string) string { return "https://api." + provider + ".example" }

// breaker sets the state of an endpoint's circuit breaker in the metrics.
func (s *service) breaker(w http.ResponseWriter, r *http.Request) {
	s.calls.Breaker(r.Context(), r.FormValue("endpoint"), r.FormValue("state"))
	w.WriteHeader(http.StatusNoContent)
}

// health sets the state of an endpoint in the metric of endpoint health.
func (s *service) health(w http.ResponseWriter, r *http.Request) {
	s.calls.Health(r.Context(), r.FormValue("endpoint"), r.FormValue("state"))
	w.WriteHeader(http.StatusNoContent)
}

// hold sets the metric that says how much longer a rate limit pauses an endpoint.
func (s *service) hold(w http.ResponseWriter, r *http.Request) {
	left, err := time.ParseDuration(r.FormValue("left"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.calls.Hold(r.Context(), r.FormValue("endpoint"), left)
	w.WriteHeader(http.StatusNoContent)
}

// restart increments the metric that counts the state changes of queued tasks.
func (s *service) restart(w http.ResponseWriter, r *http.Request) {
	s.calls.Restart(r.Context(), r.FormValue("state"))
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
