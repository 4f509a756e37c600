package otelclass_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/log"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"pgregory.net/rapid"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/otelclass"
)

// handled is an error handler for OpenTelemetry. It stores the errors.
type handled struct {
	mu   sync.Mutex
	errs []error
}

func (h *handled) Handle(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.errs = append(h.errs, err)
}

// reported returns the number of stored errors about limits. It then deletes all
// stored errors.
func (h *handled) reported() (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, err := range h.errs {
		var typed interface{ ErrorType() string }
		if errors.As(err, &typed) && typed.ErrorType() == "otelclass.limit" {
			n++
		}
	}
	h.errs = nil
	return n
}

// If a limit drops or shortens an attribute, Shutdown must return an error. The error
// handler must not be called, because it may log while a record is being emitted.
func TestLogProcessorAtTheLimits(t *testing.T) {
	h := &handled{}
	otel.SetErrorHandler(h)
	defer otel.SetErrorHandler(otel.ErrorHandlerFunc(func(error) {}))
	const cat, reason = otelclass.CategoryKey, otelclass.ReasonKey
	exception := []attribute.KeyValue{attribute.String("exception.type", "T"), attribute.String("exception.message", "alpha")}
	tests := []struct {
		name     string
		n        int // number of attributes that are added before attrs
		attrs    []attribute.KeyValue
		opts     []sdklog.LoggerProviderOption
		want     string
		kept     int // how many of these n attributes remain
		dropped  int
		reported int
	}{
		{"default limit, room", 126, nil, nil, alpha, 126, 0, 0},
		{"default limit, room for one", 127, nil, nil, alpha, 126, 1, 0},
		{"default limit, full", 128, nil, nil, alpha, 126, 2, 0},
		{"default limit, more than full", 1000, nil, nil, alpha, 126, 874, 0},
		{"default limit, many more than full", 5000, nil, nil, alpha, 126, 4874, 0},
		{"default limit, full, the exception at the end", 126, exception, nil, alpha, 126, 2, 0},
		{"default limit, full, a category of the caller's at the end", 127, []attribute.KeyValue{cat.String("mine")}, nil, "mine/rate_limit", 127, 1, 0},
		{"no limit", 1000, nil, limits(-1, -1), alpha, 1000, 0, 0},
		{"limit 0", 5, nil, limits(0, -1), nothing, 0, 7, 1},
		{"limit 1", 5, nil, limits(1, -1), "retryable/<nil>", 0, 6, 1},
		{"limit 1, a category of the caller's", 0, []attribute.KeyValue{cat.String("mine"), attribute.Int("a", 1)}, limits(1, -1), "mine/<nil>", 1, 2, 1},
		{"limit 2", 5, nil, limits(2, -1), alpha, 0, 5, 0},
		{"limit 2, an exception", 0, exception, limits(2, -1), alpha, 0, 2, 0},
		{"limit 3, an exception at the beginning", 0, append(slices.Clone(exception), attribute.Int("a", 1)), limits(3, -1), alpha, 1, 2, 0},
		{"limit 3, room", 0, nil, limits(3, -1), alpha, 0, 0, 0},
		{"values of 0", 3, nil, limits(-1, 0), nothing, 3, 0, 1},
		{"values of 1", 3, nil, limits(-1, 1), nothing, 3, 0, 1},
		{"values of 5", 3, nil, limits(-1, 5), nothing, 3, 0, 1},
		{"values of 9, one word fits", 3, nil, limits(-1, 9), "retryable/<nil>", 3, 0, 1},
		{"values of 10", 3, nil, limits(-1, 10), alpha, 3, 0, 0},
		{"values of 9, full", 128, nil, limits(128, 9), "retryable/<nil>", 127, 2, 1},
		{"values of 1, full", 128, nil, limits(128, 1), nothing, 128, 2, 1},
		{"values of 1, room for one", 127, nil, limits(128, 1), nothing, 127, 0, 1},
	}
	for _, dup := range []bool{false, true} {
		for _, tt := range tests {
			t.Run(fmt.Sprintf("%s, keys compared %t", tt.name, !dup), func(t *testing.T) {
				h.reported()
				exporter := &logs{}
				opts := append(slices.Clone(tt.opts), sdklog.WithProcessor(
					otelclass.NewLogProcessor(sdklog.NewSimpleProcessor(exporter), otelclass.WithClassifier(testClassifier))))
				if dup {
					opts = append(opts, sdklog.WithAllowKeyDuplication())
				}
				provider := sdklog.NewLoggerProvider(opts...)
				var r log.Record
				r.SetSeverity(log.SeverityError)
				r.SetBody(attribute.StringValue("alpha"))
				before := append(many(tt.n, plain), tt.attrs...)
				r.AddAttributes(before...)
				for range 2 {
					provider.Logger("test").Emit(t.Context(), r)
				}
				assert.Empty(t, h.errs, "while records are emitted")
				var typed interface{ ErrorType() string }
				if err := provider.Shutdown(t.Context()); tt.reported == 0 {
					require.NoError(t, err)
				} else if assert.ErrorAs(t, err, &typed) {
					assert.Equal(t, "otelclass.limit", typed.ErrorType())
				}
				require.Len(t, exporter.records, 2)
				for i := range exporter.records {
					now := attributes(&exporter.records[i])
					assert.Equal(t, tt.want, classified(t, now))
					assert.Equal(t, tt.dropped, exporter.records[i].DroppedAttributes(), "dropped")
					kept := 0
					for _, kv := range now {
						if slices.ContainsFunc(before, func(b attribute.KeyValue) bool { return b.Key == kv.Key }) {
							kept++
						}
					}
					assert.Equal(t, tt.kept, kept, "kept")
					for _, kv := range exception {
						if tt.n > 0 && len(tt.attrs) == 2 {
							assert.Contains(t, now, kv, "an exception is the last to give way")
						}
					}
				}
			})
		}
	}
}

