package otelclass

import (
	"fmt"
	"slices"
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/errclass/errclass/internal/bound"
)

// Recorder records errors on spans while they are still values. Make it with
// [NewRecorder]; the zero Recorder is not usable. It is immutable as seen
// from outside and safe for concurrent use.
type Recorder struct {
	cfg     *config
	limited limited
	checked atomic.Pointer[roomy]
}

// NewRecorder returns a Recorder with other keys or another classifier than
// [RecordError] has. Give it the options of the processor that the spans go
// to.
func NewRecorder(opts ...Option) *Recorder { return &Recorder{cfg: newConfig(opts)} }

var standardRecorder = NewRecorder()

// RecordError does what span.RecordError does and says at once what err means:
// of an error the span keeps no more than its outer type and its text, here all
// that it wraps is read. The event gets category and reason, and so does the
// span, whatever its status, which stays as it is; of several errors the last
// one's stand there. A [SpanProcessor] leaves both alone. Of a Recorder with
// [WithDetails] a span whose first error had a hint, and whose last one has none,
// keeps a hint of 0: attributes of a span can't be removed.
//
// Category and reason among the attributes of opts are the caller's own: they
// are kept, on the event and on the span. A nil span, a nil error and a span
// that does not record are ignored. What err's methods do, panics included,
// harms nobody: of an error that wraps itself, or joins more than 65,536, the
// event has the type and no message. Only an Error method that does not return
// by itself cannot be helped.
//
// The SDK's limits hold for what is recorded here. On the event the two
// attributes are the first, so that those at the end are dropped before them. A
// span that is full drops them, and a limit for the length of values shortens
// them; a [SpanProcessor] that the span goes to puts both right, unless the span
// is full and has not failed. The first loss is reported to otel.Handle.
func RecordError(span trace.Span, err error, opts ...trace.EventOption) {
	standardRecorder.RecordError(span, err, opts...)
}

// RecordError is [RecordError] with the options of r.
func (r *Recorder) RecordError(span trace.Span, err error, opts ...trace.EventOption) {
	if span == nil || err == nil || !span.IsRecording() {
		return
	}
	given := slices.DeleteFunc(slices.Clone(opts), func(o trace.EventOption) bool { return o == nil })
	printable := bound.HasText(err)
	evidence := err
	if !printable {
		evidence = textless{err}
	}
	res := r.cfg.classifier.Error(evidence)
	var f facts
	event := trace.NewEventConfig(given...)
	attrs := event.Attributes()
	for i := range attrs {
		f.look(r.cfg, &attrs[i])
	}
	said := f.own(words(&res))
	// The first ones: where there are more than the SDK's limit, the last are lost.
	opts = append([]trace.EventOption{trace.WithAttributes(r.cfg.append(nil, f.missing(r.cfg), said)...)}, given...)
	record(span, err, printable, opts)
	if r.cfg.details && !said.hint && hasKey(span, RetryAfterMSKey) {
		said.hint, said.retryAfter = true, 0 // that of an error before, which can't be removed
	}
	ours := r.cfg.append(nil, r.cfg.wanted(), said)
	before := droppedBy(span)
	span.SetAttributes(ours...)
	r.check(span, before, ours)
}

// record calls span.RecordError. Where the error's own methods would panic or
// never return under it, it adds an event of what is known.
func record(span trace.Span, err error, printable bool, opts []trace.EventOption) {
	add := func() {
		span.AddEvent("exception", append(slices.Clip(opts), trace.WithAttributes(
			exceptionTypeKey.String(fmt.Sprintf("%T", err)),
			exceptionMessageKey.String(""),
		))...)
	}
	if !printable {
		add()
		return
	}
	defer func() {
		if recover() != nil {
			add()
		}
	}()
	span.RecordError(err, opts...)
}

// textless is an error that must not be asked for its text; what it wraps may be
// looked at.
type textless struct{ err error }

func (textless) Error() string   { return "" }
func (e textless) Unwrap() error { return e.err }

// roomy is a provider whose limits were seen to leave room: for both attributes
// on an event, and for words of so many bytes on a span.
type roomy struct {
	provider *sdktrace.TracerProvider
	length   int
}

// check reports where the limits of a span of the SDK have dropped or shortened
// ours, which were set on it. Limits cannot be asked for, so the span is read; once
// a provider's are known to be high enough, only where it dropped something.
func (r *Recorder) check(span trace.Span, before int, ours []attribute.KeyValue) {
	s, ok := span.(sdktrace.ReadOnlySpan)
	if !ok || !span.IsRecording() {
		return
	}
	provider, _ := span.TracerProvider().(*sdktrace.TracerProvider)
	now := roomy{provider: provider}
	for _, kv := range ours {
		now.length = max(now.length, len(kv.Value.AsString()))
	}
	known := r.checked.Load()
	if s.DroppedAttributes() == before && provider != nil && known != nil && known.provider == provider && known.length >= now.length {
		return
	}
	if !containsAll(s.Attributes(), ours) || !r.onEvent(s.Events()) {
		r.limited.report()
		return
	}
	r.checked.Store(&now)
}

// onEvent reports whether one of the last events has both attributes.
func (r *Recorder) onEvent(events []sdktrace.Event) bool {
	for _, e := range events[max(0, len(events)-16):] {
		var f facts
		for i := range e.Attributes {
			f.look(r.cfg, &e.Attributes[i])
		}
		if f.missing(r.cfg) == 0 {
			return true
		}
	}
	return false
}

// containsAll reports whether all of kvs are among attrs.
func containsAll(attrs, kvs []attribute.KeyValue) bool {
	for _, kv := range kvs {
		if !slices.ContainsFunc(attrs, func(a attribute.KeyValue) bool {
			return a.Key == kv.Key && a.Value.AsString() == kv.Value.AsString()
		}) {
			return false
		}
	}
	return true
}

// hasKey reports whether a span of the SDK has an attribute with this key.
func hasKey(span trace.Span, key attribute.Key) bool {
	s, ok := span.(sdktrace.ReadOnlySpan)
	return ok && slices.ContainsFunc(s.Attributes(), func(kv attribute.KeyValue) bool { return kv.Key == key })
}

// droppedBy is the number of attributes that a span of the SDK has dropped.
func droppedBy(span trace.Span) int {
	if s, ok := span.(sdktrace.ReadOnlySpan); ok {
		return s.DroppedAttributes()
	}
	return 0
}
