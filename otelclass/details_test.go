package otelclass_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/log"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/errclass/errclass/otelclass"
)

// waiting is an error with a retry-after time.
type waiting struct{ RetryAfter time.Duration }

func (waiting) Error() string { return "alpha" }

// detailed returns "category/reason", followed by the rule and the retry-after time.
func detailed(t *testing.T, attrs []attribute.KeyValue) string {
	t.Helper()
	text := classified(t, attrs)
	for _, key := range []attribute.Key{otelclass.RuleKey, otelclass.RetryAfterMSKey} {
		for _, kv := range attrs {
			if kv.Key == key {
				text += " " + kv.Value.String()
			}
		}
	}
	return text
}

func TestWithDetails(t *testing.T) {
	t.Parallel()
	recorder := otelclass.NewRecorder(otelclass.WithClassifier(testClassifier), otelclass.WithDetails())
	plain := otelclass.NewRecorder(otelclass.WithClassifier(testClassifier))
	for _, tt := range []struct {
		name   string
		do     func(trace.Span)
		opts   []otelclass.Option
		want   string
		events []string
	}{
		{"no error", func(trace.Span) {}, nil, nothing, nil},
		{"rule alone", func(s trace.Span) { s.RecordError(errors.New("beta")); fail(s) }, nil, beta + " beta", []string{beta + " beta"}},
		{"rule and hint", func(s trace.Span) { s.RecordError(errors.New("alpha, try again in 1.5s")); fail(s) }, nil,
			alpha + " alpha 1500", []string{alpha + " alpha 1500"}},
		{"nothing recognised", fail, nil, unknown + " default", nil},
		{"a handled exception", func(s trace.Span) { s.RecordError(errors.New("beta")) }, []otelclass.Option{otelclass.WithHandled()},
			beta + " beta", []string{beta + " beta"}},
		{"the caller's rule", func(s trace.Span) {
			s.SetAttributes(otelclass.RuleKey.String("mine"))
			s.RecordError(errors.New("beta"))
			fail(s)
		}, nil,
			beta + " mine", []string{beta + " beta"}},
		{"RecordError", func(s trace.Span) { recorder.RecordError(s, waiting{1}); fail(s) }, nil, alpha + " alpha 1", []string{alpha + " alpha 1"}},
		{"RecordError with a rule of the caller's", func(s trace.Span) {
			recorder.RecordError(s, waiting{time.Second}, trace.WithAttributes(otelclass.RuleKey.String("mine")))
		}, nil, alpha + " mine 1000", []string{alpha + " mine 1000"}},
		{"RecordError with a hint of the caller's that is none", func(s trace.Span) {
			recorder.RecordError(s, waiting{time.Second}, trace.WithAttributes(otelclass.RetryAfterMSKey.String("soon")))
		}, nil, alpha + " alpha", []string{alpha + " alpha soon"}},
		{"RecordError of one with a hint, then of one without", func(s trace.Span) {
			recorder.RecordError(s, waiting{time.Second})
			recorder.RecordError(s, errors.New("beta"))
		}, nil, beta + " beta 0", []string{alpha + " alpha 1000", beta + " beta"}},
		{"RecordError without details is left alone", func(s trace.Span) { plain.RecordError(s, waiting{time.Second}); fail(s) }, nil,
			alpha, []string{alpha}},
		{"keys that are one of the details'", func(s trace.Span) { s.RecordError(errors.New("beta")); fail(s) },
			[]otelclass.Option{otelclass.WithKeys("error.rule", "why")}, nothing + " fatal", []string{nothing + " fatal"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			span := exportedSpan(t, tt.do, append(tt.opts, otelclass.WithDetails())...)
			assert.Equal(t, tt.want, detailed(t, span.Attributes), "span")
			var got []string
			for _, e := range span.Events {
				got = append(got, detailed(t, e.Attributes))
			}
			assert.Equal(t, tt.events, got, "events")
		})
	}
}