// An error handler that logs must not emit records without end, even if each record makes
// an observer panic.
func TestLogProcessorBelowAnErrorHandlerThatLogs(t *testing.T) {
	defer otel.SetErrorHandler(otel.ErrorHandlerFunc(func(error) {}))
	exporter := &logs{}
	p := otelclass.NewLogProcessor(sdklog.NewSimpleProcessor(exporter),
		otelclass.WithObserver(func(context.Context, otelclass.Signal, classify.Result) { panic("boom") }))
	logger := sdklog.NewLoggerProvider(append(limits(1, -1), sdklog.WithProcessor(p))...).Logger("test")
	emitted := 0
	emit := func() {
		if emitted++; emitted < 100 {
			logger.Emit(t.Context(), record(log.SeverityError, "alpha"))
		}
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(error) { emit() }))
	emit()
	assert.Len(t, exporter.records, 1)
	err := p.Shutdown(t.Context())
	require.ErrorContains(t, err, "an observer panicked")
	require.ErrorContains(t, err, "had no room")
}

// The error about a limit is returned once, by ForceFlush or Shutdown.
func TestLogProcessorReturnsTheLimitOnce(t *testing.T) {
	t.Parallel()
	next := &nextLogs{}
	p := otelclass.NewLogProcessor(next)
	provider := sdklog.NewLoggerProvider(append(limits(-1, 5), sdklog.WithProcessor(p))...)
	emit := func() {
		next.err = nil
		provider.Logger("test").Emit(t.Context(), record(log.SeverityError, "alpha"))
		next.err = errors.New("exporter is full")
	}
	emit()
	emit()
	err := p.ForceFlush(t.Context())
	require.ErrorIs(t, err, next.err)
	require.ErrorContains(t, err, "otelclass: a span or a log record had no room")
	emit()
	require.Equal(t, next.err, p.ForceFlush(t.Context()))
	require.Equal(t, next.err, p.Shutdown(t.Context()))
}

