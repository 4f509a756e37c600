package redisgate_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/errclass/errclass/internal/redistest"
	"github.com/errclass/errclass/resilience"
	"github.com/errclass/errclass/resilience/redisgate"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// onServers runs a test with miniredis and with a real server, if installed.
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

// realServer starts a real server. It returns nil where none is installed.
func realServer(t *testing.T) *redistest.Server {
	t.Helper()
	s, err := redistest.Start(t.Context(), t.TempDir())
	if errors.Is(err, redistest.ErrNotInstalled) {
		assert.False(t, redistest.IsRequired(), "%v: apt-get install redis-server", err)
		t.Log(err)
		return nil
	}
	require.NoError(t, err)
	t.Cleanup(s.Kill)
	return s
}

func newClient(t *testing.T, addr string) *redis.Client {
	t.Helper()
	c := redis.NewClient(&redis.Options{Addr: addr, ContextTimeoutEnabled: true, MaxRetries: -1, DialTimeout: time.Second})
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// process is one process of a fleet, with its own executor and Sharer.
type process struct {
	*redisgate.Sharer
	x *resilience.Executor

	mu    sync.Mutex
	seen  []resilience.Event
	calls int
}

func newProcess(t *testing.T, addr string, hooks ...redis.Hook) *process {
	t.Helper()
	client := newClient(t, addr)
	for _, h := range hooks {
		client.AddHook(h)
	}
	s, err := redisgate.New(t.Context(), client)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	p := &process{Sharer: s}
	p.x, err = resilience.New(&resilience.Config{Enabled: true}, resilience.WithSharing(s), resilience.WithObserver(p.observe))
	require.NoError(t, err)
	return p
}

func (p *process) observe(_ context.Context, e resilience.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen = append(p.seen, e)
}

// sharing returns the states of the events of kind KindSharing.
func (p *process) sharing() (all []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.seen {
		if e.Kind == resilience.KindSharing {
			all = append(all, e.To)
		}
	}
	return all
}

var target = resilience.Target{Endpoint: "https://api.example.com/v1", Key: "tenant {7}"}

const gateName = "https://api.example.com/v1#tenant {7}"

// do makes a call that returns err. The context of the call ends after timeout.
func (p *process) do(t *testing.T, err error, timeout time.Duration) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	_, failed := resilience.Do(ctx, p.x, resilience.Call{Targets: []resilience.Target{target}},
		func(context.Context, resilience.Target) (int, error) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.calls++
			return 1, err
		})
	return failed
}

func (p *process) called() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls
}

// status returns the state of the circuit breaker for target.
func (p *process) status() (s resilience.BreakerStatus) {
	for _, s = range p.x.Breakers().Snapshot() {
		if s.Endpoint == gateName {
			return s
		}
	}
	return resilience.BreakerStatus{}
}

func (p *process) open() bool {
	s := p.status().State
	return s == resilience.BreakerOpen || s == resilience.BreakerHalfOpen
}

// down makes failing calls until the breaker opens.
func (p *process) down(t *testing.T) {
	t.Helper()
	for !p.open() {
		_ = p.do(t, errDown, time.Millisecond)
	}
}

var errDown = fmt.Errorf("post: %w", syscall.ECONNREFUSED)

// limitedError is the error of a call that meets a rate limit.
type limitedError struct{ after time.Duration }

func (*limitedError) Error() string               { return "429 too many requests" }
func (*limitedError) StatusCode() int             { return 429 }
func (e *limitedError) RetryAfter() time.Duration { return e.after }

// eventually waits until a condition is true. If this takes too long, the test
// fails.
func eventually(t *testing.T, condition func() bool, what string) {
	t.Helper()
	require.Eventually(t, condition, 15*time.Second, 5*time.Millisecond, what)
}
