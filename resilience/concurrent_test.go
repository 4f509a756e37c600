package resilience_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/resilience"
)

// Each of a thousand concurrent calls returns its own answer or its own error. Each
// attempt causes one KindAttempt event and one outcome in the monitor.
func TestDo_ThousandConcurrentSafe(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const calls, endpoints = 1000, 50
		kinds := []error{nil, errNetwork, errTransient, errLimited, errKey, errParsing, answer(429, "3"), context.Canceled}
		var attempts atomic.Int64
		seen, m := new(events), new(monitor)
		var statuses resilience.Statuses
		x := executor(t, enabled(),
			resilience.WithRandom(func() float64 { return 0.7 }),
			resilience.WithObserver(seen.observe), resilience.WithObserver(statuses.Observe), resilience.WithMonitor(m))
		targets := make([]resilience.Target, endpoints)
		for i := range targets {
			targets[i] = resilience.Target{Endpoint: fmt.Sprintf("https://%d.example", i), Model: "m"}
		}
		var wg sync.WaitGroup
		outcomes := make([]error, calls)
		for i := range calls {
			wg.Go(func() {
				n := 0
				call := resilience.Call{
					Key:     fmt.Sprint(i),
					Targets: []resilience.Target{targets[i%endpoints], targets[(i+7)%endpoints]},
					Correct: func(context.Context, resilience.Attempt) error { return nil },
				}
				got, err := resilience.Do(t.Context(), x, call, func(_ context.Context, target resilience.Target) (string, error) {
					attempts.Add(1)
					n++
					time.Sleep(time.Duration(i%13) * 10 * time.Millisecond)
					if err := kinds[(i+n)%len(kinds)]; err != nil {
						return "", fmt.Errorf("call %d: %w", i, err)
					}
					return fmt.Sprint(i, target.Endpoint), nil
				})
				outcomes[i] = err
				if err == nil {
					assert.Contains(t, got, fmt.Sprint(i, "https://"))
				} else if !errors.Is(err, resilience.ErrOpen) || n > 0 {
					assert.ErrorContains(t, err, fmt.Sprintf("call %d:", i))
				}
			})
		}
		// These goroutines read snapshots of the breakers and change the breakers' modes.
		for i := range endpoints {
			wg.Go(func() {
				time.Sleep(time.Duration(i) * 20 * time.Millisecond)
				assert.NoError(t, x.Breakers().Force(t.Context(), targets[i].Endpoint, resilience.BreakerForceClosed))
				x.Breakers().Snapshot()
				time.Sleep(time.Second)
				assert.NoError(t, x.Breakers().Force(t.Context(), targets[i].Endpoint, resilience.BreakerAuto))
			})
		}
		wg.Wait()

		assert.Len(t, seen.ofKind(resilience.KindDone), calls)
		assert.Len(t, seen.ofKind(resilience.KindAttempt), int(attempts.Load()))
		assert.Len(t, m.outcomes, int(attempts.Load()))
		failed := 0
		for i, err := range outcomes {
			st, ok := statuses.Status(fmt.Sprint(i))
			require.True(t, ok)
			want := resilience.PhaseSucceeded
			if err != nil {
				failed++
				want = resilience.PhaseFailed
			}
			assert.Equal(t, want, st.Phase)
		}
		assert.Greater(t, failed, 100, "the test should see both")
		assert.Less(t, failed, 900, "the test should see both")
		assert.Len(t, x.Breakers().Snapshot(), endpoints)

		// After the outage and the cooldown, every breaker closes.
		time.Sleep(5 * time.Minute)
		for _, target := range targets {
			_, err := resilience.Do(t.Context(), x, resilience.Call{Targets: []resilience.Target{target}}, newScript(nil).call)
			require.NoError(t, err)
		}
	})
}
