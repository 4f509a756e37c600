package resilience

import (
	"context"
	"errors"
)

// contextErr returns an error that wraps the context's error and its cause. It
// returns nil if the context has not ended.
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

// causeError joins the error and the cause of a context.
type causeError struct{ err, cause error }

func (e *causeError) Error() string   { return e.err.Error() + ": " + e.cause.Error() }
func (e *causeError) Unwrap() []error { return []error{e.err, e.cause} }
