package resilience

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/errclass/errclass/classify"
)

// task is a call to make again. The queue's mu guards its fields.
type task struct {
	queue          *Queue
	id             string
	restart        Restart         // failed restarts are added to its History
	ctx            context.Context // its values are passed to the function
	restarts       int             // restarts that have begun, without those that a breaker refused
	postponements  int             // consecutive restarts that a breaker refused
	due            time.Time       // time of the next restart
	state          taskState
	timer          *time.Timer
	timerNumber    int  // number of the current timer; an older timer must not start the task
	reoffered      bool // the running restart has been offered again
	failureCounted bool // a failure of the running restart has been recorded, so the restart counts
	cancel         context.CancelCauseFunc
}

type taskState uint8

const (
	taskSaving  taskState = iota // not yet stored
	taskWaiting                  // until it is due, its kind is registered and a slot is free
	taskRunning
)

// taskKey is the context key of the task that is being restarted.
type taskKey struct{}

// matches reports whether other has the kind and payload of t.
func (t *task) matches(other Task) bool {
	return t.restart.Task.Kind == other.Kind && bytes.Equal(t.restart.Task.Payload, other.Payload)
}

// recordFailure records a failed restart.
func (t *task) recordFailure(r Restart) {
	t.failureCounted, t.postponements = true, 0
	t.restart.History = append(t.restart.History, r.History...)
	t.restart.Err, t.restart.Result = r.Err, r.Result
}

func (t *task) snapshot() QueuedTask {
	snap := QueuedTask{
		ID: t.id, Restart: t.restart, Restarts: t.restarts, Due: t.due,
		Running: t.state == taskRunning, Stored: t.queue.store != nil && t.state != taskSaving,
	}
	snap.Restart.History = append([]Attempt(nil), t.restart.History...)
	return snap
}

func (t QueuedTask) key() string { return cmp.Or(t.Restart.Key, t.ID) }

// restartNumber returns the number of the running or next restart.
func (t QueuedTask) restartNumber() int {
	if t.Running {
		return t.Restarts
	}
	return t.Restarts + 1
}

// settings returns the restart settings for t's agent.
func (t *task) settings() RestartConfig {
	return t.queue.cfg.settings(t.restart.Agent, "").restart
}

// restartsUsed returns the number of restarts that count.
func (t *task) restartsUsed() int {
	if t.state == taskRunning && !t.failureCounted {
		return t.restarts - 1
	}
	return t.restarts
}

// longestRestartDelay limits the pause of a task with very many restarts.
const longestRestartDelay = 24 * time.Hour

// longestPostponement limits the pause after restarts that a breaker refused.
// It does not limit the breaker's own RetryAfter.
const longestPostponement = time.Hour

// delay returns the pause before the next restart: the base, doubled with each
// restart.
func (t *task) delay() time.Duration {
	return t.backoff(longestRestartDelay).Nominal(t.restartsUsed())
}

func (t *task) backoff(longest time.Duration) Schedule {
	base := ms(t.settings().RestartBackoffBaseMs)
	return Schedule{Base: base, Max: max(base, longest)}
}

// postponement returns the pause after a restart that a breaker refused. It
// lasts at least until the breaker allows a call. It grows with each refusal,
// because each restart repeats the work that the function does before the call.
func (t *task) postponement(open refusal) time.Duration {
	return max(t.retryAfter(open), t.backoff(longestPostponement).Nominal(t.postponements))
}

// retryAfter returns the breaker's RetryAfter, rounded up to a multiple of the
// base pause. Without rounding, all refused tasks would restart at the moment the
// breaker allows calls. With it, tasks refused at different times restart at
// different times.
func (t *task) retryAfter(open refusal) time.Duration {
	base := ms(t.settings().RestartBackoffBaseMs)
	return (open.after() + base - 1) / base * base
}

