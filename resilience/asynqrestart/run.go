package asynqrestart

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hibiken/asynq"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/resilience"
	"github.com/errclass/errclass/resilience/internal/restart"
)

// run is a running restart of a task.
type run struct {
	queue  *Queue
	id     string
	owner  string
	record record
	counts counts

	mu      sync.Mutex
	over    bool          // the function has returned
	failed  bool          // a call of this restart has failed and was passed to Offer
	refused bool          // a gate (circuit breaker or rate limit) refused a call of this restart
	wait    time.Duration // time for which the gate refuses calls
}

// runKey is the context key of the running restart.
type runKey struct{}

// offered records why a call that this restart made was passed to Offer. Either the call
// has failed, or a circuit breaker or a rate limit has refused it. If the function of
// the restart has returned, offered records nothing and returns false.
func (r *run) offered(offer resilience.Restart) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return false
	}
	if wait, ok := offer.Refused(); ok {
		r.refused, r.wait = true, wait
		return true
	}
	r.failed = true
	return true
}

// rescheduleError asks asynq to schedule the task again.
type rescheduleError struct {
	after time.Duration
	err   error
}

func (e *rescheduleError) Error() string { return restart.ErrorText(e.err) }

// retryDelay tells asynq how long to wait after an error.
func (q *Queue) retryDelay(_ int, err error, t *asynq.Task) time.Duration {
	if e, ok := errors.AsType[*rescheduleError](err); ok {
		return e.after
	}
	if q.base.Err() != nil {
		return 0 // after Shutdown, another machine runs the task at once
	}
	rec, _ := decode(t.Payload())
	return q.delay(rec.Agent, counts{}) // an error of asynq: the lease has expired
}

// handle runs a task for asynq. The error tells asynq what to do with the task:
//
//   - rescheduleError: schedule the task again.
//   - SkipRetry: archive the task.
//   - RevokeTask: remove the task.
func (q *Queue) handle(ctx context.Context, t *asynq.Task) error {
	id, _ := asynq.GetTaskID(ctx)
	rec, err := decode(t.Payload())
	if err != nil {
		q.emit(ctx, id, record{}, resilience.Event{To: resilience.RestartFailed, Err: err})
		return fmt.Errorf("%w: %w", err, asynq.SkipRetry)
	}
	q.mu.Lock()
	f := q.kinds[rec.Task.Kind]
	q.mu.Unlock()
	if f == nil { // the record is in the queue of another kind
		err := fmt.Errorf("kind %q is not registered: call Queue.Register", rec.Task.Kind)
		q.emit(ctx, id, rec, resilience.Event{To: resilience.RestartUnhandled, Result: rec.Result, Err: err})
		return fmt.Errorf("%w: %w", err, asynq.SkipRetry)
	}
	r := &run{queue: q, id: id, owner: q.process + rand.Text(), record: rec}
	if stop := r.begin(ctx); stop != nil || r.counts.done {
		return stop
	}
	defer func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		delete(q.running, r.owner)
	}()
	start := time.Now()
	runCtx := context.WithValue(resilience.WithRestartNumber(ctx, r.counts.number), runKey{}, r)
	err = restart.Run(runCtx, f, rec.Task.Payload)
	return r.finish(ctx, err, time.Since(start))
}

