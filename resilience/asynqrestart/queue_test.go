package asynqrestart_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/redistest"
	"github.com/errclass/errclass/resilience"
	"github.com/errclass/errclass/resilience/asynqrestart"
)

// asCrasher is an environment variable that makes the test binary a worker. The task
// of this worker kills the process. The value is the address of the Redis server.
const asCrasher = "ASYNQRESTART_AS_CRASHER"

func TestMain(m *testing.M) {
	if addr := os.Getenv(asCrasher); addr != "" {
		crash(addr)
		return
	}
	goleak.VerifyTestMain(m)
}

// crash runs a queue. The function of the queue kills the process.
func crash(addr string) {
	q := asynqrestart.NewQueue(redis.NewClient(&redis.Options{Addr: addr}), config(), asynqrestart.WithCheckInterval(20*time.Millisecond))
	q.Register("crash", func(context.Context, []byte) error {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	})
	if err := q.Start(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// onServers runs a test with miniredis. If redis-server is installed, onServers runs
// the test with redis-server too.
func onServers(t *testing.T, test func(t *testing.T, addr string)) {
	t.Helper()
	t.Parallel()
	t.Run("miniredis", func(t *testing.T) {
		t.Parallel()
		test(t, miniredis.RunT(t).Addr())
	})
	t.Run("redis-server", func(t *testing.T) {
		t.Parallel()
		if s := realServer(t); s != nil {
			test(t, s.Addr)
		}
	})
}

// realServer starts a redis-server. It returns nil where none is installed.
func realServer(t *testing.T) *redistest.Server {
	t.Helper()
	s, err := redistest.Start(t.Context(), t.TempDir())
	if errors.Is(err, redistest.ErrNotInstalled) {
		assert.False(t, redistest.IsRequired(), "%v: apt-get install redis-server", err)
		return nil
	}
	require.NoError(t, err)
	t.Cleanup(s.Kill)
	return s
}

// config has short pauses.
func config() *resilience.Config {
	return &resilience.Config{Enabled: true, TaskRestart: resilience.RestartConfig{RestartBackoffBaseMs: 1}}
}

func newClient(t *testing.T, addr string) *redis.Client {
	t.Helper()
	c := redis.NewClient(&redis.Options{Addr: addr})
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// machine stands for one machine of a fleet: a queue and the events that the queue
// has emitted.
type machine struct {
	*asynqrestart.Queue
	mu   sync.Mutex
	seen []resilience.Event
}

func newMachine(t *testing.T, addr string, opts ...asynqrestart.Option) *machine {
	t.Helper()
	m := new(machine)
	opts = append([]asynqrestart.Option{asynqrestart.WithObserver(m.observe), asynqrestart.WithCheckInterval(20 * time.Millisecond), nil}, opts...)
	m.Queue = asynqrestart.NewQueue(newClient(t, addr), config(), opts...)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		assert.NoError(t, m.Shutdown(ctx))
	})
	return m
}

func (m *machine) observe(_ context.Context, e resilience.Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seen = append(m.seen, e)
}

// steps returns the states and numbers of the events, such as "started 1".
func (m *machine) steps() (all []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range m.seen {
		all = append(all, fmt.Sprint(e.To, " ", e.Attempt))
	}
	return all
}

func (m *machine) last() resilience.Event {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.seen[len(m.seen)-1]
}

// until waits for an event.
func (m *machine) until(t *testing.T, step string) {
	t.Helper()
	require.Eventually(t, func() bool { return slices.Contains(m.steps(), step) }, 20*time.Second, 5*time.Millisecond, "no %s", step)
}

var errDown = fmt.Errorf("post: %w", syscall.ECONNRESET)

func restart(kind, key, payload string) resilience.Restart {
	return resilience.Restart{
		Key: key, Task: resilience.Task{Kind: kind, Payload: []byte(payload)}, Err: errDown, Result: classify.Error(errDown),
		Targets: []resilience.Target{{Endpoint: "https://user:hunter2@api.example.com/v1?key=hunter2"}},
		History: []resilience.Attempt{{Err: errDown}},
	}
}

func noTasks(t *testing.T, m *machine) {
	t.Helper()
	require.Eventually(t, func() bool {
		all, err := m.Tasks(t.Context())
		return err == nil && len(all) == 0
	}, 10*time.Second, 10*time.Millisecond, "tasks are left")
}

func TestRunsTask(t *testing.T) {
	onServers(t, func(t *testing.T, addr string) {
		offers, runs := newMachine(t, addr), newMachine(t, addr)
		got := make(chan string, 1)
		runs.Register("summarize", func(ctx context.Context, payload []byte) error {
			got <- fmt.Sprint(string(payload), " ", resilience.RestartNumber(ctx))
			return nil
		})
		require.NoError(t, offers.Offer(t.Context(), restart("summarize", "k", "text")))
		all, err := offers.Tasks(t.Context())
		require.NoError(t, err)
		require.Len(t, all, 1)
		assert.Equal(t, "https://api.example.com/v1", all[0].Restart.Targets[0].Endpoint)
		assert.Equal(t, "k", all[0].Restart.Key)

		require.NoError(t, runs.Start())
		assert.Equal(t, "text 1", <-got)
		runs.until(t, "succeeded 1")
		noTasks(t, runs)
		assert.Equal(t, []string{"queued 1"}, offers.steps())
		assert.Equal(t, []string{"started 1", "succeeded 1"}, runs.steps())
		assert.Equal(t, "k", runs.last().Key)

		// The first task is done, so this is a new task.
		require.NoError(t, offers.Offer(t.Context(), restart("summarize", "k", "other")))
		assert.Equal(t, "other 1", <-got)
	})
}

// Equal calls become one task, even if they come from different machines.
func TestEqualOffersAreOne(t *testing.T) {
	onServers(t, func(t *testing.T, addr string) {
		a, b := newMachine(t, addr), newMachine(t, addr)
		require.NoError(t, a.Offer(t.Context(), restart("x", "k", "text")))
		require.NoError(t, b.Offer(t.Context(), restart("x", "k", "text")))
		require.ErrorIs(t, b.Offer(t.Context(), restart("x", "k", "another text")), resilience.ErrDuplicateTask)
		require.NoError(t, b.Offer(t.Context(), restart("x", "", "text")), "without a key")
		require.NoError(t, b.Offer(t.Context(), restart("y", "k", "text")), "another kind")
		assert.Equal(t, []string{"merged 1", "refused 1", "queued 1", "queued 1"}, b.steps())
		all, err := a.Tasks(t.Context())
		require.NoError(t, err)
		assert.Len(t, all, 3)
	})
}

func TestOffer_Refused(t *testing.T) {
	onServers(t, func(t *testing.T, addr string) {
		m := newMachine(t, addr)
		key := restart("x", "k", "text")
		key.Err, key.Result = errors.New("401 unauthorized"), classify.Message("401 unauthorized")
		require.ErrorContains(t, m.Offer(t.Context(), key), "not a transient network failure")
		require.Error(t, m.Offer(t.Context(), restart("", "k", "text")))
		require.ErrorContains(t, m.Start(), "no kind is registered")
		require.NoError(t, m.Shutdown(t.Context()))
		require.ErrorIs(t, m.Offer(t.Context(), restart("x", "k", "text")), resilience.ErrQueueClosed)
		require.ErrorIs(t, m.Start(), resilience.ErrQueueClosed)
	})
}

// A network error is retried twice. Any other error ends the task at once.
func TestFailures(t *testing.T) {
	onServers(t, func(t *testing.T, addr string) {
		m := newMachine(t, addr)
		m.Register("network", func(context.Context, []byte) error { return errDown })
		m.Register("key", func(context.Context, []byte) error { return errors.New("401 unauthorized") })
		m.Register("panic", func(context.Context, []byte) error { panic("x") })
		require.NoError(t, m.Start())
		require.NoError(t, m.Offer(t.Context(), restart("network", "k", "text")))
		m.until(t, "failed 3")
		assert.Equal(t, []string{"queued 1", "started 1", "queued 2", "started 2", "queued 3", "started 3", "failed 3"}, m.steps())
		require.ErrorIs(t, m.last().Err, resilience.ErrRestartsExhausted)
		require.ErrorIs(t, m.last().Err, syscall.ECONNRESET)
		for _, kind := range []string{"key", "panic"} {
			m.mu.Lock()
			m.seen = nil
			m.mu.Unlock()
			require.NoError(t, m.Offer(t.Context(), restart(kind, "k", "text")))
			m.until(t, "failed 1")
		}
		noTasks(t, m)
	})
}

// If an open circuit breaker refuses the call that a restart makes, the restart does
// not count. If the call is made and fails, the restart counts.
func TestRestartCallsDo(t *testing.T) {
	onServers(t, func(t *testing.T, addr string) {
		m := newMachine(t, addr)
		cfg := config()
		cfg.Retry.MaxNetworkRetries = new(0)
		x, err := resilience.New(cfg, resilience.WithRestarter(m))
		require.NoError(t, err)
		target := resilience.Target{Endpoint: "https://api.example.com"}
		call := resilience.Call{Key: "k", Targets: []resilience.Target{target}, Restart: resilience.Task{Kind: "ask"}}
		do := func(ctx context.Context) error {
			_, err := resilience.Do(ctx, x, call, func(ctx context.Context, _ resilience.Target) (int, error) {
				if resilience.RestartNumber(ctx) < 2 {
					return 0, errDown
				}
				return 1, nil
			})
			return err
		}
		refuse := true
		m.Register("ask", func(ctx context.Context, _ []byte) error {
			if refuse {
				refuse = false
				return &resilience.OpenError{Endpoint: "e", RetryAfter: time.Millisecond}
			}
			return do(ctx)
		})
		require.NoError(t, m.Start())
		failed, ok := errors.AsType[*resilience.Error](do(t.Context()))
		require.True(t, ok)
		assert.True(t, failed.Queued)
		m.until(t, "succeeded 2")
		assert.Equal(t, []string{"queued 1", "started 1", "postponed 1", "started 1", "queued 2", "started 2", "succeeded 2"}, m.steps())
		noTasks(t, m)
	})
}

// Work that lives on after the function has returned nil offers the task. Each offer
// makes a new task. The restarts end nevertheless.
func TestOfferAfterRestart(t *testing.T) {
	onServers(t, func(t *testing.T, addr string) {
		m, contexts := newMachine(t, addr), make(chan context.Context, 1)
		m.Register("x", func(ctx context.Context, _ []byte) error { contexts <- context.WithoutCancel(ctx); return nil })
		require.NoError(t, m.Start())
		require.NoError(t, m.Offer(t.Context(), restart("x", "k", "text")))
		var err error
		for n := range 3 {
			require.NoError(t, err)
			require.Eventually(t, func() bool { return strings.Count(fmt.Sprint(m.steps()), "succeeded 1") > n }, 10*time.Second, time.Millisecond)
			ctx := <-contexts
			require.Eventually(t, func() bool {
				err = m.Offer(ctx, restart("x", "k", "text"))
				return err == nil || !strings.Contains(err.Error(), "is ending") // asynq has not removed the task yet
			}, 10*time.Second, time.Millisecond)
		}
		require.ErrorIs(t, err, resilience.ErrRestartsExhausted)
	})
}

// After three crashes a task is parked until Resume or Discard.
func TestKilledThreeTimesIsParked(t *testing.T) {
	onServers(t, func(t *testing.T, addr string) {
		m := newMachine(t, addr)
		require.NoError(t, m.Offer(t.Context(), restart("crash", "k", "text")))
		for range 3 {
			crashOnce(t, addr)
		}
		q := newMachine(t, addr)
		q.Register("crash", func(context.Context, []byte) error { return nil })
		require.NoError(t, q.Start())
		q.until(t, "parked 3")
		require.ErrorIs(t, q.last().Err, resilience.ErrParked)
		var parked resilience.QueuedTask
		require.Eventually(t, func() bool {
			all, err := q.Tasks(t.Context())
			if err != nil || len(all) != 1 {
				return false
			}
			parked = all[0]
			return parked.Parked
		}, 5*time.Second, 10*time.Millisecond)
		assert.Equal(t, 3, parked.Restarts)
		require.ErrorIs(t, m.Offer(t.Context(), restart("crash", "k", "text")), resilience.ErrParked)
		require.ErrorContains(t, q.Resume(t.Context(), "crash", "x"), "no task")
		require.ErrorContains(t, q.Discard(t.Context(), "nothing", "x"), "no task")

		require.NoError(t, q.Resume(t.Context(), "crash", parked.ID))
		q.until(t, "succeeded 4")
		noTasks(t, q)
	})
}

func TestDiscard(t *testing.T) {
	onServers(t, func(t *testing.T, addr string) {
		m := newMachine(t, addr)
		require.NoError(t, m.Offer(t.Context(), restart("crash", "k", "text")))
		all, err := m.Tasks(t.Context())
		require.NoError(t, err)
		require.ErrorContains(t, m.Discard(t.Context(), "crash", all[0].ID), "not parked")
		for range 3 {
			crashOnce(t, addr)
		}
		q := newMachine(t, addr)
		q.Register("crash", func(context.Context, []byte) error { return nil })
		require.NoError(t, q.Start())
		q.until(t, "parked 3")
		require.Eventually(t, func() bool { return q.Discard(t.Context(), "crash", all[0].ID) == nil }, 5*time.Second, 10*time.Millisecond)
		assert.Equal(t, "failed", q.last().To)
		noTasks(t, q)
	})
}

// crashOnce runs a process until its task kills it. Then crashOnce makes the lease of
// the task expire.
func crashOnce(t *testing.T, addr string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), asCrasher+"="+addr)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	defer in.Close()
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	require.NoError(t, cmd.Start())
	require.ErrorContains(t, cmd.Wait(), "killed", out.String())
	expireLeases(t, addr)
}