// enqueue stores a task for its next restart. If open is not nil, a breaker
// refused the call, and no restart is counted. If enqueue fails, it drops a new
// task. It does not drop a running task; finish decides about that one.
func (q *Queue) enqueue(t *task, open refusal) error {
	q.mu.Lock()
	e := Event{To: RestartQueued, Attempt: t.restartsUsed() + 1, Nominal: t.delay(), Result: t.restart.Result, Err: t.restart.Err}
	postponed := open != nil && t.state == taskRunning
	if open != nil {
		e.Nominal = max(e.Nominal, t.retryAfter(open))
	}
	if postponed {
		e.To, e.Nominal, e.Result, e.Err = RestartPostponed, t.postponement(open), refusalResult(open), open
		t.postponements++
	}
	due := time.Now().Add(e.Nominal)
	exhausted := t.restartsUsed() >= *t.settings().MaxRestarts
	record, err := t.record(due)
	q.mu.Unlock()

	switch {
	case exhausted:
		err = fmt.Errorf("%w (%d)", ErrRestartsExhausted, e.Attempt-1)
	case err == nil:
		err = q.put(t, record)
	}
	if err != nil && postponed { // no error, because the record that start stored is still valid
		e.Err, err = joinErrors(e.Err, err), nil
	}
	if err != nil {
		return q.reject(t, err)
	}
	q.emit(t.ctx, t, e)

	q.mu.Lock()
	defer q.mu.Unlock()
	if q.tasks[t.id] != t { // meanwhile the function has returned nil, so the task is done
		if q.store != nil {
			_ = q.store.Delete(t.id)
		}
		return nil
	}
	t.due = due
	if t.state == taskRunning {
		t.reoffered = true // finish calls wait
		return nil
	}
	q.wait(t)
	return nil
}

// put stores a record of t.
func (q *Queue) put(t *task, record []byte) error {
	if q.store == nil {
		return nil
	}
	if err := q.store.Put(t.id, record); err != nil {
		return fmt.Errorf("store it: %w", err)
	}
	return nil
}

// reject drops a new task and emits an event. It does not change a running
// task. It returns err with the kind of the task.
func (q *Queue) reject(t *task, err error) error {
	q.mu.Lock()
	isNew := t.state == taskSaving
	if isNew {
		delete(q.tasks, t.id)
	}
	q.mu.Unlock()
	if isNew {
		q.emit(t.ctx, t, Event{To: RestartRefused, Attempt: 1, Result: t.restart.Result, Err: err})
	}
	return fmt.Errorf("restart %q: %w", t.restart.Task.Kind, err)
}

// wait schedules the next restart of t. The caller holds mu.
func (q *Queue) wait(t *task) {
	t.restarts, t.state = t.restartsUsed(), taskWaiting
	q.arm(t)
}

// arm starts the timer of a waiting task. The caller holds mu.
func (q *Queue) arm(t *task) {
	t.disarm()
	if q.closed || q.kinds[t.restart.Task.Kind] == nil {
		return
	}
	timerNumber := t.timerNumber
	t.timer = time.AfterFunc(time.Until(t.due), func() { q.run(t, timerNumber) })
}

func (t *task) disarm() {
	t.timerNumber++
	if t.timer != nil {
		t.timer.Stop()
	}
}

// run makes one restart, in its own goroutine.
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
	defer t.cancel(nil)
	a := Attempt{Number: t.restarts, Start: time.Now(), Err: errGoexit}
	defer func() {
		a.Duration = time.Since(a.Start)
		q.finish(ctx, t, a)
	}()
	a.Err = callFunc(ctx, f, bytes.Clone(t.restart.Task.Payload))
}

// errGoexit is the error of a function that called runtime.Goexit.
var errGoexit = errors.New("the function called runtime.Goexit")

