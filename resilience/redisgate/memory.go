package redisgate

import (
	"sync"
	"time"

	"github.com/errclass/errclass/resilience"
)

// maxKnown limits the number of states (holds and openings) in a memory.
const maxKnown = 10000

// openLife is how long an opening stays stored after the next trial is due. If no
// process has made a trial by then, no process calls the endpoint any more.
const openLife = time.Minute

// memory keeps the holds and openings that the processes have published, until
// they end. If this process makes a gate later, the gate starts with its stored
// hold and opening. memory is safe for concurrent use.
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
	at     time.Time // the times of change count from here
	until  time.Time // the state ends here
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

// clear removes all states.
func (m *memory) clear() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.states)
}

// current returns the changes of a gate that are still in force: its hold and the
// opening of its breaker. Their durations begin now.
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
