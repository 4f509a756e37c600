package resilience

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// fallbacks remembers which target took over from each primary target. It is safe
// for concurrent use.
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

// order returns the targets in the order in which to call them.
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

// record notes which target answered a call. fellBack is true if other targets had
// failed before. If it is false, record changes nothing.
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

// labels returns the names of two targets for events and counters.
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
