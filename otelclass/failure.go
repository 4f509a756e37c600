package otelclass

import (
	"sync/atomic"

	"go.opentelemetry.io/otel"
)

// failure is an error of this package. semconv.ErrorType calls its ErrorType method
// to get the value of error.type.
type failure struct {
	kind string
	text string
	err  error // the wrapped error, or nil
}

func (f *failure) Error() string {
	if f.err == nil {
		return "otelclass: " + f.text
	}
	return "otelclass: " + f.text + ": " + f.err.Error()
}

func (f *failure) Unwrap() error { return f.err }

// ErrorType returns otelclass.observer_panic, otelclass.instrument or
// otelclass.limit.
func (f *failure) ErrorType() string { return "otelclass." + f.kind }

// errLimit reports that an attribute could not be added.
var errLimit = &failure{kind: "limit", text: "a span or a log record had no room for error.category or error.reason: " +
	"raise the limits of the SDK for the number of attributes and for their length " +
	"(sdktrace.WithRawSpanLimits, sdklog.WithAttributeCountLimit, WithAttributeValueLengthLimit); " +
	"this is reported once"}

// limitReport reports errLimit once.
type limitReport struct{ done atomic.Bool }

// first returns errLimit at the first call, and nil at later calls.
func (l *limitReport) first() error {
	if l.done.Load() || l.done.Swap(true) {
		return nil
	}
	return errLimit
}

// report passes errLimit to OpenTelemetry's error handler at the first call.
func (l *limitReport) report() {
	if err := l.first(); err != nil {
		otel.Handle(err)
	}
}
