package slogclass

import "log/slog"

// writesGroupsAlike reports whether the handler h writes two things in the same
// way:
//
//   - a record, after WithGroup("g") and With("a", 1)
//   - a record with the attribute slog.Group("g", "a", 1)
//
// The handlers of package slog write both in the same way. Other handlers may not:
// otelslog writes them differently.
func writesGroupsAlike(h slog.Handler) bool {
	switch h.(type) {
	case *slog.JSONHandler, *slog.TextHandler:
		return true
	}
	return false
}

// nests reports whether the caller may use nest. It may not after too many calls of
// With and WithGroup since the first group.
func (h *Handler) nests() bool { return h.cfg.nests && h.path.link == nil }

// nest moves attributes into the record: those of the With calls since the first
// group. It builds the groups inside the record, and puts the record's own
// attributes into them too.
//
// nest returns the handler from before the first group. That handler writes the new
// record like h.next would write the original one. Attributes that are added to the
// new record appear at the root.
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
