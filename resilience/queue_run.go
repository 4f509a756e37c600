package resilience

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/resilience/internal/restart"
)

// run makes one restart, in its own goroutine. It first waits for a free worker.
func (q *Queue) run(t *task, timerNumber int) {
	select {
	case q.slots <- struct{}{}:
		defer func() { <-q.slots }()
	case <-q.closing:
		return
	}
	ctx, f := q.start(t, timerNumber)
	if f == nil {
		return
	}
	defer q.release()
	r := ctx.Value(runKey{}).(*taskRun)
	a := Attempt{Number: r.number, Start: time.Now(), Err: errGoexit}
	defer func() {
		a.Duration = time.Since(a.Start)
		q.finish(ctx, t, a)
		close(r.ended)
	}()
	a.Err = restart.Run(ctx, f, bytes.Clone(t.restart.Task.Payload))
}

// errGoexit is the error of a restart if the function called runtime.Goexit.
var errGoexit = errors.New("the function called runtime.Goexit")

// start marks t as running and returns the context and the function for the restart.
// If t must not run, the function is nil.
//
// Before it returns, start stores the number of the restart, a lease, and the next due
// time, which is used after a crash. If the store fails, start postpones t.
func (q *Queue) start(t *task, timerNumber int) (context.Context, func(context.Context, []byte) error) {
	q.mu.Lock()
	if q.closed || t.timerNumber != timerNumber {
		q.mu.Unlock()
		return nil, nil
	}
	f := q.kinds[t.restart.Task.Kind]
	t.number++
	r := &taskRun{task: t, number: t.number, ended: make(chan struct{})}
	ctx, cancel := context.WithCancelCause(context.WithValue(t.ctx, runKey{}, r))
	r.cancel = cancel
	t.disarm()
	t.state, t.run = taskRunning, r
	t.pause = t.delay()
	t.due = time.Now().Add(t.pause)
	q.active++
	q.keepLease(t, r)
	q.mu.Unlock()

	if err := q.save(t, func() (*record, bool) { return t.record(), true }); err != nil {
		cancel(err)
		q.notStarted(t, err)
		q.release()
		return nil, nil
	}
	q.emit(t.ctx, t, Event{To: RestartStarted, Attempt: t.number})
	return ctx, f
}

// notStarted postpones a task because its start could not be stored. If the lease is
// lost, notStarted leaves the task to the queue that has changed the record.
func (q *Queue) notStarted(t *task, err error) {
	q.mu.Lock()
	t.run.end()
	t.number--
	if errors.Is(err, ErrLeaseLost) { // another queue has the task; the next scan reads the record
		t.state, t.run, t.lease = taskElsewhere, nil, nil
		q.mu.Unlock()
		return
	}
	e := Event{To: RestartPostponed, Attempt: t.number + 1, Nominal: t.pause, Result: t.restart.Result, Err: err}
	q.wait(t)
	q.mu.Unlock()
	q.emit(t.ctx, t, e)
}

// finish handles the outcome of a restart.
func (q *Queue) finish(ctx context.Context, t *task, a Attempt) {
	q.mu.Lock()
	t.run.end()
	if a.Err == nil && !t.run.postponed {
		q.wake(t.refusedBy)
	}
	q.mu.Unlock()
	defer t.run.cancel(nil)
	if a.Err == nil {
		q.drop(t, Event{To: RestartSucceeded, Attempt: a.Number, Duration: a.Duration})
		return
	}
	a.Result = classify.Standard.Classify(classify.Evidence{Err: a.Err, Cause: classify.Cause(ctx)})
	interrupted := ctx.Err() != nil
	q.mu.Lock()
	r := t.run
	if r.reoffered || interrupted {
		// An interrupted restart is no failure, unless the function has offered the
		// task again.
		if r.failureCounted && !r.reoffered {
			r.failureCounted = false
			t.failures--
		}
		q.mu.Unlock()
		q.unlease(t, a)
		return
	}
	refused := findRefusal(a.Err)
	if r.failureCounted {
		refused = nil // another call of this restart has failed, so the restart counts
	}
	if refused == nil {
		a.Target = Call{Targets: t.restart.Targets}.primary()
		t.recordFailure(Restart{History: []Attempt{a}, Err: a.Err, Result: a.Result})
	}
	q.mu.Unlock()

	if refused == nil && !restartable(a.Result, a.Err) {
		q.fail(t, a, a.Err)
		return
	}
	if err := q.enqueue(t, refused); err != nil {
		q.fail(t, a, fmt.Errorf("%w: %w", err, a.Err))
		return
	}
	q.mu.Lock()
	q.wait(t)
	q.mu.Unlock()
}

// unlease stores a task without its lease and schedules the next restart.
func (q *Queue) unlease(t *task, a Attempt) {
	err := q.save(t, func() (*record, bool) { return t.record(), true })
	q.mu.Lock()
	q.wait(t)
	lost := errors.Is(err, ErrLeaseLost)
	if lost {
		t.disarm()
		t.state, t.lease = taskElsewhere, nil
	}
	q.mu.Unlock()
	if lost {
		q.emit(t.ctx, t, Event{To: RestartInterrupted, Attempt: a.Number, Duration: a.Duration, Result: a.Result, Err: joinErrors(err, a.Err)})
	}
}

// fail drops a task that has failed for good.
func (q *Queue) fail(t *task, a Attempt, err error) {
	q.drop(t, Event{To: RestartFailed, Attempt: a.Number, Duration: a.Duration, Result: a.Result, Err: err})
}

// drop removes a task and emits e. In two cases the task can run again nevertheless,
// so drop adds an error to e.Err:
//
//   - The store failed to delete the record.
//   - The lease is lost.
func (q *Queue) drop(t *task, e Event) {
	err := q.save(t, func() (*record, bool) { return nil, true })
	q.mu.Lock()
	delete(q.tasks, t.id)
	lost := errors.Is(err, ErrLeaseLost)
	if err != nil && !lost {
		q.ended[t.id] = t
	}
	q.mu.Unlock()
	switch {
	case lost && e.To == RestartFailed:
		e.To, e.Err = RestartInterrupted, joinErrors(err, e.Err)
	case lost:
		e.Err = joinErrors(e.Err, fmt.Errorf("another queue may run the task again: %w", err))
	case err != nil:
		e.Err = joinErrors(e.Err, fmt.Errorf("the store still has the task, so the next process will run it again: %w", err))
	}
	q.emit(t.ctx, t, e)
}
