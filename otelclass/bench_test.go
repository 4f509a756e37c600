package otelclass_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"go.opentelemetry.io/contrib/bridges/otelslog"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/log"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/errclass/errclass/internal/benchpair"
	"github.com/errclass/errclass/otelclass"
	"github.com/errclass/errclass/slogclass"
)

// errBench is the error in all benchmarks. Its result is cached after the first
// call.
var errBench = errors.New("too many requests: the limit of 60 requests per minute was reached, please slow down and retry later")

// BenchmarkOnEnd measures OnEnd for spans with ten attributes. The metrics more-ns
// and more-allocs are the additional time and allocations compared with a processor
// that does nothing.
func BenchmarkOnEnd(b *testing.B) {
	var attrs []attribute.KeyValue
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		attrs = append(attrs, attribute.String("app."+name, "value"))
	}
	attrs = append(attrs, attribute.String("http.request.method", "POST"), attribute.Int("http.response.status_code", 429))
	note := sdktrace.Event{Name: "note", Attributes: attrs[:2]}
	exception := sdktrace.Event{Name: "exception", Attributes: []attribute.KeyValue{
		attribute.String("exception.type", "*errors.errorString"), attribute.String("exception.message", errBench.Error()),
	}}
	failed := sdktrace.Status{Code: codes.Error}
	spans := []struct {
		name string
		stub tracetest.SpanStub
	}{
		{"no-error", tracetest.SpanStub{Attributes: attrs}},
		{"no-error-with-event", tracetest.SpanStub{Attributes: attrs, Events: []sdktrace.Event{note}}},
		{"error-one-exception", tracetest.SpanStub{Attributes: attrs, Events: []sdktrace.Event{exception}, Status: failed}},
		{"error-status-only", tracetest.SpanStub{Attributes: attrs, Status: failed}},
		{"handled-exception", tracetest.SpanStub{Attributes: attrs, Events: []sdktrace.Event{exception}}},
	}
	for _, s := range spans {
		b.Run(s.name, func(b *testing.B) {
			span := ofSDK(b, s.stub)
			var bare sdktrace.SpanProcessor = discard{}
			var ours sdktrace.SpanProcessor = otelclass.NewSpanProcessor(bare)
			benchpair.Compare(b, func() { bare.OnEnd(span) }, func() { ours.OnEnd(span) })
		})
	}
}

// ofSDK returns the span that the SDK makes from stub and passes to OnEnd.
func ofSDK(b *testing.B, stub tracetest.SpanStub) sdktrace.ReadOnlySpan {
	next := &keeper{}
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(next))
	_, span := provider.Tracer("bench").Start(b.Context(), "work", trace.WithAttributes(stub.Attributes...))
	for _, e := range stub.Events {
		span.AddEvent(e.Name, trace.WithAttributes(e.Attributes...))
	}
	span.SetStatus(stub.Status.Code, stub.Status.Description)
	span.End()
	return next.spans[0]
}

// BenchmarkOnEmit measures a log record on its way through otelslog and the SDK. The
// metric x-bare is the time divided by the time without package otelclass.
//
//   - The case "message" has a message of 100 bytes and no attributes.
//   - The case "err" has an error of 100 bytes and three other attributes.
//   - The case "logger" is "message" without otelslog.
//   - The provider "batch-dup" does not look for duplicate keys.
//
// In a CPU profile with the provider "batch", the additional cost is mostly the
// SDK's AddAttributes (40 %) and the classification (25 to 30 %).
func BenchmarkOnEmit(b *testing.B) {
	ctx := context.Background()
	providers := []struct {
		name string
		next func() sdklog.Processor
		opts []sdklog.LoggerProviderOption
	}{
		{"simple", func() sdklog.Processor { return sdklog.NewSimpleProcessor(noExport{}) }, nil},
		{"batch", func() sdklog.Processor { return sdklog.NewBatchProcessor(noExport{}) }, nil},
		{"batch-dup", func() sdklog.Processor { return sdklog.NewBatchProcessor(noExport{}) }, []sdklog.LoggerProviderOption{sdklog.WithAllowKeyDuplication()}},
	}
	for _, p := range providers {
		provider := func(wrap func(sdklog.Processor) sdklog.Processor) *sdklog.LoggerProvider {
			lp := sdklog.NewLoggerProvider(append(p.opts, sdklog.WithProcessor(wrap(p.next())))...)
			b.Cleanup(func() { _ = lp.Shutdown(ctx) })
			return lp
		}
		bare := provider(func(next sdklog.Processor) sdklog.Processor { return next })
		ours := provider(func(next sdklog.Processor) sdklog.Processor { return otelclass.NewLogProcessor(next) })
		bridge := func(lp *sdklog.LoggerProvider) slog.Handler {
			return otelslog.NewHandler("bench", otelslog.WithLoggerProvider(lp))
		}
		message := func(h slog.Handler, level slog.Level) func() {
			l := slog.New(h)
			return func() { l.LogAttrs(ctx, level, errBench.Error()) }
		}
		err := func(h slog.Handler) func() {
			l := slog.New(h)
			attrs := []slog.Attr{slog.String("op", "complete"), slog.Int("attempt", 3), slog.Duration("took", 120*time.Millisecond), slog.Any("err", errBench)}
			return func() { l.LogAttrs(ctx, slog.LevelError, "completion failed", attrs...) }
		}
		logger := func(lp *sdklog.LoggerProvider) func() {
			l := lp.Logger("bench")
			r := record(log.SeverityError, errBench.Error())
			return func() { l.Emit(ctx, r) }
		}
		b.Run(p.name+"/info", func(b *testing.B) {
			benchpair.Compare(b, message(bridge(bare), slog.LevelInfo), message(bridge(ours), slog.LevelInfo))
		})
		b.Run(p.name+"/message", func(b *testing.B) {
			benchpair.Compare(b, message(bridge(bare), slog.LevelError), message(bridge(ours), slog.LevelError))
		})
		b.Run(p.name+"/err", func(b *testing.B) { benchpair.Compare(b, err(bridge(bare)), err(bridge(ours))) })
		b.Run(p.name+"/slogclass-err", func(b *testing.B) { benchpair.Compare(b, err(bridge(bare)), err(slogclass.New(bridge(bare)))) })
		b.Run(p.name+"/logger", func(b *testing.B) { benchpair.Compare(b, logger(bare), logger(ours)) })
	}
}

type noExport struct{}

func (noExport) Export(context.Context, []sdklog.Record) error { return nil }
func (noExport) Shutdown(context.Context) error                { return nil }
func (noExport) ForceFlush(context.Context) error              { return nil }
