package resilience

import (
	"slices"
	"sync"
	"time"
)

// stays remembers which target took over for which primary: after a fallback
// calls stay there for a while, instead of failing at the primary first each
// time. It is safe for concurrent use.
type stays struct {
	cooldown time.Duration

	mu sync.Mutex
	by recent[Target, stay]
}

type stay struct {
	target Target
	until  time.Time
}

// order returns the targets of a call in the order in which they are asked:
// from the one that took over on, and only then what comes before it, so that
// a call never fails while there is somebody left to ask. It is the caller's own
// slice where nobody did.
func (s *stays) order(targets []Target) []Target {
	if len(targets) < 2 {
		return targets
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	at, ok := s.by.get(targets[0], now)
	if !ok {
		return targets
	}
	first := slices.Index(targets, at.target)
	switch {
	case !now.Before(at.until):
		s.by.remove(targets[0])
		return targets
	case first <= 0: // this caller does not know it
		return targets
	default:
		return slices.Concat(targets[first:], targets[:first])
	}
}

// answered notes who answered a call, moved: after others had failed. The
// minute begins with the fallback and is not prolonged by further calls.
func (s *stays) answered(primary, by Target, moved bool) {
	if !moved || s.cooldown <= 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if by == primary {
		s.by.remove(primary)
		return
	}
	now := time.Now()
	s.by.set(primary, stay{target: by, until: now.Add(s.cooldown)}, now)
}

// label names what tells one target from another, for events and counters:
// providers where they differ (from="claude", to="openai"), else models, else
// endpoints.
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
