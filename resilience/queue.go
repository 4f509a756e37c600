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

// Queue restarts calls that failed with network errors after all retries. It is
// the [Restarter] of this package. A restart runs the task again, 1, 2 and 4
// minutes after the last failure ([RestartConfig]), with the same payload and the
// same context values. A task fails for good if it fails with an error other than
// a network error, or if its third restart fails.
//
// If the gate of an endpoint (its circuit breaker and rate limit) refuses a restart
// ([OpenError], [HoldError]), no call is made and the restart does not count
// ([RestartPostponed]). Otherwise a long outage would use up all restarts without a
// call. The task waits until the gate allows a call. The wait is rounded up to whole
// minutes, so that tasks do not all restart at once. With each further refusal the
// wait grows, up to one hour. When a breaker closes, the tasks that this breaker has
// refused are restarted at once, a few at a time ([Queue.BreakerClosed]).
//
// A task has a kind and a payload. [Queue.Register] sets the function for a kind.
// The function usually calls [Do] with the same [Call]. If that call fails, Do
// offers the call to the queue with the context of the restart. This context
// identifies the task, so the queue continues to count the task's restarts. If the
// function returns nil, the task is done. If the function returns a network error,
// the task is queued again.
//
// No task is lost silently. [Queue.Offer] returns an error for a task that it
// does not accept. Every end of a task is an event of [KindRestart]
// ([WithQueueObserver]). [Queue.Shutdown] returns the tasks that are still
// queued. A task whose kind nobody has registered is reported once
// ([RestartUnhandled]).
//
// If a task with the same kind and the same key ([Restart].Key) is queued or
// running, an offer makes no second task.
//
// With a [Store], tasks survive the process, even if it is killed. A task is
// stored before Offer returns and removed after the function has returned nil.
// Each start is stored before the function runs. If the process ends during a
// restart, the task runs again from its beginning, as the restart with the next
// number ([RestartInterrupted], [RestartNumber]). This does not count as a
// failure. But a task whose process has ended three times during its restarts is
// parked ([RestartParked]): the task stays in the store, and runs only after a call
// of [Queue.Resume]. The end of a process counts for all tasks that run at the time.
//
// Several queues, also of several processes, may share a store. The queue that runs
// a task has a lease of the task in the store and renews the lease
// ([WithQueueLease]). As long as the lease is valid, no other queue runs the task.
// If the queue cannot renew the lease, the task's context ends before another queue
// can take the task over. Each queue reads the store three times per lease duration,
// to find the tasks of other queues.
//
// A change of the system clock does not affect pauses within a process. A task
// loaded from the store never waits longer than the pause stored with it, even if
// the clock was set back meanwhile. If the clock was set forward, the task runs
// earlier.
//
// Make a Queue with [NewQueue]. It is safe for concurrent use. Shutdown ends
// its goroutines.
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
	refused map[string]*list.List // gate name -> waiting tasks that the gate's open breaker has refused, newest first
	active  int                   // running offers, restarts and scans
	closed  bool                  // Shutdown has begun

	scanTimer *time.Timer
	changed   map[string]bool  // ids of records that this queue has changed during the current scan; nil without a scan
	unread    map[string]bool  // ids of records that cannot be read
	ended     map[string]*task // tasks that have ended, but whose records the store failed to remove
}

var _ Restarter = (*Queue)(nil)

// These are default limits of a queue.
const (
	// DefaultQueueCapacity is the largest number of tasks in a queue.
	// [WithQueueCapacity] changes it.
	DefaultQueueCapacity = 1000
	// DefaultQueueWorkers is the largest number of tasks that run at a time.
	// [WithQueueWorkers] changes it. The limit matters after an outage, when
	// many tasks are due at once.
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

// WithStore sets the store for tasks. By default, and with nil, tasks are kept
// in memory only.
func WithStore(s Store) QueueOption {
	return queueOption(func(q *Queue) { q.store = s })
}

// WithQueueCapacity sets the largest number of tasks in the queue, including running
// ones. The default, also for n < 1, is [DefaultQueueCapacity]. Tasks loaded from
// the store may exceed this number.
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

// WithQueueObserver adds an observer of [KindRestart] events. The executor's
// observers, such as [LogEvents] and [Statuses], usually belong here too. By
// default there is none. Observers are called in the order of the options. nil
// is ignored.
func WithQueueObserver(o Observer) QueueOption {
	return queueOption(func(q *Queue) {
		if o != nil {
			q.observers = append(q.observers, o)
		}
	})
}

// NewQueue returns a queue with the settings of c. A nil c means the defaults. The
// field Enabled of c is ignored. Tasks in the store are queued again; each one runs
// as soon as it is due and its kind is registered. NewQueue returns an error only if
// the store fails. If a record cannot be read, it stays in the store, and observers
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
// of that kind can fail, and in each process that opens the same store. f may change
// and keep payload. f must return when its ctx ends. [Queue.Shutdown] cancels ctx if
// its own context ends before f has returned. If a kind is registered again, the new
// function runs later restarts. A nil f is ignored.
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

// release decrements q.active, which accept, start or watch has incremented.
func (q *Queue) release() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.active--
	q.checkIdle()
}

// checkIdle closes q.idle after Shutdown has begun and q.active is 0. The caller
// holds mu.
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
	Restart  Restart   // as offered, with the failures of restarts added to its History
	Restarts int       // number of restarts that have begun; restarts that an open breaker refused do not count
	Due      time.Time // time of the next restart
	Running  bool      // the task runs in this queue or, with a shared store, in another queue
	Parked   bool      // the process ended during three restarts of the task; see [Queue.Resume]
	Stored   bool      // the task is in the store; the next process that opens the store runs it
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

// Shutdown stops the queue. The queue then accepts no task and begins no restart.
// Shutdown waits for running restarts until ctx ends. Then it cancels their contexts
// with the cause [ErrQueueClosed] and returns an error.
//
// Shutdown returns every task that is not done, except those that another queue on
// the same store runs. Of the returned tasks, those with Stored set run in the next
// process that opens the store. A restart that Shutdown interrupts counts neither as
// a failure nor as a crash. The caller closes the store after Shutdown. Further
// calls of Shutdown wait in the same way and return the remaining tasks.
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

// cancelRunning cancels running tasks. It returns an error if any operation is
// still active.
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
