package otelclass_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/log"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/errclass/errclass/classify/fingerprint"
	"github.com/errclass/errclass/otelclass"
)

// fingerprintOf returns the values of the fingerprint attributes in attrs, joined.
func fingerprintOf(attrs []attribute.KeyValue) string {
	var values []string
	for _, kv := range attrs {
		if kv.Key == otelclass.FingerprintKey {
			values = append(values, kv.Value.String())
		}
	}
	return strings.Join(values, " and ")
}

// sum returns the fingerprint of a text.
func sum(text string) string { return fingerprint.Sum(text).String() }

// selfWrapping is an error without a readable text.
type selfWrapping struct{}

func (*selfWrapping) Error() string   { panic("no text") }
func (e *selfWrapping) Unwrap() error { return e }

func TestWithFingerprint(t *testing.T) {
	t.Parallel()
	recorder := otelclass.NewRecorder(otelclass.WithClassifier(testClassifier), otelclass.WithFingerprint())
	plain := otelclass.NewRecorder(otelclass.WithClassifier(testClassifier))
	for _, tt := range []struct {
		name   string
		do     func(trace.Span)
		opts   []otelclass.Option
		want   string
		events []string
	}{
		{"no error", func(trace.Span) {}, nil, "", nil},
		{"an exception", func(s trace.Span) { s.RecordError(errors.New("beta 5")); fail(s) }, nil, sum("beta 6"), []string{sum("beta 6")}},
		{"a handled exception", func(s trace.Span) { s.RecordError(errors.New("beta")) }, nil, "", []string{sum("beta")}},
		{"RecordError", func(s trace.Span) { recorder.RecordError(s, errors.New("beta 5")); fail(s) }, nil, sum("beta 7"), []string{sum("beta 7")}},
		{"RecordError twice", func(s trace.Span) {
			recorder.RecordError(s, errors.New("beta"))
			recorder.RecordError(s, errors.New("alpha"))
		}, nil, sum("alpha"), []string{sum("beta"), sum("alpha")}},
		{"RecordError of an error without a text", func(s trace.Span) {
			recorder.RecordError(s, errors.New("beta"))
			recorder.RecordError(s, &selfWrapping{})
		}, nil, sum("*otelclass_test.selfWrapping"), []string{sum("beta"), sum("*otelclass_test.selfWrapping")}},
		{"RecordError without the option is left alone", func(s trace.Span) { plain.RecordError(s, errors.New("beta")); fail(s) }, nil, "", []string{""}},
		{"an event that is classified already", func(s trace.Span) {
			s.AddEvent("exception", trace.WithAttributes(attribute.String("exception.message", "gamma 5"),
				otelclass.CategoryKey.String("retryable"), otelclass.ReasonKey.String("network")))
			fail(s)
		}, nil, sum("gamma 6"), []string{""}},
		{"the caller's", func(s trace.Span) {
			s.SetAttributes(otelclass.FingerprintKey.String("mine"))
			s.RecordError(errors.New("beta"), trace.WithAttributes(otelclass.FingerprintKey.String("event's")))
			fail(s)
		}, nil, "mine", []string{"event's"}},
		{"the source that a rule knows", func(s trace.Span) {
			s.RecordError(errors.New("so it goes"))
			s.SetStatus(codes.Error, "alpha 5")
		}, nil, sum("alpha 6"), []string{sum("so it goes")}},
		{"a status description", func(s trace.Span) { s.SetStatus(codes.Error, "alpha 5") }, nil, sum("alpha 6"), nil},
		{"a type alone", func(s trace.Span) {
			s.AddEvent("exception", trace.WithAttributes(attribute.String("exception.type", "BetaError")))
			fail(s)
		}, nil, sum("BetaError"), []string{sum("BetaError")}},
		{"an HTTP status alone", func(s trace.Span) {
			s.SetAttributes(attribute.Int("http.response.status_code", 503))
			s.SetStatus(codes.Error, "")
		}, nil, sum("HTTP 503"), nil},
		{"nothing", func(s trace.Span) { s.SetStatus(codes.Error, "") }, nil, "", nil},
		{"a category under its key", func(s trace.Span) { s.RecordError(errors.New("beta")); fail(s) },
			[]otelclass.Option{otelclass.WithKeys("error.fingerprint", "")}, "fatal", []string{"fatal"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			span := exportedSpan(t, tt.do, append(tt.opts, otelclass.WithFingerprint())...)
			assert.Equal(t, tt.want, fingerprintOf(span.Attributes), "span")
			var got []string
			for _, e := range span.Events {
				got = append(got, fingerprintOf(e.Attributes))
			}
			assert.Equal(t, tt.events, got, "events")
		})
	}
}

// Without WithFingerprint, the processors do not add the attribute.
func TestWithoutFingerprint(t *testing.T) {
	t.Parallel()
	span := exportedSpan(t, func(s trace.Span) { s.RecordError(errors.New("beta")); fail(s) }, otelclass.WithDetails())
	assert.Empty(t, fingerprintOf(span.Attributes))
	assert.Empty(t, fingerprintOf(span.Events[0].Attributes))
	r := emitted(t, record(log.SeverityError, "beta"), otelclass.WithDetails())
	assert.Empty(t, fingerprintOf(attributes(&r)))
}

func TestLogProcessorWithFingerprint(t *testing.T) {
	t.Parallel()
	with := func(body string, kvs ...attribute.KeyValue) log.Record {
		r := record(log.SeverityError, body)
		r.AddAttributes(kvs...)
		return r
	}
	for _, tt := range []struct {
		name string
		r    log.Record
		want string
	}{
		{"the body", with("alpha 5"), sum("alpha 6")},
		{"an error before the body", with("failed", attribute.String("err", "beta 5")), sum("beta 6")},
		{"an exception", with("failed", attribute.String("exception.message", "beta 5")), sum("beta 6")},
		{"the caller's", with("alpha", otelclass.FingerprintKey.String("mine")), "mine"},
		{"classified before", with("alpha", otelclass.CategoryKey.String("retryable"), otelclass.ReasonKey.String("rate_limit")), ""},
		{"no error", record(log.SeverityInfo, "beta"), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := emitted(t, tt.r, otelclass.WithFingerprint())
			assert.Equal(t, tt.want, fingerprintOf(attributes(&r)))
		})
	}
}

// If a limit shortened the fingerprint on a span, the processor restores it.
func TestWithFingerprintAtTheLimits(t *testing.T) {
	otel.SetErrorHandler(&handled{})
	defer otel.SetErrorHandler(otel.ErrorHandlerFunc(func(error) {}))
	exporter := tracetest.NewInMemoryExporter()
	short := sdktrace.NewSpanLimits()
	short.AttributeValueLengthLimit = 12
	provider := sdktrace.NewTracerProvider(sdktrace.WithRawSpanLimits(short), sdktrace.WithSpanProcessor(
		otelclass.NewSpanProcessor(sdktrace.NewSimpleSpanProcessor(exporter), otelclass.WithFingerprint())))
	_, span := provider.Tracer("test").Start(t.Context(), "work")
	otelclass.NewRecorder(otelclass.WithFingerprint()).RecordError(span, errors.New("connection refused"))
	fail(span)
	span.End()
	stub := exporter.GetSpans()[0]
	require.NoError(t, provider.Shutdown(t.Context()))
	assert.Equal(t, sum("connection refused"), fingerprintOf(stub.Attributes))
}
