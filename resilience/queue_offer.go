package resilience

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/resilience/internal/restart"
)

// Offer queues a failed call. With a store, Offer waits until the task is stored. An
// error means that the call is not queued:
//
//   - the queue is full or shut down
//   - the kind is not registered
//   - the failure is not a transient network failure
//   - all restarts are used up
//   - the store failed
//
// If a task with the same kind and key is queued, there is no second one:
//
//   - If the payloads differ, the error wraps [ErrDuplicateTask].
//   - If the payloads are equal, Offer returns nil ([RestartMerged]). But if the queued
//     task is parked, the error wraps [ErrParked].
//
// A task without a key is never merged.
//
// ctx can be the context of a running restart. If r has the kind and payload of the
// restarted task, Offer makes no second task. It records a failure of the restart,
// unless the call was refused ([Restart.Refused]). If only the payload differs, r
// becomes a new task. The new task keeps the count of failed restarts, so restarts
// always end. If the restart's function has returned, r also becomes a new task.
func (q *Queue) Offer(ctx context.Context, r Restart) error {
	for tries := 1; ; {
		t, equal, err := q.accept(ctx, r)
		if err != nil {
			return q.refuse(ctx, r, err)
		}
		if equal != nil {
			<-equal
			continue
		}
		if t == nil {
			q.emit(ctx, &task{restart: r}, Event{To: RestartMerged, Attempt: 1, Err: r.Err, Result: r.Result})
			return nil
		}
		err = q.offer(t, r.refused())
		q.release()
		if !errors.Is(err, errEqualStored) {
			return err
		}
		if tries++; tries > maxOfferTries { // the stored record with this id cannot be read
			return q.refuse(ctx, r, err)
		}
		if err := q.scan(); err != nil {
			return q.refuse(ctx, r, fmt.Errorf("read the store: %w", err))
		}
	}
}

// maxOfferTries limits how often Offer tries to store a task with an id that is
// taken.
const maxOfferTries = 3

// refuse emits the event for a call that is not accepted. It returns err with the
// kind added.
func (q *Queue) refuse(ctx context.Context, r Restart, err error) error {
	q.emit(ctx, &task{restart: r}, Event{To: RestartRefused, Attempt: 1, Err: err, Result: r.Result})
	return fmt.Errorf("restart %q: %w", r.Task.Kind, err)
}

// offer stores the task that accept returned. The argument refused is the refusal that
// prevented the call, or nil if a call was made.
func (q *Queue) offer(t *task, refused refusal) error {
	q.mu.Lock()
	isNew := t.state == taskSaving
	q.mu.Unlock()
	if isNew {
		defer close(t.saved)
	}
	return q.enqueue(t, refused)
}

// accept returns the task for r. There are four cases:
//
//   - r continues a running task, or is new: accept returns the task. The caller
//     must call release.
//   - A task with r's kind, key and payload is queued: accept returns only nils.
//   - A task with r's kind and key is being stored, or its restart is ending: accept
//     returns a channel. The channel is closed when the task is stored, refused, removed
//     or queued again.
//   - The queue cannot take r: accept returns an error.
func (q *Queue) accept(ctx context.Context, r Restart) (*task, <-chan struct{}, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if r.Result.Category != "" && !restartable(r.Result, r.Err) {
		return nil, nil, fmt.Errorf("%s is not a transient network failure", r.Result.Reason)
	}
	run, ok := ctx.Value(runKey{}).(*taskRun)
	ok = ok && run.task.queue == q
	if ok && !run.over && run.task.matches(r.Task) {
		if r.refused() == nil {
			run.task.recordFailure(r)
		}
		q.active++
		return run.task, nil, nil
	}
	most := *q.cfg.settings(r.Agent, "").restart.MaxRestarts
	failures := 0
	if ok && run.task.restart.Task.Kind == r.Task.Kind {
		failures = run.task.failures // see Offer
		if !run.failureCounted {
			failures++
		}
	}
	id := restart.ID(r.Task.Kind, r.Key)
	equal := q.tasks[id]
	switch {
	case q.tasks == nil:
		return nil, nil, errors.New("the queue was not made by NewQueue")
	case q.closed:
		return nil, nil, ErrQueueClosed
	case q.kinds[r.Task.Kind] == nil:
		return nil, nil, fmt.Errorf("kind %q is not registered: call Queue.Register first", r.Task.Kind)
	case most == 0:
		return nil, nil, fmt.Errorf("%w: taskRestart.maxRestarts is 0", ErrRestartsExhausted)
	case equal != nil && equal.state == taskSaving:
		return nil, equal.saved, nil
	case equal != nil && ok && run.over && equal.run == run: // finish may remove it
		return nil, run.ended, nil
	case equal != nil && !equal.matches(r.Task):
		return nil, nil, ErrDuplicateTask
	case equal != nil && equal.state == taskParked:
		return nil, nil, ErrParked
	case equal != nil:
		return nil, nil, nil
	case failures >= most:
		return nil, nil, fmt.Errorf("%w: restart %d offered another task of the same kind", ErrRestartsExhausted, run.number)
	case len(q.tasks) >= q.capacity:
		return nil, nil, fmt.Errorf("%w: it holds %d tasks", ErrQueueFull, len(q.tasks))
	}
	r.Task.Payload = bytes.Clone(r.Task.Payload)
	r.Targets, r.History = slices.Clone(r.Targets), slices.Clone(r.History)
	t := q.newTask(id)
	t.restart, t.failures, t.number, t.ctx = r, failures, failures, context.WithoutCancel(ctx)
	t.saved = make(chan struct{})
	if old := q.ended[id]; old != nil { // its record is still in the store
		t.stored = old.stored
		delete(q.ended, id)
	}
	q.tasks[t.id] = t
	q.active++
	return t, nil, nil
}

// restartable reports whether a failure is a transient network failure. An attempt
// timeout counts. The end of the caller's own deadline does not.
func restartable(r classify.Result, err error) bool {
	if r.Reason.Name(classify.ViewResilience) != classify.ReasonNetwork.Name(classify.ViewResilience) {
		return false
	}
	switch r.Category {
	case classify.CategoryRetryable:
		return true
	case classify.CategoryTimeout:
		_, hung := errors.AsType[*AttemptTimeoutError](err)
		// If a breaker refused the call, r is the failure that opened the breaker. A
		// timeout that opens a breaker is always an attempt timeout.
		return hung || findRefusal(err) != nil
	default:
		return false
	}
}