// expireLeases makes the lease of the only running task of the kind "crash" expire.
func expireLeases(t *testing.T, addr string) {
	t.Helper()
	client := newClient(t, addr)
	leases := client.ZRange(t.Context(), "asynq:{errclass:restart:crash}:lease", 0, -1).Val()
	require.Len(t, leases, 1)
	client.ZAdd(t.Context(), "asynq:{errclass:restart:crash}:lease", redis.Z{Score: float64(time.Now().Add(-2 * time.Minute).Unix()), Member: leases[0]})
}

// If a machine dies during a restart of a task, another machine runs the next restart of
// this task.
func TestDeadMachine(t *testing.T) {
	onServers(t, func(t *testing.T, addr string) {
		m := newMachine(t, addr)
		require.NoError(t, m.Offer(t.Context(), restart("crash", "k", "text")))
		crashOnce(t, addr)
		m.Register("crash", func(context.Context, []byte) error { return nil })
		require.NoError(t, m.Start())
		m.until(t, "succeeded 2")
		assert.Equal(t, []string{"queued 1", "interrupted 1", "started 2", "succeeded 2"}, m.steps())
	})
}

// A restart that Shutdown cancels does not count as a crash. Another machine runs
// the task.
func TestShutdownCancels(t *testing.T) {
	onServers(t, func(t *testing.T, addr string) {
		a, b := newMachine(t, addr), newMachine(t, addr)
		a.Register("slow", func(ctx context.Context, _ []byte) error { <-ctx.Done(); return context.Cause(ctx) })
		b.Register("slow", func(context.Context, []byte) error { return nil })
		require.NoError(t, a.Start())
		require.NoError(t, a.Offer(t.Context(), restart("slow", "k", "text")))
		a.until(t, "started 1")
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		require.ErrorContains(t, a.Shutdown(ctx), "1 tasks still run")
		a.until(t, "interrupted 1")
		require.ErrorIs(t, a.last().Err, resilience.ErrQueueClosed)
		require.NoError(t, b.Start())
		b.until(t, "succeeded 2")
		assert.Equal(t, []string{"started 2", "succeeded 2"}, b.steps(), "not counted as a crash")
	})
}

