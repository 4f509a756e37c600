package test_test

import (
	"errors"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/contrib/bridges/otelslog"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploggrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploghttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/errclass/errclass/otelclass"
)

// Both transports of OTLP, HTTP and gRPC, export category and reason. The test uses
// batch and simple processors.
func TestOTLP(t *testing.T) {
	t.Parallel()
	transports := []struct {
		name string
		make func(*testing.T, *receiver) (sdktrace.SpanExporter, sdklog.Exporter)
	}{
		{"http", func(t *testing.T, r *receiver) (sdktrace.SpanExporter, sdklog.Exporter) {
			addr := r.overHTTP(t)
			spans, err := otlptracehttp.New(t.Context(), otlptracehttp.WithEndpoint(addr), otlptracehttp.WithInsecure())
			require.NoError(t, err)
			logs, err := otlploghttp.New(t.Context(), otlploghttp.WithEndpoint(addr), otlploghttp.WithInsecure())
			require.NoError(t, err)
			return spans, logs
		}},
		{"grpc", func(t *testing.T, r *receiver) (sdktrace.SpanExporter, sdklog.Exporter) {
			addr := r.overGRPC(t)
			spans, err := otlptracegrpc.New(t.Context(), otlptracegrpc.WithEndpoint(addr), otlptracegrpc.WithInsecure())
			require.NoError(t, err)
			logs, err := otlploggrpc.New(t.Context(), otlploggrpc.WithEndpoint(addr), otlploggrpc.WithInsecure())
			require.NoError(t, err)
			return spans, logs
		}},
	}
	processors := []struct {
		name  string
		spans func(sdktrace.SpanExporter) sdktrace.SpanProcessor
		logs  func(sdklog.Exporter) sdklog.Processor
	}{
		{"batch", func(e sdktrace.SpanExporter) sdktrace.SpanProcessor { return sdktrace.NewBatchSpanProcessor(e) },
			func(e sdklog.Exporter) sdklog.Processor { return sdklog.NewBatchProcessor(e) }},
		{"simple", sdktrace.NewSimpleSpanProcessor,
			func(e sdklog.Exporter) sdklog.Processor { return sdklog.NewSimpleProcessor(e) }},
	}
	for _, transport := range transports {
		for _, processor := range processors {
			t.Run(transport.name+"/"+processor.name, func(t *testing.T) {
				t.Parallel()
				got := newReceiver()
				spans, logs := transport.make(t, got)
				tracers := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(otelclass.NewSpanProcessor(processor.spans(spans))))
				loggers := sdklog.NewLoggerProvider(sdklog.WithProcessor(otelclass.NewLogProcessor(processor.logs(logs))))

				tracer := tracers.Tracer("test")
				_, span := tracer.Start(t.Context(), "fine")
				span.End()
				_, span = tracer.Start(t.Context(), "handled")
				span.RecordError(errors.New("connection refused"))
				span.End()
				_, span = tracer.Start(t.Context(), "failed")
				span.RecordError(errors.New("connection refused"))
				span.RecordError(errors.New("HTTP 401"))
				span.SetStatus(codes.Error, "")
				span.End()
				logger := slog.New(otelslog.NewHandler("test", otelslog.WithLoggerProvider(loggers)))
				logger.Info("fine")
				logger.Error("failed", "err", errors.New("HTTP 401"))

				require.NoError(t, tracers.ForceFlush(t.Context()))
				require.NoError(t, loggers.ForceFlush(t.Context()))
				require.NoError(t, tracers.Shutdown(t.Context()))
				require.NoError(t, loggers.Shutdown(t.Context()))
				assert.Equal(t, map[string]string{"fine": nothing, "handled": nothing, "failed": "fatal/authentication"}, got.spans)
				assert.Equal(t, map[string][]string{
					"handled": {"retryable/network"}, "failed": {"retryable/network", "fatal/authentication"},
				}, got.events)
				assert.Equal(t, map[string]string{"fine": nothing, "failed": "fatal/authentication"}, got.logs)
			})
		}
	}
}

// Shutdown exports the spans and records that are still queued.
func TestOTLPShutdown(t *testing.T) {
	t.Parallel()
	got := newReceiver()
	exporter, err := otlptracehttp.New(t.Context(), otlptracehttp.WithEndpoint(got.overHTTP(t)), otlptracehttp.WithInsecure())
	require.NoError(t, err)
	tracers := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(otelclass.NewSpanProcessor(sdktrace.NewBatchSpanProcessor(exporter))))
	_, span := tracers.Tracer("test").Start(t.Context(), "failed")
	span.SetStatus(codes.Error, "HTTP 401")
	span.End()
	require.NoError(t, tracers.Shutdown(t.Context()))
	assert.Equal(t, map[string]string{"failed": "fatal/authentication"}, got.spans)
}
