package slogclass

import (
	"log/slog"
	"slices"

	"github.com/errclass/errclass/internal/attrkey"
)

// mayAddKeys reports whether a LogValuer with this key can add one of the package's
// keys. It returns true for an empty key: the LogValuer may return a group, and handlers
// inline a group with an empty key.
func (c *config) mayAddKeys(key string) bool {
	return key == "" || c.names.Find(key)&c.wanted != 0
}

// maxValuers is the maximum number of LogValuers that are called for one record or
// one call of With. LogValuers can return the same members many times.
const maxValuers = 1 << 10

// resolver replaces LogValuers that may add one of the package's keys. It stops at
// maxValuers or maxMembers.
type resolver struct {
	cfg        *config
	valuers    int // called so far
	copied     budget
	keyMembers budget // members of groups under one of the keys
}

// copy returns a copy of members. If all calls together would copy more than
// maxMembers, it returns members itself and false.
func (r *resolver) copy(members []slog.Attr) ([]slog.Attr, bool) {
	if r.copied += budget(len(members)); r.copied > maxMembers {
		return members, false
	}
	return slices.Clone(members), true
}

// value replaces the value of the attribute a by what LogValue returns. If LogValue
// panics, the new value is an error. After maxValuers calls of LogValue, the method
// value changes nothing and returns false.
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

// root replaces the LogValuers among the attributes at the root, in place.
func (r *resolver) root(attrs []slog.Attr) {
	for i := range attrs {
		a := &attrs[i]
		if !r.cfg.mayAddKeys(a.Key) {
			continue
		}
		if !r.value(a) {
			return
		}
		if a.Value.Kind() != slog.KindGroup {
			continue
		}
		if a.Key != "" {
			if members := a.Value.Group(); writes(members, &r.keyMembers) == perhaps {
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

// untilWritten resolves the members of a group in order, until it finds one that a
// handler writes. done is true if it found one, or if a limit is exceeded.
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

// resolve first replaces the LogValuers in attrs that may add one of the package's
// keys. Then it returns the package's keys that attrs has at the root. If a limit is
// exceeded, it returns all keys.
func (c *config) resolve(attrs []slog.Attr) attrkey.Set {
	r := resolver{cfg: c}
	r.root(attrs)
	f := findings{cfg: c}
	for i := range attrs {
		f.addAttr(&attrs[i], true)
	}
	if f.unresolved { // a limit was exceeded
		return attrkey.All
	}
	return f.keys
}

// answer is the result of the function named writes.
type answer uint8

const (
	no      answer = iota
	perhaps        // it depends on a LogValuer
	yes
)

// writes reports whether a handler writes a group with these members. If more than
// maxMembers members were visited, it returns yes.
func writes(members []slog.Attr, visited *budget) answer {
	all := no
	for i := range members {
		a := &members[i]
		if visited.spent() {
			return yes
		}
		switch a.Value.Kind() {
		case slog.KindGroup:
			all = max(all, writes(a.Value.Group(), visited))
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

// isWritten reports whether a handler writes an attribute. The value must be neither a
// group nor a LogValuer.
func isWritten(a *slog.Attr) bool {
	return a.Key != "" || a.Value.Kind() != slog.KindAny || a.Value.Any() != nil
}

// writesAny reports whether a handler may write an attribute of r. It calls no
// LogValuer.
func writesAny(r *slog.Record) (written bool) {
	var visited budget
	r.Attrs(func(a slog.Attr) bool {
		written = writes([]slog.Attr{a}, &visited) != no
		return !written
	})
	return written
}
