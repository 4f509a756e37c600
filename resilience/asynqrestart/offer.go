package asynqrestart

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/hibiken/asynq"

	"github.com/errclass/errclass/resilience"
	"github.com/errclass/errclass/resilience/internal/restart"
)

// storeTimeout limits how long Redis may take for one change.
const storeTimeout = 5 * time.Second

// maxOfferTries limits how often Offer tries to store a task. Offer tries again if a
// conflicting task has just ended.
const maxOfferTries = 3

// Offer stores a failed call as a task that is due after a pause. Another process
// may have registered the kind of the task. Offer returns an error in these cases:
//
//   - The queue is shut down.
//   - The task has no kind.
//   - The failure is not a transient network failure.
//   - All restarts are used up.
//   - Redis failed.
//
// If a task with the same kind and key is stored, Offer stores no second one:
//
//   - If the payloads differ, the error wraps [resilience.ErrDuplicateTask].
//   - If the payloads are equal and the stored task is parked, the error wraps
//     [resilience.ErrParked].
//   - If the payloads are equal and the stored task is not parked, Offer returns nil
//     ([resilience.RestartMerged]).
//
// A task without a key is never merged.
//
// ctx may be the context of a running restart. If kind and payload are those of the
// running task, Offer records a failed restart. If only the payload differs, or if the
// function of the restart has returned, Offer stores a new task. The new task keeps
// the count of failed restarts.
func (q *Queue) Offer(ctx context.Context, r resilience.Restart) error {
	parent, ok := ctx.Value(runKey{}).(*run)
	ok = ok && parent.queue == q
	if ok && parent.record.matches(r.Task) && parent.offered(r) {
		return nil
	}
	failures, ended := 0, ""
	if ok && parent.record.Task.Kind == r.Task.Kind {
		failures = parent.counts.failures + parent.record.Failures + 1
		ended = parent.record.Offer
	}
	rec, id := newRecord(r, failures), restart.ID(r.Task.Kind, r.Key)
	wait := q.firstDelay(rec, r)
	merged, err := false, q.acceptable(rec, r)
	if err == nil {
		merged, err = q.store(ctx, id, rec, wait, ended)
	}
	if err != nil {
		q.emit(ctx, id, rec, resilience.Event{To: resilience.RestartRefused, Attempt: 1, Err: err, Result: r.Result})
		return fmt.Errorf("restart %q: %w", r.Task.Kind, err)
	}
	e := resilience.Event{To: resilience.RestartQueued, Attempt: 1, Nominal: wait, Err: r.Err, Result: r.Result}
	if merged {
		e.To, e.Nominal = resilience.RestartMerged, 0
	}
	q.emit(ctx, id, rec, e)
	return nil
}

// firstDelay returns the pause before the first restart.
func (q *Queue) firstDelay(rec record, r resilience.Restart) time.Duration {
	d := q.delay(rec.Agent, counts{failures: rec.Failures})
	if wait, ok := r.Refused(); ok {
		d = max(d, q.afterRefusal(rec.Agent, wait))
	}
	return d
}

// acceptable returns an error if the queue does not accept a failed call.
func (q *Queue) acceptable(rec record, r resilience.Restart) error {
	q.mu.Lock()
	closed := q.closed
	q.mu.Unlock()
	most, _ := q.settings(rec.Agent)
	switch {
	case closed:
		return resilience.ErrQueueClosed
	case rec.Task.Kind == "":
		return errors.New("the task has no kind")
	case r.Result.Category != "" && !r.Transient():
		return fmt.Errorf("%s is not a transient network failure", rec.Result.Reason)
	case rec.Failures >= most:
		return fmt.Errorf("%w (%d)", resilience.ErrRestartsExhausted, rec.Failures)
	}
	return nil
}

// store stores a task that is due after the given pause. merged is true if an equal
// task was already stored. The argument ended is the Offer of the task whose restart
// made the call.
func (q *Queue) store(ctx context.Context, id string, rec record, wait time.Duration, ended string) (merged bool, err error) {
	payload, err := json.Marshal(rec)
	if err != nil {
		return false, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	task := asynq.NewTask("restart:"+rec.Task.Kind, payload)
	for range maxOfferTries {
		_, err = q.tasks.EnqueueContext(ctx, task, asynq.TaskID(id), asynq.Queue(queuePrefix+rec.Task.Kind),
			asynq.ProcessIn(wait), asynq.MaxRetry(maxRetry), asynq.Deadline(never))
		if !errors.Is(err, asynq.ErrTaskIDConflict) {
			break
		}
		if merged, equal := q.equal(id, rec, ended); !errors.Is(equal, asynq.ErrTaskNotFound) {
			return merged, equal
		}
	}
	if err != nil {
		return false, fmt.Errorf("store it: %w", err)
	}
	return false, nil
}

// equal compares rec with the stored task of the same id.
//
//   - If the stored task has ended, the error is [asynq.ErrTaskNotFound].
//   - If the payloads differ, the error is [resilience.ErrDuplicateTask].
//   - If the payloads are equal and the stored task is parked, the error is
//     [resilience.ErrParked].
//   - If the stored task is the one that made the call, and asynq has not removed it yet,
//     the error is errEnding.
//   - In all other cases, merged is true.
func (q *Queue) equal(id string, rec record, ended string) (merged bool, err error) {
	info, err := q.inspector.GetTaskInfo(queuePrefix+rec.Task.Kind, id)
	if err != nil {
		return false, err
	}
	stored, err := decode(info.Payload)
	switch {
	case err != nil:
		return false, err
	case !stored.matches(rec.Task):
		return false, resilience.ErrDuplicateTask
	case info.State == asynq.TaskStateArchived:
		return false, resilience.ErrParked
	case info.State == asynq.TaskStateActive && stored.Offer == ended:
		return false, errEnding
	}
	return true, nil
}

// errEnding means that a call cannot be added to a task, because asynq may remove this
// task next.
var errEnding = errors.New("the restart that made the call is ending")
