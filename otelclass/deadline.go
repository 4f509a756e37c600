package otelclass

import (
	"context"
	"os"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// deadlineError returns the deadline error of the standard library whose type name
// is exceptionType, or nil. Such an error means that this program's own deadline
// passed. For context.Canceled this is not possible: it has the same type as every
// error of errors.New.
func deadlineError(exceptionType string) error {
	switch exceptionType {
	case "context.deadlineExceededError":
		return context.DeadlineExceeded
	case "*poll.DeadlineExceededError", "internal/poll.DeadlineExceededError", "*internal/poll.DeadlineExceededError":
		return os.ErrDeadlineExceeded
	}
	return nil
}

// isOwnDeadline reports whether error.type of a span names this program's own
// deadline. An instrumentation writes either the type of the error or a code that a
// peer sent into error.type. So isOwnDeadline returns false if the span or one of
// its events has an attribute of an answer. It is not called for log records,
// because a record of an answered call may lack the attributes of the answer.
func (f *facts) isOwnDeadline(attrs []attribute.KeyValue, events []sdktrace.Event) bool {
	if deadlineError(f.errorType) == nil || len(attrs) > maxAttributes || anyAnswerKey(attrs) {
		return false
	}
	left := maxScanned
	for i := range events {
		attrs := events[i].Attributes
		if left -= len(attrs) + 1; left < 0 || anyAnswerKey(attrs) {
			return false
		}
	}
	return true
}

func anyAnswerKey(attrs []attribute.KeyValue) bool {
	for i := range attrs {
		if isAnswerKey(string(attrs[i].Key)) {
			return true
		}
	}
	return false
}

// plainKey removes the separators of a key. Then status_code, statusCode and
// status.code differ only in case.
var plainKey = strings.NewReplacer("_", "", "-", "", ".", "")

// isAnswerKey reports whether an attribute with this key describes the answer of a
// peer. It matches parts of the key instead of a list of names, because conventions
// are renamed and instrumentations add their own names. For a key longer than
// maxName it returns true.
func isAnswerKey(key string) bool {
	if len(key) > maxName {
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
