package slogclass

import (
	"log/slog"
	"reflect"
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
	lossy    bool  // handler may write less than Handler.next: see derive
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

// merge returns a list with the entries of p and of older. If both have an entry for a
// category and a reason, the entry of p is kept.
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

// prepared returns an entry whose handler is h.next with the attributes for category and
// reason at the root. It builds this entry once and caches it.
func (h *Handler) prepared(category classify.Category, reason classify.Reason) *prepared {
	if cached := h.cache.Load().find(category, reason); cached != nil {
		return cached
	}
	p := &prepared{category: category, reason: reason, link: h.path.link}
	switch {
	case !h.path.open():
		attrs := h.cfg.attributes(make([]slog.Attr, 0, 2), h.missing, &classify.Result{Category: category, Reason: reason}, "")
		p.handler, p.lossy = derive(h.next, attrs)
	case h.path.link == nil:
		// The parent caches a handler too, so each of its children repeats only one
		// call.
		p.handler = h.path.last.repeat(h.path.parent.prepared(category, reason).handler)
	default:
		p.handler = h.prepareDeep(category, reason)
	}
	p.lossy = p.lossy || !alike(h.next, p.handler)
	return h.store(p)
}

// alike reports whether two handlers have the same type. If they do not, next may be a
// struct that embeds a handler and has its own Handle, but not its own WithAttrs. The
// handler that the embedded WithAttrs returns then lacks what next's Handle does, such
// as masking.
func alike(next, derived slog.Handler) bool { return reflect.TypeOf(next) == reflect.TypeOf(derived) }

// derive returns next.WithAttrs(attrs). lossy is true if the result may write less than
// next does (see alike), or does not write the attributes because WithAttrs panicked or
// returned its receiver.
func derive(next slog.Handler, attrs []slog.Attr) (derived slog.Handler, lossy bool) {
	defer func() {
		if p := recover(); p != nil || derived == nil {
			derived, lossy = next, true
		}
	}()
	derived = next.WithAttrs(attrs)
	after := reflect.ValueOf(derived)
	return derived, !alike(next, derived) || after.Comparable() && after.Equal(reflect.ValueOf(next))
}

// store caches p and returns it. If another goroutine has cached an entry for the same
// category and reason first, store returns that entry.
func (h *Handler) store(p *prepared) *prepared {
	for {
		p.older = h.cache.Load()
		if cached := p.older.find(p.category, p.reason); cached != nil {
			return cached
		}
		if h.cache.CompareAndSwap(p.older, p) {
			return p
		}
	}
}

// prepareDeep builds the handler of an entry. It is used if h was derived by more than
// maxDepth calls since the first group.
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
			result = h.path.parent.prepared(category, reason).handler
		}
	}
	for i, l := range slices.Backward(calls) {
		result = l.call.repeat(result)
		if i == 0 {
			break // h itself: prepared caches the result
		}
		if derived := calls[i-1].receiver.Value(); derived != nil {
			result = derived.store(&prepared{category: category, reason: reason, handler: result, link: l}).handler
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
		derived, _ := derive(h.next, attrs)
		return derived
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

// groupPath records the calls of WithAttrs and WithGroup that derived a Handler from
// its ancestor parent. It is empty if no group is open.
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
