package redisgate

import (
	"sync"
	"time"

	"github.com/errclass/errclass/resilience"
)

// maxKnown limits the number of states in memory.
const maxKnown = 10000

// openLife is how long an opening is kept after its next trial is due. If no trial
// is made by then, nobody calls the endpoint.
const openLife = time.Minute

// memory holds the present states of the gates of all processes, for gates that
// this process will make. It is safe for concurrent use.
type memory struct {
	mu     sync.Mutex
	states map[stateKey]state
}

type stateKey struct {
	kind resilience.GateChangeKind
	gate string
}

type state struct {
	change resilience.GateChange
	at     time.Time // when its times began
	until  time.Time
}

// life returns how long a change is kept.
func life(c resilience.GateChange) time.Duration {
	if c.Kind == resilience.GateHeld {
		return c.Hold
	}
	return c.NextTrial + openLife
}

// put stores a change that was made some time ago.
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
	if len(m.states) >= maxKnown {
		for k, s := range m.states {
			if !now.Before(s.until) {
				delete(m.states, k)
			}
		}
	}
	if len(m.states) < maxKnown {
		m.states[stateKey{c.Kind, c.Gate}] = state{c, now.Add(-age), now.Add(life(c) - age)}
	}
}

// clear forgets everything.
func (m *memory) clear() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.states)
}

// current returns the states of a gate with the times that are left.
func (m *memory) current(gate string) (all []resilience.GateChange) {
	now := time.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, kind := range []resilience.GateChangeKind{resilience.GateHeld, resilience.GateOpened} {
		s, ok := m.states[stateKey{kind, gate}]
		if !ok || !now.Before(s.until) {
			continue
		}
		c, passed := s.change, now.Sub(s.at)
		c.Hold, c.NextTrial = max(c.Hold-passed, 0), max(c.NextTrial-passed, 0)
		c.OpenFor += passed
		all = append(all, c)
	}
	return all
}
