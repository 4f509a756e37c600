package resilience_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/resilience"
)

// calls returns how many calls x makes if each call fails with err.
func calls(t *testing.T, x *resilience.Executor, err error) (n int) {
	t.Helper()
	_, got := resilience.Do(t.Context(), x, resilience.Call{}, func(context.Context, resilience.Target) (int, error) {
		n++
		return 0, err
	})
	require.Error(t, got)
	return n
}

func TestExecutor_Update(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		x := executor(t, nil)
		assert.Equal(t, 1, calls(t, x, errNetwork))

		cfg := &resilience.Config{Enabled: true, Retry: resilience.RetryConfig{MaxNetworkRetries: new(2)}}
		require.NoError(t, x.Update(cfg))
		assert.Equal(t, 3, calls(t, x, errNetwork))
		*cfg.Retry.MaxNetworkRetries = 0
		assert.Equal(t, 3, calls(t, x, errNetwork), "the executor has a copy")

		err := x.Update(&resilience.Config{Retry: resilience.RetryConfig{Schedule: "slow"}})
		require.EqualError(t, err, `resilience config: retry.schedule: must be short, medium, long, fixed or custom, is "slow"`)
		assert.Equal(t, 3, calls(t, x, errNetwork), "the old config stays")

		require.NoError(t, x.Update(nil))
		assert.False(t, x.Enabled(""))
		require.Error(t, (*resilience.Executor)(nil).Update(enabled()))
	})
}

// A new breaker mode applies to the existing breakers, except to those with a mode
// that a person has forced.
func TestExecutor_UpdateBreakers(t *testing.T) {
	t.Parallel()
	x := executor(t, enabled())
	ok := func(target resilience.Target) error {
		_, err := resilience.Do(t.Context(), x, resilience.Call{Targets: []resilience.Target{target}}, func(context.Context, resilience.Target) (int, error) { return 0, nil })
		return err
	}
	require.NoError(t, ok(primary))
	require.NoError(t, x.Breakers().Force(t.Context(), secondary.Name(), resilience.BreakerForceClosed))

	shut := enabled()
	shut.CircuitBreaker.Mode = resilience.BreakerForceOpen
	shut.Endpoints = map[string]resilience.EndpointConfig{"https://new.example": {}}
	require.NoError(t, x.Update(shut))
	_, open := errors.AsType[*resilience.OpenError](ok(primary))
	assert.True(t, open)
	require.NoError(t, ok(secondary), "a person has closed it")
	var names []string
	for _, s := range x.Breakers().Snapshot() {
		names = append(names, s.Endpoint)
	}
	assert.Contains(t, names, "https://new.example")

	require.NoError(t, x.Update(enabled()))
	require.NoError(t, ok(primary))
}

// Update may be called concurrently with Do.
func TestExecutor_UpdateUnderLoad(t *testing.T) {
	t.Parallel()
	for _, callers := range []int{1, 10, 1000} {
		x := executor(t, enabled())
		var all sync.WaitGroup
		for i := range callers {
			all.Go(func() {
				for n := range 20 {
					if i%10 == 0 {
						cfg := enabled()
						cfg.CircuitBreaker.FailureThreshold = 1 + n
						cfg.Retry.AttemptTimeoutMs = n * 1000
						assert.NoError(t, x.Update(cfg))
					}
					_, err := resilience.Do(t.Context(), x, resilience.Call{Targets: []resilience.Target{primary}}, func(context.Context, resilience.Target) (int, error) { return 0, nil })
					assert.NoError(t, err)
				}
			})
		}
		all.Wait()
	}
}

// A failure is retried only if the confidence reaches minConfidence.
func TestMinConfidence(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for least, want := range map[float64]int{0: 3, 0.5: 3, 0.97: 1} {
			cfg := enabled()
			cfg.Retry.MinConfidence = &least
			assert.Equal(t, want, calls(t, executor(t, cfg), errTransient), "confidence of a status, least %v", least)
		}
		cfg := enabled()
		cfg.Retry.MinConfidence = new(1.5)
		_, err := resilience.New(cfg)
		require.ErrorContains(t, err, "retry.minConfidence: must be between 0 and 1, is 1.5")
	})
}
