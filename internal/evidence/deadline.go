package evidence

import (
	"context"
	"os"
	"strings"
)

// deadlineError returns the standard library's deadline error of the type
// exceptionType, or nil. Such an error means that this program's own deadline
// passed. The type of context.Canceled is that of every errors.New, so it is not
// enough to find that error.
func deadlineError(exceptionType string) error {
	switch exceptionType {
	case "context.deadlineExceededError":
		return context.DeadlineExceeded
	case "*poll.DeadlineExceededError", "internal/poll.DeadlineExceededError", "*internal/poll.DeadlineExceededError":
		return os.ErrDeadlineExceeded
	}
	return nil
}

// plainKey removes the separators of a key. Without them, status_code, statusCode
// and status.code differ only in case.
var plainKey = strings.NewReplacer("_", "", "-", "", ".", "")

// MayBeOwnDeadline reports whether the attribute error.type names a deadline error
// of the standard library. But a peer might have sent this name as a code, and
// instrumentations write such codes to error.type. So a caller needs a second
// condition:
//
//   - On a span, the deadline is this program's own only if neither the span nor its
//     events have an attribute of an answer: see [IsAnswerKey].
//   - On a log record, the deadline never counts as this program's own, because the
//     record of a call can lack the attributes of the answer.
func (f *Facts) MayBeOwnDeadline() bool { return deadlineError(f.ErrorType) != nil }

// IsAnswerKey reports whether an attribute with this key describes the answer of a
// peer. It looks for parts of the key, because conventions change names and
// instrumentations add their own. For a key longer than MaxName it returns true.
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
