package otelclass

import (
	"reflect"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/errclass/errclass/internal/evidence"
)

// These constants limit the work for one span or record. The package documentation
// describes all limits.
const (
	maxCopied = 1 << 14 // attributes that are copied for the exceptions of a span
	maxFit    = 1 << 12 // attributes of a record that config.fit changes
)

// exceptions has the indexes of a span's exception events, with the newest first.
type exceptions struct {
	at [evidence.MaxExceptions]int32
	n  int
}

// find stores the newest exceptions in x. It reads at most MaxScanned attributes.
func (x *exceptions) find(events []sdktrace.Event) {
	left := evidence.MaxScanned
	for x.n < len(x.at) {
		i := lastException(events, &left)
		if i < 0 {
			return
		}
		x.at[x.n] = int32(i)
		x.n++
		events = events[:i]
	}
}

func anyException(events []sdktrace.Event) bool {
	left := evidence.MaxScanned
	return lastException(events, &left) >= 0
}

// lastException returns the index of the last exception event, or -1. It subtracts
// the attributes that it reads from *left. If *left falls below 0, it returns -1.
func lastException(events []sdktrace.Event, left *int) int {
	for i := len(events) - 1; i >= 0; i-- {
		attrs := events[i].Attributes
		if *left -= len(attrs) + 1; *left < 0 {
			return -1
		}
		if isException(attrs) {
			return i
		}
	}
	return -1
}

// mapField is the field of attribute.Value that has the members of a map.
var mapField, mapFieldKnown = reflect.TypeFor[attribute.Value]().FieldByName("slice")

// mapLen returns the number of members of a map value, without copying them. It
// reads an unexported field of the value. If a later version of OpenTelemetry has no
// such field, it returns 0.
func mapLen(v attribute.Value) int {
	if !mapFieldKnown {
		return 0
	}
	field := reflect.ValueOf(&v).Elem().FieldByIndex(mapField.Index)
	if field.Kind() == reflect.Interface {
		field = field.Elem()
	}
	if field.Kind() != reflect.Array {
		return 0
	}
	return field.Len()
}