func limits(count, length int) []sdklog.LoggerProviderOption {
	return []sdklog.LoggerProviderOption{sdklog.WithAttributeCountLimit(count), sdklog.WithAttributeValueLengthLimit(length)}
}

// TestRecordErrorAtTheLimits records an error on spans with limits. It does so with
// and without a SpanProcessor.
func TestRecordErrorAtTheLimits(t *testing.T) {
	h := &handled{}
	otel.SetErrorHandler(h)
	defer otel.SetErrorHandler(otel.ErrorHandlerFunc(func(error) {}))
	raw := func(change func(*sdktrace.SpanLimits)) sdktrace.SpanLimits {
		l := sdktrace.NewSpanLimits()
		change(&l)
		return l
	}
	const deadline = "timeout/timeout"
	tests := []struct {
		name     string
		limits   sdktrace.SpanLimits
		n, event int // numbers of attributes of the span and of the event
		bare     string
		failed   string // result on a failed span with a SpanProcessor
		events   string
		reported int
	}{
		{"default limits", sdktrace.NewSpanLimits(), 3, 3, deadline, deadline, deadline, 0},
		{"a full event", sdktrace.NewSpanLimits(), 3, 128, deadline, deadline, deadline, 0},
		{"more than a full event", sdktrace.NewSpanLimits(), 3, 500, deadline, deadline, deadline, 0},
		{"an event of 2", raw(func(l *sdktrace.SpanLimits) { l.AttributePerEventCountLimit = 2 }), 3, 5, deadline, deadline, deadline, 0},
		{"an event of 1", raw(func(l *sdktrace.SpanLimits) { l.AttributePerEventCountLimit = 1 }), 3, 5, deadline, deadline, "timeout/<nil>", 1},
		{"an event of 0", raw(func(l *sdktrace.SpanLimits) { l.AttributePerEventCountLimit = 0 }), 3, 5, deadline, deadline, nothing, 1},
		{"a full span", sdktrace.NewSpanLimits(), 128, 3, nothing, deadline, deadline, 1},
		{"a span with room for one", sdktrace.NewSpanLimits(), 127, 3, "timeout/<nil>", deadline, deadline, 1},
		{"a span of 0", raw(func(l *sdktrace.SpanLimits) { l.AttributeCountLimit = 0 }), 3, 3, nothing, deadline, deadline, 1},
		{"a span of 1", raw(func(l *sdktrace.SpanLimits) { l.AttributeCountLimit = 1 }), 0, 3, "timeout/<nil>", deadline, deadline, 1},
		{"no limit", raw(func(l *sdktrace.SpanLimits) { l.AttributeCountLimit = -1 }), 500, 3, deadline, deadline, deadline, 0},
		{"values of 0", raw(func(l *sdktrace.SpanLimits) { l.AttributeValueLengthLimit = 0 }), 3, 3, "/", deadline, deadline, 1},
		{"values of 3", raw(func(l *sdktrace.SpanLimits) { l.AttributeValueLengthLimit = 3 }), 3, 3, "tim/tim", deadline, deadline, 1},
		{"values of 10", raw(func(l *sdktrace.SpanLimits) { l.AttributeValueLengthLimit = 10 }), 3, 3, deadline, deadline, deadline, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h.reported()
			bare, ours := tracetest.NewInMemoryExporter(), tracetest.NewInMemoryExporter()
			provider := sdktrace.NewTracerProvider(
				sdktrace.WithRawSpanLimits(tt.limits), sdktrace.WithSyncer(bare),
				sdktrace.WithSpanProcessor(otelclass.NewSpanProcessor(sdktrace.NewSimpleSpanProcessor(ours))))
			recorder := otelclass.NewRecorder()
			for range 2 {
				_, span := provider.Tracer("test").Start(t.Context(), "work")
				span.SetAttributes(many(tt.n, plain)...)
				recorder.RecordError(span, context.DeadlineExceeded, trace.WithAttributes(many(tt.event, plain)...))
				span.SetStatus(codes.Error, "")
				span.End()
			}
			without, with := bare.GetSpans(), ours.GetSpans()
			require.NoError(t, provider.Shutdown(t.Context()))
			require.Len(t, without, 2)
			require.Len(t, with, 2)
			for i := range with {
				assert.Equal(t, tt.bare, classified(t, without[i].Attributes))
				assert.Equal(t, tt.failed, classified(t, with[i].Attributes))
				assert.Equal(t, []string{tt.events}, events(t, with[i]))
				assert.Equal(t, []string{tt.events}, events(t, without[i]))
			}
			assert.Equal(t, tt.reported, h.reported(), "reported")
		})
	}
}

