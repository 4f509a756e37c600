package asynqrestart

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"github.com/errclass/errclass/resilience"
)

// Queue restarts calls that failed with network errors. Any machine of a fleet can
// run a restart. Kinds, functions and events work as in a [resilience.Queue]. Make a
// Queue with [NewQueue]. A Queue is safe for concurrent use.
type Queue struct {
	client    redis.UniversalClient
	tasks     *asynq.Client
	inspector *asynq.Inspector
	cfg       resilience.Config
	process   string // identifies this process
	observers []resilience.Observer
	workers   int
	check     time.Duration // interval of asynq's checks for tasks that are due
	logger    asynq.Logger

	base   context.Context // parent of the contexts of running functions
	cancel context.CancelCauseFunc
	loops  sync.WaitGroup

	mu      sync.Mutex
	kinds   map[string]func(context.Context, []byte) error
	server  *asynq.Server // nil before Start
	closed  bool
	stop    chan struct{}
	running map[string]*run // owner -> run
}

var _ resilience.Restarter = (*Queue)(nil)

// Option configures a [Queue].
type Option interface{ apply(*Queue) }

type option func(*Queue)

func (o option) apply(q *Queue) { o(q) }

// WithWorkers sets the number of tasks that run at a time in this process. The
// default is [resilience.DefaultQueueWorkers]. If n < 1, the default stays.
func WithWorkers(n int) Option {
	return option(func(q *Queue) {
		if n > 0 {
			q.workers = n
		}
	})
}

// WithObserver adds an observer of [resilience.KindRestart] events. By default there
// is none. nil is ignored. The process that stores a task emits events. The
// processes that run the task emit events too.
func WithObserver(o resilience.Observer) Option {
	return option(func(q *Queue) {
		if o != nil {
			q.observers = append(q.observers, o)
		}
	})
}

// WithCheckInterval sets how often asynq looks for tasks that are due. The default
// is 5 s. If d <= 0, the default stays. Every sixth time, the queue also looks for
// due tasks of unregistered kinds.
func WithCheckInterval(d time.Duration) Option {
	return option(func(q *Queue) {
		if d > 0 {
			q.check = d
		}
	})
}

// WithLogger sets the logger of asynq. By default, and with nil, asynq logs
// nothing.
func WithLogger(l asynq.Logger) Option {
	return option(func(q *Queue) {
		if l != nil {
			q.logger = l
		}
	})
}

// silent is a logger that logs nothing.
type silent struct{}

func (silent) Debug(...any) {}
func (silent) Info(...any)  {}
func (silent) Warn(...any)  {}
func (silent) Error(...any) {}
func (silent) Fatal(...any) {}

// NewQueue returns a queue with the settings of c. A nil c means the defaults. The
// field Enabled is ignored. The caller closes the client after [Queue.Shutdown].
func NewQueue(client redis.UniversalClient, c *resilience.Config, opts ...Option) *Queue {
	q := &Queue{
		client: client, tasks: asynq.NewClientFromRedisClient(client), inspector: asynq.NewInspectorFromRedisClient(client),
		process: rand.Text() + "/", workers: resilience.DefaultQueueWorkers, check: 5 * time.Second, logger: silent{},
		kinds: map[string]func(context.Context, []byte) error{}, stop: make(chan struct{}), running: map[string]*run{},
	}
	if c != nil {
		q.cfg = *c
		q.cfg.Agents = maps.Clone(c.Agents)
	}
	q.base, q.cancel = context.WithCancelCause(context.Background())
	for _, o := range opts {
		if o != nil {
			o.apply(q)
		}
	}
	return q
}

// queuePrefix is the beginning of each asynq queue's name. The kind follows.
const queuePrefix = "errclass:restart:"

// Register sets the function that runs tasks of a kind. nil is ignored. The function
// must return when its context ends. Register all kinds before [Queue.Start]. If a
// kind is registered later, this process does not run its tasks.
func (q *Queue) Register(kind string, f func(ctx context.Context, payload []byte) error) {
	if f == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.kinds[kind] = f
}

// Start begins to run the tasks of the registered kinds. A process that only calls
// Offer need not call Start. Start returns an error in these cases:
//
//   - The Redis server cannot be reached.
//   - No kind is registered.
//   - The queue has been started or shut down before.
func (q *Queue) Start() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.closed:
		return resilience.ErrQueueClosed
	case q.server != nil:
		return errors.New("asynqrestart: the queue has been started before")
	case len(q.kinds) == 0:
		return errors.New("asynqrestart: no kind is registered: call Queue.Register first")
	}
	queues := map[string]int{}
	for kind := range q.kinds {
		queues[queuePrefix+kind] = 1
	}
	server := asynq.NewServerFromRedisClient(q.client, asynq.Config{
		Concurrency: q.workers, Queues: queues, Logger: q.logger, LogLevel: asynq.InfoLevel,
		BaseContext:              func() context.Context { return q.base },
		TaskCheckInterval:        min(q.check, time.Second),
		DelayedTaskCheckInterval: q.check,
		ShutdownTimeout:          time.Second, // Shutdown has waited before
		RetryDelayFunc:           q.retryDelay,
	})
	if err := server.Start(asynq.HandlerFunc(q.handle)); err != nil {
		return fmt.Errorf("asynqrestart: start asynq: %w", err)
	}
	q.server = server
	q.loops.Go(func() { q.watch(queues) })
	return nil
}