// begin counts the start of the restart in Redis. If the task must not run now, begin
// returns an error. If the task is done, begin returns nil and sets r.counts.done.
func (r *run) begin(ctx context.Context) error {
	q := r.queue
	q.mu.Lock()
	q.running[r.owner] = r // set first, so that Shutdown can release the owner
	q.mu.Unlock()
	c, err := q.begin(ctx, r.record.Offer, r.owner)
	r.counts = c
	e := resilience.Event{Attempt: c.number, Result: r.record.Result}
	switch {
	case err != nil:
		e.To, e.Attempt, e.Err = resilience.RestartPostponed, 0, fmt.Errorf("the start could not be stored: %w", err)
		e.Nominal = q.delay(r.record.Agent, counts{})
		err = &rescheduleError{e.Nominal, e.Err}
	case c.parked:
		e.To, e.Err = resilience.RestartParked, fmt.Errorf("%w: the process ended during %d restarts", resilience.ErrParked, c.crashes)
		err = fmt.Errorf("%w: %w", e.Err, asynq.SkipRetry)
	case c.done:
	case c.interrupted:
		q.emit(ctx, r.id, r.record, resilience.Event{
			To: resilience.RestartInterrupted, Attempt: c.number - 1, Result: r.record.Result,
			Err: fmt.Errorf("the process ended during restart %d, or lost its lease", c.number-1),
		})
	}
	if err != nil || c.done {
		q.mu.Lock()
		delete(q.running, r.owner)
		q.mu.Unlock()
		if err != nil {
			q.emit(ctx, r.id, r.record, e)
		}
		return err
	}
	e.To = resilience.RestartStarted
	q.emit(ctx, r.id, r.record, e)
	return nil
}

// finish stores the end of a restart and returns the error for asynq.
func (r *run) finish(ctx context.Context, err error, took time.Duration) error {
	q, c, interrupted := r.queue, r.counts, ctx.Err() != nil
	r.mu.Lock()
	r.over = true
	failed, refused, wait := r.failed, r.refused, r.wait
	r.mu.Unlock()
	if !refused {
		wait, refused = resilience.Restart{Err: err}.Refused()
	}
	e := resilience.Event{Attempt: c.number, Duration: took, Err: err}
	var result error
	switch most, _ := q.settings(r.record.Agent); {
	case err == nil:
		e.To, c.done = resilience.RestartSucceeded, true
	case interrupted && !failed: // by Shutdown, or the lease is lost
		e.To, e.Err = resilience.RestartInterrupted, context.Cause(ctx)
		result = &rescheduleError{0, e.Err}
	case refused && !failed:
		c.number--
		e.To, e.Nominal = resilience.RestartPostponed, max(q.afterRefusal(r.record.Agent, wait), q.postponement(r.record.Agent, c))
		c.postponements++
		result = &rescheduleError{e.Nominal, err}
	default:
		e.Result = classify.Standard.Classify(classify.Evidence{Err: err, Cause: classify.Cause(ctx)})
		c.failures, c.postponements = c.failures+1, 0
		e.To, e.Nominal = resilience.RestartQueued, q.delay(r.record.Agent, counts{failures: c.failures + r.record.Failures, crashes: c.crashes})
		result = &rescheduleError{e.Nominal, err}
		switch {
		case !failed && !resilience.Restart{Err: err, Result: e.Result}.Transient():
			e.To, result = resilience.RestartFailed, asynq.RevokeTask
		case c.failures+r.record.Failures >= most:
			e.To, result = resilience.RestartFailed, asynq.RevokeTask
			e.Err = fmt.Errorf("%w (%d): %w", resilience.ErrRestartsExhausted, c.failures, err)
		}
		c.done = e.To == resilience.RestartFailed
	}
	if e.To == resilience.RestartQueued {
		e.Attempt++
	}
	storeCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	owned, storeErr := q.end(storeCtx, r.record, r.owner, c)
	switch {
	case storeErr != nil:
		e.Err = errors.Join(e.Err, fmt.Errorf("the end of the restart could not be stored, so it may run again: %w", storeErr))
	case !owned && !interrupted:
		e.Err = errors.Join(e.Err, fmt.Errorf("another process may run the task again: %w", resilience.ErrLeaseLost))
	}
	q.emit(ctx, r.id, r.record, e)
	return result
}

// afterRefusal rounds wait, the time for which calls are still refused, up to a multiple
// of the base pause. Without the rounding, all refused tasks would restart at the moment
// when calls are allowed again.
func (q *Queue) afterRefusal(agent string, wait time.Duration) time.Duration {
	_, base := q.settings(agent)
	return (wait + base - 1) / base * base
}

// postponement returns the minimum pause after a refused restart. The minimum grows with
// each refusal.
func (q *Queue) postponement(agent string, c counts) time.Duration {
	_, base := q.settings(agent)
	return resilience.Schedule{Base: base, Max: max(base, longestPostponement)}.Nominal(c.postponements)
}
