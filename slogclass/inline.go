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

// maxValuers bounds the LogValuers that are called for one record or one call of
// With: each is code of the caller, and LogValuers that share their members may
// have more of them than there is memory.
const maxValuers = 1 << 10

// resolver resolves the LogValuers that decide about the two keys. Where it runs
// out of its budgets it leaves some of them, or keysOf runs out of its own.
type resolver struct {
	cfg     *config
	valuers int    // called so far
	copied  budget // members of groups
	weighed budget // members of groups under the two keys
}

// copy returns a copy of members, or false if the budget is spent.
func (r *resolver) copy(members []slog.Attr) ([]slog.Attr, bool) {
	if r.copied += budget(len(members)); r.copied > maxMembers {
		return members, false
	}
	return slices.Clone(members), true
}

// value resolves the value of a, and reports false if the budget is spent. What
// a LogValuer panics with becomes the value, as in slog's own handlers.
func (r *resolver) value(a *slog.Attr) bool {
	if a.Value.Kind() != slog.KindLogValuer {
		return true
	}
	if r.valuers++; r.valuers > maxValuers {
		return false
	}
	a.Value = a.Value.Resolve()
	return true
}

// root resolves in attrs, which stand at the root and are overwritten.
func (r *resolver) root(attrs []slog.Attr) {
	for i := range attrs {
		a := &attrs[i]
		if !r.cfg.mayHoldKeys(a.Key) {
			continue
		}
		if !r.value(a) {
			return
		}
		if a.Value.Kind() != slog.KindGroup {
			continue
		}
		if a.Key != "" {
			if members := a.Value.Group(); writes(members, &r.weighed) == perhaps {
				a.Value, _ = r.untilWritten(members)
			}
			continue
		}
		members, ok := r.copy(a.Value.Group())
		if !ok {
			return
		}
		r.root(members)
		a.Value = slog.GroupValue(members...)
	}
}

// untilWritten resolves the members of a group one after the other, until a
// handler writes one of them, and reports whether there is such a one or the
// budget is spent.
func (r *resolver) untilWritten(members []slog.Attr) (group slog.Value, done bool) {
	members, ok := r.copy(members)
	done = !ok
	for i := 0; i < len(members) && !done; i++ {
		a := &members[i]
		if !r.value(a) {
			done = true
		} else if a.Value.Kind() == slog.KindGroup {
			a.Value, done = r.untilWritten(a.Value.Group())
		} else {
			done = isWritten(a)
		}
	}
	return slog.GroupValue(members...), done
}

// resolve returns a copy of attrs, which stand at the root, in which the
// LogValuers are resolved that decide about our keys. The next handler gets
// the copy, because a LogValuer may return something else when it is asked again.
func (c *config) resolve(attrs []slog.Attr) []slog.Attr {
	attrs = slices.Clone(attrs)
	r := resolver{cfg: c}
	r.root(attrs)
	return attrs
}

// keysOf is which of our keys attrs, which are resolved, have at the root.
func (c *config) keysOf(attrs []slog.Attr) keys {
	f := findings{cfg: c}
	for i := range attrs {
		f.look(&attrs[i], true)
	}
	if f.lazy { // a budget was spent before all was resolved
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
	attrs = c.resolve(attrs)
	resolved := slog.NewRecord(r.Time, r.Level, r.Message, r.PC)
	resolved.AddAttrs(attrs...)
	*r = resolved
	return c.keysOf(attrs)
}

// answer says whether a handler writes something.
type answer uint8

const (
	no      answer = iota
	perhaps        // a LogValuer decides
	yes
)

// writes says whether a handler writes a group with these members: one that has
// none, or only such groups, it leaves out together with the key. Where the
// budget is spent the answer is yes.
func writes(members []slog.Attr, seen *budget) answer {
	all := no
	for i := range members {
		a := &members[i]
		if seen.spent() {
			return yes
		}
		switch a.Value.Kind() {
		case slog.KindGroup:
			all = max(all, writes(a.Value.Group(), seen))
		case slog.KindLogValuer:
			all = max(all, perhaps)
		default:
			if isWritten(a) {
				return yes
			}
		}
		if all == yes {
			return yes
		}
	}
	return all
}

// isWritten reports whether a handler writes a, which is neither a group nor a
// LogValuer.
func isWritten(a *slog.Attr) bool {
	return a.Key != "" || a.Value.Kind() != slog.KindAny || a.Value.Any() != nil
}

// writesAny reports whether a handler writes an attribute of r, as far as that is
// known without calling a LogValuer.
func writesAny(r *slog.Record) (written bool) {
	var seen budget
	r.Attrs(func(a slog.Attr) bool {
		written = writes([]slog.Attr{a}, &seen) != no
		return !written
	})
	return written
}
