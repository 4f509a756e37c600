package otelclass

import (
	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// Work is what was read of a span.
type Work struct{ Bytes, Exceptions int }

// Read classifies a span and returns what was read of it.
func Read(s sdktrace.ReadOnlySpan) Work {
	c := spanCall{cfg: newConfig(nil), status: s.Status(), view: span{s, s.Attributes(), s.Events()}}
	c.found.find(c.view.events, maxExceptions)
	left := c.texts.Left()
	c.read()
	return Work{left - c.texts.Left(), c.found.n}
}

// SizeOf is sizeOf.
func SizeOf(v attribute.Value) int { return sizeOf(v) }
