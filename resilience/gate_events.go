package resilience

import (
	"context"
	"sync"
)

// gateEvents sends the events of gates to the observers, one at a time and in order.
type gateEvents struct {
	send func(context.Context, *gate, Event)

	mu      sync.Mutex // locked after the mu of Breakers and of a gate
	pending []gateEvent
	sending bool // a goroutine is sending events
}

type gateEvent struct {
	ctx context.Context // context of the call that caused the event
	g   *gate
	e   Event
}

func (q *gateEvents) add(ctx context.Context, g *gate, e Event) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.pending = append(q.pending, gateEvent{ctx, g, e})
}

// flush sends all events. If another goroutine is already sending, that goroutine
// sends the new events too. The caller must hold no lock.
func (q *gateEvents) flush() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.sending {
		return
	}
	q.sending = true
	defer func() { q.sending = false }() // runs even if an observer calls runtime.Goexit
	for len(q.pending) > 0 {
		next := q.pending[0]
		q.pending = q.pending[1:]
		q.sendUnlocked(next)
	}
	q.pending = nil
}

func (q *gateEvents) sendUnlocked(e gateEvent) {
	q.mu.Unlock()
	defer q.mu.Lock()
	q.send(e.ctx, e.g, e.e)
}
