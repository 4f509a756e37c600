package otelclass

import (
	"sync/atomic"

	"go.opentelemetry.io/otel"
)

// failure is an error of this package. OpenTelemetry takes its kind for
// error.type: semconv.ErrorType looks for the method anywhere in a chain.
type failure struct {
	kind string
	text string
	err  error // what it wraps, or nil
}

// Error names the package, what was wrong and what to do.
func (f *failure) Error() string {
	if f.err == nil {
		return "otelclass: " + f.text
	}
	return "otelclass: " + f.text + ": " + f.err.Error()
}

func (f *failure) Unwrap() error { return f.err }

// ErrorType returns "otelclass." and a word: observer_panic, instrument or limit.
func (f *failure) ErrorType() string { return "otelclass." + f.kind }

// errLimit says that one of our attributes could not be added.
var errLimit = &failure{kind: "limit", text: "a span or a log record had no room for error.category or error.reason: " +
	"raise the limits of the SDK for the number of attributes and for their length " +
	"(sdktrace.WithRawSpanLimits, sdklog.WithAttributeCountLimit, WithAttributeValueLengthLimit); " +
	"this is reported once"}

// limited reports [errLimit] to OpenTelemetry's error handler, once.
type limited struct{ done atomic.Bool }

func (l *limited) report() {
	if !l.done.Load() && !l.done.Swap(true) {
		otel.Handle(errLimit)
	}
}
