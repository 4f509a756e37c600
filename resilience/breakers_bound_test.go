package resilience_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/errclass/errclass/resilience"
)

// failOnce makes one failing call to an endpoint.
func failOnce(ctx context.Context, x *resilience.Executor, endpoint string) error {
	_, err := resilience.Do(ctx, x, resilience.Call{Targets: []resilience.Target{{Endpoint: endpoint}}},
		func(context.Context, resilience.Target) (int, error) { return 0, errNetwork })
	return err
}

// states returns the states of all breakers by endpoint.
func states(x *resilience.Executor) map[string]resilience.BreakerState {
	all := map[string]resilience.BreakerState{}
	for _, b := range x.Breakers().Snapshot() {
		all[b.Endpoint] = b.State
	}
	return all
}

// Only a limited number of endpoints is remembered. Open, forced and configured
// breakers are kept.
func TestBreakers_ManyFailingEndpoints(t *testing.T) {
	t.Parallel()
	cfg := single()
	cfg.Endpoints = map[string]resilience.EndpointConfig{"named": {}}
	h := resilience.NewHealth(nil)
	x := executor(t, cfg, resilience.WithMonitor(h))
	require.NoError(t, x.Breakers().Force(t.Context(), "forced", resilience.BreakerForceClosed))
	for range 5 {
		require.ErrorIs(t, failOnce(t.Context(), x, "open"), errNetwork)
	}
	var wg sync.WaitGroup
	for c := range 10 {
		wg.Go(func() {
			for i := range resilience.MaxEndpoints / 5 {
				assert.Error(t, failOnce(t.Context(), x, fmt.Sprint(c, "/", i)))
			}
		})
	}
	wg.Wait()
	require.Error(t, failOnce(t.Context(), x, "last"))
	got := states(x)
	assert.Len(t, got, resilience.MaxEndpoints+2)
	for endpoint, want := range map[string]resilience.BreakerState{
		"open": resilience.BreakerOpen, "forced": resilience.BreakerClosed, "named": resilience.BreakerClosed, "last": resilience.BreakerClosed,
	} {
		assert.Equal(t, want, got[endpoint], endpoint)
	}
	assert.Len(t, h.Snapshot(), resilience.MaxEndpoints)
}

// If all breakers are open, a new breaker replaces the oldest one. Observers see the
// oldest breaker close.
func TestBreakers_AllOpen(t *testing.T) {
	t.Parallel()
	seen := new(events)
	x := executor(t, single(), resilience.WithObserver(seen.observe))
	const endpoints = 2 * resilience.MaxEndpoints
	for i := range endpoints {
		for range 5 {
			require.ErrorIs(t, failOnce(t.Context(), x, fmt.Sprint(i)), errNetwork)
		}
	}
	open := 0
	for _, state := range states(x) {
		if state == resilience.BreakerOpen {
			open++
		}
	}
	assert.Len(t, states(x), resilience.MaxEndpoints)
	assert.LessOrEqual(t, open, resilience.MaxEndpoints)
	gauge := map[string]string{}
	for _, e := range seen.ofKind(resilience.KindBreaker) {
		gauge[e.Target.Endpoint] = e.To
	}
	reported := 0
	for _, to := range gauge {
		if to == string(resilience.BreakerOpen) {
			reported++
		}
	}
	assert.Equal(t, open, reported, "the events agree with the snapshot")

	// A quarter of MaxEndpoints is reserved for closed breakers. The new breakers
	// here need only an eighth.
	for range 3 {
		for i := range resilience.MaxEndpoints / 8 {
			require.ErrorIs(t, failOnce(t.Context(), x, fmt.Sprint("new ", i)), errNetwork)
		}
	}
	for _, b := range x.Breakers().Snapshot() {
		if b.State == resilience.BreakerClosed {
			assert.Equal(t, 3, b.Failures, b.Endpoint)
		}
	}
}

// A forced breaker is always kept. After a change to auto, it can be replaced.
func TestBreakers_ForcedMany(t *testing.T) {
	t.Parallel()
	x := executor(t, single())
	const many = 2 * resilience.MaxEndpoints
	var wg sync.WaitGroup
	for c := range 4 {
		wg.Go(func() {
			for i := c; i < many; i += 4 {
				assert.NoError(t, x.Breakers().Force(t.Context(), fmt.Sprint(i), resilience.BreakerForceOpen))
				_ = failOnce(t.Context(), x, fmt.Sprint("other ", i))
			}
		})
	}
	wg.Wait()
	got := states(x)
	for i := range many {
		require.Equal(t, resilience.BreakerOpen, got[fmt.Sprint(i)])
	}
	for i := range many {
		require.NoError(t, x.Breakers().Force(t.Context(), fmt.Sprint(i), resilience.BreakerAuto))
	}
	require.Error(t, failOnce(t.Context(), x, "one more"))
	assert.LessOrEqual(t, len(states(x)), resilience.MaxEndpoints)
}

// A frequently used endpoint keeps its count of failures, even if many other endpoints
// are called in between.
func TestBreakers_UsedIsKept(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		x := executor(t, single())
		others := 0
		for range 5 {
			for range rapid.IntRange(0, 2000).Draw(rt, "others") {
				others++
				if failOnce(t.Context(), x, fmt.Sprint(others)) == nil {
					rt.Fatal("it should fail")
				}
			}
			_ = failOnce(t.Context(), x, "used")
		}
		if got := states(x)["used"]; got != resilience.BreakerOpen {
			rt.Fatalf("after five failures among %d other endpoints it is %s", others, got)
		}
	})
}
