package otelclass

import (
	"context"
	"os"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
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

// endedByItself reports whether error.type of a span names this program's own
// deadline. An instrumentation writes the type of the error there, or a code that
// a peer sent. So the name counts only if nothing on the span or on its events
// comes from an answer. It never counts on a log record: that one need not say
// whether there was an answer.
func (f *facts) endedByItself(attrs []attribute.KeyValue, events []sdktrace.Event) bool {
	if ownEnd(f.errorType) == nil || len(attrs) > maxAttributes || anyOfAnswer(attrs) {
		return false
	}
	left := maxScanned
	for i := range events {
		attrs := events[i].Attributes
		if left -= len(attrs) + 1; left < 0 || anyOfAnswer(attrs) {
			return false
		}
	}
	return true
}

func anyOfAnswer(attrs []attribute.KeyValue) bool {
	for i := range attrs {
		if ofAnswer(string(attrs[i].Key)) {
			return true
		}
	}
	return false
}

// plainKey leaves out what separates the words of a key: status_code, statusCode
// and status.code are one name.
var plainKey = strings.NewReplacer("_", "", "-", "", ".", "")

// ofAnswer reports whether an attribute with this key describes what a peer has
// answered, whatever its value. It goes by the shape of the name, not by a list
// of names: conventions are renamed, and instrumentations add their own. A key
// that is too long to be read may be such a one.
func ofAnswer(key string) bool {
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
	case strings.Contains(key, "rpc."): // grpc.code too
		return strings.Contains(plain, "code") || strings.Contains(plain, "status") || strings.Contains(plain, "error")
	case strings.HasPrefix(key, "messaging."), strings.HasPrefix(key, "graphql."):
		return strings.Contains(plain, "code") || strings.Contains(plain, "error")
	}
	return false
}

// recordedError stands for an error that was recorded: its text, and what it was.
type recordedError struct {
	text string
	err  error
}

func (e *recordedError) Error() string { return e.text }
func (e *recordedError) Unwrap() error { return e.err }
