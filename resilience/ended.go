package resilience

import (
	"context"
	"errors"
)

// ended is the error of a context that has ended, with its cause where that
// says more; nil while it has not.
func ended(ctx context.Context) error {
	err := ctx.Err()
	if err == nil {
		return nil
	}
	cause := context.Cause(ctx)
	if errors.Is(cause, err) {
		return cause
	}
	return &stopped{err, cause}
}

// stopped is the end of a context that was given a cause of another kind.
type stopped struct{ err, cause error }

func (s *stopped) Error() string   { return s.err.Error() + ": " + s.cause.Error() }
func (s *stopped) Unwrap() []error { return []error{s.err, s.cause} }
