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

// task is one call that is to be made again. Its queue's mu guards it.
type task struct {
	queue    *Queue
	id       string
	restart  Restart         // its History grows
	ctx      context.Context // whose values the function gets
	restarts int             // that have begun, but for those that a breaker refused
	waits    int             // restarts in a row that a breaker refused
	due      time.Time       // of the next one
	state    taskState
	timer    *time.Timer
	armed    int  // which timer counts; a task may be armed anew while the last one waits for a slot
	again    bool // the restart that runs was offered again
	counted  bool // the restart that runs has failed; where a breaker let no call through it has not
	cancel   context.CancelCauseFunc
}

type taskState uint8

const (
	taskSaving  taskState = iota // its place is reserved
	taskWaiting                  // until it is due, its kind is registered, or Shutdown
	taskRunning
)

// taskKey is the key under which the context of a restart has its task.
type taskKey struct{}

// is reports whether t is the task that a call names.
func (t *task) is(other Task) bool {
	return t.restart.Task.Kind == other.Kind && bytes.Equal(t.restart.Task.Payload, other.Payload)
}

// failed takes over what a restart of t has come to.
func (t *task) failed(r Restart) {
	t.counted, t.waits = true, 0
	t.restart.History = append(t.restart.History, r.History...)
	t.restart.Err, t.restart.Result = r.Err, r.Result
}

func (t *task) show() QueuedTask {
	shown := QueuedTask{
		ID: t.id, Restart: t.restart, Restarts: t.restarts, Due: t.due,
		Running: t.state == taskRunning, Stored: t.queue.store != nil && t.state != taskSaving,
	}
	shown.Restart.History = append([]Attempt(nil), t.restart.History...)
	return shown
}

// key names the task in events.
func (t QueuedTask) key() string { return cmp.Or(t.Restart.Key, t.ID) }

// next is the number of the restart that runs, or is due next.
func (t QueuedTask) next() int {
	if t.Running {
		return t.Restarts
	}
	return t.Restarts + 1
}

// settings are the figures for the restarts of t.
func (t *task) settings() RestartConfig {
	return t.queue.cfg.settings(t.restart.Agent, "").restart
}

// spent is how many restarts of t count.
func (t *task) spent() int {
	if t.state == taskRunning && !t.counted {
		return t.restarts - 1
	}
	return t.restarts
}

// longestRestartDelay keeps a task that may be restarted very often from
// waiting for years.
const longestRestartDelay = 24 * time.Hour

// longestPostponement is the longest pause after restarts that a breaker
// refused, unless the breaker itself asks for more.
const longestPostponement = time.Hour

// delay is how long the next restart waits: the base, doubled with each one.
func (t *task) delay() time.Duration {
	return t.backoff(longestRestartDelay).Nominal(t.spent())
}

func (t *task) backoff(longest time.Duration) Schedule {
	base := ms(t.settings().RestartBackoffBaseMs)
	return Schedule{Base: base, Max: max(base, longest)}
}

// postponement is how long a restart waits that a breaker has refused: until
// the breaker lets a call through to see, and ever longer where that is not
// known or others were let through instead. What the function does before it is
// refused is done again each time, so this must not become a loop.
func (t *task) postponement(open *OpenError) time.Duration {
	return max(t.after(open), t.backoff(longestPostponement).Nominal(t.waits))
}

// after is when the breaker lets a call through, in whole pauses: tasks that it
// refuses at different moments keep apart, and do not all come back at once.
func (t *task) after(open *OpenError) time.Duration {
	base := ms(t.settings().RestartBackoffBaseMs)
	return (open.RetryAfter + base - 1) / base * base
}

