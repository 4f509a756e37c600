package resilience

import (
	"context"
	"errors"
)

// contextErr returns an error that wraps both the error and the cause of ctx. It
// returns nil if ctx has not ended.
func contextErr(ctx context.Context) error {
	err := ctx.Err()
	if err == nil {
		return nil
	}
	cause := context.Cause(ctx)
	if errors.Is(cause, err) {
		return cause
	}
	return &causeError{err, cause}
}

// causeError joins the error of a context with the cause of the context, if the
// cause does not wrap the error.
type causeError struct{ err, cause error }

func (e *causeError) Error() string   { return e.err.Error() + ": " + e.cause.Error() }
func (e *causeError) Unwrap() []error { return []error{e.err, e.cause} }
