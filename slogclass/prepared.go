package slogclass

import (
	"log/slog"
	"slices"
	"weak"

	"github.com/errclass/errclass/classify"
)

// prepared is a form of Handler.next in which the two attributes already stand
// at the root, for one category and reason. Both come from closed sets, so a
// program needs few of them (at most some twenty for one logger), and a list
// is shorter to walk than a table is to fill. It is immutable.
type prepared struct {
	category classify.Category
	reason   classify.Reason
	handler  slog.Handler
	at       *link // under.last of the handler that it is a form of
	older    *prepared
}

// find returns the entry for the pair, or nil.
func (p *prepared) find(category classify.Category, reason classify.Reason) *prepared {
	for ; p != nil; p = p.older {
		if p.reason == reason && p.category == category {
			return p
		}
	}
	return nil
}

// over returns the entries of p and those of older for other pairs.
func (p *prepared) over(older *prepared) *prepared {
	if p == nil {
		return older
	}
	all := p
	for ; older != nil; older = older.older {
		if p.find(older.category, older.reason) == nil {
			entry := *older
			entry.older = all
			all = &entry
		}
	}
	return all
}

// prepared returns the form of h.next for the pair. It is made at the first
// use and kept; finding it takes no lock.
func (h *Handler) prepared(category classify.Category, reason classify.Reason) slog.Handler {
	if ready := h.ready.Load().find(category, reason); ready != nil {
		return ready.handler
	}
	return h.keep(&prepared{category: category, reason: reason, handler: h.prepare(category, reason), at: h.under.link})
}

// keep stores a form of h.next, unless another goroutine was faster, and returns
// the one that is stored.
func (h *Handler) keep(p *prepared) slog.Handler {
	for {
		p.older = h.ready.Load()
		if ready := p.older.find(p.category, p.reason); ready != nil {
			return ready.handler
		}
		if h.ready.CompareAndSwap(p.older, p) {
			return p.handler
		}
	}
}

// prepare puts the two attributes in where no group is open yet, and repeats on
// the outcome the calls that were made since.
func (h *Handler) prepare(category classify.Category, reason classify.Reason) slog.Handler {
	switch {
	case !h.under.group():
		return h.next.WithAttrs(h.cfg.attributes(make([]slog.Attr, 0, 2), h.missing, &classify.Result{Category: category, Reason: reason}))
	case h.under.link == nil:
		// The parent keeps its own: the next handler that is derived from it
		// repeats one call.
		return h.under.last.repeat(h.under.parent.prepared(category, reason))
	default:
		return h.prepareDeep(category, reason)
	}
}

// prepareDeep is prepare for a handler with more than maxDepth calls since the
// first group. It starts at the nearest ancestor with a prepared form, and leaves
// one at each handler on the way that the program still holds: so no call is
// repeated for each of the handlers below it.
func (h *Handler) prepareDeep(category classify.Category, reason classify.Reason) slog.Handler {
	var path []*link // the calls to repeat, the last one first
	var form slog.Handler
	inherited := h.under.inherited.find(category, reason)
	for l := h.under.link; form == nil; l = l.prev {
		path = append(path, l)
		if above := l.above.Value(); above != nil {
			if ready := above.ready.Load().find(category, reason); ready != nil {
				form = ready.handler
				break
			}
		}
		switch {
		case inherited != nil && inherited.at == l.prev:
			form = inherited.handler
		case l.prev == nil:
			form = h.under.parent.prepared(category, reason)
		}
	}
	for i, l := range slices.Backward(path) {
		form = l.call.repeat(form)
		if i == 0 {
			break // h itself: prepared keeps it
		}
		if made := path[i-1].above.Value(); made != nil {
			form = made.keep(&prepared{category: category, reason: reason, handler: form, at: l})
		}
	}
	return form
}

// detailed returns the form of h.next in which attrs stand at the root. It is
// made for one record: hints differ from one to the next.
func (h *Handler) detailed(attrs []slog.Attr) slog.Handler {
	switch {
	case len(attrs) == 0:
		return h.next
	case !h.under.group():
		return h.next.WithAttrs(attrs)
	}
	form := h.under.parent.detailed(attrs)
	if h.under.link == nil {
		return h.under.last.repeat(form)
	}
	var path []*link // the last call first
	for l := h.under.link; l != nil; l = l.prev {
		path = append(path, l)
	}
	for _, l := range slices.Backward(path) {
		form = l.call.repeat(form)
	}
	return form
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

// under says how a handler came to be under a group: the calls that lead from
// the parent to it. It is empty where no group is open, for there the end of the
// attributes is still the root.
type under struct {
	parent *Handler
	last   call  // the only call since the parent, where link is nil
	link   *link // the calls since the parent where there are more
	depth  uint8 // how many parents there are, one above the other
	// inherited are the forms that the handler which this one was derived from
	// had, or had inherited, by then: one for each pair.
	inherited *prepared
}

// link is a call that was made more than maxDepth calls after the first group.
// Handlers that were derived from each other share their links.
type link struct {
	call  call
	above weak.Pointer[Handler] // what the call was made on, as long as the program holds it
	prev  *link                 // nil: the call was made on under.parent
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
	u := under{parent: h, depth: maxDepth, link: &link{call: c, above: weak.Make(h)}}
	if h.under.link != nil {
		u.parent, u.link.prev = h.under.parent, h.under.link
	}
	u.inherited = h.ready.Load().over(h.under.inherited)
	return u
}
