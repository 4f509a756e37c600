package resilience_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/resilience"
)

// gauges keeps the last state of each endpoint. It checks that the field From of each
// event equals the field To of the previous event.
type gauges struct {
	t  *testing.T
	mu sync.Mutex

	kind  resilience.Kind
	start string
	last  map[string]string
}

func newGauges(t *testing.T, kind resilience.Kind, start string) *gauges {
	return &gauges{t: t, kind: kind, start: start, last: map[string]string{}}
}

func (g *gauges) observe(_ context.Context, e resilience.Event) {
	if e.Kind != g.kind {
		return
	}
	runtime.Gosched() // lets another goroutine run first
	g.mu.Lock()
	defer g.mu.Unlock()
	before, seen := g.last[e.Target.Endpoint]
	if !seen {
		before = g.start
	}
	if e.From != before {
		g.t.Errorf("%s: from %s to %s after %s", e.Target.Endpoint, e.From, e.To, before)
	}
	g.last[e.Target.Endpoint] = e.To
}

// flip makes calls that fail or succeed at random. It also sets the breakers' modes at
// random, so that states change often.
func flip(ctx context.Context, x *resilience.Executor, goroutines, calls int, endpoint func(i int) string) {
	var wg sync.WaitGroup
	for n := range goroutines {
		wg.Go(func() {
			for i := range calls {
				name := endpoint(n*calls + i)
				_, _ = resilience.Do(ctx, x, resilience.Call{Targets: []resilience.Target{{Endpoint: name}}},
					func(context.Context, resilience.Target) (int, error) {
						runtime.Gosched()
						if rand.IntN(3) > 0 {
							return 0, errNetwork
						}
						return 0, nil
					})
				switch rand.IntN(4) {
				case 0:
					_ = x.Breakers().Force(ctx, name, resilience.BreakerForceOpen)
				case 1:
					_ = x.Breakers().Force(ctx, name, resilience.BreakerAuto)
				}
			}
		})
	}
	wg.Wait()
}

// Many goroutines change a breaker. Its last event still has the current state.
func TestBreakers_EventsInOrder(t *testing.T) {
	t.Parallel()
	g := newGauges(t, resilience.KindBreaker, string(resilience.BreakerClosed))
	cfg := single()
	cfg.CircuitBreaker = resilience.BreakerConfig{FailureThreshold: 1, CooldownMs: 1, QuietMs: new(0)}
	x := executor(t, cfg, resilience.WithObserver(g.observe))
	flip(t.Context(), x, 1000, 20, func(i int) string { return fmt.Sprint(i % 3) })
	require.Len(t, g.last, 3)
	for endpoint, state := range states(x) {
		assert.Equal(t, string(state), g.last[endpoint], endpoint)
	}
}

// Events arrive in order even if breakers are removed and made again.
func TestBreakers_EventsInOrderWhileForgotten(t *testing.T) {
	t.Parallel()
	g := newGauges(t, resilience.KindBreaker, string(resilience.BreakerClosed))
	cfg := single()
	cfg.CircuitBreaker = resilience.BreakerConfig{FailureThreshold: 1, CooldownMs: 1, QuietMs: new(0)}
	x := executor(t, cfg, resilience.WithObserver(g.observe))
	var wg sync.WaitGroup
	for n := range 1000 {
		wg.Go(func() {
			for i := range 60 {
				_ = failOnce(t.Context(), x, fmt.Sprint((n*60+i*7)%(resilience.MaxEndpoints+200)))
			}
		})
	}
	wg.Wait()
	got := states(x)
	require.Greater(t, len(g.last), resilience.MaxEndpoints, "some were forgotten")
	for endpoint, last := range g.last {
		want, kept := got[endpoint]
		if !kept {
			want = resilience.BreakerClosed
		}
		assert.Equal(t, string(want), last, endpoint)
	}
}

// If an observer ends its goroutine, later changes still cause events.
func TestBreakers_ObserverGoexit(t *testing.T) {
	t.Parallel()
	seen := new(events)
	once := new(sync.Once)
	x := executor(t, single(), resilience.WithObserver(seen.observe), resilience.WithObserver(func(_ context.Context, e resilience.Event) {
		if e.Kind == resilience.KindBreaker {
			once.Do(runtime.Goexit)
		}
	}))
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = x.Breakers().Force(t.Context(), "e", resilience.BreakerForceOpen)
	}()
	<-done
	require.NoError(t, x.Breakers().Force(t.Context(), "e", resilience.BreakerForceClosed))
	assert.Equal(t, []string{"closed>open", "open>closed"}, seen.transitions(resilience.KindBreaker))
}

// The events of a Health arrive in order.
func TestHealth_EventsInOrder(t *testing.T) {
	t.Parallel()
	g := newGauges(t, resilience.KindHealth, resilience.Healthy)
	h := resilience.NewHealth(nil, resilience.WithHealthObserver(g.observe))
	var wg sync.WaitGroup
	for range 1000 {
		wg.Go(func() {
			for range 5 {
				session, die := context.WithCancelCause(t.Context())
				h.Watch(session, "e")
				die(errNetwork)
				h.Healthy("e")
			}
		})
	}
	wg.Wait()
	// The last sessions end in other goroutines, so the test has to wait.
	assert.Eventually(t, func() bool {
		g.mu.Lock()
		defer g.mu.Unlock()
		return g.last["e"] == resilience.Unhealthy && !h.Healthy("e")
	}, 5*time.Second, time.Millisecond)
}

// Simultaneous rate limits cause one event. A longer Retry-After extends the hold.
func TestHold_Events(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		seen := new(events)
		x := executor(t, single(), resilience.WithObserver(seen.observe))
		once := resilience.Call{Targets: []resilience.Target{primary}, Repeatable: func(resilience.Attempt) bool { return false }}
		limited := func(after string) {
			_, _ = resilience.Do(t.Context(), x, once,
				func(context.Context, resilience.Target) (int, error) {
					time.Sleep(time.Second)
					return 0, answer(429, after)
				})
		}
		var wg sync.WaitGroup
		for range 1000 {
			wg.Go(func() { limited("10") })
		}
		wg.Go(func() { time.Sleep(time.Millisecond); limited("30") })
		wg.Wait()
		time.Sleep(time.Minute)
		limited("20")
		require.NoError(t, x.Breakers().Force(t.Context(), primary.Endpoint, resilience.BreakerForceClosed))
		require.NoError(t, x.Breakers().Force(t.Context(), primary.Endpoint, resilience.BreakerAuto))

		var got []string
		for _, e := range seen.ofKind(resilience.KindHold) {
			got = append(got, fmt.Sprint(e.To, " ", e.ScheduledDelay, " ", e.HintGiven, " ", e.Result.Reason))
			assert.Equal(t, primary.Endpoint, e.Target.Endpoint)
		}
		assert.Equal(t, []string{
			"begun 10s true rate_limit", "extended 30s true rate_limit", "begun 20s true rate_limit", "ended 0s false ",
		}, got)
	})
}
