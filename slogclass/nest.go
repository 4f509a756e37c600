package slogclass

import "log/slog"

// writesGroupsAlike reports whether the handler h writes these two in the same way:
//
//   - a record, after WithGroup("g") and With("a", 1)
//   - a record with the attribute slog.Group("g", "a", 1)
func writesGroupsAlike(h slog.Handler) bool {
	switch h.(type) {
	case *slog.JSONHandler, *slog.TextHandler:
		return true
	}
	return false
}

// nests reports whether nest can be used for h. If an attribute of With can be a group,
// nest cannot be used: slog's JSON handler omits a comma if ReplaceAttr removes all
// members of that group.
func (h *Handler) nests() bool { return h.cfg.nests && h.path.link == nil && !h.path.groups }

// nest returns the first open group of h as an attribute. The group contains the
// attributes that With added after the group was opened, and the attributes of r. outer
// is the next handler from before the group was opened.
func (h *Handler) nest(r *slog.Record) (group slog.Attr, outer slog.Handler) {
	var calls [maxDepth]call // last call first
	n, size := 0, r.NumAttrs()
	for ; h.path.open(); h = h.path.parent {
		calls[n] = h.path.last
		size += max(1, len(calls[n].attrs))
		n++
	}
	// members is filled from its end. members[start:end] is the current group.
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
