package resilience_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/resilience"
)

// When a breaker closes, the tasks that it refused run at once, the newest first.
func TestQueueBreakerClosed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		again   bool // the endpoint fails again after the trial
		atOnce  int  // restarts that begin when the breaker closes
		success int  // restarts that have succeeded within 10 s
	}{
		{name: "up again", atOnce: 4, success: 10},
		{name: "it fails again", again: true, atOnce: 4, success: 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				q, rec := queueIn(t, nil, resilience.WithQueueWorkers(4))
				cfg := enabled()
				cfg.CircuitBreaker.BridgeMs = new(0)
				x := executor(t, cfg, resilience.WithRestarter(q))
				var mu sync.Mutex
				down, again, order := true, tt.again, []string{}
				set := func(isDown, failsAgain bool) {
					mu.Lock()
					defer mu.Unlock()
					down, again = isDown, failsAgain
				}
				ask := func(ctx context.Context, payload []byte) error {
					call := resilience.Call{
						Targets: []resilience.Target{primary}, Restart: resilience.Task{Kind: "job", Payload: payload},
						Repeatable: func(resilience.Attempt) bool { return false },
					}
					_, err := resilience.Do(ctx, x, call, func(context.Context, resilience.Target) (int, error) {
						mu.Lock()
						if resilience.RestartNumber(ctx) > 0 {
							order = append(order, string(payload))
						}
						failing := down
						mu.Unlock()
						time.Sleep(100 * time.Millisecond)
						if failing {
							return 0, errNetwork
						}
						mu.Lock()
						down = again // set after the first success, which is the trial
						mu.Unlock()
						return 0, nil
					})
					return err
				}
				q.Register("job", ask)
				for range 5 {
					require.ErrorIs(t, ask(t.Context(), nil), errNetwork)
				}
				for i := range 10 {
					require.ErrorIs(t, ask(t.Context(), fmt.Append(nil, i)), resilience.ErrOpen)
				}
				require.Len(t, q.Tasks(), 10)
				time.Sleep(5 * time.Second)
				set(false, tt.again)
				require.NoError(t, ask(t.Context(), nil), "the trial")
				closed := time.Now()
				advance(10 * time.Second)

				began, succeeded := 0, 0
				for _, e := range rec.events {
					switch {
					case e.To == resilience.RestartStarted && e.Time.Equal(closed):
						began++
					case e.To == resilience.RestartSucceeded:
						succeeded++
					}
				}
				assert.Equal(t, tt.atOnce, began)
				assert.Equal(t, tt.success, succeeded)
				assert.Len(t, q.Tasks(), 10-tt.success)
				if tt.again {
					assert.LessOrEqual(t, len(order), 4, "the other tasks stay in the queue")
					set(false, false)
					advance(2 * time.Hour)
					assert.Empty(t, q.Tasks(), "they run when they are due")
					return
				}
				assert.Contains(t, []string{"6", "7", "8", "9"}, order[0], "one of the newest four")
			})
		})
	}
}

// If a task's call was made and failed, the task waits until it is due, even if the
// breaker closes earlier.
func TestQueueBreakerClosed_OwnFailure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q, rec := queueIn(t, nil)
		start := time.Now()
		q.Register("job", func(context.Context, []byte) error { return nil })
		require.NoError(t, q.Offer(t.Context(), offer("a")))
		q.BreakerClosed("https://a.example")
		advance(time.Hour)
		assert.Equal(t, []string{"queued 1 0s", "started 1 1m0s", "succeeded 1 1m0s"}, rec.lines(start))
	})
}

// refused returns a Restart for a call that an open breaker has refused.
func refused(task, gate string) resilience.Restart {
	r := offer(task)
	r.History, r.Err = nil, &resilience.OpenError{Endpoint: gate, Cause: r.Result}
	return r
}

// When a restart succeeds, the queue restarts the next task, unless a breaker refused
// a call during the successful restart.
func TestQueueBreakerClosed_RefusedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q, rec := queueIn(t, nil, resilience.WithQueueWorkers(1))
		q.Register("job", func(ctx context.Context, payload []byte) error {
			return q.Offer(ctx, refused(string(payload), "gate"))
		})
		for _, task := range []string{"a", "b", "c"} {
			require.NoError(t, q.Offer(t.Context(), refused(task, "gate")))
		}
		start := time.Now()
		q.BreakerClosed("gate")
		advance(time.Second)
		assert.Equal(t, []string{"started 1 0s", "postponed 1 0s", "succeeded 1 0s"}, rec.lines(start)[3:])
		assert.Len(t, q.Tasks(), 2)
	})
}

// If another queue has run a task after the breaker refused it, the task waits until it
// is due, even if the breaker closes earlier.
func TestQueueBreakerClosed_AnotherQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		shared := &memory{}
		store := &partitioned{memory: shared}
		first, rec := queueIn(t, nil, resilience.WithStore(store))
		fail := func(context.Context, []byte) error { return errNetwork }
		first.Register("job", fail)
		require.NoError(t, first.Offer(t.Context(), refused("a", "gate")))
		store.cut.Store(true)
		second, _ := queueIn(t, nil, resilience.WithStore(shared))
		second.Register("job", fail)
		advance(65 * time.Second)
		store.cut.Store(false)
		advance(30 * time.Second) // the first queue reads the store
		due := first.Tasks()[0].Due
		require.Greater(t, time.Until(due), time.Minute)
		first.BreakerClosed("gate")
		advance(time.Second)
		assert.Equal(t, due, first.Tasks()[0].Due)
		for _, e := range rec.events {
			assert.NotEqual(t, resilience.RestartStarted, e.To)
		}
	})
}
