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
	"github.com/errclass/errclass/internal/attrkey"
	"github.com/errclass/errclass/internal/bound"
	"github.com/errclass/errclass/internal/evidence"
)

// SpanProcessor is a [sdktrace.SpanProcessor] that classifies failed spans and
// recorded exceptions. It passes all spans to the next processor. Create it with
// [NewSpanProcessor]. The zero SpanProcessor is not usable. A SpanProcessor is safe
// for concurrent use if the next processor is. It starts no goroutine, takes no
// lock, and does not block or log.
type SpanProcessor struct {
	next   sdktrace.SpanProcessor
	cfg    *config
	closed atomic.Bool
	panics pendingError
	limits limitReport
}

var _ sdktrace.SpanProcessor = (*SpanProcessor)(nil)

// NewSpanProcessor returns a processor that adds category and reason to spans and
// exception events. It passes the spans to next, which must be the processor that
// exports. The attributes are added to a wrapper of the span, and only next gets this
// wrapper. Other registered processors do not see these attributes. If next is nil,
// spans are classified for the observers only.
//
//	sdktrace.WithSpanProcessor(otelclass.NewSpanProcessor(sdktrace.NewBatchSpanProcessor(exporter)))
func NewSpanProcessor(next sdktrace.SpanProcessor, opts ...Option) *SpanProcessor {
	if next == nil {
		next = noopSpanProcessor{}
	}
	return &SpanProcessor{next: next, cfg: newConfig(opts)}
}

// OnStart passes the span to the next processor.
func (p *SpanProcessor) OnStart(parent context.Context, s sdktrace.ReadWriteSpan) {
	if !p.closed.Load() {
		p.next.OnStart(parent, s)
	}
}

// OnEnd adds category and reason to a span that failed or recorded an exception. It
// passes every span to the next processor.
func (p *SpanProcessor) OnEnd(s sdktrace.ReadOnlySpan) {
	if p.closed.Load() {
		return
	}
	// Status and Events take about 9 ns each, because the SDK copies its snapshot of
	// the span for each call.
	if s.Status().Code != codes.Error && !anyException(s.Events()) {
		p.next.OnEnd(s)
		return
	}
	view, res := p.classify(s)
	p.next.OnEnd(view)
	if res.Category != "" && len(p.cfg.observers) > 0 {
		// Exemplars need the span context.
		ctx := trace.ContextWithSpanContext(context.Background(), s.SpanContext())
		p.panics.keep(p.cfg.observe(ctx, SignalSpan, res))
	}
}

// Shutdown shuts down the next processor. After that all methods do nothing. It
// returns the next processor's error, joined with the first panic of an observer
// since the last ForceFlush.
func (p *SpanProcessor) Shutdown(ctx context.Context) error {
	if p.closed.Swap(true) {
		return nil
	}
	return join(p.next.Shutdown(ctx), p.panics.take())
}

// ForceFlush flushes the next processor. It returns the next processor's error,
// joined with the first panic of an observer since the last ForceFlush.
func (p *SpanProcessor) ForceFlush(ctx context.Context) error {
	if p.closed.Load() {
		return nil
	}
	return join(p.next.ForceFlush(ctx), p.panics.take())
}

// span wraps a span and adds attributes to it and to its events.
type span struct {
	sdktrace.ReadOnlySpan
	attributes []attribute.KeyValue
	events     []sdktrace.Event
}

// Attributes returns the attributes of the span, followed by the added attributes.
func (s *span) Attributes() []attribute.KeyValue { return s.attributes }

// Events returns the events of the span. Exceptions have the added attributes.
func (s *span) Events() []sdktrace.Event { return s.events }

// classify returns a wrapper of s with the added attributes, or s if it adds none. The
// Result is for the observers. If the Result is zero, do not call the observers.
func (p *SpanProcessor) classify(s sdktrace.ReadOnlySpan) (sdktrace.ReadOnlySpan, classify.Result) {
	cfg := p.cfg
	if !cfg.selects(s) {
		return s, classify.Result{}
	}
	c := spanClassification{
		cfg: cfg, status: s.Status(),
		view: span{s, s.Attributes(), s.Events()},
	}
	c.exceptions.find(c.view.events)
	observed := c.run()
	if c.skipped {
		p.limits.report()
	}
	if !c.changed {
		return s, observed
	}
	return &c.view, observed
}

// spanClassification is the state of classifying one span.
type spanClassification struct {
	cfg        *config
	status     sdktrace.Status
	view       span
	changed    bool // view differs from the span
	skipped    bool // an attribute was not added because of a limit
	cloned     bool // view.events is a copy
	copied     int  // attributes of exceptions copied so far
	exceptions exceptions
	texts      bound.Texts

	httpStatus int // of the span
}

