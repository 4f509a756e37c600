package otelclass

import (
	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// Work counts the data that were read from a span.
type Work struct{ Bytes, Exceptions int }

// Read classifies a span and returns how much data it read.
func Read(s sdktrace.ReadOnlySpan) Work {
	c := spanClassification{cfg: newConfig(nil), status: s.Status(), view: span{s, s.Attributes(), s.Events()}}
	c.exceptions.find(c.view.events)
	left := c.texts.Left()
	c.run()
	return Work{left - c.texts.Left(), c.exceptions.n}
}

// MapLen exports mapLen.
func MapLen(v attribute.Value) int { return mapLen(v) }
