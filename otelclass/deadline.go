package otelclass

import (
	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/errclass/errclass/internal/evidence"
)

// isOwnDeadline reports whether error.type names a deadline of this program. If a
// remote server has answered, it returns false.
func (f *facts) isOwnDeadline(attrs []attribute.KeyValue, events []sdktrace.Event) bool {
	if !f.MayBeOwnDeadline() || len(attrs) > evidence.MaxAttributes || anyAnswerKey(attrs) {
		return false
	}
	left := evidence.MaxScanned
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
		if evidence.IsAnswerKey(string(attrs[i].Key)) {
			return true
		}
	}
	return false
}
