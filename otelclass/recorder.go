package otelclass

import (
	"fmt"
	"slices"

	"go.opentelemetry.io/otel/trace"
)

// Recorder records errors on spans while they are still values. Make it with
// [NewRecorder]; the zero Recorder is not usable. It is immutable and safe for
// concurrent use.
type Recorder struct{ cfg *config }

// NewRecorder returns a Recorder with other keys or another classifier than
// [RecordError] has. Give it the options of the processor that the spans go
// to.
func NewRecorder(opts ...Option) *Recorder { return &Recorder{newConfig(opts)} }

var standardRecorder = NewRecorder()

// RecordError does what span.RecordError does and says at once what err means:
// of an error the span keeps no more than its outer type and its text, here all
// that it wraps is read. The event gets category and reason, and so does the
// span, whatever its status, which stays as it is; of several errors the last
// one's stand there. A [SpanProcessor] leaves both alone.
//
// Category and reason among the attributes of opts are the caller's own: they
// are kept, on the event and on the span. A nil span, a nil error and a span
// that does not record are ignored. What err's methods do, panics included,
// harms nobody.
func RecordError(span trace.Span, err error, opts ...trace.EventOption) {
	standardRecorder.RecordError(span, err, opts...)
}

// RecordError is [RecordError] with the options of r.
func (r *Recorder) RecordError(span trace.Span, err error, opts ...trace.EventOption) {
	if span == nil || err == nil || !span.IsRecording() {
		return
	}
	opts = slices.DeleteFunc(slices.Clone(opts), func(o trace.EventOption) bool { return o == nil })
	res := r.cfg.classifier.Error(err)
	var given facts
	event := trace.NewEventConfig(opts...)
	attrs := event.Attributes()
	for i := range attrs {
		given.look(r.cfg, &attrs[i])
	}
	said := given.own(words(&res))
	missing := r.cfg.append(nil, given.missing(r.cfg), said)
	record(span, err, append(opts, trace.WithAttributes(missing...)))
	span.SetAttributes(r.cfg.append(nil, r.cfg.wanted(), said)...)
}

// record calls span.RecordError, and where the error's own methods panic under
// it, it adds an event of what is known.
func record(span trace.Span, err error, opts []trace.EventOption) {
	defer func() {
		if recover() != nil {
			opts = append(slices.Clip(opts), trace.WithAttributes(
				exceptionTypeKey.String(fmt.Sprintf("%T", err)),
				exceptionMessageKey.String(""),
			))
			span.AddEvent("exception", opts...)
		}
	}()
	span.RecordError(err, opts...)
}
