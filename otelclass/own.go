package otelclass

import (
	"context"
	"os"
)

// ownEnd returns the error whose type OpenTelemetry records under this name,
// where it is this program's own deadline: the type is unexported or has no
// other use. Cancellation is a plain string error, whose type says nothing.
func ownEnd(exceptionType string) error {
	switch exceptionType {
	case "context.deadlineExceededError":
		return context.DeadlineExceeded
	case "*poll.DeadlineExceededError", "internal/poll.DeadlineExceededError", "*internal/poll.DeadlineExceededError":
		return os.ErrDeadlineExceeded
	}
	return nil
}

// ownErrorType reports whether error.type names this program's own deadline. An
// instrumentation writes the type of the error there, or a code that a peer sent;
// where a peer has answered, it may be the peer's.
func (f *facts) ownErrorType() bool {
	answered := f.status != 0 || f.rpc != "" || f.grpc > 0 || f.db != "" || f.provider != ""
	return !answered && ownEnd(f.errorType) != nil
}

// recordedError stands for an error that was recorded: its text, and what it was.
type recordedError struct {
	text string
	err  error
}

func (e *recordedError) Error() string { return e.text }
func (e *recordedError) Unwrap() error { return e.err }
