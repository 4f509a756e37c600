package resilience

import (
	"container/list"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Queue restarts calls that failed with network errors after all retries. It is the
// [Restarter] of this package. Make a Queue with [NewQueue].
//
// A restart runs the task again, with the same payload and the same context values.
// By default, the restarts follow 1, 2 and 4 minutes after the last failure
// ([RestartConfig]). A task has failed for good in two cases:
//
//   - The last restart fails.
//   - A restart fails with an error that is not a network error.
//
// A task has a kind and a payload. [Queue.Register] sets the function for a kind.
// Usually, the function calls [Do] with the same [Call]. If that call fails, Do
// offers the call to the queue with the context of the restart. This context identifies
// the task, so the queue continues to count the restarts of the task. If the function
// returns nil, the task is done. If the function returns a network error, the task is
// queued again.
//
// If a circuit breaker or a rate limit refuses a restart, no call is made. The
// restart does not count then ([RestartPostponed], [OpenError], [HoldError]). The
// task is postponed until the breaker or the rate limit allows a call. By default,
// this pause is rounded up to whole minutes. It grows with each further refusal, up
// to one hour. The pause exceeds one hour only if the breaker or the rate limit
// allows no call for more than an hour. When a breaker closes, the tasks that it
// refused are restarted ([Queue.BreakerClosed]).
//
// No task is lost silently:
//
//   - If a task is not accepted, [Queue.Offer] returns an error.
//   - Every end of a task is an event of [KindRestart] ([WithQueueObserver]).
//   - [Queue.Shutdown] returns the tasks that are still queued.
//   - If the kind of a task is not registered, the task is reported once
//     ([RestartUnhandled]).
//
// Two tasks with the same kind and the same key ([Restart].Key) are never queued at the
// same time. Tasks without a key are always separate.
//
// With a [Store], tasks survive the process, even if the process is killed. A task
// is stored before Offer returns. It is removed after the function has returned nil.
// Each start is stored before the function runs. If the process ends during a
// restart, the task runs again from its beginning. The new restart has the next number.
// The interrupted restart does not count as a failure ([RestartInterrupted],
// [RestartNumber]).
//
// If three processes have ended during restarts of a task, the task is parked
// ([RestartParked]). A parked task stays in the store. It runs only after a call of
// [Queue.Resume]. The end of a process counts for all tasks that run at the time.
//
// Several queues, also of several processes, can share a store. The queue that runs
// a task has a lease of the task ([WithQueueLease]). While the lease is valid, no
// other queue runs the task. If the lease cannot be renewed, the task's context ends
// before the lease does. Each queue reads the store three times per lease duration.
//
// If the system clock changes, pauses within a process are not affected. If the
// clock was set back, a stored task waits for its stored pause at most. If the clock
// was set forward, a stored task runs earlier.
//
// A Queue is safe for concurrent use. Shutdown ends its goroutines.
type Queue struct {
	cfg       *Config
	store     Store
	observers observers
	capacity  int
	slots     chan struct{} // has one element per running task
	owner     string        // identifies this queue in its leases
	lease     time.Duration

	scanning chan struct{} // a mutex for scans of the store: full during a scan
	closing  chan struct{} // closed when Shutdown begins
	idle     chan struct{} // closed when active is 0 after Shutdown

	mu      sync.Mutex
	kinds   map[string]func(context.Context, []byte) error
	tasks   map[string]*task
	refused map[string]*list.List // gate name -> waiting tasks that its open breaker has refused, newest first
	active  int                   // running offers, restarts and scans
	closed  bool                  // Shutdown has begun

	scanTimer *time.Timer
	changed   map[string]bool  // ids of records changed during the current scan; nil without a scan
	unread    map[string]bool  // ids of records that cannot be read
	ended     map[string]*task // tasks that have ended, but are still in the store
}

var _ Restarter = (*Queue)(nil)

// These are default limits of a queue.
const (
	// DefaultQueueCapacity is the largest number of tasks in a queue.
	// [WithQueueCapacity] changes it.
	DefaultQueueCapacity = 1000
	// DefaultQueueWorkers is the largest number of tasks that run at a time.
	// [WithQueueWorkers] changes it.
	DefaultQueueWorkers = 16
)

// If the queue cannot take a task, the error of [Queue.Offer] wraps one of these.
var (
	ErrQueueFull         = errors.New("the restart queue is full")
	ErrQueueClosed       = errors.New("the restart queue is shut down")
	ErrRestartsExhausted = errors.New("all restarts failed")
	ErrDuplicateTask     = errors.New("another payload with the same kind and key is queued")
)

// QueueOption configures a [Queue].
type QueueOption interface{ applyQueue(*Queue) }

type queueOption func(*Queue)

func (o queueOption) applyQueue(q *Queue) { o(q) }

// WithStore sets the store for tasks. By default, and with nil, tasks are kept in
// memory only.
func WithStore(s Store) QueueOption {
	return queueOption(func(q *Queue) { q.store = s })
}

// WithQueueCapacity sets the largest number of tasks in the queue. Running tasks
// count too. The default, also for n < 1, is [DefaultQueueCapacity]. Tasks that are
// loaded from the store can exceed this number.
func WithQueueCapacity(n int) QueueOption {
	return queueOption(func(q *Queue) {
		if n > 0 {
			q.capacity = n
		}
	})
}

// WithQueueWorkers sets the largest number of tasks that run at a time. The default,
// also for n < 1, is [DefaultQueueWorkers].
func WithQueueWorkers(n int) QueueOption {
	return queueOption(func(q *Queue) {
		if n > 0 {
			q.slots = make(chan struct{}, n)
		}
	})
}

// WithQueueObserver adds an observer of [KindRestart] events. Observers are called
// in the order of the options. By default there is none. A nil observer is ignored.
// Usually, pass the executor's observers, such as [LogEvents] and [Statuses], here
// too.
func WithQueueObserver(o Observer) QueueOption {
	return queueOption(func(q *Queue) {
		if o != nil {
			q.observers = append(q.observers, o)
		}
	})
}

// NewQueue returns a queue with the settings of c. A nil c means the defaults. The
// field Enabled of c is ignored. Tasks in the store are queued again. Each one runs
// when it is due and its kind is registered. NewQueue returns an error only if the
// store fails. If a record cannot be read, it stays in the store. Observers then
// receive [RestartFailed].
func NewQueue(c *Config, opts ...QueueOption) (*Queue, error) {
	q := &Queue{
		cfg: c.clone(), capacity: DefaultQueueCapacity, slots: make(chan struct{}, DefaultQueueWorkers),
		owner: rand.Text(), lease: DefaultQueueLease,
		scanning: make(chan struct{}, 1), closing: make(chan struct{}), idle: make(chan struct{}),
		kinds: map[string]func(context.Context, []byte) error{}, tasks: map[string]*task{}, refused: map[string]*list.List{},
		unread: map[string]bool{}, ended: map[string]*task{},
	}
	for _, o := range opts {
		if o != nil {
			o.applyQueue(q)
		}
	}
	if q.store == nil {
		return q, nil
	}
	if err := q.scan(); err != nil {
		return nil, fmt.Errorf("restart queue: load its store: %w", err)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.scanTimer = time.AfterFunc(q.lease/3, q.watch)
	return q, nil
}

// Register sets the function that runs tasks of a kind. Register a kind before calls
// of that kind can fail. Do so in each process that opens the same store. The
// function owns its payload, and must return when its ctx ends. [Queue.Shutdown] can
// cancel this ctx. If a kind is registered again, the new function runs later
// restarts. A nil f is ignored.
func (q *Queue) Register(kind string, f func(ctx context.Context, payload []byte) error) {
	if f == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.kinds == nil {
		return // see Offer
	}
	q.kinds[kind] = f
	for _, t := range q.tasks {
		if t.state == taskWaiting && t.restart.Task.Kind == kind {
			q.arm(t)
		}
	}
}

// release decrements q.active.
func (q *Queue) release() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.active--
	q.checkIdle()
}

// checkIdle closes q.idle if Shutdown has begun and q.active is 0. The caller holds
// mu.
func (q *Queue) checkIdle() {
	if !q.closed || q.active > 0 {
		return
	}
	select {
	case <-q.idle:
	default:
		close(q.idle)
	}
}

// QueuedTask is a task as [Queue.Tasks] and [Queue.Shutdown] return it.
type QueuedTask struct {
	ID       string
	Restart  Restart   // as offered; History includes failed restarts
	Restarts int       // restarts that have begun, without refused ones
	Due      time.Time // time of the next restart
	Running  bool      // in this queue, or in another queue on the store
	Parked   bool      // see [Queue.Resume]
	Stored   bool      // the next process that opens the store runs the task
}

// Tasks returns all tasks, ordered by Due.
func (q *Queue) Tasks() []QueuedTask {
	return q.list(func(*task) bool { return true })
}

// list returns the tasks for which keep returns true, ordered by Due.
func (q *Queue) list(keep func(*task) bool) []QueuedTask {
	q.mu.Lock()
	defer q.mu.Unlock()
	all := make([]QueuedTask, 0, len(q.tasks))
	for _, t := range q.tasks {
		if keep(t) {
			all = append(all, t.snapshot())
		}
	}
	slices.SortFunc(all, func(a, b QueuedTask) int { return a.Due.Compare(b.Due) })
	return all
}

// Shutdown stops the queue. From then on, the queue accepts no new task and begins no
// restart. Shutdown returns all tasks that are not done, except those that another
// queue on the same store runs.
//
// Shutdown waits for running restarts until ctx ends. Then it cancels their contexts
// with the cause [ErrQueueClosed]. If a restart still runs after that, Shutdown
// returns an error. A canceled restart counts neither as a failure nor as a crash.
//
// If a returned task is Stored, the next process that opens the store runs it. Close
// the store only after Shutdown. Further calls of Shutdown wait in the same way and
// return the remaining tasks.
func (q *Queue) Shutdown(ctx context.Context) ([]QueuedTask, error) {
	q.mu.Lock()
	first := !q.closed
	if first {
		q.closed = true
		close(q.closing)
		for _, t := range q.tasks {
			t.disarm()
		}
		if q.scanTimer != nil {
			q.scanTimer.Stop()
		}
		q.checkIdle()
	}
	q.mu.Unlock()

	var err error
	select {
	case <-q.idle:
	case <-ctx.Done():
		err = q.cancelRunning(ctx)
	}
	left := q.list(func(t *task) bool { return t.state != taskElsewhere })
	if first {
		for _, t := range left {
			e := Event{To: RestartReturned, Attempt: t.restartNumber(), Result: t.Restart.Result, Err: t.Restart.Err}
			q.emit(ctx, &task{id: t.ID, restart: t.Restart}, e)
		}
	}
	return left, err
}

// cancelRunning cancels the running tasks. If a task still runs or is still being
// stored after that, cancelRunning returns an error.
func (q *Queue) cancelRunning(ctx context.Context) error {
	running := map[*task]*taskRun{}
	q.mu.Lock()
	for _, t := range q.tasks {
		if r := t.run; r != nil && !r.ending {
			r.cancel(ErrQueueClosed)
			r.ending = true
			running[t] = r
		}
	}
	q.mu.Unlock()
	for t, r := range running {
		q.renew(t, r) // stores that the end of this restart is no crash
	}

	q.mu.Lock()
	defer q.mu.Unlock()
	if q.active == 0 {
		return nil
	}
	return fmt.Errorf("shut down the restart queue: %d tasks still run or are being stored: %w", q.active, ctx.Err())
}