// Redis hangs during Shutdown. The contexts of the functions end with the context of
// Shutdown. The number of tasks does not delay the end of Shutdown.
func TestShutdownWhileRedisHangs(t *testing.T) {
	t.Parallel()
	server := realServer(t)
	if server == nil {
		return
	}
	const tasks = 8
	client := redis.NewClient(&redis.Options{Addr: server.Addr, ReadTimeout: 500 * time.Millisecond, MaxRetries: -1})
	defer client.Close()
	q, ended, started := asynqrestart.NewQueue(client, config(), asynqrestart.WithCheckInterval(20*time.Millisecond)), make(chan time.Time, tasks), make(chan bool)
	q.Register("slow", func(ctx context.Context, _ []byte) error {
		started <- true
		<-ctx.Done()
		ended <- time.Now()
		return ctx.Err()
	})
	require.NoError(t, q.Start())
	for i := range tasks {
		require.NoError(t, q.Offer(t.Context(), restart("slow", "", fmt.Sprint(i))))
	}
	for range tasks {
		<-started
	}
	require.NoError(t, server.Signal(syscall.SIGSTOP))
	defer func() { assert.NoError(t, server.Signal(syscall.SIGCONT)) }()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	begin := time.Now()
	require.ErrorContains(t, q.Shutdown(ctx), "8 tasks still run")
	assert.Less(t, time.Since(begin), 8*time.Second)
	for range tasks {
		assert.Less(t, (<-ended).Sub(begin), 2*time.Second)
	}
}

