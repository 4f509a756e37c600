package otelclass

import (
	"reflect"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// The bounds of the work for one span or record, besides [bound.MaxText] bytes of
// texts. The package documentation names them. The SDK's default limits (128
// attributes, 128 events) are well within.
const (
	maxName       = 512     // bytes of a type, a code or the name of a system
	maxAttributes = 1 << 14 // attributes of a span or record, 64 bytes each when they are copied
	maxEvents     = 1 << 14 // events of a span to which attributes are added
	maxExceptions = 128     // exceptions of a span, the newest
	maxCopied     = 1 << 14 // attributes of a span's exceptions that are copied
	maxScanned    = 1 << 16 // attributes of a span's events that are looked at
	maxFit        = 1 << 12 // attributes of a full record that are set anew
	maxMembers    = 1 << 12 // members of the maps of a record
)

// exceptions are the indexes of the newest exceptions among the events of a
// span, the newest first.
type exceptions struct {
	at [maxExceptions]int32
	n  int
}

// find looks for at most n of them. Where an event has more attributes than may
// still be looked at, it and all older ones are left out.
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

// mapField is the field of an attribute.Value that holds an array of the members
// of a map.
var mapField, mapFieldKnown = reflect.TypeFor[attribute.Value]().FieldByName("slice")

// sizeOf is the number of members of a map. AsMap would copy them all, 64 bytes
// each, and there is no other way to ask; where the SDK keeps them otherwise one
// day, it is 0.
func sizeOf(v attribute.Value) int {
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