func TestConfidence(t *testing.T) {
	t.Parallel()
	confidence := func(attrs []attribute.KeyValue) (values []float64) {
		for _, kv := range attrs {
			if kv.Key == otelclass.ConfidenceKey {
				values = append(values, kv.Value.AsFloat64())
			}
		}
		return values
	}
	for _, tt := range []struct {
		name string
		do   func(trace.Span)
		want []float64
	}{
		{"a user's rule", func(s trace.Span) { s.RecordError(errors.New("beta")); fail(s) }, []float64{1}},
		{"nothing recognised", fail, []float64{0.5}},
		{"the caller's", func(s trace.Span) {
			s.SetAttributes(otelclass.ConfidenceKey.Float64(0.25))
			s.RecordError(errors.New("beta"))
			fail(s)
		}, []float64{0.25}},
		{"no error", func(trace.Span) {}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, confidence(exportedSpan(t, tt.do, otelclass.WithDetails()).Attributes))
			r := emitted(t, record(log.SeverityError, "beta"), otelclass.WithDetails())
			assert.Equal(t, []float64{1}, confidence(attributes(&r)))
		})
	}
}

func TestLogProcessorWithDetails(t *testing.T) {
	t.Parallel()
	with := func(kvs ...attribute.KeyValue) log.Record {
		r := record(log.SeverityError, "alpha, try again in 1.5s")
		r.AddAttributes(kvs...)
		return r
	}
	for _, tt := range []struct {
		name string
		r    log.Record
		want string
	}{
		{"rule and hint", with(), alpha + " alpha 1500"},
		{"rule alone", record(log.SeverityError, "beta"), beta + " beta"},
		{"no error", record(log.SeverityInfo, "beta"), nothing},
		{"the caller's rule and hint", with(otelclass.RuleKey.String("mine"), otelclass.RetryAfterMSKey.Int(7)), alpha + " mine 7"},
		{"classified before", with(otelclass.CategoryKey.String("retryable"), otelclass.ReasonKey.String("rate_limit")), alpha},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := emitted(t, tt.r, otelclass.WithDetails())
			assert.Equal(t, tt.want, detailed(t, attributes(&r)))
		})
	}
}

// If a record has too little room, the processor first leaves out the attributes of
// WithDetails, and only then reason and category. If a span has shortened a rule id, the
// processor restores the id.
func TestWithDetailsAtTheLimits(t *testing.T) {
	for _, tt := range []struct {
		limit int
		want  string
	}{{0, nothing}, {1, "retryable/<nil>"}, {2, alpha}, {3, alpha + " alpha"}, {4, alpha + " alpha"}, {5, alpha + " alpha 1500"}} {
		exporter := &logs{}
		provider := sdklog.NewLoggerProvider(sdklog.WithAttributeCountLimit(tt.limit), sdklog.WithProcessor(otelclass.NewLogProcessor(
			sdklog.NewSimpleProcessor(exporter), otelclass.WithClassifier(testClassifier), otelclass.WithDetails())))
		provider.Logger("test").Emit(t.Context(), record(log.SeverityError, "alpha, try again in 1.5s", "a", "b"))
		assert.Equal(t, tt.limit < 5, provider.Shutdown(t.Context()) != nil, "limit %d", tt.limit)
		require.Len(t, exporter.records, 1)
		assert.Equal(t, tt.want, detailed(t, attributes(&exporter.records[0])), "limit %d", tt.limit)
	}

	spans := tracetest.NewInMemoryExporter()
	short := sdktrace.NewSpanLimits()
	short.AttributeValueLengthLimit = 12
	provider := sdktrace.NewTracerProvider(sdktrace.WithRawSpanLimits(short), sdktrace.WithSpanProcessor(
		otelclass.NewSpanProcessor(sdktrace.NewSimpleSpanProcessor(spans), otelclass.WithDetails())))
	_, span := provider.Tracer("test").Start(t.Context(), "work")
	otelclass.NewRecorder(otelclass.WithDetails()).RecordError(span, errors.New("insufficient_quota"))
	fail(span)
	span.End()
	stub := spans.GetSpans()[0]
	require.NoError(t, provider.Shutdown(t.Context()))
	assert.Equal(t, detailed(t, stub.Events[0].Attributes), detailed(t, stub.Attributes))
	assert.Greater(t, len(detailed(t, stub.Attributes)), len("fatal/budget_exceeded ")+12)
}
