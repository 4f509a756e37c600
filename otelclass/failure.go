package otelclass

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

// ErrorType returns "otelclass." and a word: observer_panic or instrument.
func (f *failure) ErrorType() string { return "otelclass." + f.kind }