// If no machine has registered the kind of a due task, one machine emits one event.
func TestUnhandledKind(t *testing.T) {
	onServers(t, func(t *testing.T, addr string) {
		a, b := newMachine(t, addr), newMachine(t, addr)
		for _, m := range []*machine{a, b} {
			m.Register("known", func(context.Context, []byte) error { return nil })
			require.NoError(t, m.Start())
		}
		require.NoError(t, a.Offer(t.Context(), restart("unknown", "k", "text")))
		unhandled := func() (n int) {
			for _, step := range append(a.steps(), b.steps()...) {
				if step == "unhandled 1" {
					n++
				}
			}
			return n
		}
		require.Eventually(t, func() bool { return unhandled() > 0 }, 10*time.Second, 5*time.Millisecond)
		time.Sleep(500 * time.Millisecond) // some more checks
		assert.Equal(t, 1, unhandled())

		c := newMachine(t, addr)
		c.Register("unknown", func(context.Context, []byte) error { return nil })
		require.NoError(t, c.Start())
		c.until(t, "succeeded 1")
	})
}

// The counts of a task that has ended stay in Redis for days, not for months.
func TestCountsOfEndedTask(t *testing.T) {
	onServers(t, func(t *testing.T, addr string) {
		m, client := newMachine(t, addr), newClient(t, addr)
		life := func() time.Duration {
			keys := client.Keys(t.Context(), "errclass:restart:state:*").Val()
			require.Len(t, keys, 1)
			return client.TTL(t.Context(), keys[0]).Val()
		}
		m.Register("x", func(ctx context.Context, _ []byte) error {
			if resilience.RestartNumber(ctx) > 1 {
				assert.Greater(t, life(), 99*24*time.Hour, "the task has not ended")
				return nil
			}
			return errDown
		})
		require.NoError(t, m.Start())
		require.NoError(t, m.Offer(t.Context(), restart("x", "k", "text")))
		m.until(t, "succeeded 2")
		assert.InDelta(t, 3*24, life().Hours(), 1)
	})
}

