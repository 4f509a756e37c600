package resilience

import (
	"bytes"
	"cmp"
	"container/list"
	"context"
	"errors"
	"fmt"
	"time"
)

// task is a failed call that the queue will make again. The queue's mu guards its
// fields.
type task struct {
	queue         *Queue
	id            string
	restart       Restart         // failed restarts are added to its History
	ctx           context.Context // its values are passed to the function
	number        int             // of the last restart that has begun, without refused ones
	failures      int             // restarts that have failed
	crashes       int             // restarts during which the process ended
	postponements int             // consecutive refused restarts
	due           time.Time       // time of the next restart
	pause         time.Duration   // the pause before due
	state         taskState
	run           *taskRun      // the running restart; nil in other states
	saved         chan struct{} // closed when the new task has been stored or refused
	refusedBy     string        // name of the gate that has refused the task; "" if its breaker was not open
	element       *list.Element // in Queue.refused
	timer         *time.Timer
	timerNumber   int  // older timers must not start the task
	unhandled     bool // RestartUnhandled has been emitted

	// The next fields describe the record in the store.
	writing  chan struct{} // a mutex for changes of the record: full during a change
	stored   []byte        // the record
	lease    *lease        // another queue's lease; nil in states other than taskElsewhere
	seen     time.Time     // when this queue first read the current record
	reported bool          // the event for the expired lease has been emitted
}

func (q *Queue) newTask(id string) *task {
	return &task{queue: q, id: id, writing: make(chan struct{}, 1)}
}

type taskState uint8

const (
	taskSaving    taskState = iota // not yet stored
	taskWaiting                    // until the task is due, its kind is registered and a worker is free
	taskRunning                    // runs in this queue
	taskElsewhere                  // another queue runs the task, or has changed the record
	taskParked                     // until Resume
)

// runKey is the context key of a restart. The value is the *taskRun, or the number of
// the restart.
type runKey struct{}

// RestartNumber returns the number of the restart to which ctx belongs. The first
// restart has number 1. If ctx does not belong to a restart, the number is 0. If the
// number is above 1, an earlier restart may have done some work.
func RestartNumber(ctx context.Context) int {
	switch v := ctx.Value(runKey{}).(type) {
	case *taskRun:
		return v.number
	case int:
		return v
	default:
		return 0
	}
}

// WithRestartNumber returns a context for which [RestartNumber] returns number. It
// is for a [Restarter] in another package.
func WithRestartNumber(ctx context.Context, number int) context.Context {
	return context.WithValue(ctx, runKey{}, number)
}

// matches reports whether other has the kind and payload of t.
func (t *task) matches(other Task) bool {
	return t.restart.Task.Kind == other.Kind && bytes.Equal(t.restart.Task.Payload, other.Payload)
}

// recordFailure adds a failed restart to t.
func (t *task) recordFailure(r Restart) {
	if !t.run.failureCounted {
		t.failures++
	}
	t.run.failureCounted, t.postponements = true, 0
	t.restart.History = append(t.restart.History, r.History...)
	t.restart.Err, t.restart.Result = r.Err, r.Result
}

func (t *task) snapshot() QueuedTask {
	snap := QueuedTask{
		ID: t.id, Restart: t.restart, Restarts: t.number, Due: t.due,
		Running: t.state == taskRunning || t.state == taskElsewhere, Parked: t.state == taskParked,
		Stored: t.queue.store != nil && t.state != taskSaving,
	}
	snap.Restart.History = append([]Attempt(nil), t.restart.History...)
	return snap
}

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

// counted returns the number of the last restart that counts. Refused restarts do
// not count.
func (t *task) counted() int {
	if t.run != nil && t.run.postponed && !t.run.failureCounted {
		return t.number - 1
	}
	return t.number
}

// longestRestartDelay is the longest pause before a restart.
const longestRestartDelay = 24 * time.Hour

// longestPostponement is the longest pause after a refused restart, unless
// RetryAfter is longer.
const longestPostponement = time.Hour

// delay returns the pause before the next restart. It doubles with each failed or
// crashed restart.
func (t *task) delay() time.Duration {
	return t.backoff(longestRestartDelay).Nominal(t.failures + t.crashes)
}

