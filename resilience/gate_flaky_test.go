package resilience_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errclass/errclass/resilience"
)

// Half of the first calls fail before the others succeed. No breaker opens.
func TestGate_FailuresBeforeTheFirstSuccess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		x, seen := jittered(t, enabled())
		var all sync.WaitGroup
		for i := range 200 {
			all.Go(func() {
				first := i%2 == 0
				_, err := resilience.Do(t.Context(), x, onPrimary, func(context.Context, resilience.Target) (int, error) {
					if first {
						first = false
						time.Sleep(35 * time.Millisecond)
						return 0, errNetwork
					}
					time.Sleep(500 * time.Millisecond)
					return 0, nil
				})
				assert.NoError(t, err)
			})
			time.Sleep(10 * time.Millisecond)
		}
		all.Wait()
		assert.Empty(t, seen.ofKind(resilience.KindBreaker))
	})
}

// One call in five fails, sooner than other calls succeed. No breaker opens, and the
// ramp (the limit on simultaneous calls) ends.
func TestGate_Flaky(t *testing.T) {
	t.Parallel()
	for _, held := range []time.Duration{0, 10 * time.Second} {
		t.Run("limited for "+held.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				x, seen := jittered(t, enabled())
				start := time.Now()
				random := rand.New(rand.NewPCG(3, 4))
				var mu sync.Mutex
				call := func(context.Context, resilience.Target) (int, error) {
					if time.Since(start) < held {
						return 0, answer(429, "10")
					}
					mu.Lock()
					fails, took := random.IntN(5) == 0, 200*time.Millisecond+time.Duration(random.Int64N(int64(1800*time.Millisecond)))
					mu.Unlock()
					if fails {
						time.Sleep(took / 20)
						return 0, errNetwork
					}
					time.Sleep(took)
					return 0, nil
				}
				const n = 15_000
				errs, ends := make([]error, n), make([]time.Duration, n)
				var all sync.WaitGroup
				for i := range n {
					all.Go(func() {
						_, errs[i] = resilience.Do(t.Context(), x, onPrimary, call)
						ends[i] = time.Since(start)
					})
					time.Sleep(2 * time.Millisecond)
				}
				all.Wait()
				assert.GreaterOrEqual(t, answered(errs), n-10)
				assert.Empty(t, seen.ofKind(resilience.KindBreaker))
				for i, end := range ends {
					if born := time.Duration(i) * 2 * time.Millisecond; born > 20*time.Second {
						assert.Less(t, end-born, 20*time.Second, "the ramp has ended")
					}
				}
			})
		})
	}
}
