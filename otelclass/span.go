package otelclass

import (
	"context"
	"math/bits"
	"slices"
	"strings"
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/bound"
)

// SpanProcessor is a [sdktrace.SpanProcessor] that classifies failed spans and
// recorded exceptions on their way to the next processor. Make it with
// [NewSpanProcessor]; the zero SpanProcessor is not usable. It is safe for
// concurrent use, as far as the next processor is; it starts no goroutine,
// takes no lock, and never blocks or logs by itself.
type SpanProcessor struct {
	next    sdktrace.SpanProcessor
	cfg     *config
	closed  atomic.Bool
	panics  unreported
	limited limited
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

// span is the view of a span that has our attributes.
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
	c := spanCall{
		cfg: cfg, status: s.Status(),
		view: span{s, s.Attributes(), s.Events()},
	}
	c.found.find(c.view.events, maxExceptions)
	told := c.read()
	if c.full {
		p.limited.report()
	}
	if !c.changed {
		return s, told
	}
	return &c.view, told
}

// spanCall is the classification of one span.
type spanCall struct {
	cfg     *config
	status  sdktrace.Status
	view    span
	changed bool // the view differs from the span
	full    bool // an attribute was not added, for a bound was reached
	cloned  bool // view.events is a copy
	copied  int  // attributes of events
	found   exceptions
	texts   bound.Texts

	httpStatus int // of the span
}

// read classifies the exceptions and the span, what counts most first: the last
// exception, how the span ended, then the exceptions before, backwards.
func (c *spanCall) read() (told classify.Result) {
	cfg := c.cfg
	var own, last facts
	for i := range c.view.attributes[:min(len(c.view.attributes), maxAttributes)] {
		own.look(cfg, &c.view.attributes[i])
	}
	c.httpStatus = own.status
	own.ownDeadline = own.endedByItself(c.view.attributes, c.view.events)
	text := len(c.status.Description) + len(own.errorType)
	var v verdict // the last exception's
	if c.found.n > 0 {
		rest := text
		if c.found.n > 1 {
			rest = bound.MaxText
		}
		v = c.exception(0, &last, max(c.texts.Left()/2, c.texts.Left()-rest))
		c.mend(&own, &last)
	}
	failed := c.status.Code == codes.Error
	if failed || cfg.handled {
		rest := 0
		if c.found.n > 1 {
			rest = bound.MaxText
		}
		v.askOutcome(cfg.classifier, &own, c.texts.Take(c.status.Description, rest))
		res := v.result(cfg.classifier, &own)
		switch missing := own.missing(cfg); {
		case missing == 0:
		case len(c.view.attributes) > maxAttributes:
			c.full = true
		default:
			c.view.attributes, c.changed = cfg.extend(c.view.attributes, missing, last.own(words(&res))), true
		}
		if failed {
			told = res
			if stated, ok := own.stated(); ok {
				told = stated
			}
		}
	}
	for n := 1; n < c.found.n; n++ {
		var f facts
		c.exception(n, &f, c.texts.Left()/(c.found.n-n))
		c.mend(&own, &f)
	}
	return told
}

// mend replaces words on the span that a limit for the length of values has
// shortened by those on the exception event that they were recorded with: such a
// limit does not hold for events.
func (c *spanCall) mend(own, f *facts) {
	if _, ok := f.stated(); !ok || own.keys == 0 || len(c.view.attributes) > maxAttributes {
		return
	}
	whole := *own
	if own.keys&categoryKey != 0 {
		whole.category = f.category
	}
	if own.keys&reasonKey != 0 {
		whole.reason = f.reason
	}
	if c.cfg.details && own.keys&f.keys&ruleKey != 0 {
		whole.rule = f.rule
	}
	if whole == *own || !strings.HasPrefix(whole.category, own.category) ||
		!strings.HasPrefix(whole.reason, own.reason) || !strings.HasPrefix(whole.rule, own.rule) {
		return
	}
	attributes := slices.Clone(c.view.attributes)
	for i := range attributes {
		switch key := attributes[i].Key; {
		case key == c.cfg.category:
			attributes[i] = key.String(whole.category)
		case key == c.cfg.reason:
			attributes[i] = key.String(whole.reason)
		case key == RuleKey && c.cfg.details:
			attributes[i] = key.String(whole.rule)
		}
	}
	c.view.attributes, c.changed = attributes, true
	*own = whole
}

// exception classifies the n-th exception that was found, reads at most size
// bytes of its texts, and puts what its attributes say into f, which is zero.
func (c *spanCall) exception(n int, f *facts, size int) verdict {
	i := c.found.at[n]
	attrs := c.view.events[i].Attributes
	for j := range attrs {
		f.look(c.cfg, &attrs[j])
	}
	v := f.decide(c.cfg, &c.texts, size, c.httpStatus)
	missing := f.missing(c.cfg)
	if missing == 0 {
		return v
	}
	if len(c.view.events) > maxEvents || c.copied+len(attrs) > maxCopied {
		c.full = true
		return v
	}
	if !c.cloned {
		c.view.events, c.cloned, c.changed = slices.Clone(c.view.events), true, true // they are the span's
	}
	c.copied += len(attrs)
	c.view.events[i].Attributes = c.cfg.extend(attrs, missing, words(&v.Result))
	return v
}

// decide is what an exception event of a span with this HTTP status means. What a
// recorder has written there came from the live error and is better evidence
// than the text.
func (f *facts) decide(cfg *config, t *bound.Texts, size, status int) verdict {
	if res, ok := f.stated(); ok {
		return verdict{Result: res, known: res.Reason != classify.ReasonUnknown}
	}
	v := verdict{status: status}
	v.ask(cfg.classifier, f.exceptionEvidence(t, size))
	v.askStack(cfg.classifier, f, t, size)
	v.result(cfg.classifier, f)
	return v
}

// extend returns a copy of attrs with those of ours that are wanted. The slice
// itself is shared with whoever else looks at the span.
func (c *config) extend(attrs []attribute.KeyValue, wanted keys, w values) []attribute.KeyValue {
	copied := make([]attribute.KeyValue, len(attrs), len(attrs)+bits.OnesCount8(uint8(wanted)))
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