// run classifies the exceptions and the span. It reads the sources in this order:
//
//   - the last exception
//   - the span's attributes and status
//   - the other exceptions, from last to first
func (c *spanClassification) run() (observed classify.Result) {
	cfg := c.cfg
	var own, last facts
	for i := range c.view.attributes[:min(len(c.view.attributes), evidence.MaxAttributes)] {
		own.addAttr(cfg, &c.view.attributes[i])
	}
	c.httpStatus = own.Status
	own.OwnDeadline = own.isOwnDeadline(c.view.attributes, c.view.events)
	text := len(c.status.Description) + len(own.ErrorType)
	var d evidence.Decision // of the last exception
	if c.exceptions.n > 0 {
		rest := text
		if c.exceptions.n > 1 {
			rest = bound.MaxText
		}
		d = c.classifyException(0, &last, max(c.texts.Left()/2, c.texts.Left()-rest))
		c.restoreShortened(&own, &last)
	}
	failed := c.status.Code == codes.Error
	if failed || cfg.handled {
		rest := 0
		if c.exceptions.n > 1 {
			rest = bound.MaxText
		}
		d.AddOutcome(cfg.classifier, &own.Facts, c.texts.Take(c.status.Description, rest))
		res := d.Complete(cfg.classifier, &own.Facts)
		switch missing := cfg.wanted.Missing(own.keys); {
		case missing == 0:
		case len(c.view.attributes) > evidence.MaxAttributes:
			c.skipped = true
		default:
			c.view.attributes, c.changed = cfg.extend(c.view.attributes, missing, last.override(cfg.values(&d))), true
		}
		if failed {
			observed = res
			if existing, ok := own.existing(); ok {
				observed = existing
			}
		}
	}
	for n := 1; n < c.exceptions.n; n++ {
		var f facts
		c.classifyException(n, &f, c.texts.Left()/(c.exceptions.n-n))
		c.restoreShortened(&own, &f)
	}
	return observed
}

// restoreShortened replaces values that the SDK has shortened on the span. It takes the
// full values from f, the attributes of an exception event.
func (c *spanClassification) restoreShortened(own, f *facts) {
	if _, ok := f.existing(); !ok || own.keys == 0 || len(c.view.attributes) > evidence.MaxAttributes {
		return
	}
	whole := *own
	if own.keys&attrkey.Category != 0 {
		whole.category = f.category
	}
	if own.keys&attrkey.Reason != 0 {
		whole.reason = f.reason
	}
	both := c.cfg.extra & own.keys & f.keys
	if both&attrkey.Rule != 0 {
		whole.rule = f.rule
	}
	if both&attrkey.Fingerprint != 0 {
		whole.fingerprint = f.fingerprint
	}
	if whole == *own || !strings.HasPrefix(whole.category, own.category) ||
		!strings.HasPrefix(whole.reason, own.reason) || !strings.HasPrefix(whole.rule, own.rule) || !strings.HasPrefix(whole.fingerprint, own.fingerprint) {
		return
	}
	attributes := slices.Clone(c.view.attributes)
	for i := range attributes {
		switch key := attributes[i].Key; c.cfg.names.Find(string(key)) & c.cfg.wanted {
		case attrkey.Category:
			attributes[i] = key.String(whole.category)
		case attrkey.Reason:
			attributes[i] = key.String(whole.reason)
		case attrkey.Rule:
			attributes[i] = key.String(whole.rule)
		case attrkey.Fingerprint:
			attributes[i] = key.String(whole.fingerprint)
		}
	}
	c.view.attributes, c.changed = attributes, true
	*own = whole
}

// classifyException classifies the n-th exception, with at most size bytes of text. It
// stores the attributes of the exception in f, which must be the zero value.
func (c *spanClassification) classifyException(n int, f *facts, size int) evidence.Decision {
	i := c.exceptions.at[n]
	attrs := c.view.events[i].Attributes
	for j := range attrs {
		f.addAttr(c.cfg, &attrs[j])
	}
	d := f.decide(c.cfg, &c.texts, size, c.httpStatus)
	missing := c.cfg.wanted.Missing(f.keys)
	if missing == 0 {
		return d
	}
	if len(c.view.events) > evidence.MaxEvents || c.copied+len(attrs) > maxCopied {
		c.skipped = true
		return d
	}
	if !c.cloned {
		c.view.events, c.cloned, c.changed = slices.Clone(c.view.events), true, true // the slice belongs to the span
	}
	c.copied += len(attrs)
	c.view.events[i].Attributes = c.cfg.extend(attrs, missing, c.cfg.values(&d))
	return d
}

// decide classifies an exception event. status is the HTTP status of the span. If a
// Recorder has classified the event, decide returns that result.
func (f *facts) decide(cfg *config, t *bound.Texts, size, status int) evidence.Decision {
	if res, ok := f.existing(); ok {
		res.Rule, res.Confidence = f.rule, f.confidence
		return evidence.Decided(res, classify.Evidence{Message: bound.Text(f.Message, bound.MaxText), Type: f.ExceptionType})
	}
	d := evidence.Decision{SpanStatus: status}
	d.Add(cfg.classifier, f.ExceptionEvidence(t, size))
	d.AddStack(cfg.classifier, &f.Facts, t, size)
	d.Complete(cfg.classifier, &f.Facts)
	return d
}

// extend returns a copy of attrs with the wanted attributes appended. attrs itself
// is not changed, because other readers of the span share it.
func (c *config) extend(attrs []attribute.KeyValue, wanted attrkey.Set, w values) []attribute.KeyValue {
	copied := make([]attribute.KeyValue, len(attrs), len(attrs)+bits.OnesCount8(uint8(wanted)))
	copy(copied, attrs)
	return c.append(copied, wanted, w)
}

// selects reports whether the filter of WithSpans accepts a span. If the filter
// panics, selects returns true.
func (c *config) selects(s sdktrace.ReadOnlySpan) (selected bool) {
	if c.spans == nil {
		return true
	}
	defer func() {
		if recover() != nil {
			selected = true
		}
	}()
	return c.spans(s)
}

// noopSpanProcessor is the next processor if the caller passes nil.
type noopSpanProcessor struct{}

func (noopSpanProcessor) OnStart(context.Context, sdktrace.ReadWriteSpan) {}
func (noopSpanProcessor) OnEnd(sdktrace.ReadOnlySpan)                     {}
func (noopSpanProcessor) Shutdown(context.Context) error                  { return nil }
func (noopSpanProcessor) ForceFlush(context.Context) error                { return nil }