func (t *task) backoff(longest time.Duration) Schedule {
	base := ms(t.settings().RestartBackoffBaseMs)
	return Schedule{Base: base, Max: max(base, longest)}
}

// postponement returns the pause after a refused restart. The pause grows with each
// refusal, because the task's function repeats its work in each restart.
func (t *task) postponement(refused refusal) time.Duration {
	return max(t.retryAfter(refused), t.backoff(longestPostponement).Nominal(t.postponements))
}

// retryAfter returns the RetryAfter of a refusal, rounded up to a multiple of
// RestartBackoffBaseMs. So tasks that were refused at different times do not all
// restart at the same time.
func (t *task) retryAfter(refused refusal) time.Duration {
	base := ms(t.settings().RestartBackoffBaseMs)
	return (refused.after() + base - 1) / base * base
}

// enqueue stores a task for its next restart:
//
//   - If refused is not nil, no restart is counted.
//   - After an error, a new task is dropped, but a running task is not.
func (q *Queue) enqueue(t *task, refused refusal) error {
	q.mu.Lock()
	postponed := refused != nil && t.run != nil
	if postponed {
		t.run.postponed = true
	}
	e := Event{To: RestartQueued, Attempt: t.counted() + 1, Nominal: t.delay(), Result: t.restart.Result, Err: t.restart.Err}
	if refused != nil {
		e.Nominal = max(e.Nominal, t.retryAfter(refused))
	}
	if postponed {
		e.To, e.Nominal, e.Result, e.Err = RestartPostponed, t.postponement(refused), refusalResult(refused), refused
		t.postponements++
	}
	t.due, t.pause, t.refusedBy = time.Now().Add(e.Nominal), e.Nominal, refusedBy(refused)
	most, failures := *t.settings().MaxRestarts, t.failures
	q.mu.Unlock()

	var err error
	if failures >= most {
		err = fmt.Errorf("%w (%d)", ErrRestartsExhausted, failures)
	} else {
		err = q.save(t, func() (*record, bool) { return t.record(), q.tasks[t.id] == t })
	}
	if err != nil && postponed { // the record stored at the start is still valid
		e.Err, err = joinErrors(e.Err, err), nil
	}
	if err != nil {
		return q.reject(t, err)
	}
	q.emit(t.ctx, t, e)

	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.tasks[t.id] != t: // the task is done meanwhile
	case t.run != nil:
		t.run.reoffered = true // finish calls wait
	default:
		q.wait(t)
	}
	return nil
}

// errEqualStored means that another queue has stored a task with the same kind and
// key.
var errEqualStored = errors.New("another queue has stored a task with this kind and key")

// reject drops a new task and emits an event. A running task is not changed. The
// result is err with the kind added.
func (q *Queue) reject(t *task, err error) error {
	q.mu.Lock()
	isNew := t.state == taskSaving
	if isNew {
		delete(q.tasks, t.id)
		if t.stored != nil && !errors.Is(err, ErrLeaseLost) {
			q.ended[t.id] = t // the next scan removes the old record
		}
	}
	q.mu.Unlock()
	if isNew && errors.Is(err, ErrLeaseLost) {
		return errEqualStored
	}
	if isNew {
		q.emit(t.ctx, t, Event{To: RestartRefused, Attempt: 1, Result: t.restart.Result, Err: err})
	}
	return fmt.Errorf("restart %q: %w", t.restart.Task.Kind, err)
}

// wait schedules the next restart of t. The caller holds mu.
func (q *Queue) wait(t *task) {
	t.number, t.state, t.run = t.counted(), taskWaiting, nil
	q.arm(t)
}

// arm starts the timer of a waiting task. In other states, it only stops the timer.
// The caller holds mu.
func (q *Queue) arm(t *task) {
	t.disarm()
	if q.closed || t.state != taskWaiting || q.kinds[t.restart.Task.Kind] == nil {
		return
	}
	if t.refusedBy != "" {
		q.listRefused(t)
	}
	timerNumber := t.timerNumber
	t.timer = time.AfterFunc(time.Until(t.due), func() { q.run(t, timerNumber) })
}

func (t *task) disarm() {
	t.timerNumber++
	t.queue.unlist(t)
	if t.timer != nil {
		t.timer.Stop()
	}
}

// joinErrors joins two errors in one line. The first can be nil.
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
