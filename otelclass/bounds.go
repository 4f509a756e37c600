package otelclass

import (
	"reflect"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/errclass/errclass/internal/evidence"
)

// These constants and [bound.MaxText] limit the work for one span or record. The
// package documentation describes the limits. The SDK's default limits (128
// attributes, 128 events) are far lower.
const (
	maxAttributes = evidence.MaxAttributes
	maxEvents     = evidence.MaxEvents
	maxExceptions = evidence.MaxExceptions
	maxScanned    = evidence.MaxScanned
	maxMembers    = evidence.MaxMembers
	maxTexts      = evidence.MaxTexts
	maxDepth      = evidence.MaxDepth

	maxCopied = 1 << 14 // attributes of exceptions that are copied
	maxFit    = 1 << 12 // attributes of a full record that is rebuilt
)

// exceptions has the indexes of a span's exception events, with the newest first.
type exceptions struct {
	at [maxExceptions]int32
	n  int
}

// find finds the newest n exceptions. It stops if the events read so far have more
// than maxScanned attributes.
func (x *exceptions) find(events []sdktrace.Event, n int) {
	left := maxScanned
	for i := len(events) - 1; i >= 0 && x.n < n; i-- {
		attrs := events[i].Attributes
		if left -= len(attrs) + 1; left < 0 {
			return
		}
		if isException(attrs) {
			x.at[x.n] = int32(i)
			x.n++
		}
	}
}

func anyException(events []sdktrace.Event) bool {
	left := maxScanned
	for i := len(events) - 1; i >= 0; i-- {
		attrs := events[i].Attributes
		if left -= len(attrs) + 1; left < 0 {
			return false
		}
		if isException(attrs) {
			return true
		}
	}
	return false
}

// mapField is the field of attribute.Value that holds the members of a map.
var mapField, mapFieldKnown = reflect.TypeFor[attribute.Value]().FieldByName("slice")

// mapLen returns the number of members of a map value. It does not use AsMap,
// which copies the members. OpenTelemetry has no method for the number, so mapLen
// reads an unexported field. If a later version of OpenTelemetry has no such
// field, mapLen returns 0.
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
