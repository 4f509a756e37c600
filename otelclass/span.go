package otelclass

import (
	"context"
	"slices"
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/errclass/errclass/classify"
)

// SpanProcessor is a [sdktrace.SpanProcessor] that classifies failed spans and
// recorded exceptions on their way to the next processor. Make it with
// [NewSpanProcessor]; the zero SpanProcessor is not usable. It is safe for
// concurrent use, as far as the next processor is; it starts no goroutine,
// takes no lock, and never blocks or logs by itself.
type SpanProcessor struct {
	next   sdktrace.SpanProcessor
	cfg    *config
	closed atomic.Bool
	panics unreported
}

var _ sdktrace.SpanProcessor = (*SpanProcessor)(nil)

// NewSpanProcessor returns a processor that adds category and reason to spans
// and exception events and passes them on to next, which must be the processor
// that exports: a span has ended when it gets here and can no longer be
// changed, so next is given a view of it, and processors that are registered
// beside this one see nothing. With a nil next spans are classified for the
// observers alone.
//
//	sdktrace.WithSpanProcessor(otelclass.NewSpanProcessor(sdktrace.NewBatchSpanProcessor(exporter)))
func NewSpanProcessor(next sdktrace.SpanProcessor, opts ...Option) *SpanProcessor {
	if next == nil {
		next = noSpans{}
	}
	return &SpanProcessor{next: next, cfg: newConfig(opts)}
}

// OnStart passes the live span on.
func (p *SpanProcessor) OnStart(parent context.Context, s sdktrace.ReadWriteSpan) {
	if !p.closed.Load() {
		p.next.OnStart(parent, s)
	}
}

// OnEnd passes the span on, with category and reason where it failed or
// recorded an exception. All other spans pass as they are.
func (p *SpanProcessor) OnEnd(s sdktrace.ReadOnlySpan) {
	if p.closed.Load() {
		return
	}
	// Each of the SDK's two methods copies the span's snapshot, some 9 ns: all that
	// a span costs that is no error.
	if s.Status().Code != codes.Error && !anyException(s.Events()) {
		p.next.OnEnd(s)
		return
	}
	view, res := p.classify(s)
	p.next.OnEnd(view)
	if res.Category != "" && len(p.cfg.observers) > 0 {
		// The span's context is what makes an exemplar of a measurement.
		ctx := trace.ContextWithSpanContext(context.Background(), s.SpanContext())
		p.panics.keep(p.cfg.observe(ctx, SignalSpan, res))
	}
}

func anyException(events []sdktrace.Event) bool {
	for i := range events {
		if isException(events[i].Attributes) {
			return true
		}
	}
	return false
}

// Shutdown shuts the next processor down; from then on all methods do nothing.
// The error is the next processor's, joined with that of an observer that
// panicked since the last ForceFlush.
func (p *SpanProcessor) Shutdown(ctx context.Context) error {
	if p.closed.Swap(true) {
		return nil
	}
	return join(p.next.Shutdown(ctx), p.panics.take())
}

// ForceFlush flushes the next processor. The error is as for Shutdown.
func (p *SpanProcessor) ForceFlush(ctx context.Context) error {
	if p.closed.Load() {
		return nil
	}
	return join(p.next.ForceFlush(ctx), p.panics.take())
}

// span is the view of a span that has the two attributes.
type span struct {
	sdktrace.ReadOnlySpan
	attributes []attribute.KeyValue
	events     []sdktrace.Event
}

// Attributes returns the attributes of the span, ours last.
func (s *span) Attributes() []attribute.KeyValue { return s.attributes }

// Events returns the events of the span, those of exceptions with ours last.
func (s *span) Events() []sdktrace.Event { return s.events }

// classify returns a view of s with the attributes that are missing, or s
// itself where none is, and what the observers are to be told of, if anything.
func (p *SpanProcessor) classify(s sdktrace.ReadOnlySpan) (sdktrace.ReadOnlySpan, classify.Result) {
	cfg := p.cfg
	if !cfg.wants(s) {
		return s, classify.Result{}
	}
	status, attributes, events := s.Status(), s.Attributes(), s.Events()
	var own facts
	for i := range attributes {
		own.look(cfg, &attributes[i])
	}
	var v verdict  // the last exception's
	var last facts // of the last exception
	view := span{s, attributes, events}
	changed := false
	for i := range events {
		if !isException(events[i].Attributes) {
			continue
		}
		last = facts{}
		attrs := events[i].Attributes
		for j := range attrs {
			last.look(cfg, &attrs[j])
		}
		v = last.decide(cfg)
		if missing := last.missing(cfg); missing != 0 {
			if !changed {
				view.events, changed = slices.Clone(events), true // they are the span's
			}
			view.events[i].Attributes = cfg.extend(attrs, missing, words(&v.Result))
		}
	}
	var told classify.Result
	failed := status.Code == codes.Error
	if failed || cfg.handled {
		v.askOutcome(cfg.classifier, &own, status.Description)
		res := v.result(cfg.classifier, &own)
		if missing := own.missing(cfg); missing != 0 {
			view.attributes, changed = cfg.extend(attributes, missing, last.own(words(&res))), true
		}
		if failed {
			told = res
			if stated, ok := own.stated(); ok {
				told = stated
			}
		}
	}
	if !changed {
		return s, told
	}
	return &view, told
}

// decide is what an exception event means. What a recorder has written there
// came from the live error and is better evidence than the text.
func (f *facts) decide(cfg *config) verdict {
	if res, ok := f.stated(); ok {
		return verdict{res, res.Reason != classify.ReasonUnknown}
	}
	var v verdict
	v.ask(cfg.classifier, f.exceptionEvidence())
	v.askStack(cfg.classifier, f)
	v.result(cfg.classifier, f)
	return v
}

// extend returns a copy of attrs with those of the two that are wanted. The
// slice itself is shared with whoever else looks at the span.
func (c *config) extend(attrs []attribute.KeyValue, wanted keys, w values) []attribute.KeyValue {
	copied := make([]attribute.KeyValue, len(attrs), len(attrs)+2)
	copy(copied, attrs)
	return c.append(copied, wanted, w)
}

// wants asks the user which spans are to be classified. Where he panics it is
// all of them.
func (c *config) wants(s sdktrace.ReadOnlySpan) (wanted bool) {
	if c.spans == nil {
		return true
	}
	defer func() {
		if recover() != nil {
			wanted = true
		}
	}()
	return c.spans(s)
}

// noSpans is the next processor where there is none.
type noSpans struct{}

func (noSpans) OnStart(context.Context, sdktrace.ReadWriteSpan) {}
func (noSpans) OnEnd(sdktrace.ReadOnlySpan)                     {}
func (noSpans) Shutdown(context.Context) error                  { return nil }
func (noSpans) ForceFlush(context.Context) error                { return nil }
