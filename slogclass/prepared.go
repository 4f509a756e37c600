package slogclass

import (
	"log/slog"
	"slices"
	"weak"

	"github.com/errclass/errclass/classify"
)

// prepared is an immutable linked list of cached handlers. Each cached handler is
// Handler.next with one category and reason at the root.
type prepared struct {
	category classify.Category
	reason   classify.Reason
	handler  slog.Handler
	link     *link // path.link of the Handler that this entry was built for
	older    *prepared
}

// find returns the entry for this category and reason, or nil.
func (p *prepared) find(category classify.Category, reason classify.Reason) *prepared {
	for ; p != nil; p = p.older {
		if p.reason == reason && p.category == category {
			return p
		}
	}
	return nil
}

// merge returns the entries of p and older. In a conflict, the entry of p is kept.
func (p *prepared) merge(older *prepared) *prepared {
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

// prepared returns h.next with the attributes for category and reason at the root.
// It builds this handler once and caches it.
func (h *Handler) prepared(category classify.Category, reason classify.Reason) slog.Handler {
	if cached := h.cache.Load().find(category, reason); cached != nil {
		return cached.handler
	}
	return h.store(&prepared{category: category, reason: reason, handler: h.prepare(category, reason), link: h.path.link})
}

// store caches p and returns the handler of p. If another goroutine has cached a
// handler for the same category and reason first, store returns that handler.
func (h *Handler) store(p *prepared) slog.Handler {
	for {
		p.older = h.cache.Load()
		if cached := p.older.find(p.category, p.reason); cached != nil {
			return cached.handler
		}
		if h.cache.CompareAndSwap(p.older, p) {
			return p.handler
		}
	}
}

// prepare builds the handler that prepared caches. It adds the attributes for category
// and reason before the first group is opened. Then it repeats the call that opened that
// group, and the later calls of WithGroup and WithAttrs.
func (h *Handler) prepare(category classify.Category, reason classify.Reason) slog.Handler {
	switch {
	case !h.path.open():
		return h.next.WithAttrs(h.cfg.attributes(make([]slog.Attr, 0, 2), h.missing, &classify.Result{Category: category, Reason: reason}, ""))
	case h.path.link == nil:
		// The parent caches a handler too, so each of its children repeats only one
		// call.
		return h.path.last.repeat(h.path.parent.prepared(category, reason))
	default:
		return h.prepareDeep(category, reason)
	}
}

// prepareDeep is prepare for more than maxDepth calls since the first group.
//
//  1. It starts at the nearest ancestor with a cached handler.
//  2. It repeats the later calls that derived h.
//  3. It caches each result in the Handler that the original call returned, if that
//     Handler still exists.
func (h *Handler) prepareDeep(category classify.Category, reason classify.Reason) slog.Handler {
	var calls []*link // the calls to repeat, last call first
	var result slog.Handler
	inherited := h.path.inherited.find(category, reason)
	for l := h.path.link; result == nil; l = l.prev {
		calls = append(calls, l)
		if receiver := l.receiver.Value(); receiver != nil {
			if cached := receiver.cache.Load().find(category, reason); cached != nil {
				result = cached.handler
				break
			}
		}
		switch {
		case inherited != nil && inherited.link == l.prev:
			result = inherited.handler
		case l.prev == nil:
			result = h.path.parent.prepared(category, reason)
		}
	}
	for i, l := range slices.Backward(calls) {
		result = l.call.repeat(result)
		if i == 0 {
			break // h itself: prepared caches the result
		}
		if derived := calls[i-1].receiver.Value(); derived != nil {
			result = derived.store(&prepared{category: category, reason: reason, handler: result, link: l})
		}
	}
	return result
}

// detailed returns a copy of h.next with attrs at the root. It caches nothing.
func (h *Handler) detailed(attrs []slog.Attr) slog.Handler {
	switch {
	case len(attrs) == 0:
		return h.next
	case !h.path.open():
		return h.next.WithAttrs(attrs)
	}
	result := h.path.parent.detailed(attrs)
	if h.path.link == nil {
		return h.path.last.repeat(result)
	}
	var calls []*link // last call first
	for l := h.path.link; l != nil; l = l.prev {
		calls = append(calls, l)
	}
	for _, l := range slices.Backward(calls) {
		result = l.call.repeat(result)
	}
	return result
}

// call is a recorded call of WithGroup or, if group is empty, of WithAttrs.
type call struct {
	group string
	attrs []slog.Attr
}

func (c call) repeat(h slog.Handler) slog.Handler {
	if c.group != "" {
		return h.WithGroup(c.group)
	}
	// After the call, the handler owns the slice. So pass a copy.
	return h.WithAttrs(slices.Clone(c.attrs))
}

// groupPath records the calls that derived a handler with an open group from parent.
// It is empty if no group is open.
type groupPath struct {
	parent *Handler
	last   call  // the only call since the parent, if link is nil
	link   *link // the calls since the parent, if there are several
	depth  uint8 // the number of ancestors that are reachable through parent
	groups bool  // an attribute of a With call since the first open group can be a group
	// inherited has cached handlers of this Handler's ancestors.
	inherited *prepared
}

// link is a call of WithAttrs or WithGroup in a linked list of calls. The first
// maxDepth calls since the first group have no link.
type link struct {
	call     call
	receiver weak.Pointer[Handler] // receiver of the call; nil if it was garbage collected
	prev     *link                 // nil if the receiver was path.parent
}

// maxDepth is the maximum number of ancestors that a handler keeps in memory.
// Without it, logger = logger.With(...) in a loop would keep every logger.
const maxDepth = 8

// open reports whether WithGroup has been called, so that attributes go into a group.
func (p *groupPath) open() bool { return p.parent != nil }

// pathFrom returns the path of a handler that the call c derives from h.
func pathFrom(h *Handler, c call) groupPath {
	groups := h.path.groups || slices.ContainsFunc(c.attrs, func(a slog.Attr) bool {
		return a.Value.Kind() == slog.KindGroup || a.Value.Kind() == slog.KindLogValuer
	})
	if h.path.depth < maxDepth {
		return groupPath{parent: h, last: c, depth: h.path.depth + 1, groups: groups}
	}
	p := groupPath{parent: h, depth: maxDepth, groups: groups, link: &link{call: c, receiver: weak.Make(h)}}
	if h.path.link != nil {
		p.parent, p.link.prev = h.path.parent, h.path.link
	}
	p.inherited = h.cache.Load().merge(h.path.inherited)
	return p
}
