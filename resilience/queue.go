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

// Queue makes calls again whose network failures outlast their retries: the
// [Restarter] of this package. A restart is a new execution of the task, 1, 2
// and 4 minutes after the failure before ([RestartConfig]), with the same
// payload and the values of the same context. A task that fails for another
// reason than the network, or for the third time, has failed for good.
//
// A restart that meets an open circuit breaker ([OpenError]) makes no call, so it
// is none of the three ([RestartPostponed]): the task waits until the breaker lets
// a call through to see, in whole pauses of a minute, so that tasks do not all come
// back at once. A breaker is open for 5 minutes, which would use up two of three
// restarts. Where it stays open, for a person forced it, the task stays queued and
// is tried ever more seldom, in the end each hour.
//
// A task is a kind, for which a function is registered ([Queue.Register]), and a
// payload. The function mostly calls [Do] with the same [Call]: when that offers
// the call anew, with the context that the function was given, the queue knows
// its task again and goes on counting. Where the function returns nil the task
// is done, where it returns a network error it is queued again.
//
// Nothing is lost silently: [Queue.Offer] says at once why a task is not taken,
// every end is an event of [KindRestart] ([WithQueueObserver]), and
// [Queue.Shutdown] hands back what is still queued. With a [Store] tasks outlive
// the process too: a task is stored before Offer returns and removed once its
// function has returned nil. So no task is lost and none is run again that was
// removed; one that the end of the process interrupts is run again from its
// start.
//
// Make it with [NewQueue]. It is safe for concurrent use; its goroutines end with
// Shutdown.
type Queue struct {
	cfg       *Config
	store     Store
	observers observers
	capacity  int
	slots     chan struct{} // one for each task that runs

	closing chan struct{} // closed when Shutdown begins
	idle    chan struct{} // closed when nothing is under way any more

	mu     sync.Mutex
	kinds  map[string]func(context.Context, []byte) error
	tasks  map[string]*task
	active int  // offers and restarts that are under way
	closed bool // Shutdown has begun
}

var _ Restarter = (*Queue)(nil)

// The limits of a queue.
const (
	// DefaultQueueCapacity is how many tasks a queue holds unless
	// [WithQueueCapacity] says otherwise.
	DefaultQueueCapacity = 1000
	// DefaultQueueWorkers is how many tasks run at a time unless
	// [WithQueueWorkers] says otherwise: after an outage many are due at once.
	DefaultQueueWorkers = 16
)

// Why a task is not taken. The errors of [Queue.Offer] wrap these.
var (
	ErrQueueFull         = errors.New("the restart queue is full")
	ErrQueueClosed       = errors.New("the restart queue is shut down")
	ErrRestartsExhausted = errors.New("all restarts were in vain")
)

// QueueOption configures a [Queue].
type QueueOption interface{ applyQueue(*Queue) }

type queueOption func(*Queue)

func (o queueOption) applyQueue(q *Queue) { o(q) }

// WithStore sets what keeps tasks over a restart of the process. By default,
// and with nil, they are in memory alone.
func WithStore(s Store) QueueOption {
	return queueOption(func(q *Queue) { q.store = s })
}

// WithQueueCapacity sets how many tasks the queue holds, those that run
// included. The default is [DefaultQueueCapacity]; n < 1 keeps it. Tasks from
// the store are all taken.
func WithQueueCapacity(n int) QueueOption {
	return queueOption(func(q *Queue) {
		if n > 0 {
			q.capacity = n
		}
	})
}

// WithQueueWorkers sets how many tasks run at a time. The default is
// [DefaultQueueWorkers]; n < 1 keeps it.
func WithQueueWorkers(n int) QueueOption {
	return queueOption(func(q *Queue) {
		if n > 0 {
			q.slots = make(chan struct{}, n)
		}
	})
}

// WithQueueObserver adds an observer of events of [KindRestart]: what observes
// the executor ([LogEvents], [Statuses]) mostly belongs here too. By default
// there is none; several are told in the order given, nil is ignored.
func WithQueueObserver(o Observer) QueueOption {
	return queueOption(func(q *Queue) {
		if o != nil {
			q.observers = append(q.observers, o)
		}
	})
}

// NewQueue returns a queue with the figures of c, which may be nil for the
// defaults; Enabled does not matter. What the store has kept is queued again
// and begins when its kind is registered, if it is due. The error is the
// store's; a record that cannot be read is left in the store and told as an
// event of a failed restart.
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

// Register sets the function that runs tasks of a kind. Register kinds before
// calls are made that may be offered, and again in each process that opens the
// same store. The function must obey its context, which ends when a Shutdown
// gives up waiting; its payload is its own. Registering a kind again replaces
// the function for what has not begun yet; nil is ignored.
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

