package evidence

import (
	"context"
	"os"
	"strings"
)

// deadlineError returns the standard library's deadline error of this type, or nil.
// It cannot recognise context.Canceled: all errors of errors.New have the same type.
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

// MayBeOwnDeadline reports whether error.type names a deadline error of the standard
// library. A remote server might have sent this name as an error code. So check a
// second condition:
//
//   - On a span, no attribute of the span or of its events may describe an answer
//     (see [IsAnswerKey]).
//   - On a log record, the deadline never counts as this program's own.
func (f *Facts) MayBeOwnDeadline() bool { return deadlineError(f.ErrorType) != nil }

// IsAnswerKey reports whether an attribute with this key describes the answer of a
// remote server. It looks for certain words in the key, such as "response" or
// "statuscode". For a key longer than MaxName it returns true.
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
