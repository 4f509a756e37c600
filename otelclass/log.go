package otelclass

import (
	"context"
	"slices"
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/log"
	sdklog "go.opentelemetry.io/otel/sdk/log"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/bound"
)

// LogProcessor is a [sdklog.Processor] that classifies error records on their
// way to the next processor. Make it with [NewLogProcessor]; the zero
// LogProcessor is not usable. It is safe for concurrent use, as far as the next
// processor is; it starts no goroutine, takes no lock, and never blocks or
// logs by itself.
type LogProcessor struct {
	next    sdklog.Processor
	cfg     *config
	closed  atomic.Bool
	limited limited
}

var _ sdklog.Processor = (*LogProcessor)(nil)

// NewLogProcessor returns a processor that adds category and reason to log
// records in place and passes them on to next, and so to processors that are
// registered after this one. With a nil next records are classified for the
// latter and for the observers alone.
//
// A record is classified where its severity is Error or above, or where it has
// an attribute exception.*, whatever its event name. One that carries a category
// keeps it and is not counted again: whoever put it there has counted it. In one
// that has as many attributes as its provider allows the last others give way.
//
//	sdklog.WithProcessor(otelclass.NewLogProcessor(sdklog.NewBatchProcessor(exporter)))
func NewLogProcessor(next sdklog.Processor, opts ...Option) *LogProcessor {
	if next == nil {
		next = noRecords{}
	}
	return &LogProcessor{next: next, cfg: newConfig(opts)}
}

// Enabled reports what the next processor reports, and false after Shutdown.
func (p *LogProcessor) Enabled(ctx context.Context, param sdklog.EnabledParameters) bool {
	return !p.closed.Load() && p.next.Enabled(ctx, param)
}

// OnEmit passes the record on, with category and reason where it is an error.
// The error is the next processor's, joined with one for each observer that
// panicked.
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
		err = join(err, p.cfg.observe(ctx, SignalLog, res))
	}
	return err
}

// hasException reports whether r has an attribute exception.*.
func hasException(r *sdklog.Record) (has bool) {
	left := maxAttributes
	r.WalkAttributes(func(kv attribute.KeyValue) bool {
		switch kv.Key {
		case exceptionTypeKey, exceptionMessageKey, exceptionStackKey:
			has = true
		}
		left--
		return !has && left > 0
	})
	return has
}

// Shutdown shuts the next processor down; from then on all methods do nothing.
func (p *LogProcessor) Shutdown(ctx context.Context) error {
	if p.closed.Swap(true) {
		return nil
	}
	return p.next.Shutdown(ctx)
}

// ForceFlush flushes the next processor.
func (p *LogProcessor) ForceFlush(ctx context.Context) error {
	if p.closed.Load() {
		return nil
	}
	return p.next.ForceFlush(ctx)
}

// classify adds the attributes that are missing to r and returns what it means,
// or the zero Result where somebody has given it a category before.
func (p *LogProcessor) classify(r *sdklog.Record) classify.Result {
	cfg := p.cfg
	var f facts
	var t texts
	left := maxAttributes
	r.WalkAttributes(func(kv attribute.KeyValue) bool {
		f.look(cfg, &kv)
		t.look(&kv, 0)
		left--
		return left > 0
	})
	missing := f.missing(cfg)
	if missing == 0 {
		return classify.Result{}
	}
	text := body(r)
	rest := len(text) // of the texts that follow
	for _, text := range t.found[:t.n] {
		rest += len(text)
	}
	var read bound.Texts
	var v verdict
	if f.exception {
		e := f.exceptionEvidence(&read, max(read.Left()/2, read.Left()-rest))
		e.Status = f.status
		v.ask(cfg.classifier, e)
	}
	for _, text := range t.found[:t.n] {
		rest -= len(text)
		v.ask(cfg.classifier, classify.Evidence{Message: read.Take(text, rest), Status: f.status, Provider: f.provider})
	}
	v.askOutcome(cfg.classifier, &f, read.Take(text, 0))
	v.askStack(cfg.classifier, &f, &read, read.Left())
	res := v.result(cfg.classifier, &f)
	if r.AttributesLen() > maxAttributes || !cfg.put(r, missing, words(&res)) {
		p.limited.report()
	}
	if missing&categoryKey == 0 {
		return classify.Result{}
	}
	return res
}

// body is the text of a record.
func body(r *sdklog.Record) string {
	b := r.Body()
	return b.AsString() // "" for a map and other kinds
}

// textKeys are the names under which bridges hand on the text of an error: a
// string where the program logged one, a map where the error had a form of its
// own or stood in a group.
var textKeys = []attribute.Key{"error", "err", "cause", "exception", "stderr"}

// Bounds of the search for texts.
const (
	maxTexts = 4
	maxDepth = 4
)

// texts are the strings found under textKeys.
type texts struct {
	found   [maxTexts]string
	n       int
	members int // of maps that were looked at
}

func (t *texts) look(kv *attribute.KeyValue, depth int) {
	switch kv.Value.Type() {
	case attribute.STRING:
		if text := kv.Value.AsString(); text != "" && t.n < maxTexts && slices.Contains(textKeys, kv.Key) {
			t.found[t.n] = text
			t.n++
		}
	case attribute.MAP:
		if depth == maxDepth || t.n == maxTexts {
			return
		}
		if t.members += sizeOf(kv.Value); t.members > maxMembers {
			return // a smaller one may follow, but what is left out must not depend on it
		}
		members := kv.Value.AsMap()
		for i := range members {
			t.look(&members[i], depth+1)
		}
	}
}

// noRecords is the next processor where there is none.
type noRecords struct{}

func (noRecords) Enabled(context.Context, sdklog.EnabledParameters) bool { return true }
func (noRecords) OnEmit(context.Context, *sdklog.Record) error           { return nil }
func (noRecords) Shutdown(context.Context) error                         { return nil }
func (noRecords) ForceFlush(context.Context) error                       { return nil }
