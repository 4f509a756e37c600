package otelclass

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/classify/fingerprint"
	"github.com/errclass/errclass/internal/attrkey"
	"github.com/errclass/errclass/internal/bound"
)

// Recorder records error values on spans. Create it with [NewRecorder]. The zero
// Recorder is not usable. A Recorder is immutable and safe for concurrent use.
type Recorder struct {
	cfg     *config
	limits  limitReport
	checked atomic.Pointer[checkedLimits]
}

// NewRecorder returns a Recorder with the given options. Pass the same options to
// [NewSpanProcessor].
func NewRecorder(opts ...Option) *Recorder { return &Recorder{cfg: newConfig(opts)} }

var standardRecorder = NewRecorder()

// RecordError calls span.RecordError and adds category and reason to the event and
// to the span. It classifies the error value with everything that it wraps. The
// status of the span is not changed. A later error replaces the attributes that
// an earlier one added to the span. A [SpanProcessor] does not replace them.
//
// With [WithDetails], if the span already has [RetryAfterMSKey], a later error
// without a retry-after time sets this attribute to 0.
//
// Category and reason in the attributes of opts are kept, on the event and on the
// span. A nil span, a nil error and a span that does not record are ignored. Panics
// in err's methods are recovered. If err wraps itself or joins more than 65,536
// errors, the event has no message. An Error method that never returns blocks the
// call.
//
// The SDK's limits apply. On the event, the two attributes come first, because the
// SDK drops the last ones. On the span, the SDK may drop or shorten them. When the
// span ends, a [SpanProcessor] restores shortened attributes. It restores dropped
// attributes only if the span has failed, or with [WithHandled]. The first loss is
// reported to otel.Handle.
func RecordError(span trace.Span, err error, opts ...trace.EventOption) {
	standardRecorder.RecordError(span, err, opts...)
}

// RecordErrorContext calls [RecordError] with the span in ctx. If ctx has ended and
// err is its cause, the category is timeout or aborted (see [classify.Cause]).
func RecordErrorContext(ctx context.Context, err error, opts ...trace.EventOption) {
	standardRecorder.RecordErrorContext(ctx, err, opts...)
}

// RecordError is the function [RecordError] with the options of r.
func (r *Recorder) RecordError(span trace.Span, err error, opts ...trace.EventOption) {
	r.recordError(span, err, nil, opts)
}

// RecordErrorContext is the function [RecordErrorContext] with the options of r.
func (r *Recorder) RecordErrorContext(ctx context.Context, err error, opts ...trace.EventOption) {
	r.recordError(trace.SpanFromContext(ctx), err, classify.Cause(ctx), opts)
}

func (r *Recorder) recordError(span trace.Span, err, cause error, opts []trace.EventOption) {
	if span == nil || err == nil || !span.IsRecording() {
		return
	}
	given := slices.DeleteFunc(slices.Clone(opts), func(o trace.EventOption) bool { return o == nil })
	printable := bound.HasText(err) // false if err.Error() may run forever
	evidence := err
	if !printable {
		evidence = textless{err}
	}
	res := r.cfg.classifier.Classify(classify.Evidence{Err: evidence, Cause: cause})
	var f facts
	event := trace.NewEventConfig(given...)
	attrs := event.Attributes()
	for i := range attrs {
		f.addAttr(r.cfg, &attrs[i])
	}
	v := valuesOf(&res)
	if r.cfg.extra&attrkey.Fingerprint != 0 {
		text, _ := bound.ErrorText(err)
		v.fingerprint = fingerprint.Sum(cmp.Or(text, fmt.Sprintf("%T", err))).String()
	}
	v = f.override(v)
	// These attributes come first, because the SDK drops the last attributes of a
	// full event.
	opts = append([]trace.EventOption{trace.WithAttributes(r.cfg.append(nil, r.cfg.wanted.Missing(f.keys), v)...)}, given...)
	record(span, err, printable, opts)
	if r.cfg.extra&attrkey.RetryAfter != 0 && !v.hasRetryAfter && hasKey(span, RetryAfterMSKey) {
		v.hasRetryAfter, v.retryAfter = true, 0 // overwrite the time of an earlier error
	}
	added := r.cfg.append(nil, r.cfg.wanted, v)
	dropped := droppedBy(span)
	span.SetAttributes(added...)
	r.checkLimits(span, dropped, added)
}

// record calls span.RecordError. If printable is false, or if a method of err
// panics, it adds an event with an empty message instead.
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

// textless wraps an error without calling the Error method. Its own text is
// empty.
type textless struct{ err error }

func (textless) Error() string   { return "" }
func (e textless) Unwrap() error { return e.err }

// checkedLimits records that a span of the provider has kept all added attributes in
// full. The field length is the number of bytes of the longest value.
type checkedLimits struct {
	provider *sdktrace.TracerProvider
	length   int
}

// checkLimits reports an error if the SDK has dropped or shortened the added
// attributes. droppedBefore is the span's number of dropped attributes before the
// call.
func (r *Recorder) checkLimits(span trace.Span, droppedBefore int, added []attribute.KeyValue) {
	s, ok := span.(sdktrace.ReadOnlySpan)
	if !ok || !span.IsRecording() {
		return
	}
	provider, _ := span.TracerProvider().(*sdktrace.TracerProvider)
	now := checkedLimits{provider: provider}
	for _, kv := range added {
		now.length = max(now.length, len(kv.Value.AsString()))
	}
	known := r.checked.Load()
	if s.DroppedAttributes() == droppedBefore && provider != nil && known != nil && known.provider == provider && known.length >= now.length {
		return
	}
	if !containsAll(s.Attributes(), added) || !r.anyHasBoth(s.Events()) {
		r.limits.report()
		return
	}
	r.checked.Store(&now)
}

// anyHasBoth reports whether one of the last 16 events has category and reason.
func (r *Recorder) anyHasBoth(events []sdktrace.Event) bool {
	for _, e := range events[max(0, len(events)-16):] {
		var f facts
		for i := range e.Attributes {
			f.addAttr(r.cfg, &e.Attributes[i])
		}
		if r.cfg.wanted.Missing(f.keys) == 0 {
			return true
		}
	}
	return false
}

// containsAll reports whether attrs contains all of kvs.
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

// droppedBy returns the number of attributes that a span of the SDK has dropped.
func droppedBy(span trace.Span) int {
	if s, ok := span.(sdktrace.ReadOnlySpan); ok {
		return s.DroppedAttributes()
	}
	return 0
}
