package slogclass

import (
	"log/slog"
	"slices"

	"github.com/errclass/errclass/classify"
)

// prepared is a form of Handler.next in which the two attributes already stand
// at the root, for one category and reason. Both come from closed sets, so a
// program needs few of them (at most some twenty for one logger), and a list
// is shorter to walk than a table is to fill.
type prepared struct {
	category classify.Category
	reason   classify.Reason
	handler  slog.Handler
	older    *prepared
}

// find returns the handler for the pair, or nil.
func (p *prepared) find(category classify.Category, reason classify.Reason) slog.Handler {
	for ; p != nil; p = p.older {
		if p.reason == reason && p.category == category {
			return p.handler
		}
	}
	return nil
}

// prepared returns the form of h.next for the pair. It is made at the first
// use and kept; finding it takes no lock.
func (h *Handler) prepared(category classify.Category, reason classify.Reason) slog.Handler {
	if ready := h.ready.Load().find(category, reason); ready != nil {
		return ready
	}
	p := &prepared{category: category, reason: reason, handler: h.prepare(category, reason)}
	for {
		p.older = h.ready.Load()
		if ready := p.older.find(category, reason); ready != nil {
			return ready // another goroutine was faster
		}
		if h.ready.CompareAndSwap(p.older, p) {
			return p.handler
		}
	}
}

// prepare repeats on the parent's prepared handler the call that made h, down
// from the last handler without an open group, where the two attributes go in.
// The parents keep theirs: the next handler that is derived from them repeats
// its own call alone.
func (h *Handler) prepare(category classify.Category, reason classify.Reason) slog.Handler {
	switch {
	case h.parent == nil:
		return h.next.WithAttrs(h.cfg.attributes(make([]slog.Attr, 0, 2), h.missing, category, reason))
	case h.group != "":
		return h.parent.prepared(category, reason).WithGroup(h.group)
	default:
		// A handler owns the slice that it is given, and this one is needed again.
		return h.parent.prepared(category, reason).WithAttrs(slices.Clone(h.attrs))
	}
}