// The check for unhandled tasks reads small parts of the payloads at a time. It reports
// each overdue task nevertheless.
func TestUnhandledKind_LargePayloads(t *testing.T) {
	onServers(t, func(t *testing.T, addr string) {
		const tasks, size = 20, 60_000
		later := asynqrestart.NewQueue(newClient(t, addr), &resilience.Config{TaskRestart: resilience.RestartConfig{RestartBackoffBaseMs: 3600000}})
		m := newMachine(t, addr)
		for i := range tasks {
			require.NoError(t, later.Offer(t.Context(), restart("later", "", strings.Repeat("x", size))))
			require.NoError(t, m.Offer(t.Context(), restart("unknown", "", fmt.Sprint(i, strings.Repeat("x", size)))))
		}
		replies, client := new(replies), newClient(t, addr)
		client.AddHook(replies)
		check := &machine{}
		check.Queue = asynqrestart.NewQueue(client, config(), asynqrestart.WithObserver(check.observe), asynqrestart.WithCheckInterval(20*time.Millisecond))
		check.Register("known", func(context.Context, []byte) error { return nil })
		require.NoError(t, check.Start())
		t.Cleanup(func() { assert.NoError(t, check.Shutdown(context.Background())) })
		require.Eventually(t, func() bool { return len(check.steps()) == tasks }, 30*time.Second, 5*time.Millisecond)
		replies.mu.Lock()
		defer replies.mu.Unlock()
		assert.Less(t, replies.largest, 15*size)
	})
}

// replies is a hook of a client. It measures the replies of scripts.
type replies struct {
	mu      sync.Mutex
	largest int
}

