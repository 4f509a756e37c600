package resilience

import (
	"container/list"
	"errors"
	"time"
)

// refusedBy returns the name of the [gate] (breaker and rate limit of one endpoint)
// whose open breaker has refused a call. It returns "" for other refusals and for
// nil.
func refusedBy(r refusal) string {
	if open, ok := errors.AsType[*OpenError](r); ok {
		return open.Endpoint
	}
	return ""
}

// BreakerClosed restarts the waiting tasks that an open breaker has refused, because
// that breaker has closed. These tasks need not be due. gate is
// [OpenError].Endpoint.
//
// BreakerClosed first restarts the tasks that were queued last, as many as can run
// at the same time. Each task that succeeds restarts one more. If the endpoint fails
// again, the other tasks stay in the queue until they are due.
//
// An [Executor] calls BreakerClosed for its own breakers.
func (q *Queue) BreakerClosed(gate string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for range max(cap(q.slots)-len(q.slots), 1) {
		q.wake(gate)
	}
}

// wake restarts the newest task that a gate has refused, if there is one. The caller
// holds mu.
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

// listRefused adds a waiting task to the list of the tasks that the same gate has
// refused. The caller holds mu.
func (q *Queue) listRefused(t *task) {
	waiting := q.refused[t.refusedBy]
	if waiting == nil {
		waiting = list.New()
		q.refused[t.refusedBy] = waiting
	}
	t.element = waiting.PushFront(t)
}

// unlist removes a task from the list to which listRefused has added it. The caller
// holds mu.
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
