package slogclass

import "log/slog"

// writesGroupsAlike reports whether h writes WithGroup("g") and With("a", 1) like a
// record with the attribute slog.Group("g", "a", 1). The handlers of package slog
// do. Others may treat the attributes of a group differently: otelslog does.
func writesGroupsAlike(h slog.Handler) bool {
	switch h.(type) {
	case *slog.JSONHandler, *slog.TextHandler:
		return true
	}
	return false
}

// nests reports whether nest may be called. The calls since the first group must be
// few.
func (h *Handler) nests() bool { return h.cfg.nests && h.path.link == nil }

// nest puts the attributes of With since the first group, and those of the record,
// into groups of the record. It returns the handler from before the first group.
// That handler writes the record like h.next would write the original one, and new
// attributes of the record appear at the root.
func (h *Handler) nest(r *slog.Record) slog.Handler {
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
	i := start
	r.Attrs(func(a slog.Attr) bool {
		members[i] = a
		i++
		return true
	})
	for _, c := range calls[:n] {
		if c.group == "" {
			start -= len(c.attrs)
			copy(members[start:], c.attrs)
			continue
		}
		group := slog.Attr{Key: c.group, Value: slog.GroupValue(members[start:end:end]...)}
		end = start
		start--
		members[start] = group
	}
	nested := slog.NewRecord(r.Time, r.Level, r.Message, r.PC)
	nested.AddAttrs(members[start:end]...)
	*r = nested
	return h.next
}