// Shutdown stops the queue. The queue then accepts no task and begins no restart.
//
// Shutdown waits for running restarts until ctx ends. Then it cancels their contexts
// and returns an error. The cause of the contexts is [resilience.ErrQueueClosed]. A
// canceled restart counts neither as a failure nor as a crash. Another machine soon
// runs the task again.
//
// If Redis does not answer, Shutdown cancels the contexts 0.2 s later. It returns when
// the commands of asynq have met the timeouts of the client. A canceled restart can
// count as a crash then.
func (q *Queue) Shutdown(ctx context.Context) error {
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		return nil
	}
	q.closed = true
	close(q.stop)
	server := q.server
	q.mu.Unlock()
	if server == nil {
		q.cancel(resilience.ErrQueueClosed)
		return nil
	}
	stopped := inBackground(func() { server.Stop(); q.loops.Wait() })
	left := q.drain(ctx, stopped)
	q.release(left)
	q.cancel(resilience.ErrQueueClosed)
	server.Shutdown() // asynq would panic if it still ran when the caller closes the client
	<-stopped
	if len(left) > 0 {
		return fmt.Errorf("shut down the restart queue: %d tasks still run: %w", len(left), ctx.Err())
	}
	return nil
}

// releaseTimeout limits how long Redis can delay the end of the contexts in Shutdown.
const releaseTimeout = 200 * time.Millisecond

// inBackground runs f, which waits for Redis, in a goroutine. The channel is closed
// when f has returned.
func inBackground(f func()) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	return done
}

// drain waits until stopped is closed and no task runs, or ctx ends. It returns the
// running tasks.
func (q *Queue) drain(ctx context.Context, stopped <-chan struct{}) []*run {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		q.mu.Lock()
		left := slices.Collect(maps.Values(q.running))
		q.mu.Unlock()
		if len(left) == 0 && stopped == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return left
		case <-stopped:
			stopped = nil // the next look at the running tasks is the first that counts
		case <-tick.C:
		}
	}
}

// release removes the owners of the running tasks, all at the same time. It must be
// called before the contexts are canceled: asynq then puts the tasks back into its
// queues, even if their functions still run.
func (q *Queue) release(left []*run) {
	var all sync.WaitGroup
	for _, r := range left {
		all.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
			defer cancel()
			_ = releaseScript.Run(ctx, q.client, []string{stateKey(r.record.Offer)}, r.owner).Err() // if this fails, the end counts as a crash
		})
	}
	select {
	case <-inBackground(all.Wait):
	case <-time.After(releaseTimeout):
	}
}

// settings returns the restart settings of an agent.
func (q *Queue) settings(agent string) (maxRestarts int, base time.Duration) {
	a, c, d := q.cfg.Agents[agent].TaskRestart, q.cfg.TaskRestart, resilience.DefaultConfig().TaskRestart
	ms := cmp.Or(max(a.RestartBackoffBaseMs, 0), max(c.RestartBackoffBaseMs, 0), d.RestartBackoffBaseMs)
	return *cmp.Or(a.MaxRestarts, c.MaxRestarts, d.MaxRestarts), time.Duration(ms) * time.Millisecond
}

// These are the longest pauses before a restart, as in [resilience.Queue].
const (
	longestDelay        = 24 * time.Hour
	longestPostponement = time.Hour
)

// delay returns the pause before the next restart. The pause doubles with each
// failed or crashed restart.
func (q *Queue) delay(agent string, c counts) time.Duration {
	_, base := q.settings(agent)
	return resilience.Schedule{Base: base, Max: max(base, longestDelay)}.Nominal(c.failures + c.crashes)
}

// maxRetry prevents asynq from giving up a task. The Queue itself decides when a
// task has failed.
const maxRetry = math.MaxInt32

// never is the deadline of every task, because asynq requires a deadline.
var never = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// emit sends an event of a task to the observers.
func (q *Queue) emit(ctx context.Context, id string, r record, e resilience.Event) {
	e.Kind, e.Time = resilience.KindRestart, time.Now()
	e.Key, e.Agent = cmp.Or(r.Key, id), r.Agent
	if len(r.Targets) > 0 {
		e.Target = r.Targets[0]
	}
	for _, o := range q.observers {
		notify(ctx, o, e)
	}
}

// notify calls an observer and recovers its panic.
func notify(ctx context.Context, o resilience.Observer, e resilience.Event) {
	defer func() { _ = recover() }()
	o(ctx, e)
}

// kindOf returns the kind of the tasks in an asynq queue. If the queue belongs to
// another program, ok is false.
func kindOf(queue string) (kind string, ok bool) { return strings.CutPrefix(queue, queuePrefix) }