// start marks t as running. It returns a nil function if t must not run.
//
// start stores t with the time of the restart that would follow a failure. So a
// task that crashes the process does not run again at once. The stored number of
// restarts does not include this one. If the store fails, the old record remains
// and t runs anyway.
func (q *Queue) start(t *task, timerNumber int) (context.Context, func(context.Context, []byte) error) {
	q.mu.Lock()
	if q.closed || t.timerNumber != timerNumber {
		q.mu.Unlock()
		return nil, nil
	}
	f := q.kinds[t.restart.Task.Kind]
	record, err := t.record(time.Now().Add(t.delay()))
	t.state, t.reoffered, t.failureCounted = taskRunning, false, false
	t.restarts++
	ctx, cancel := context.WithCancelCause(context.WithValue(t.ctx, taskKey{}, t))
	t.cancel = cancel
	q.active++
	q.mu.Unlock()

	if err == nil {
		err = q.put(t, record)
	}
	q.emit(t.ctx, t, Event{To: RestartStarted, Attempt: t.restarts, Err: err})
	return ctx, f
}

// callFunc calls a task's function and turns a panic into an error.
func callFunc(ctx context.Context, f func(context.Context, []byte) error, payload []byte) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the function panicked: %v", p)
		}
	}()
	return f(ctx, payload)
}

// finish handles the outcome of a restart.
func (q *Queue) finish(ctx context.Context, t *task, a Attempt) {
	if a.Err == nil {
		q.drop(t, Event{To: RestartSucceeded, Attempt: t.restarts, Duration: a.Duration})
		return
	}
	a.Result = classify.Standard.Classify(classify.Evidence{Err: a.Err, Cause: classify.Cause(ctx)})
	interrupted := ctx.Err() != nil
	q.mu.Lock()
	if t.reoffered || interrupted {
		// An interrupted restart counts only if it has failed and was offered
		// again. Shutdown returns the task.
		t.failureCounted = t.failureCounted && t.reoffered
		q.wait(t)
		q.mu.Unlock()
		return
	}
	open := findRefusal(a.Err)
	if t.failureCounted {
		open = nil // the restart counts, because another of its calls has failed
	}
	if open == nil {
		a.Target = Call{Targets: t.restart.Targets}.primary()
		t.recordFailure(Restart{History: []Attempt{a}, Err: a.Err, Result: a.Result})
	}
	q.mu.Unlock()

	if open == nil && !restartable(a.Result) {
		q.fail(t, a, a.Err)
		return
	}
	if err := q.enqueue(t, open); err != nil {
		q.fail(t, a, fmt.Errorf("%w: %w", err, a.Err))
		return
	}
	q.mu.Lock()
	q.wait(t)
	q.mu.Unlock()
}

// fail drops a task that has failed for good.
func (q *Queue) fail(t *task, a Attempt, err error) {
	q.drop(t, Event{To: RestartFailed, Attempt: t.restarts, Duration: a.Duration, Result: a.Result, Err: err})
}

// drop removes a task and emits e. If the store fails to delete the record, the
// next process would run the task again; e.Err says so.
func (q *Queue) drop(t *task, e Event) {
	q.mu.Lock()
	delete(q.tasks, t.id) // before the store's Delete, so that a concurrent enqueue also deletes its record
	q.mu.Unlock()
	if q.store != nil {
		if err := q.store.Delete(t.id); err != nil {
			e.Err = joinErrors(e.Err, fmt.Errorf("the store still has the task, so the next process will run it again: %w", err))
		}
	}
	q.emit(t.ctx, t, e)
}

// joinErrors joins two errors in one line. a may be nil.
func joinErrors(a, b error) error {
	if a == nil {
		return b
	}
	return fmt.Errorf("%w; %w", a, b)
}

// emit sends an event of a task to the observers.
func (q *Queue) emit(ctx context.Context, t *task, e Event) {
	e.Kind = KindRestart
	e.Key, e.Agent, e.Target = cmp.Or(t.restart.Key, t.id), t.restart.Agent, Call{Targets: t.restart.Targets}.primary()
	q.observers.notify(ctx, e)
}
