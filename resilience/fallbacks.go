package resilience

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// fallbacks remembers, for each primary target, which target took over. During the
// cooldown after a fallback, calls start with the new target, because the primary
// target would probably fail first. fallbacks is safe for concurrent use.
type fallbacks struct {
	cooldown time.Duration

	used atomic.Bool // an entry has been added to f.byPrimary

	mu        sync.Mutex
	byPrimary recent[Target, fallback]
}

type fallback struct {
	target Target
	until  time.Time
}

// order returns the targets in the order in which to call them. During a fallback,
// the target that took over and the targets after it come first. Otherwise order
// returns targets unchanged.
func (f *fallbacks) order(targets []Target) []Target {
	if len(targets) < 2 || !f.used.Load() {
		return targets
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	active, ok := f.byPrimary.get(targets[0], now)
	if !ok {
		return targets
	}
	first := slices.Index(targets, active.target)
	switch {
	case !now.Before(active.until):
		f.byPrimary.remove(targets[0])
		return targets
	case first <= 0: // not among this call's targets
		return targets
	default:
		return slices.Concat(targets[first:], targets[:first])
	}
}

// record records which target answered a call. fellBack is true if other targets had
// failed before. If fellBack is false, record changes nothing, so the cooldown is not
// extended. If the primary target answered, the fallback ends. If a different target
// answered, a fallback to that target begins.
func (f *fallbacks) record(primary, answeredBy Target, fellBack bool) {
	if !fellBack || f.cooldown <= 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if answeredBy == primary {
		f.byPrimary.remove(primary)
		return
	}
	now := time.Now()
	f.used.Store(true)
	f.byPrimary.set(primary, fallback{target: answeredBy, until: now.Add(f.cooldown)}, now)
}

// labels returns the names of two targets for events and counters. It returns the
// providers if they differ, such as "claude" and "openai". Otherwise it returns the
// models if they differ, and else the results of [Target.Name].
func labels(from, to Target) (string, string) {
	switch {
	case from.Provider != to.Provider && from.Provider != "" && to.Provider != "":
		return from.Provider, to.Provider
	case from.Model != to.Model && from.Model != "" && to.Model != "":
		return from.Model, to.Model
	default:
		return from.Name(), to.Name()
	}
}
