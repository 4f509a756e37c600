package redisgate

import (
	"sync"
	"time"

	"github.com/errclass/errclass/resilience"
)

// maxStates limits the number of states in a memory. A state is an open breaker or
// the pause of a rate limit.
const maxStates = 10000

// openLife is how long an open breaker stays stored after the next trial is due.
const openLife = time.Minute

// memory stores the states of all processes until they expire. It is safe for
// concurrent use.
type memory struct {
	mu     sync.Mutex
	states map[stateKey]state
	swept  time.Time // when the expired states were last removed
}

type stateKey struct {
	kind resilience.GateChangeKind
	gate string
}

type state struct {
	change resilience.GateChange
	start  time.Time // the durations of the change are counted from this time
	until  time.Time // the state expires at this time
}

// life returns how long a change stays stored.
func life(c resilience.GateChange) time.Duration {
	if c.Kind == resilience.GateHeld {
		return c.Hold
	}
	return c.NextTrial + openLife
}

// put stores a change. age is the time since its publication.
func (m *memory) put(c resilience.GateChange, age time.Duration) {
	now := time.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	switch c.Kind {
	case resilience.GateHeld, resilience.GateOpened:
	case resilience.GateClosed:
		delete(m.states, stateKey{resilience.GateOpened, c.Gate})
		return
	default:
		return
	}
	key := stateKey{c.Kind, c.Gate}
	if _, known := m.states[key]; !known && !m.room(now) {
		return
	}
	m.states[key] = state{c, now.Add(-age), now.Add(life(c) - age)}
}

// sweepPause is the shortest time between two removals of expired states.
const sweepPause = time.Second

// room reports whether m can store one more state. If m is full, room first removes the
// expired states, but at most once in sweepPause. The caller must have locked mu.
func (m *memory) room(now time.Time) bool {
	if len(m.states) >= maxStates && now.Sub(m.swept) >= sweepPause {
		m.swept = now
		for k, s := range m.states {
			if !now.Before(s.until) {
				delete(m.states, k)
			}
		}
	}
	return len(m.states) < maxStates
}

// clear removes all states.
func (m *memory) clear() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.states)
}

// current returns the stored states of a gate. Their durations are counted from now.
func (m *memory) current(gate string) (all []resilience.GateChange) {
	now := time.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, kind := range []resilience.GateChangeKind{resilience.GateHeld, resilience.GateOpened} {
		s, ok := m.states[stateKey{kind, gate}]
		if !ok || !now.Before(s.until) {
			continue
		}
		c, passed := s.change, now.Sub(s.start)
		c.Hold, c.NextTrial = max(c.Hold-passed, 0), max(c.NextTrial-passed, 0)
		c.OpenFor += passed
		all = append(all, c)
	}
	return all
}
