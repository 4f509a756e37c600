package slogclass

import (
	"context"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/errclass/errclass/classify"
)

// Handler is a [slog.Handler] that classifies error records on their way to
// the next handler. Make it with [New]; the zero Handler is not usable. It is
// immutable as seen from outside and safe for concurrent use, as far as the
// next handler is; it starts no goroutine and never blocks by itself.
type Handler struct {
	next    slog.Handler // what the caller's WithAttrs and WithGroup have made of New's
	cfg     *config
	missing keys   // the keys to write that the caller has not set with With at the root
	given   *given // evidence that the caller gave with With, nil = none

	under under // the calls since the first group

	// bare is what the group was opened on, where the first group has the name of
	// one of the two keys and nothing was put into it so far. A record that puts
	// nothing into it either has no such group, and is bare's.
	bare *Handler

	// ready holds the prepared handlers. See prepared.
	ready atomic.Pointer[prepared]
	// failed: a record was classified here. Until then nothing is prepared for
	// a handler of one request, which may never see a second error.
	failed atomic.Bool
}

var _ slog.Handler = (*Handler)(nil)

// keys is a set of the keys that this package writes.
type keys uint8

const (
	categoryKey keys = 1 << iota
	reasonKey
	ruleKey
	retryAfterKey

	allKeys = categoryKey | reasonKey | ruleKey | retryAfterKey
)

// New returns a handler that adds category and reason to the error records
// that it passes on to next. A nil next is [slog.DiscardHandler]; the handler
// that [slog.Default] starts with is replaced: see the package documentation.
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
	h := &Handler{next: replaceBuiltin(next), cfg: &cfg, missing: cfg.wanted()}
	h.failed.Store(true) // a handler for the life of the program: preparing pays
	return h
}

// Middleware returns [New] with these options as a function from handler to
// handler, the form in which slog-multi and others chain handlers.
func Middleware(opts ...Option) func(slog.Handler) slog.Handler {
	opts = slices.Clone(opts)
	return func(next slog.Handler) slog.Handler { return New(next, opts...) }
}

// Enabled reports what the next handler reports.
func (h *Handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

// Handle passes the record on, with category and reason (and what [WithDetails]
// adds) where its level is high enough. The error is the next handler's, joined with one for each
// observer that panicked.
func (h *Handler) Handle(ctx context.Context, r slog.Record) error {
	level := h.cfg.level
	if h.cfg.dynamic != nil {
		level = h.cfg.dynamic.Level()
	}
	if r.Level < level {
		return h.next.Handle(ctx, r)
	}
	if h.bare != nil && !writesAny(&r) {
		return h.bare.Handle(ctx, r)
	}
	if len(h.cfg.observers) > 0 {
		return h.handleObserved(ctx, r)
	}
	next := h.classified(ctx, &r, nil)
	return next.Handle(ctx, r)
}

// handleObserved is Handle for an error record that observers are told about,
// as it was made by the caller.
func (h *Handler) handleObserved(ctx context.Context, r slog.Record) error {
	var res classify.Result
	c := r
	next := h.classified(ctx, &c, &res)
	return h.observe(ctx, &r, &res, next.Handle(ctx, c))
}

// classified returns the handler that an error record is to be passed on to:
// one that writes the attributes that are missing, or the next one, where none
// is or the record has been given them itself. What the record means is put into
// observed; where that is nil, a record that has all of them is not classified. It takes pointers for speed alone: a Record is some 300 bytes.
func (h *Handler) classified(ctx context.Context, r *slog.Record, observed *classify.Result) slog.Handler {
	if h.missing == 0 && observed == nil {
		return h.next
	}
	f := findings{cfg: h.cfg}
	root := !h.under.group()
	r.Attrs(func(a slog.Attr) bool {
		f.look(&a, root)
		return true
	})
	if f.lazy && h.missing != 0 {
		f.keys = h.cfg.resolveRecord(r)
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
	switch {
	case missing == 0:
		return h.next
	case root && (missing != h.missing || h.cfg.details || !h.failed.Load() && !h.failed.Swap(true)):
		// The record has one of the keys itself, or this is the first error of
		// a handler that may have been made for one request: nothing that is
		// prepared would be used again. Nor would it with details, as hints differ.
		h.cfg.addTo(r, &res, missing)
		return h.next
	case h.cfg.details:
		return h.detailed(h.cfg.attributes(nil, missing, &res))
	default:
		return h.prepared(res.Category, res.Reason)
	}
}

// addTo gives a record those of our attributes that are wanted. They come
// first: after a group that turns out to be empty, as slog.Group("g", slog.Attr{}),
// slog's JSON handler forgets the comma.
func (c *config) addTo(r *slog.Record, res *classify.Result, wanted keys) {
	var some [8]slog.Attr
	attrs := c.attributes(some[:0], wanted, res)
	r.Attrs(func(a slog.Attr) bool {
		attrs = append(attrs, a)
		return true
	})
	added := slog.NewRecord(r.Time, r.Level, r.Message, r.PC)
	added.AddAttrs(attrs...)
	*r = added
}

// attributes appends those of our attributes that are wanted and that res has.
func (c *config) attributes(to []slog.Attr, wanted keys, res *classify.Result) []slog.Attr {
	if wanted&categoryKey != 0 {
		to = append(to, slog.String(c.category, string(res.Category)))
	}
	if wanted&reasonKey != 0 {
		to = append(to, slog.String(c.reason, string(res.Reason)))
	}
	if wanted&ruleKey != 0 {
		to = append(to, slog.String(RuleKey, res.Rule))
	}
	if wanted&retryAfterKey != 0 && res.HasRetryAfter {
		// Rounded up: a client that waits that long has waited long enough.
		to = append(to, slog.Int64(RetryAfterMSKey, (res.RetryAfter+time.Millisecond-1).Milliseconds()))
	}
	return to
}

// WithAttrs returns a handler whose records have attrs too. Without attributes
// it is the receiver.
func (h *Handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	if len(attrs) == 0 {
		return h
	}
	// All reading comes first: the next handler owns the slice once it has it.
	root := !h.under.group()
	f := findings{cfg: h.cfg}
	for i := range attrs {
		f.look(&attrs[i], root)
	}
	if f.lazy && h.missing != 0 {
		attrs = h.cfg.resolve(attrs)
		f.keys = h.cfg.keysOf(attrs)
	}
	derived := &Handler{cfg: h.cfg, missing: h.missing &^ f.keys, given: h.given.with(&f)}
	if !root {
		derived.under = below(h, call{attrs: slices.Clone(attrs)})
	}
	if h.bare != nil && writes(attrs, new(budget)) == no {
		derived.bare = h.bare
	}
	derived.next = h.next.WithAttrs(attrs)
	return derived
}

// WithGroup returns a handler that puts what follows into a group of that
// name. With an empty name it is the receiver.
func (h *Handler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	parent, bare := h, h.bare
	if taken := h.cfg.keyNamed(name) & h.missing; taken != 0 && !h.under.group() {
		// The group is an attribute of the root. The forms of h that are prepared
		// have the key, so the group needs a parent of its own.
		bare = h
		parent = &Handler{cfg: h.cfg, missing: h.missing &^ taken, given: h.given, next: h.next}
	}
	return &Handler{
		cfg: h.cfg, missing: parent.missing, given: h.given,
		next:  h.next.WithGroup(name),
		under: below(parent, call{group: name}),
		bare:  bare,
	}
}

// keyNamed is the key of this name, or none.
func (c *config) keyNamed(name string) keys {
	switch name {
	case c.category:
		return categoryKey
	case c.reason:
		return reasonKey
	}
	return 0
}
