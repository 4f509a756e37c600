package otelclass_test

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/log"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/otelclass"
)

func TestWithObserver(t *testing.T) {
	t.Parallel()
	type key struct{}
	ctx := context.WithValue(t.Context(), key{}, "tenant")
	var got []string
	observe := func(name string) otelclass.Option {
		return otelclass.WithObserver(func(ctx context.Context, s otelclass.Signal, res classify.Result) {
			if s == otelclass.SignalLog {
				assert.Equal(t, "tenant", ctx.Value(key{}))
			} else {
				assert.Equal(t, "01000000000000000000000000000000", trace.SpanContextFromContext(ctx).TraceID().String())
			}
			got = append(got, name+" "+string(s)+" "+string(res.Reason)+" "+res.Rule)
		})
	}
	opts := []otelclass.Option{otelclass.WithClassifier(testClassifier), observe("a"), observe("b")}
	spans := otelclass.NewSpanProcessor(nil, opts...)
	stub := tracetest.SpanStub{
		SpanContext: trace.NewSpanContext(trace.SpanContextConfig{TraceID: [16]byte{1}, SpanID: [8]byte{2}}),
		Status:      sdktrace.Status{Code: codes.Error, Description: "alpha"},
	}
	spans.OnEnd(stub.Snapshot())
	records := otelclass.NewLogProcessor(nil, opts...)
	require.NoError(t, records.OnEmit(ctx, emit(t, record(log.SeverityError, "beta"))))
	assert.Equal(t, []string{
		"a span rate_limit alpha", "b span rate_limit alpha", "a log authentication beta", "b log authentication beta",
	}, got)
}

// emit converts a log record of the API to a log record of the SDK.
func emit(t *testing.T, r log.Record) *sdklog.Record {
	t.Helper()
	exporter := &logs{}
	provider := sdklog.NewLoggerProvider(sdklog.WithProcessor(sdklog.NewSimpleProcessor(exporter)))
	provider.Logger("test").Emit(t.Context(), r)
	require.NoError(t, provider.Shutdown(t.Context()))
	require.Len(t, exporter.records, 1)
	return &exporter.records[0]
}

// Observers get no handled exceptions, and no records that already have a category.
func TestWithObserverGetsErrorsOnly(t *testing.T) {
	t.Parallel()
	var observed int
	opts := []otelclass.Option{otelclass.WithHandled(), otelclass.WithObserver(func(context.Context, otelclass.Signal, classify.Result) { observed++ })}
	failed := func(s trace.Span) { s.RecordError(errors.New("alpha")); s.SetStatus(codes.Error, "") }
	handled := func(s trace.Span) { s.RecordError(errors.New("alpha")) }
	tests := []struct {
		name string
		do   func(*testing.T)
		want int
	}{
		{"span that failed", func(t *testing.T) { exportedSpan(t, failed, opts...) }, 1},
		{"span that handled an exception", func(t *testing.T) { exportedSpan(t, handled, opts...) }, 0},
		{"record", func(t *testing.T) { emitted(t, record(log.SeverityError, "alpha"), opts...) }, 1},
		{"exception without severity", func(t *testing.T) {
			emitted(t, record(log.SeverityUndefined, "", "exception.message", "alpha"), opts...)
		}, 1},
		{"exception that was handled", func(t *testing.T) {
			emitted(t, record(log.SeverityWarn, "", "exception.message", "alpha"), opts...)
		}, 0},
		{"record with a category", func(t *testing.T) {
			emitted(t, record(log.SeverityError, "alpha", "error.category", "retryable"), opts...)
		}, 0},
		{"record with a reason", func(t *testing.T) {
			emitted(t, record(log.SeverityError, "alpha", "error.reason", "rate_limit"), opts...)
		}, 1},
		{"span that WithSpans leaves out", func(t *testing.T) {
			exportedSpan(t, failed, append(opts, otelclass.WithSpans(func(sdktrace.ReadOnlySpan) bool { return false }))...)
		}, 0},
	}
	for _, tt := range tests {
		observed = 0
		tt.do(t)
		assert.Equal(t, tt.want, observed, tt.name)
	}
}

func TestWithObserverPanics(t *testing.T) {
	t.Parallel()
	after := 0
	opts := []otelclass.Option{
		otelclass.WithClassifier(testClassifier),
		otelclass.WithObserver(func(context.Context, otelclass.Signal, classify.Result) { panic("boom") }),
		otelclass.WithObserver(func(context.Context, otelclass.Signal, classify.Result) { after++ }),
	}
	full := errors.New("exporter is full")

	records := otelclass.NewLogProcessor(&nextLogs{err: full}, opts...)
	require.Equal(t, full, records.OnEmit(t.Context(), emit(t, record(log.SeverityError, "alpha"))))
	err := records.ForceFlush(t.Context())
	require.ErrorIs(t, err, full)
	require.ErrorContains(t, err, "otelclass: an observer panicked, see WithObserver: boom")
	require.Equal(t, full, records.Shutdown(t.Context()), "the panic is returned once")

	next := &keeper{}
	spans := otelclass.NewSpanProcessor(next, opts...)
	failed := tracetest.SpanStub{Status: sdktrace.Status{Code: codes.Error, Description: "alpha"}}.Snapshot()
	spans.OnEnd(failed)
	spans.OnEnd(failed)
	require.Len(t, next.spans, 2)
	assert.Equal(t, alpha, classified(t, next.spans[0].Attributes()))
	err = spans.ForceFlush(t.Context())
	require.ErrorContains(t, err, "an observer panicked")
	assert.Equal(t, semconv.ErrorTypeKey.String("otelclass.observer_panic"), semconv.ErrorType(err))
	require.NoError(t, spans.ForceFlush(t.Context()), "the panic is returned once")
	spans.OnEnd(failed)
	next.err = full
	err = spans.Shutdown(t.Context())
	require.ErrorIs(t, err, full)
	assert.ErrorContains(t, err, "boom")
	assert.Equal(t, 4, after, "the other observers are called")
}

// The span must be passed on even if an observer calls runtime.Goexit.
func TestWithObserverThatEndsTheGoroutine(t *testing.T) {
	t.Parallel()
	next := &keeper{}
	p := otelclass.NewSpanProcessor(next, otelclass.WithObserver(func(context.Context, otelclass.Signal, classify.Result) { runtime.Goexit() }))
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.OnEnd(tracetest.SpanStub{Status: sdktrace.Status{Code: codes.Error}}.Snapshot())
	}()
	<-done
	require.Len(t, next.spans, 1)
	assert.Equal(t, unknown, classified(t, next.spans[0].Attributes()))
}