// Offer takes a failed call over. An error says at once why it does not: the
// queue is full or shut down, the kind is not registered, the failure is none
// that a restart helps, all restarts are used up, or the store has failed. With
// a store it takes as long as the store does to write.
//
// Where ctx is that of a restart and r names the same task, it is the restart
// that has failed. What is of the same kind and has another payload is a task of
// its own, but its restarts are counted on from those of the other one: a
// function that changes its payload each time comes to an end too.
func (q *Queue) Offer(ctx context.Context, r Restart) error {
	t, err := q.admit(ctx, r)
	if err != nil {
		q.tell(ctx, &task{restart: r}, Event{To: RestartRefused, Attempt: 1, Err: err, Result: r.Result})
		return fmt.Errorf("restart %q: %w", r.Task.Kind, err)
	}
	defer q.release()
	return q.enqueue(t, r.refused())
}

// admit finds the task that r belongs to, or reserves a place for a new one.
// Where there is no error, release has to follow.
func (q *Queue) admit(ctx context.Context, r Restart) (*task, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if r.Result.Category != "" && !restartable(r.Result) {
		return nil, fmt.Errorf("%s is no network failure that passes", r.Result.Reason)
	}
	parent, ok := ctx.Value(taskKey{}).(*task)
	ok = ok && parent.queue == q
	if ok && parent.state == taskRunning && parent.is(r.Task) {
		if r.refused() == nil {
			parent.failed(r)
		}
		q.active++
		return parent, nil
	}
	most := *q.cfg.settings(r.Agent, "").restart.MaxRestarts
	begun := 0
	if ok && parent.restart.Task.Kind == r.Task.Kind {
		begun = parent.restarts // see Offer
	}
	switch {
	case q.tasks == nil:
		return nil, errors.New("the queue was not made by NewQueue")
	case q.closed:
		return nil, ErrQueueClosed
	case q.kinds[r.Task.Kind] == nil:
		return nil, fmt.Errorf("kind %q is not registered: call Queue.Register before", r.Task.Kind)
	case most == 0:
		return nil, fmt.Errorf("%w: taskRestart.maxRestarts is 0", ErrRestartsExhausted)
	case begun >= most:
		return nil, fmt.Errorf("%w: restart %d of a task of this kind offers it with another payload", ErrRestartsExhausted, begun)
	case len(q.tasks) >= q.capacity:
		return nil, fmt.Errorf("%w: it holds %d tasks", ErrQueueFull, len(q.tasks))
	}
	r.Task.Payload = bytes.Clone(r.Task.Payload)
	r.Targets, r.History = slices.Clone(r.Targets), slices.Clone(r.History)
	t := &task{queue: q, id: rand.Text(), restart: r, restarts: begun, ctx: context.WithoutCancel(ctx)}
	q.tasks[t.id] = t
	q.active++
	return t, nil
}

// restartable: a network failure of the kind that passes, NetworkTransient as
// [classify.ViewResilience] calls it. The caller's own deadline is none.
func restartable(r classify.Result) bool {
	return r.Category == classify.CategoryRetryable &&
		r.Reason.Name(classify.ViewResilience) == classify.ReasonNetwork.Name(classify.ViewResilience)
}

// release ends what admit or begin has begun.
func (q *Queue) release() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.active--
	q.checkIdle()
}

// checkIdle wakes Shutdown when nothing is under way. The caller holds mu.
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

// QueuedTask is a task as [Queue.Tasks] and [Queue.Shutdown] show it.
type QueuedTask struct {
	ID       string
	Restart  Restart   // as it was offered; its History has grown since
	Restarts int       // that have begun, but for those that an open breaker refused
	Due      time.Time // of the next one
	Running  bool
	Stored   bool // the next process that opens the store runs it
}

// Tasks returns all tasks of the queue, the one that is due next first.
func (q *Queue) Tasks() []QueuedTask {
	q.mu.Lock()
	defer q.mu.Unlock()
	all := make([]QueuedTask, 0, len(q.tasks))
	for _, t := range q.tasks {
		all = append(all, t.show())
	}
	slices.SortFunc(all, func(a, b QueuedTask) int { return a.Due.Compare(b.Due) })
	return all
}

// Shutdown takes no more tasks, begins no more restarts and waits for those
// that run, until ctx ends; then their contexts are cancelled with the cause
// [ErrQueueClosed]. It hands back every task that is not done: what waits, and
// what ctx did not leave time for, which the error tells. Those that are Stored
// are run by the next process that opens the store, which is the caller's to
// close, after Shutdown. Shutting down again waits in the same way and hands
// back what is left.
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
		err = q.abandon(ctx)
	}
	left := q.Tasks()
	if first {
		for _, t := range left {
			q.observers.notify(ctx, Event{
				Kind: KindRestart, Key: t.key(), Agent: t.Restart.Agent, Target: Call{Targets: t.Restart.Targets}.primary(),
				To: RestartReturned, Attempt: t.next(), Result: t.Restart.Result, Err: t.Restart.Err,
			})
		}
	}
	return left, err
}

// abandon cancels what still runs and says how much is under way.
func (q *Queue) abandon(ctx context.Context) error {
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