// The processor adds category and reason even if a span has the maximum number of
// attributes.
func TestSpanProcessorAtTheLimits(t *testing.T) {
	t.Parallel()
	l := sdktrace.NewSpanLimits()
	l.AttributeCountLimit, l.AttributePerEventCountLimit, l.AttributeValueLengthLimit = 2, 2, 3
	exporter := tracetest.NewInMemoryExporter()
	provider := sdktrace.NewTracerProvider(sdktrace.WithRawSpanLimits(l), sdktrace.WithSpanProcessor(
		otelclass.NewSpanProcessor(sdktrace.NewSimpleSpanProcessor(exporter), otelclass.WithClassifier(testClassifier))))
	_, span := provider.Tracer("test").Start(t.Context(), "work", trace.WithAttributes(many(5, plain)...))
	span.RecordError(errors.New("alpha"))
	span.SetStatus(codes.Error, "")
	span.End()
	spans := exporter.GetSpans()
	require.Len(t, spans, 1)
	require.NoError(t, provider.Shutdown(t.Context()))
	assert.Len(t, spans[0].Attributes, 4)
	assert.Equal(t, alpha, classified(t, spans[0].Attributes))
	assert.Equal(t, []string{alpha}, events(t, spans[0]))
}

// TestRecordErrorShortenedAndMissing draws random limits for a span's attributes. A
// SpanProcessor restores lost and shortened values.
func TestRecordErrorShortenedAndMissing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n, room := rapid.IntRange(0, 4).Draw(t, "attributes"), rapid.IntRange(0, 3).Draw(t, "room")
		l := sdktrace.NewSpanLimits()
		l.AttributeCountLimit, l.AttributeValueLengthLimit = n+room, rapid.IntRange(-1, 12).Draw(t, "length")
		exporter := tracetest.NewInMemoryExporter()
		provider := sdktrace.NewTracerProvider(sdktrace.WithRawSpanLimits(l), sdktrace.WithSpanProcessor(
			otelclass.NewSpanProcessor(sdktrace.NewSimpleSpanProcessor(exporter))))
		_, span := provider.Tracer("test").Start(context.Background(), "work", trace.WithAttributes(many(n, plain)...))
		if rapid.Bool().Draw(t, "an error before") {
			otelclass.RecordError(span, context.DeadlineExceeded)
		}
		otelclass.RecordError(span, errors.New("connection refused"))
		span.SetStatus(codes.Error, "")
		span.End()
		spans := exporter.GetSpans()
		require.NoError(t, provider.Shutdown(context.Background()))
		require.Len(t, spans, 1)
		ours := slices.DeleteFunc(spans[0].Attributes, func(kv attribute.KeyValue) bool {
			return kv.Key != otelclass.CategoryKey && kv.Key != otelclass.ReasonKey
		})
		require.Equal(t, []attribute.KeyValue{
			otelclass.CategoryKey.String("retryable"), otelclass.ReasonKey.String("network"),
		}, ours)
	})
}
