package resilience

import (
	"container/list"
	"errors"
	"time"
)

// refusedBy returns the name of the [gate] with the open breaker that has refused a
// call. For other refusals, it returns "".
func refusedBy(r refusal) string {
	if open, ok := errors.AsType[*OpenError](r); ok {
		return open.Endpoint
	}
	return ""
}

// BreakerClosed tells the queue that a breaker has closed. The queue then restarts the
// waiting tasks that the breaker refused, even if they are not due. The argument gate
// is [OpenError].Endpoint. An [Executor] calls BreakerClosed for its own breakers.
//
// The newest tasks are restarted first, as many as can run at once. For each task that
// succeeds, the queue restarts one more. If the endpoint fails again, the remaining
// tasks wait until they are due.
func (q *Queue) BreakerClosed(gate string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for range max(cap(q.slots)-len(q.slots), 1) {
		q.wake(gate)
	}
}

// wake restarts the newest task that a gate has refused, if any. The caller holds
// mu.
func (q *Queue) wake(gate string) {
	waiting := q.refused[gate]
	if waiting == nil {
		return
	}
	t := waiting.Front().Value.(*task)
	q.unlist(t)
	t.due = time.Now()
	t.timer.Reset(0)
}

// listRefused adds a waiting task to the list of its gate. The caller holds mu.
func (q *Queue) listRefused(t *task) {
	waiting := q.refused[t.refusedBy]
	if waiting == nil {
		waiting = list.New()
		q.refused[t.refusedBy] = waiting
	}
	t.element = waiting.PushFront(t)
}

// unlist removes a task from the list of its gate. The caller holds mu.
func (q *Queue) unlist(t *task) {
	if t.element == nil {
		return
	}
	waiting := q.refused[t.refusedBy]
	waiting.Remove(t.element)
	t.element = nil
	if waiting.Len() == 0 {
		delete(q.refused, t.refusedBy)
	}
}
