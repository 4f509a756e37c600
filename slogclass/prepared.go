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

// prepare puts the two attributes in where no group is open yet, and repeats on
// the outcome the calls that were made since.
func (h *Handler) prepare(category classify.Category, reason classify.Reason) slog.Handler {
	if !h.under.group() {
		return h.next.WithAttrs(h.cfg.attributes(make([]slog.Attr, 0, 2), h.missing, category, reason))
	}
	// The parent keeps its own: the next handler that is derived from it
	// repeats one call.
	next := h.under.parent.prepared(category, reason)
	for _, c := range h.under.earlier {
		next = c.repeat(next)
	}
	return h.under.last.repeat(next)
}

// call is a WithGroup or, where group is empty, a WithAttrs.
type call struct {
	group string
	attrs []slog.Attr
}

func (c call) repeat(h slog.Handler) slog.Handler {
	if c.group != "" {
		return h.WithGroup(c.group)
	}
	// A handler owns the slice that it is given, and this one is needed again.
	return h.WithAttrs(slices.Clone(c.attrs))
}

// under says how a handler came to be under a group: the calls, first to last,
// that lead from the parent to it. It is empty where no group is open, for
// there the end of the attributes is still the root.
type under struct {
	parent  *Handler
	earlier []call
	last    call
	depth   uint8 // how many parents there are, one above the other
}

// maxDepth bounds the parents that a handler keeps alive, each with all that it
// has formatted: a program that says logger = logger.With(...) in a loop would
// otherwise hold a copy of every state that its logger ever had.
const maxDepth = 8

// group reports whether a group is open.
func (u *under) group() bool { return u.parent != nil }

// below says how the handler came to be that c makes of h.
func below(h *Handler, c call) under {
	if h.under.depth < maxDepth {
		return under{parent: h, last: c, depth: h.under.depth + 1}
	}
	u := h.under
	u.earlier = append(slices.Clip(u.earlier), u.last)
	u.last = c
	return u
}