func (*replies) DialHook(next redis.DialHook) redis.DialHook                               { return next }
func (*replies) ProcessPipelineHook(h redis.ProcessPipelineHook) redis.ProcessPipelineHook { return h }
func (r *replies) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := next(ctx, cmd)
		if script, ok := cmd.(*redis.Cmd); ok {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.largest = max(r.largest, len(fmt.Sprint(script.Val())))
		}
		return err
	}
}

// Three machines run many tasks. Each task runs once.
func TestEachTaskRunsOnce(t *testing.T) {
	onServers(t, func(t *testing.T, addr string) {
		var mu sync.Mutex
		ran := map[string]int{}
		var all []*machine
		for range 3 {
			m := newMachine(t, addr, asynqrestart.WithWorkers(4))
			m.Register("x", func(_ context.Context, payload []byte) error {
				mu.Lock()
				defer mu.Unlock()
				ran[string(payload)]++
				return nil
			})
			require.NoError(t, m.Start())
			all = append(all, m)
		}
		for i := range 100 {
			require.NoError(t, all[i%3].Offer(t.Context(), restart("x", fmt.Sprint(i), fmt.Sprint(i))))
		}
		require.Eventually(t, func() bool { mu.Lock(); defer mu.Unlock(); return len(ran) == 100 }, 20*time.Second, 10*time.Millisecond)
		noTasks(t, all[0])
		for payload, n := range ran {
			assert.Equal(t, 1, n, payload)
		}
	})
}

// A stored record has no secrets, except in the task's payload.
func TestRecordHasNoSecret(t *testing.T) {
	onServers(t, func(t *testing.T, addr string) {
		m, client := newMachine(t, addr), newClient(t, addr)
		r := restart("x", "k", "text")
		r.Err = errors.New("post https://api.example.com/?api_key=hunter2hunter2: connection reset by peer")
		require.NoError(t, m.Offer(t.Context(), r))
		for _, key := range client.Keys(t.Context(), "asynq:*:t:*").Val() {
			assert.NotContains(t, client.HGet(t.Context(), key, "msg").Val(), "hunter2")
		}
	})
}

// A call that exceeds the attempt timeout is restarted. A call that an open breaker
// refused is restarted too.
func TestAttemptTimeouts(t *testing.T) {
	onServers(t, func(t *testing.T, addr string) {
		hung := &resilience.AttemptTimeoutError{Limit: time.Second}
		m := newMachine(t, addr)
		m.Register("hangs", func(ctx context.Context, _ []byte) error {
			if resilience.RestartNumber(ctx) < 2 {
				return hung
			}
			return nil
		})
		r := restart("hangs", "k", "text")
		r.Err, r.Result, r.History = hung, classify.Error(hung), []resilience.Attempt{{Err: hung}}
		require.NoError(t, m.Offer(t.Context(), r))
		r.Key, r.Err, r.History = "refused", &resilience.OpenError{Endpoint: "e", Cause: r.Result}, nil
		require.NoError(t, m.Offer(t.Context(), r))
		deadline := restart("hangs", "deadline", "text")
		deadline.Err, deadline.Result = context.DeadlineExceeded, classify.Error(context.DeadlineExceeded)
		require.ErrorContains(t, m.Offer(t.Context(), deadline), "not a transient network failure", "the caller's own deadline")
		require.NoError(t, m.Start())
		m.until(t, "succeeded 2")
		noTasks(t, m)
		assert.NotContains(t, m.steps(), "failed 1")
	})
}

// If an open circuit breaker refuses calls for an hour, the first restart is due after
// an hour.
func TestOffer_WaitsForGate(t *testing.T) {
	onServers(t, func(t *testing.T, addr string) {
		m := newMachine(t, addr)
		r := restart("x", "k", "text")
		r.Err, r.History = &resilience.OpenError{Endpoint: "e", RetryAfter: time.Hour, Cause: r.Result}, nil
		require.NoError(t, m.Offer(t.Context(), r))
		all, err := m.Tasks(t.Context())
		require.NoError(t, err)
		require.Len(t, all, 1)
		assert.InDelta(t, time.Hour, time.Until(all[0].Due), float64(time.Minute))
		assert.Equal(t, time.Hour, m.last().Nominal)
	})
}
