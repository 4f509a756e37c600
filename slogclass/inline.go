package slogclass

import (
	"log/slog"
	"slices"
)

// mayHoldKeys reports whether what a LogValuer under this key returns decides
// which keys stand at the root: the key is one of ours, or it is empty, and a
// group that is returned belongs to what is around it.
func (c *config) mayHoldKeys(key string) bool {
	return key == "" || key == c.category || key == c.reason || c.details && (key == RuleKey || key == RetryAfterMSKey)
}

// resolve returns a copy of attrs, which stand at the root, in which the
// LogValuers are resolved that decide about our keys. The next handler gets
// the copy, because a LogValuer may return something else when it is asked again.
// What one panics with becomes its value, as in slog's own handlers.
func (c *config) resolve(attrs []slog.Attr, seen *budget) []slog.Attr {
	attrs = slices.Clone(attrs)
	for i := range attrs {
		a := &attrs[i]
		if !c.mayHoldKeys(a.Key) {
			continue
		}
		if seen.spent() {
			break
		}
		a.Value = a.Value.Resolve()
		if a.Key == "" && a.Value.Kind() == slog.KindGroup {
			a.Value = slog.GroupValue(c.resolve(a.Value.Group(), seen)...)
		}
	}
	return attrs
}

// keysOf is which of our keys attrs, which are resolved, have at the root.
func (c *config) keysOf(attrs []slog.Attr) keys {
	f := findings{cfg: c}
	for i := range attrs {
		f.look(&attrs[i], true)
	}
	if f.lazy { // the budget was spent before all was resolved
		return allKeys
	}
	return f.keys
}

// resolveRecord replaces r by a copy whose LogValuers are resolved as resolve
// says, and returns which of our keys it has at the root.
func (c *config) resolveRecord(r *slog.Record) keys {
	attrs := make([]slog.Attr, 0, r.NumAttrs())
	r.Attrs(func(a slog.Attr) bool {
		attrs = append(attrs, a)
		return true
	})
	attrs = c.resolve(attrs, new(budget))
	resolved := slog.NewRecord(r.Time, r.Level, r.Message, r.PC)
	resolved.AddAttrs(attrs...)
	*r = resolved
	return c.keysOf(attrs)
}

// written reports whether a handler writes a group with these members: one that
// has none, or only such groups, it leaves out together with the key.
func written(members []slog.Attr, seen *budget) bool {
	for i := range members {
		a := &members[i]
		if seen.spent() {
			return true
		}
		switch a.Value.Kind() {
		case slog.KindGroup:
			if written(a.Value.Group(), seen) {
				return true
			}
		case slog.KindAny:
			if a.Key != "" || a.Value.Any() != nil {
				return true
			}
		default:
			return true
		}
	}
	return false
}
