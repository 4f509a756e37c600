package slogclass

import "log/slog"

// writesGroupsAlike reports whether the handler h writes these two in the same way:
//
//   - a record, after WithGroup("g") and With("a", 1)
//   - a record with the attribute slog.Group("g", "a", 1)
//
// The JSON and text handlers of package slog do so. Other handlers might not. For
// example, otelslog writes them differently.
func writesGroupsAlike(h slog.Handler) bool {
	switch h.(type) {
	case *slog.JSONHandler, *slog.TextHandler:
		return true
	}
	return false
}

// nests reports whether nest can be used: writesGroupsAlike is true for h.next, and
// there were at most maxDepth calls of With and WithGroup since the first group.
func (h *Handler) nests() bool { return h.cfg.nests && h.path.link == nil }

// nest turns the first open group of h into an attribute. So attributes can be added
// next to it, at the root of the record. The attribute has the attributes of r and
// of the With calls since the group was opened. outer is the next handler outside
// that group. If outer handles a record with this attribute, the output is the same
// as if h.next handled r.
func (h *Handler) nest(r *slog.Record) (group slog.Attr, outer slog.Handler) {
	var calls [maxDepth]call // last call first
	n, size := 0, r.NumAttrs()
	for ; h.path.open(); h = h.path.parent {
		calls[n] = h.path.last
		size += max(1, len(calls[n].attrs))
		n++
	}
	// members is filled from its end, because the inner groups are last in it.
	// members[start:end] are the members of the current group.
	members := make([]slog.Attr, size)
	end := size
	start := size - r.NumAttrs()
	appendAttrs(members[:start], r) // fills members[start:]
	for _, c := range calls[:n] {
		if c.group == "" {
			start -= len(c.attrs)
			copy(members[start:], c.attrs)
			continue
		}
		group = slog.Attr{Key: c.group, Value: slog.GroupValue(members[start:end:end]...)}
		end = start
		start--
		members[start] = group
	}
	return group, h.next
}
