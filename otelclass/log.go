package otelclass

import (
	"context"
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/log"
	sdklog "go.opentelemetry.io/otel/sdk/log"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/attrkey"
	"github.com/errclass/errclass/internal/bound"
	"github.com/errclass/errclass/internal/evidence"
)

// LogProcessor is a [sdklog.Processor] that classifies error records and passes all
// records to the next processor. Create it with [NewLogProcessor]. The zero
// LogProcessor is not usable. A LogProcessor is safe for concurrent use if the next
// processor is. It starts no goroutine, takes no lock, and does not block or log.
//
// OpenTelemetry's error handler may log, and thus emit a further record. So while a
// record is being emitted, the LogProcessor does not call that handler and returns only
// the next processor's error. It keeps its own errors, the first of each kind, and
// returns them from ForceFlush or Shutdown.
type LogProcessor struct {
	next    sdklog.Processor
	cfg     *config
	closed  atomic.Bool
	limits  limitReport
	limited pendingError // errLimit
	panics  pendingError
}

var _ sdklog.Processor = (*LogProcessor)(nil)

// NewLogProcessor returns a processor that adds category and reason to log records
// and passes them to next. It changes the records in place, so processors registered
// later see the attributes too. If next is nil, records are still classified.
//
// A record is classified if its severity is Error or above, or if it has an
// exception.* attribute. If a record has a category, it keeps that category and is
// not counted again. If a record is full, category and reason replace its last
// attributes.
//
//	sdklog.WithProcessor(otelclass.NewLogProcessor(sdklog.NewBatchProcessor(exporter)))
func NewLogProcessor(next sdklog.Processor, opts ...Option) *LogProcessor {
	if next == nil {
		next = noopLogProcessor{}
	}
	return &LogProcessor{next: next, cfg: newConfig(opts)}
}

// Enabled returns the result of the next processor's Enabled method, or false after
// Shutdown.
func (p *LogProcessor) Enabled(ctx context.Context, param sdklog.EnabledParameters) bool {
	return !p.closed.Load() && p.next.Enabled(ctx, param)
}

// OnEmit adds category and reason to an error record. It passes every record to the
// next processor and returns that processor's error.
func (p *LogProcessor) OnEmit(ctx context.Context, r *sdklog.Record) error {
	if p.closed.Load() || r == nil {
		return nil
	}
	severity := r.Severity() // the next processor may change it
	failed := severity >= log.SeverityError
	if !failed && !hasException(r) {
		return p.next.OnEmit(ctx, r)
	}
	res := p.classify(r)
	err := p.next.OnEmit(ctx, r)
	if res.Category != "" && (failed || severity == log.SeverityUndefined) {
		p.panics.keep(p.cfg.observe(ctx, SignalLog, res))
	}
	return err
}

// hasException reports whether r has an exception.* attribute.
func hasException(r *sdklog.Record) (has bool) {
	left := evidence.MaxAttributes
	r.WalkAttributes(func(kv attribute.KeyValue) bool {
		has = evidence.IsException(string(kv.Key))
		left--
		return !has && left > 0
	})
	return has
}

// Shutdown shuts down the next processor. After that all methods do nothing. It
// returns the next processor's error, joined with the errors of [LogProcessor] that
// ForceFlush has not returned.
func (p *LogProcessor) Shutdown(ctx context.Context) error {
	if p.closed.Swap(true) {
		return nil
	}
	return join(p.next.Shutdown(ctx), p.pending())
}

// ForceFlush flushes the next processor. It returns the next processor's error,
// joined with the first panic of an observer since the last ForceFlush. If an
// attribute could not be added, it also returns an error about that, once.
func (p *LogProcessor) ForceFlush(ctx context.Context) error {
	if p.closed.Load() {
		return nil
	}
	return join(p.next.ForceFlush(ctx), p.pending())
}

// pending returns the errors of p itself that no call has returned yet.
func (p *LogProcessor) pending() error { return join(p.panics.take(), p.limited.take()) }

// classify adds the missing attributes to r. If r already had a category, the Result
// is zero.
func (p *LogProcessor) classify(r *sdklog.Record) classify.Result {
	cfg := p.cfg
	var f facts
	var t texts
	left := evidence.MaxAttributes
	r.WalkAttributes(func(kv attribute.KeyValue) bool {
		f.addAttr(cfg, &kv)
		t.addAttr(&kv, 0, false)
		left--
		return left > 0
	})
	missing := cfg.wanted.Missing(f.keys)
	if missing == 0 {
		return classify.Result{}
	}
	text := body(r)
	rest := len(text) // bytes of all texts after the current one
	for _, text := range t.found[:t.n] {
		rest += len(text)
	}
	var limit bound.Texts
	var d evidence.Decision
	if f.Exception {
		e := f.ExceptionEvidence(&limit, max(limit.Left()/2, limit.Left()-rest))
		e.Status = f.Status
		d.Add(cfg.classifier, e)
	}
	for _, text := range t.found[:t.n] {
		rest -= len(text)
		d.Add(cfg.classifier, classify.Evidence{Message: limit.Take(text, rest), Status: f.Status, Provider: f.Provider})
	}
	d.AddOutcome(cfg.classifier, &f.Facts, limit.Take(text, 0))
	d.AddStack(cfg.classifier, &f.Facts, &limit, limit.Left())
	res := d.Complete(cfg.classifier, &f.Facts)
	if r.AttributesLen() > evidence.MaxAttributes || !cfg.addTo(r, missing, cfg.values(&d)) {
		p.limited.keep(p.limits.first())
	}
	if missing&attrkey.Category == 0 {
		return classify.Result{}
	}
	return res
}

// body returns the body of a record, or "" if it is not a string.
func body(r *sdklog.Record) string {
	b := r.Body()
	return b.AsString()
}

// texts has the error texts of a record: strings under keys such as error, err or
// cause.
type texts struct {
	found   [evidence.MaxTexts]string
	n       int
	members int // members of the maps visited
}

// addAttr adds the error texts of an attribute. inError is true if the attribute is
// a member of a map that describes an error.
func (t *texts) addAttr(kv *attribute.KeyValue, depth int, inError bool) {
	switch kv.Value.Type() {
	case attribute.STRING:
		if t.n == evidence.MaxTexts || !evidence.IsErrorText(string(kv.Key), inError) {
			return
		}
		if text := kv.Value.AsString(); text != "" {
			t.found[t.n] = text
			t.n++
		}
	case attribute.MAP:
		if depth == evidence.MaxDepth || t.n == evidence.MaxTexts {
			return
		}
		if t.members += mapLen(kv.Value); t.members > evidence.MaxMembers {
			return // t.members never decreases, so all later maps are skipped too
		}
		inError = evidence.FieldOf(string(kv.Key)) == evidence.Text
		members := kv.Value.AsMap()
		for i := range members {
			t.addAttr(&members[i], depth+1, inError)
		}
	}
}

// noopLogProcessor is the next processor if the caller passes nil.
type noopLogProcessor struct{}

func (noopLogProcessor) Enabled(context.Context, sdklog.EnabledParameters) bool { return true }
func (noopLogProcessor) OnEmit(context.Context, *sdklog.Record) error           { return nil }
func (noopLogProcessor) Shutdown(context.Context) error                         { return nil }
func (noopLogProcessor) ForceFlush(context.Context) error                       { return nil }
