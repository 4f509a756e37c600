package resilience

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/errclass/errclass/classify"
)

// Queue restarts calls that failed with network errors after all retries. It is
// the [Restarter] of this package. A restart runs the task again, 1, 2 and 4
// minutes after the last failure ([RestartConfig]), with the same payload and the
// values of the same context. A task fails for good if it fails with an error
// other than a network error, or if its third restart fails.
//
// If the gate of an endpoint refuses a restart ([OpenError], [HoldError]), no call
// is made and the restart does not count ([RestartPostponed]). Otherwise a long
// outage would use up all restarts without a call. The task waits until the gate
// allows a call. The wait is rounded up to whole minutes, so that tasks do not all
// restart at once. With each further refusal the wait grows, up to one hour.
//
// A task has a kind and a payload. [Queue.Register] sets the function for a kind.
// The function usually calls [Do] with the same [Call]. If that call fails, Do
// offers the call to the queue with the context of the restart. By this context the
// queue recognizes the task, and continues to count its restarts. If the function
// returns nil, the task is done. If it returns a network error, the task is
// queued again.
//
// No task is lost silently. [Queue.Offer] returns an error for a task that it
// does not accept. Every end of a task is an event of [KindRestart]
// ([WithQueueObserver]). [Queue.Shutdown] returns the tasks that are still
// queued. With a [Store], tasks survive the process. A task is stored before
// Offer returns and removed after its function has returned nil. A task that is
// interrupted by the end of the process runs again from its start.
//
// Make a Queue with [NewQueue]. It is safe for concurrent use. Shutdown ends
// its goroutines.
type Queue struct {
	cfg       *Config
	store     Store
	observers observers
	capacity  int
	slots     chan struct{} // one slot per running task

	closing chan struct{} // closed when Shutdown begins
	idle    chan struct{} // closed when active is 0 after Shutdown

	mu     sync.Mutex
	kinds  map[string]func(context.Context, []byte) error
	tasks  map[string]*task
	active int  // running offers and restarts
	closed bool // Shutdown has begun
}

var _ Restarter = (*Queue)(nil)

// Default limits of a queue.
const (
	// DefaultQueueCapacity is the largest number of tasks in a queue.
	// [WithQueueCapacity] changes it.
	DefaultQueueCapacity = 1000
	// DefaultQueueWorkers is the largest number of tasks that run at a time.
	// [WithQueueWorkers] changes it. The limit matters after an outage, when
	// many tasks are due at once.
	DefaultQueueWorkers = 16
)

