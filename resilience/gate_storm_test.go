package resilience_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/resilience"
)

// After outages, a rate limit, canceled calls and new configs, no call waits any
// more.
func TestGate_StormConcurrentSafe(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		x := executor(t, enabled())
		start := time.Now()
		call := func(ctx context.Context, _ resilience.Target) (int, error) {
			if err := pauseFor(ctx, 50*time.Millisecond); err != nil {
				return 0, err
			}
			switch at := time.Since(start); {
			case at < 20*time.Second, 40*time.Second < at && at < 50*time.Second:
				return 0, errNetwork
			case at < 30*time.Second:
				return 0, answer(429, "5")
			default:
				return 1, nil
			}
		}
		var all sync.WaitGroup
		for i := range 1000 {
			all.Go(func() {
				random := rand.New(rand.NewPCG(1, uint64(i)))
				time.Sleep(time.Duration(random.Int64N(int64(time.Minute))))
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if i%2 == 0 {
					stop := time.AfterFunc(time.Duration(random.Int64N(int64(20*time.Second))), cancel)
					defer stop.Stop()
				}
				_, _ = resilience.Do(ctx, x, onPrimary, call)
			})
		}
		for n := range 100 {
			time.Sleep(700 * time.Millisecond)
			cfg := enabled()
			cfg.CircuitBreaker.BridgeMs = new(n % 3 * 10_000)
			cfg.CircuitBreaker.FailureThreshold = 5 + n%2
			require.NoError(t, x.Update(cfg))
		}
		all.Wait()
		for range 3 {
			_, err := resilience.Do(t.Context(), x, onPrimary, call)
			require.NoError(t, err)
		}
		s := x.Breakers().Snapshot()
		require.Len(t, s, 1)
		assert.Zero(t, s[0].Waiting)
		assert.Zero(t, s[0].Hold)
		assert.Equal(t, resilience.BreakerClosed, s[0].State)
		before := time.Now()
		for range 100 {
			all.Go(func() { _, err := resilience.Do(t.Context(), x, onPrimary, call); assert.NoError(t, err) })
		}
		all.Wait()
		assert.Equal(t, 50*time.Millisecond, time.Since(before), "no call waits")
	})
}

func pauseFor(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
