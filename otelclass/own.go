package otelclass

import (
	"context"
	"os"
	"strings"
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

// unforged returns a text or code without the name of Go's cancellation. Go never
// prints that name (the text is "context canceled"), so it does not say that this
// program cancelled; a peer that writes it would hide what it refused.
func unforged(text string) string { return strings.ReplaceAll(text, "context.Canceled", "") }

// recordedError stands for an error that was recorded: its text, and what it was.
type recordedError struct {
	text string
	err  error
}

func (e *recordedError) Error() string { return e.text }
func (e *recordedError) Unwrap() error { return e.err }
