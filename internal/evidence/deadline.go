package evidence

import (
	"context"
	"os"
	"strings"
)

// deadlineError returns the deadline error of the standard library that has the
// type name exceptionType, or nil. Such an error means that this program's own
// deadline passed. There is no such function for context.Canceled: it has the same
// type as any error of errors.New.
func deadlineError(exceptionType string) error {
	switch exceptionType {
	case "context.deadlineExceededError":
		return context.DeadlineExceeded
	case "*poll.DeadlineExceededError", "internal/poll.DeadlineExceededError", "*internal/poll.DeadlineExceededError":
		return os.ErrDeadlineExceeded
	}
	return nil
}

// plainKey removes the separators of a key, so that status_code, statusCode and
// status.code are equal.
var plainKey = strings.NewReplacer("_", "", "-", "", ".", "")

// MayBeOwnDeadline reports whether error.type names a deadline of the standard
// library. On a span it is this program's own deadline if neither the span nor its
// events have an attribute of an answer: see [IsAnswerKey]. An instrumentation
// writes the type of the error there, or a code that a peer sent. On a log record
// it never counts as the program's own, because a record of an answered call may
// lack the attributes of the answer.
func (f *Facts) MayBeOwnDeadline() bool { return deadlineError(f.ErrorType) != nil }

// IsAnswerKey reports whether an attribute with this key describes the answer of a
// peer. It matches patterns instead of a list of names, because conventions are
// renamed and instrumentations add their own names. It returns true for a key
// longer than MaxName.
func IsAnswerKey(key string) bool {
	if len(key) > MaxName {
		return true
	}
	key = strings.ToLower(key)
	plain := plainKey.Replace(key)
	switch {
	case strings.HasSuffix(plain, "statuscode"), strings.HasSuffix(plain, "errorcode"), strings.HasSuffix(plain, "sqlstate"):
		return true
	case strings.HasPrefix(key, "response"), strings.Contains(key, ".response"): // db.response_time, http.response.body.size
		return true
	case strings.HasPrefix(key, "http.status"), strings.HasPrefix(key, "gen_ai."):
		return true
	case strings.Contains(key, "rpc."): // includes grpc.code
		return strings.Contains(plain, "code") || strings.Contains(plain, "status") || strings.Contains(plain, "error")
	case strings.HasPrefix(key, "messaging."), strings.HasPrefix(key, "graphql."):
		return strings.Contains(plain, "code") || strings.Contains(plain, "error")
	}
	return false
}

// recordedError is an error restored from its recorded text and type.
type recordedError struct {
	text string
	err  error
}

func (e *recordedError) Error() string { return e.text }
func (e *recordedError) Unwrap() error { return e.err }
