package slogclass

import (
	"context"
	"log/slog"
	"slices"
	"sync/atomic"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/classify/fingerprint"
	"github.com/errclass/errclass/internal/attrkey"
)

// Handler is a [slog.Handler] that classifies error records and passes all records
// to the next handler. Create it with [New]. The zero Handler is not usable. A Handler
// is immutable. It is safe for concurrent use if the next handler is. It starts no
// goroutine and does not block.
type Handler struct {
	next    slog.Handler // includes all WithAttrs and WithGroup calls
	cfg     *config
	missing attrkey.Set   // keys to write; the caller has not set them at the root
	with    *withEvidence // from the attributes of With, or nil

	path groupPath // the calls since the first group

	// ungrouped is the Handler without the first group. It is set only if that group
	// has the name of one of the package's keys and is still empty. It handles the
	// records without attributes, because the group is not written for these records.
	ungrouped *Handler

	cache atomic.Pointer[prepared]
	// records counts the first fewRecords error records. Caching begins after them. In a
	// Handler from New, records begins at fewRecords, so that caching begins at once.
	records atomic.Uint32
}

var _ slog.Handler = (*Handler)(nil)

// New returns a handler that adds category and reason to error records and passes
// all records to next. If next is nil, [slog.DiscardHandler] is used. If next is the
// initial handler of [slog.Default], New uses a different handler (see the package
// documentation).
func New(next slog.Handler, opts ...Option) *Handler {
	cfg := defaults()
	for _, o := range opts {
		if o != nil {
			cfg = o.apply(cfg)
		}
	}
	if next == nil {
		next = slog.DiscardHandler
	}
	next = replaceBuiltin(next)
	cfg.nests = writesGroupsAlike(next)
	cfg.wanted = cfg.names.Distinct(attrkey.Both | cfg.extra)
	h := &Handler{next: next, cfg: &cfg, missing: cfg.wanted}
	h.records.Store(fewRecords) // h is long-lived: cache from the first error on
	return h
}

// Middleware returns a function that calls [New] with opts. slog-multi and other
// packages chain handlers with such functions.
func Middleware(opts ...Option) func(slog.Handler) slog.Handler {
	opts = slices.Clone(opts)
	return func(next slog.Handler) slog.Handler { return New(next, opts...) }
}

