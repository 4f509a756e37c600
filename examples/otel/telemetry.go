package main

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"go.opentelemetry.io/contrib/bridges/otelslog"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploghttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/errclass/errclass/otelclass"
	"github.com/errclass/errclass/slogclass"
)

// telemetry holds the logger and the providers of the service.
type telemetry struct {
	log     *slog.Logger
	tracers *sdktrace.TracerProvider
	loggers *sdklog.LoggerProvider
	meters  *sdkmetric.MeterProvider
	failed  exportErrors
}

// newTelemetry returns a telemetry that exports over OTLP/HTTP. The environment
// variable OTEL_EXPORTER_OTLP_ENDPOINT holds the endpoint.
func newTelemetry(ctx context.Context) (*telemetry, error) {
	spans, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, err
	}
	logs, err := otlploghttp.New(ctx)
	if err != nil {
		return nil, err
	}
	metrics, err := otlpmetrichttp.New(ctx)
	if err != nil {
		return nil, err
	}
	t := &telemetry{}
	otel.SetErrorHandler(&t.failed)

	t.meters = sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewPeriodicReader(metrics)))
	counter, err := otelclass.NewCounter(t.meters.Meter("examples/otel"))
	if err != nil {
		return nil, err
	}

	// Each processor of otelclass wraps the batch processor that exports.
	t.tracers = sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(
		otelclass.NewSpanProcessor(sdktrace.NewBatchSpanProcessor(spans), otelclass.WithCounter(counter))))
	t.loggers = sdklog.NewLoggerProvider(sdklog.WithProcessor(
		otelclass.NewLogProcessor(sdklog.NewBatchProcessor(logs), otelclass.WithCounter(counter))))

	// slogclass comes before the bridge, so slogclass gets the error values.
	bridge := otelslog.NewHandler("examples/otel", otelslog.WithLoggerProvider(t.loggers))
	t.log = slog.New(slogclass.New(bridge, slogclass.WithObserver(counter.Observe)))
	return t, nil
}

// shutdown exports the remaining telemetry. It returns the errors of the three
// providers, joined with the first error of the exports in the background.
func (t *telemetry) shutdown(ctx context.Context) error {
	return errors.Join(t.tracers.Shutdown(ctx), t.loggers.Shutdown(ctx), t.meters.Shutdown(ctx), t.failed.first())
}

// exportErrors keeps the first error of the exports, which run in the background.
type exportErrors struct {
	mu  sync.Mutex
	err error
}

// Handle implements [otel.ErrorHandler].
func (e *exportErrors) Handle(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err == nil {
		e.err = err
	}
}

func (e *exportErrors) first() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.err
}