// enqueue stores a task for its next restart, or for the same one again where
// open says that no call was let through. Where it cannot be queued, a new task is
// dropped, and one that runs fails when it returns.
func (q *Queue) enqueue(t *task, open *OpenError) error {
	q.mu.Lock()
	e := Event{To: RestartQueued, Attempt: t.spent() + 1, Nominal: t.delay(), Result: t.restart.Result, Err: t.restart.Err}
	postponed := open != nil && t.state == taskRunning
	if open != nil {
		e.Nominal = max(e.Nominal, t.after(open))
	}
	if postponed {
		e.To, e.Nominal, e.Result, e.Err = RestartPostponed, t.postponement(open), refusal(open), open
		t.waits++
	}
	due := time.Now().Add(e.Nominal)
	exhausted := t.spent() >= *t.settings().MaxRestarts
	record, err := t.record(due)
	q.mu.Unlock()

	switch {
	case exhausted:
		err = fmt.Errorf("%w (%d)", ErrRestartsExhausted, e.Attempt-1)
	case err == nil:
		err = q.put(t, record)
	}
	if err != nil && postponed { // the record that begin has left is just as good
		e.Err, err = joined(e.Err, err), nil
	}
	if err != nil {
		return q.refuse(t, err)
	}
	q.tell(t.ctx, t, e)

	q.mu.Lock()
	defer q.mu.Unlock()
	if q.tasks[t.id] != t { // its function returned nil without waiting for this
		if q.store != nil {
			_ = q.store.Delete(t.id)
		}
		return nil
	}
	t.due = due
	if t.state == taskRunning {
		t.again = true // it waits once its function has returned
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

// refuse drops a new task. What becomes of one that runs is told when its
// function returns.
func (q *Queue) refuse(t *task, err error) error {
	q.mu.Lock()
	fresh := t.state == taskSaving
	if fresh {
		delete(q.tasks, t.id)
	}
	q.mu.Unlock()
	if fresh {
		q.tell(t.ctx, t, Event{To: RestartRefused, Attempt: 1, Result: t.restart.Result, Err: err})
	}
	return fmt.Errorf("restart %q: %w", t.restart.Task.Kind, err)
}

// wait puts t back in line. The caller holds mu.
func (q *Queue) wait(t *task) {
	t.restarts, t.state = t.spent(), taskWaiting
	q.arm(t)
}

// arm makes a waiting task run when it is due. The caller holds mu.
func (q *Queue) arm(t *task) {
	t.disarm()
	if q.closed || q.kinds[t.restart.Task.Kind] == nil {
		return
	}
	armed := t.armed
	t.timer = time.AfterFunc(time.Until(t.due), func() { q.run(t, armed) })
}

func (t *task) disarm() {
	t.armed++
	if t.timer != nil {
		t.timer.Stop()
	}
}

// run is one restart, in a goroutine of its own.
func (q *Queue) run(t *task, armed int) {
	select {
	case q.slots <- struct{}{}:
		defer func() { <-q.slots }()
	case <-q.closing:
		return
	}
	ctx, f := q.begin(t, armed)
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
	a.Err = call(ctx, f, bytes.Clone(t.restart.Task.Payload))
}

// errGoexit stands for a function that did not return: runtime.Goexit.
var errGoexit = errors.New("the function ended its goroutine instead of returning")

// begin marks t as running; a nil function says that it must not.
//
// Its record is due again only after the pause that would follow a failure, so
// that a task which takes the process down with it does not do so at once, and
// that restart is not counted. Where the store cannot be written the old record
// stands, which is just as good.
func (q *Queue) begin(t *task, armed int) (context.Context, func(context.Context, []byte) error) {
	q.mu.Lock()
	if q.closed || t.armed != armed {
		q.mu.Unlock()
		return nil, nil
	}
	f := q.kinds[t.restart.Task.Kind]
	record, err := t.record(time.Now().Add(t.delay()))
	t.state, t.again, t.counted = taskRunning, false, false
	t.restarts++
	ctx, cancel := context.WithCancelCause(context.WithValue(t.ctx, taskKey{}, t))
	t.cancel = cancel
	q.active++
	q.mu.Unlock()

	if err == nil {
		err = q.put(t, record)
	}
	q.tell(t.ctx, t, Event{To: RestartStarted, Attempt: t.restarts, Err: err})
	return ctx, f
}

// call runs a function and makes an error of its panic: a task must not take
// down the program that restarts it.
func call(ctx context.Context, f func(context.Context, []byte) error, payload []byte) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the function panicked: %v", p)
		}
	}()
	return f(ctx, payload)
}

// finish decides what becomes of a task whose function has returned.
func (q *Queue) finish(ctx context.Context, t *task, a Attempt) {
	if a.Err == nil {
		q.drop(t, Event{To: RestartSucceeded, Attempt: t.restarts, Duration: a.Duration})
		return
	}
	a.Result = classify.Standard.Classify(classify.Evidence{Err: a.Err, Cause: context.Cause(ctx)})
	interrupted := ctx.Err() != nil
	q.mu.Lock()
	if t.again || interrupted {
		// What was interrupted does not count: Shutdown hands the task back.
		t.counted = t.counted && t.again
		q.wait(t)
		q.mu.Unlock()
		return
	}
	open := openIn(a.Err)
	if t.counted {
		open = nil // another call of this restart was made, and failed
	}
	if open == nil {
		a.Target = Call{Targets: t.restart.Targets}.primary()
		t.failed(Restart{History: []Attempt{a}, Err: a.Err, Result: a.Result})
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

// fail is the end of a task that was in vain.
func (q *Queue) fail(t *task, a Attempt, err error) {
	q.drop(t, Event{To: RestartFailed, Attempt: t.restarts, Duration: a.Duration, Result: a.Result, Err: err})
}

// drop removes a task for good and tells why. A record that cannot be removed
// would be run again by the next process: the event says so.
func (q *Queue) drop(t *task, e Event) {
	q.mu.Lock()
	delete(q.tasks, t.id) // first, so that an offer which comes too late sees it
	q.mu.Unlock()
	if q.store != nil {
		if err := q.store.Delete(t.id); err != nil {
			e.Err = joined(e.Err, fmt.Errorf("the store has kept the task, which the next process will run again: %w", err))
		}
	}
	q.tell(t.ctx, t, e)
}

// joined is errors.Join that leaves a lone error as it is.
func joined(a, b error) error {
	if a == nil {
		return b
	}
	return fmt.Errorf("%w; %w", a, b)
}

// tell tells of an event of a task.
func (q *Queue) tell(ctx context.Context, t *task, e Event) {
	e.Kind = KindRestart
	e.Key, e.Agent, e.Target = cmp.Or(t.restart.Key, t.id), t.restart.Agent, Call{Targets: t.restart.Targets}.primary()
	q.observers.notify(ctx, e)
}