// Enabled returns the result of the next handler's Enabled method.
func (h *Handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

// Handle passes the record to the next handler. If the level is high enough, it adds
// category, reason and the attributes of [WithDetails] and [WithFingerprint]. It
// returns the next handler's error, joined with an error for each observer that
// panicked.
func (h *Handler) Handle(ctx context.Context, r slog.Record) error {
	level := h.cfg.level
	if h.cfg.dynamic != nil {
		level = h.cfg.dynamic.Level()
	}
	if r.Level < level {
		return h.next.Handle(ctx, r)
	}
	if h.ungrouped != nil && !writesAny(&r) {
		return h.ungrouped.Handle(ctx, r)
	}
	if len(h.cfg.observers) > 0 {
		return h.handleObserved(ctx, r)
	}
	next := h.classified(ctx, &r, nil)
	return next.Handle(ctx, r)
}

// handleObserved handles an error record and then calls the observers. They get the
// record without the added attributes.
func (h *Handler) handleObserved(ctx context.Context, r slog.Record) error {
	var res classify.Result
	c := r
	next := h.classified(ctx, &c, &res)
	return h.observe(ctx, &r, &res, next.Handle(ctx, c))
}

// classified classifies an error record and returns the handler to call next. The
// missing attributes are added either to the record or by that handler. If observed
// is not nil, *observed is set to the result.
func (h *Handler) classified(ctx context.Context, r *slog.Record, observed *classify.Result) slog.Handler {
	if h.missing == 0 && observed == nil {
		return h.next
	}
	f := findings{cfg: h.cfg}
	root := !h.path.open()
	r.Attrs(func(a slog.Attr) bool {
		f.addAttr(&a, root)
		return true
	})
	if f.unresolved && h.missing != 0 {
		attrs := appendAttrs(make([]slog.Attr, 0, r.NumAttrs()), r)
		f.keys = h.cfg.resolve(attrs)
		setAttrs(r, attrs)
	}
	missing := h.missing &^ f.keys
	if missing == 0 && observed == nil {
		return h.next
	}
	var res classify.Result
	h.classify(ctx, r.Message, &f, &res)
	if observed != nil {
		*observed = res
	}
	var id string
	if missing&attrkey.Fingerprint != 0 {
		id = fingerprint.Sum(f.decisive(r.Message)).String()
	}
	switch {
	case missing == 0:
		return h.next
	case (root || h.nests()) && (missing != h.missing || h.cfg.extra != 0 || h.fewRecordsYet()):
		return h.addTo(r, missing, &res, id) // a derived handler would not be used again
	case h.cfg.extra != 0:
		if next := h.detailed(h.cfg.attributes(nil, missing, &res, id)); alike(h.next, next) {
			return next
		}
	default:
		if p := h.prepared(res.Category, res.Reason); !p.lossy {
			return p.handler
		}
	}
	return h.addTo(r, missing, &res, id)
}

// addTo adds the missing attributes to the record and returns the handler to call next.
// If a group is open, addTo turns the group into an attribute of the record, so that the
// missing attributes are beside the group, at the root. If h.nests returns false, addTo
// cannot do this, and the missing attributes are in the group.
func (h *Handler) addTo(r *slog.Record, missing attrkey.Set, res *classify.Result, id string) (next slog.Handler) {
	var some [8]slog.Attr
	attrs, next := h.cfg.attributes(some[:0], missing, res, id), h.next
	if !h.path.open() || !h.nests() {
		attrs = appendAttrs(attrs, r)
	} else {
		var group slog.Attr
		group, next = h.nest(r)
		attrs = append(attrs, group)
	}
	// The record's own attributes come last: slog's JSON handler may omit a comma after
	// them.
	setAttrs(r, attrs)
	return next
}

// fewRecords is the number of error records after which a handler begins to cache
// derived handlers.
const fewRecords = 4

// fewRecordsYet counts a record and reports whether it is one of the first
// fewRecords.
func (h *Handler) fewRecordsYet() bool {
	return h.records.Load() < fewRecords && h.records.Add(1) <= fewRecords
}

// appendAttrs appends the attributes of a record to dst.
func appendAttrs(dst []slog.Attr, r *slog.Record) []slog.Attr {
	r.Attrs(func(a slog.Attr) bool {
		dst = append(dst, a)
		return true
	})
	return dst
}

// setAttrs replaces the attributes of a record. It does not change copies of the
// record.
func setAttrs(r *slog.Record, attrs []slog.Attr) {
	c := slog.NewRecord(r.Time, r.Level, r.Message, r.PC)
	c.AddAttrs(attrs...)
	*r = c
}

// attributes appends to dst the wanted attributes for which res has a value. id is
// the fingerprint.
func (c *config) attributes(dst []slog.Attr, wanted attrkey.Set, res *classify.Result, id string) []slog.Attr {
	if wanted&attrkey.Category != 0 {
		dst = append(dst, slog.String(c.names.Category, string(res.Category)))
	}
	if wanted&attrkey.Reason != 0 {
		dst = append(dst, slog.String(c.names.Reason, string(res.Reason)))
	}
	if wanted&attrkey.Rule != 0 {
		dst = append(dst, slog.String(RuleKey, res.Rule))
	}
	if wanted&attrkey.Confidence != 0 {
		dst = append(dst, slog.Float64(ConfidenceKey, res.Confidence))
	}
	if wanted&attrkey.RetryAfter != 0 && res.HasRetryAfter {
		dst = append(dst, slog.Int64(RetryAfterMSKey, attrkey.Milliseconds(res.RetryAfter)))
	}
	if wanted&attrkey.Fingerprint != 0 {
		dst = append(dst, slog.String(FingerprintKey, id))
	}
	return dst
}

// WithAttrs returns a handler that adds attrs to its records. If attrs is empty,
// it returns the receiver.
func (h *Handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	if len(attrs) == 0 {
		return h
	}
	// Read attrs first: the next handler owns the slice after the call.
	root := !h.path.open()
	f := findings{cfg: h.cfg}
	for i := range attrs {
		f.addAttr(&attrs[i], root)
	}
	if f.unresolved && h.missing != 0 {
		attrs = slices.Clone(attrs)
		f.keys = h.cfg.resolve(attrs)
	}
	derived := &Handler{cfg: h.cfg, missing: h.missing &^ f.keys, with: h.with.add(&f)}
	if !root {
		derived.path = pathFrom(h, call{attrs: slices.Clone(attrs)})
	}
	if h.ungrouped != nil && writes(attrs, new(budget)) == no {
		derived.ungrouped = h.ungrouped
	}
	derived.next = h.next.WithAttrs(attrs)
	return derived
}

// WithGroup returns a handler that puts later attributes into a group with this
// name. If name is empty, it returns the receiver.
func (h *Handler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	parent, ungrouped := h, h.ungrouped
	if replaced := h.cfg.names.Find(name) & h.missing; replaced != 0 && !h.path.open() {
		// The group replaces the key with the same name at the root. So the handler
		// parent must not write that key.
		ungrouped = h
		parent = &Handler{cfg: h.cfg, missing: h.missing &^ replaced, with: h.with, next: h.next}
	}
	return &Handler{
		cfg: h.cfg, missing: parent.missing, with: h.with,
		next:      h.next.WithGroup(name),
		path:      pathFrom(parent, call{group: name}),
		ungrouped: ungrouped,
	}
}