// The errors of [Queue.Offer] wrap one of these if the queue cannot take the
// task.
var (
	ErrQueueFull         = errors.New("the restart queue is full")
	ErrQueueClosed       = errors.New("the restart queue is shut down")
	ErrRestartsExhausted = errors.New("all restarts failed")
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

// WithQueueCapacity sets the number of tasks in the queue, including running
// ones. The default is [DefaultQueueCapacity]; n < 1 keeps it. Tasks loaded
// from the store may exceed it.
func WithQueueCapacity(n int) QueueOption {
	return queueOption(func(q *Queue) {
		if n > 0 {
			q.capacity = n
		}
	})
}

// WithQueueWorkers sets the number of tasks that run at a time. The default is
// [DefaultQueueWorkers]; n < 1 keeps it.
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

// NewQueue returns a queue with the settings of c. A nil c means the defaults.
// Enabled is ignored. Tasks in the store are queued again; they run once they
// are due and their kind is registered. NewQueue returns an error only if the
// store fails. A record that cannot be read stays in the store. Observers
// receive [RestartFailed] for it.
func NewQueue(c *Config, opts ...QueueOption) (*Queue, error) {
	q := &Queue{
		cfg: c.clone(), capacity: DefaultQueueCapacity, slots: make(chan struct{}, DefaultQueueWorkers),
		closing: make(chan struct{}), idle: make(chan struct{}),
		kinds: map[string]func(context.Context, []byte) error{}, tasks: map[string]*task{},
	}
	for _, o := range opts {
		if o != nil {
			o.applyQueue(q)
		}
	}
	if err := q.load(); err != nil {
		return nil, fmt.Errorf("restart queue: load its store: %w", err)
	}
	return q, nil
}

// Register sets the function that runs tasks of a kind. Register a kind before
// calls of that kind can fail, and in each process that opens the same store.
// The function owns its payload. It must return when its context ends, which
// happens if Shutdown stops waiting. Registering a kind again replaces the
// function for later restarts. nil is ignored.
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

// Offer queues a failed call. The error says why the queue does not accept it:
// the queue is full or shut down, the kind is not registered, the failure is
// not a transient network failure, all restarts are used up, or the store
// failed. With a store, Offer waits for the store's write.
//
// If ctx is the context of a restart and r has the kind and payload of its
// task, Offer records the failure of that restart. If only the payload differs, r
// becomes a new task that continues the count of restarts. So the restarts end even
// if a function changes its payload each time.
func (q *Queue) Offer(ctx context.Context, r Restart) error {
	t, err := q.accept(ctx, r)
	if err != nil {
		q.emit(ctx, &task{restart: r}, Event{To: RestartRefused, Attempt: 1, Err: err, Result: r.Result})
		return fmt.Errorf("restart %q: %w", r.Task.Kind, err)
	}
	defer q.release()
	return q.enqueue(t, r.refused())
}

// accept returns the task that r belongs to, or a new task. If it returns no
// error, the caller must call release.
func (q *Queue) accept(ctx context.Context, r Restart) (*task, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if r.Result.Category != "" && !restartable(r.Result) {
		return nil, fmt.Errorf("%s is not a transient network failure", r.Result.Reason)
	}
	parent, ok := ctx.Value(taskKey{}).(*task)
	ok = ok && parent.queue == q
	if ok && parent.state == taskRunning && parent.matches(r.Task) {
		if r.refused() == nil {
			parent.recordFailure(r)
		}
		q.active++
		return parent, nil
	}
	most := *q.cfg.settings(r.Agent, "").restart.MaxRestarts
	used := 0
	if ok && parent.restart.Task.Kind == r.Task.Kind {
		used = parent.restarts // see Offer
	}
	switch {
	case q.tasks == nil:
		return nil, errors.New("the queue was not made by NewQueue")
	case q.closed:
		return nil, ErrQueueClosed
	case q.kinds[r.Task.Kind] == nil:
		return nil, fmt.Errorf("kind %q is not registered: call Queue.Register first", r.Task.Kind)
	case most == 0:
		return nil, fmt.Errorf("%w: taskRestart.maxRestarts is 0", ErrRestartsExhausted)
	case used >= most:
		return nil, fmt.Errorf("%w: restart %d offered a task of the same kind with another payload", ErrRestartsExhausted, used)
	case len(q.tasks) >= q.capacity:
		return nil, fmt.Errorf("%w: it holds %d tasks", ErrQueueFull, len(q.tasks))
	}
	r.Task.Payload = bytes.Clone(r.Task.Payload)
	r.Targets, r.History = slices.Clone(r.Targets), slices.Clone(r.History)
	t := &task{queue: q, id: rand.Text(), restart: r, restarts: used, ctx: context.WithoutCancel(ctx)}
	q.tasks[t.id] = t
	q.active++
	return t, nil
}

// restartable reports whether r is a transient network failure
// (NetworkTransient in [classify.ViewResilience]). The end of the caller's own
// deadline is not such a failure.
func restartable(r classify.Result) bool {
	return r.Category == classify.CategoryRetryable &&
		r.Reason.Name(classify.ViewResilience) == classify.ReasonNetwork.Name(classify.ViewResilience)
}

// release ends an operation that accept or start began.
func (q *Queue) release() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.active--
	q.checkIdle()
}

// checkIdle wakes Shutdown if no operation is active. The caller holds mu.
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
	Restarts int       // number of restarts, without those that an open breaker refused
	Due      time.Time // time of the next restart
	Running  bool
	Stored   bool // it is in the store, so the next process that opens it runs the task
}

// Tasks returns all tasks, ordered by Due.
func (q *Queue) Tasks() []QueuedTask {
	q.mu.Lock()
	defer q.mu.Unlock()
	all := make([]QueuedTask, 0, len(q.tasks))
	for _, t := range q.tasks {
		all = append(all, t.snapshot())
	}
	slices.SortFunc(all, func(a, b QueuedTask) int { return a.Due.Compare(b.Due) })
	return all
}

// Shutdown stops the queue: it accepts no task, begins no restart, and waits
// for running ones until ctx ends. Then it cancels their contexts with the
// cause [ErrQueueClosed] and returns an error.
//
// It returns every task that is not done. The next process that opens the store
// runs those that are Stored. The caller closes the store after Shutdown.
// Further calls wait in the same way and return the remaining tasks.
func (q *Queue) Shutdown(ctx context.Context) ([]QueuedTask, error) {
	q.mu.Lock()
	first := !q.closed
	if first {
		q.closed = true
		close(q.closing)
		for _, t := range q.tasks {
			t.disarm()
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
	left := q.Tasks()
	if first {
		for _, t := range left {
			q.observers.notify(ctx, Event{
				Kind: KindRestart, Key: t.key(), Agent: t.Restart.Agent, Target: Call{Targets: t.Restart.Targets}.primary(),
				To: RestartReturned, Attempt: t.restartNumber(), Result: t.Restart.Result, Err: t.Restart.Err,
			})
		}
	}
	return left, err
}

// cancelRunning cancels running tasks and returns an error if any operation is
// active.
func (q *Queue) cancelRunning(ctx context.Context) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, t := range q.tasks {
		if t.state == taskRunning {
			t.cancel(ErrQueueClosed)
		}
	}
	if q.active == 0 {
		return nil
	}
	return fmt.Errorf("shut down the restart queue: %d tasks still run or are being stored: %w", q.active, ctx.Err())
}
