package resilience_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/resilience"
)

// offer returns a Restart for a call that failed with a network error.
func offer(task string) resilience.Restart {
	return resilience.Restart{
		Key:     "key " + task,
		Targets: []resilience.Target{{Endpoint: "https://a.example", Model: "m-1"}, {Endpoint: "https://b.example"}},
		Task:    resilience.Task{Kind: "job", Payload: []byte(task)},
		History: []resilience.Attempt{{Number: 6, Result: classify.Error(errNetwork), Err: errNetwork}},
		Err:     errNetwork,
		Result:  classify.Error(errNetwork),
	}
}

// advance moves the fake clock by d and waits until all goroutines are blocked.
func advance(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// recorder records events.
type recorder struct {
	mu     sync.Mutex
	events []resilience.Event
}

func (r *recorder) observe(_ context.Context, e resilience.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
}

// lines describes each event: its To, the number of the restart, and the time since
// start.
func (r *recorder) lines(start time.Time) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	lines := make([]string, len(r.events))
	for i, e := range r.events {
		lines[i] = fmt.Sprintf("%s %d %v", e.To, e.Attempt, e.Time.Sub(start))
	}
	return lines
}

func (r *recorder) last() resilience.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.events[len(r.events)-1]
}

// memory is a store in memory. A test can set its errors.
type memory struct {
	mu          sync.Mutex
	records     map[string][]byte
	put, remove error
	all         error
	puts        int
	hold        chan struct{} // a Swap that stores a record blocks until this is closed
	holdRemoval chan struct{} // a Swap that removes a record blocks until this is closed
}

func (m *memory) Swap(id string, old, record []byte) (bool, error) {
	if m.hold != nil && record != nil {
		<-m.hold
	}
	if m.holdRemoval != nil && record == nil {
		<-m.holdRemoval
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if record == nil && m.remove != nil {
		return false, m.remove
	}
	if record != nil && m.put != nil {
		return false, m.put
	}
	found, ok := m.records[id]
	if ok != (old != nil) || !bytes.Equal(found, old) {
		return false, nil
	}
	if record == nil {
		delete(m.records, id)
		return true, nil
	}
	if m.records == nil {
		m.records = map[string][]byte{}
	}
	m.records[id] = bytes.Clone(record)
	m.puts++
	return true, nil
}

func (m *memory) All() (map[string][]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.records), m.all
}

// fail sets the errors of later calls of Swap: put if Swap stores a record, remove
// if Swap removes one.
func (m *memory) fail(put, remove error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.put, m.remove = put, remove
}

func (m *memory) len() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.records)
}

// queueIn returns a queue that is shut down at the end of the test.
func queueIn(t *testing.T, c *resilience.Config, opts ...resilience.QueueOption) (*resilience.Queue, *recorder) {
	t.Helper()
	rec := &recorder{}
	q, err := resilience.NewQueue(c, append(opts, resilience.WithQueueObserver(rec.observe))...)
	require.NoError(t, err)
	t.Cleanup(func() {
		_, err := q.Shutdown(context.Background())
		assert.NoError(t, err)
	})
	return q, rec
}

func TestQueueRestarts(t *testing.T) {
	t.Parallel()
	errKey := errors.New("401 unauthorized")
	for _, tt := range []struct {
		name     string
		outcomes []error // results of the restarts in order
		want     []string
		err      error // error of the last event
	}{
		{"the first restart succeeds", []error{nil}, []string{
			"queued 1 0s", "started 1 1m0s", "succeeded 1 1m0s",
		}, nil},
		{"pauses double", []error{errNetwork, errNetwork, nil}, []string{
			"queued 1 0s", "started 1 1m0s",
			"queued 2 1m0s", "started 2 3m0s",
			"queued 3 3m0s", "started 3 7m0s", "succeeded 3 7m0s",
		}, nil},
		{"three restarts are all", []error{errNetwork, errNetwork, errNetwork}, []string{
			"queued 1 0s", "started 1 1m0s",
			"queued 2 1m0s", "started 2 3m0s",
			"queued 3 3m0s", "started 3 7m0s", "failed 3 7m0s",
		}, resilience.ErrRestartsExhausted},
		{"another failure is final", []error{errKey}, []string{
			"queued 1 0s", "started 1 1m0s", "failed 1 1m0s",
		}, errKey},
		{"another failure after a network failure is final", []error{errNetwork, errKey}, []string{
			"queued 1 0s", "started 1 1m0s", "queued 2 1m0s", "started 2 3m0s", "failed 2 3m0s",
		}, errKey},
		{"a rate limit is no network failure", []error{errors.New("429 too many requests")}, []string{
			"queued 1 0s", "started 1 1m0s", "failed 1 1m0s",
		}, errors.New("429 too many requests")},
		{"the function's own deadline is no network failure", []error{context.DeadlineExceeded}, []string{
			"queued 1 0s", "started 1 1m0s", "failed 1 1m0s",
		}, context.DeadlineExceeded},
	} {
		for _, stored := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, stored %v", tt.name, stored), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					store := &memory{}
					opts := []resilience.QueueOption{}
					if stored {
						opts = append(opts, resilience.WithStore(store))
					}
					q, rec := queueIn(t, nil, opts...)
					runs := 0
					q.Register("job", func(_ context.Context, payload []byte) error {
						assert.Equal(t, "a", string(payload), "the same parameters")
						clear(payload) // the function owns its payload
						runs++
						return tt.outcomes[runs-1]
					})
					start := time.Now()
					require.NoError(t, q.Offer(t.Context(), offer("a")))
					advance(time.Hour)

					assert.Equal(t, tt.want, rec.lines(start))
					assert.Equal(t, len(tt.outcomes), runs)
					last := rec.last()
					assert.Equal(t, resilience.KindRestart, last.Kind)
					assert.Equal(t, "key a", last.Key)
					assert.Equal(t, "https://a.example", last.Target.Endpoint)
					if tt.err == nil {
						assert.NoError(t, last.Err)
					} else {
						require.Error(t, last.Err)
						assert.ErrorContains(t, last.Err, tt.err.Error())
						assert.Equal(t, classify.Error(tt.outcomes[runs-1]), last.Result)
					}
					assert.Empty(t, q.Tasks())
					assert.Zero(t, store.len(), "records")
				})
			})
		}
	}
}

// The function of a task usually calls Do, which offers a failed call again.
func TestQueueWithExecutor(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		mode  resilience.BreakerMode
		want  []string
		calls int
	}{
		{"without a breaker", resilience.BreakerForceClosed,
			[]string{"queued 1", "started 1", "queued 2", "started 2", "succeeded 2"}, 6 + 6 + 1},
		{"with a breaker, which opens for five minutes", resilience.BreakerAuto,
			[]string{"queued 1", "started 1", "postponed 1", "started 1", "succeeded 1"}, 5 + 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				q, rec := queueIn(t, nil)
				cfg := enabled()
				cfg.CircuitBreaker.Mode, cfg.CircuitBreaker.Strict = tt.mode, new(true)
				x := executor(t, cfg, resilience.WithRestarter(q))
				start, calls := time.Now(), 0
				ask := func(ctx context.Context, payload []byte) error {
					call := resilience.Call{
						Targets: []resilience.Target{{Endpoint: "https://a.example"}},
						Restart: resilience.Task{Kind: "job", Payload: payload},
					}
					_, err := resilience.Do(ctx, x, call, func(context.Context, resilience.Target) (int, error) {
						calls++
						if time.Since(start) < 2*time.Minute {
							return 0, errNetwork
						}
						return calls, nil
					})
					return err
				}
				q.Register("job", ask)

				err := ask(t.Context(), []byte("a"))
				assert.True(t, asError(t, err).Queued)
				assert.Equal(t, errNetwork.Error(), err.Error())
				require.Len(t, q.Tasks(), 1)
				advance(time.Hour)

				var what []string
				for _, e := range rec.events {
					what = append(what, fmt.Sprint(e.To, " ", e.Attempt))
				}
				assert.Equal(t, tt.want, what)
				assert.Equal(t, tt.calls, calls)
			})
		})
	}
}

// Refused restarts do not count. So each task still gets three restarts that call
// the endpoint.
func TestQueueAndBreaker(t *testing.T) {
	t.Parallel()
	outage := func(t *testing.T, d time.Duration, tasks int, offers, stored bool) (lines []string, calls, rounds int) {
		t.Helper()
		var mu sync.Mutex
		count := func(n *int) { mu.Lock(); defer mu.Unlock(); *n++ }
		synctest.Test(t, func(t *testing.T) {
			opts := []resilience.QueueOption{}
			if stored {
				opts = append(opts, resilience.WithStore(&memory{}))
			}
			q, rec := queueIn(t, nil, opts...)
			cfg := enabled()
			cfg.CircuitBreaker.Strict = new(true)
			x := executor(t, cfg, resilience.WithRestarter(q))
			start := time.Now()
			q.Register("job", func(ctx context.Context, payload []byte) error {
				count(&rounds)
				call := resilience.Call{Targets: []resilience.Target{primary}}
				if offers {
					call.Restart = resilience.Task{Kind: "job", Payload: payload}
				}
				_, err := resilience.Do(ctx, x, call, func(context.Context, resilience.Target) (int, error) {
					count(&calls)
					if time.Since(start) < d {
						return 0, errNetwork
					}
					return 0, nil
				})
				return err
			})
			for i := range tasks {
				require.NoError(t, q.Offer(t.Context(), offer(fmt.Sprint(i))))
			}
			advance(24 * time.Hour)
			lines = rec.lines(start)
			assert.Empty(t, q.Tasks())
		})
		return lines, calls, rounds
	}
	for _, offers := range []bool{true, false} {
		for _, stored := range []bool{true, false} {
			t.Run(fmt.Sprintf("offered %v, stored %v", offers, stored), func(t *testing.T) {
				t.Parallel()
				// The first restart makes five calls, which open the breaker. Each
				// later restart makes one call, unless it is refused.
				lines, calls, _ := outage(t, 10*time.Minute, 1, offers, stored)
				assert.Equal(t, []string{
					"queued 1 0s", "started 1 1m0s",
					"queued 2 1m7.5s", "started 2 3m7.5s", "postponed 2 3m7.5s", "started 2 6m7.5s",
					"queued 3 6m7.5s", "started 3 10m7.5s", "postponed 3 10m7.5s", "started 3 11m7.5s", "succeeded 3 11m7.5s",
				}, lines)
				assert.Equal(t, 5+1+1, calls)

				lines, calls, _ = outage(t, time.Hour, 1, offers, stored)
				assert.Equal(t, "failed 3 11m7.5s", lines[len(lines)-1], "three restarts with calls are all")
				assert.Equal(t, 5+1+1, calls)
			})
		}
	}
	t.Run("many tasks", func(t *testing.T) {
		t.Parallel()
		lines, calls, rounds := outage(t, 30*time.Minute, 100, true, false)
		succeeded := 0
		for _, l := range lines {
			if strings.HasPrefix(l, "succeeded") {
				succeeded++
			}
		}
		assert.GreaterOrEqual(t, succeeded, 90)
		assert.Less(t, calls, 100+6*100, "the breaker spares the endpoint")
		assert.Less(t, rounds, 100*15)
	})
}

// While a breaker is forced open, tasks wait with growing pauses.
func TestQueueForcedOpen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &memory{}
		q, rec := queueIn(t, nil, resilience.WithStore(store))
		status := &resilience.Statuses{}
		x := executor(t, enabled(), resilience.WithRestarter(q))
		require.NoError(t, x.Breakers().Force(t.Context(), primary.Endpoint, resilience.BreakerForceOpen))
		var rounds atomic.Int64
		run := func(ctx context.Context, _ []byte) error {
			rounds.Add(1)
			_, err := resilience.Do(ctx, x, resilience.Call{Targets: []resilience.Target{primary}}, newScript(nil).call)
			return err
		}
		q.Register("job", run)
		require.NoError(t, q.Offer(t.Context(), offer("a")))
		advance(24 * time.Hour)
		assert.Less(t, rounds.Load(), int64(24+10))
		require.Len(t, q.Tasks(), 1)
		assert.Zero(t, q.Tasks()[0].Restarts)
		for _, e := range rec.events {
			status.Observe(t.Context(), e)
		}
		st, _ := status.Status("key a")
		assert.Equal(t, resilience.PhaseQueued, st.Phase)
		assert.Zero(t, st.Restarts)

		_, err := q.Shutdown(t.Context())
		require.NoError(t, err)
		later, rec := queueIn(t, nil, resilience.WithStore(store))
		before := rounds.Load()
		later.Register("job", run)
		advance(24 * time.Hour)
		assert.Less(t, rounds.Load()-before, int64(24+3), "the next process does not begin with short pauses again")
		require.NoError(t, x.Breakers().Force(t.Context(), primary.Endpoint, resilience.BreakerAuto))
		advance(time.Hour)
		assert.Equal(t, resilience.RestartSucceeded, rec.last().To)
		assert.Equal(t, 1, rec.last().Attempt)
		assert.Zero(t, store.len())
	})
}

// Restarts end, even if the function offers another payload each time.
func TestQueuePayloadChanges(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q, _ := queueIn(t, nil)
		runs := 0
		var refused error
		q.Register("job", func(ctx context.Context, payload []byte) error {
			runs++
			if err := q.Offer(ctx, offer(string(payload)+"+")); err != nil {
				refused = err
			}
			return errNetwork
		})
		require.NoError(t, q.Offer(t.Context(), offer("a")))
		advance(24 * time.Hour)
		assert.LessOrEqual(t, runs, 1+2+4)
		assert.Empty(t, q.Tasks())
		require.ErrorIs(t, refused, resilience.ErrRestartsExhausted)
		require.ErrorContains(t, refused, "another task of the same kind")
	})
}

// A cyclic error chain does not block the queue.
func TestQueueErrorCycle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q, rec := queueIn(t, nil)
		q.Register("job", func(context.Context, []byte) error { c := &circle{}; c.next = c; return c })
		require.NoError(t, q.Offer(t.Context(), offer("a")))
		advance(time.Hour)
		assert.Equal(t, resilience.RestartFailed, rec.last().To)
	})
}

type circle struct{ next error }

func (*circle) Error() string   { return "circle" }
func (c *circle) Unwrap() error { return c.next }

// If the function offers its task again, the queue recognizes the task.
func TestQueueOfferAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q, rec := queueIn(t, nil)
		var histories []int
		q.Register("job", func(ctx context.Context, _ []byte) error {
			histories = append(histories, len(q.Tasks()[0].Restart.History))
			if err := q.Offer(ctx, offer("a")); err != nil {
				assert.ErrorIs(t, err, resilience.ErrRestartsExhausted)
			}
			return errNetwork
		})
		start := time.Now()
		require.NoError(t, q.Offer(t.Context(), offer("a")))
		advance(time.Hour)
		assert.Equal(t, []string{
			"queued 1 0s", "started 1 1m0s",
			"queued 2 1m0s", "started 2 3m0s",
			"queued 3 3m0s", "started 3 7m0s", "failed 3 7m0s",
		}, rec.lines(start))
		assert.Equal(t, []int{1, 2, 3}, histories)
	})
}

// A task is done if its function returns nil, even if the function has offered the
// task again. An offer with another payload makes a new task.
func TestQueueOfferDuringRestart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &memory{}
		q, _ := queueIn(t, nil, resilience.WithStore(store))
		runs := map[string]int{}
		q.Register("job", func(ctx context.Context, payload []byte) error {
			task := string(payload)
			runs[task]++
			if task == "a" {
				assert.NoError(t, q.Offer(ctx, offer("a")))
				assert.NoError(t, q.Offer(ctx, offer("b")))
			}
			return nil
		})
		require.NoError(t, q.Offer(t.Context(), offer("a")))
		advance(time.Hour)
		assert.Equal(t, map[string]int{"a": 1, "b": 1}, runs)
		assert.Empty(t, q.Tasks())
		assert.Zero(t, store.len())
	})
}

// If an offer comes after the function has returned nil, the task does not run
// again.
func TestQueueOfferTooLate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &memory{}
		q, _ := queueIn(t, nil, resilience.WithStore(store))
		runs := 0
		q.Register("job", func(ctx context.Context, _ []byte) error {
			runs++
			store.hold = make(chan struct{})
			go func() { assert.NoError(t, q.Offer(ctx, offer("a"))) }()
			synctest.Wait() // Offer has accepted the task and waits for the store
			return nil
		})
		require.NoError(t, q.Offer(t.Context(), offer("a")))
		advance(2 * time.Minute)
		close(store.hold)
		advance(time.Hour)
		assert.Equal(t, 1, runs)
		assert.Empty(t, q.Tasks())
		assert.Zero(t, store.len())
	})
}

// Work that the function has started offers the task after the function has returned
// nil. Each offer makes a new task, and the restarts end nevertheless.
func TestQueueOfferAfterRestart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &memory{}
		q, rec := queueIn(t, nil, resilience.WithStore(store))
		var offers []error
		q.Register("job", func(ctx context.Context, _ []byte) error {
			ctx = context.WithoutCancel(ctx)
			time.AfterFunc(time.Second, func() {
				number := resilience.RestartNumber(ctx)
				offers = append(offers, q.Offer(ctx, offer("a")))
				assert.Equal(t, number, resilience.RestartNumber(ctx))
				assert.Equal(t, len(q.Tasks()), store.len())
			})
			return nil
		})
		start := time.Now()
		require.NoError(t, q.Offer(t.Context(), offer("a")))
		advance(time.Hour)
		assert.Equal(t, []string{
			"queued 1 0s", "started 1 1m0s", "succeeded 1 1m0s",
			"queued 2 1m1s", "started 2 3m1s", "succeeded 2 3m1s",
			"queued 3 3m2s", "started 3 7m2s", "succeeded 3 7m2s", "refused 1 7m3s",
		}, rec.lines(start))
		require.Len(t, offers, 3)
		require.ErrorIs(t, offers[2], resilience.ErrRestartsExhausted)
	})
}

// An offer of a task whose restart is ending waits for the end.
func TestQueueOfferAtEnd(t *testing.T) {
	t.Parallel()
	for _, failure := range []error{nil, errNetwork, errors.New("401 unauthorized")} {
		synctest.Test(t, func(t *testing.T) {
			store := &memory{holdRemoval: make(chan struct{})}
			q, _ := queueIn(t, nil, resilience.WithStore(store))
			runs := 0
			q.Register("job", func(ctx context.Context, _ []byte) error {
				if runs++; runs > 1 {
					return nil
				}
				ctx = context.WithoutCancel(ctx)
				time.AfterFunc(time.Second, func() {
					time.AfterFunc(time.Second, func() { close(store.holdRemoval) })
					assert.NoError(t, q.Offer(ctx, offer("a")))
					assert.Equal(t, 1, store.len())
				})
				return failure
			})
			require.NoError(t, q.Offer(t.Context(), offer("a")))
			advance(time.Hour)
			assert.Equal(t, 2, runs)
			assert.Empty(t, q.Tasks())
		})
	}
}

// Work of an earlier restart offers the task while a later restart runs. The offer
// is no failure of the later restart.
func TestQueueOfferByEarlierRestart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q, rec := queueIn(t, nil)
		var first context.Context
		q.Register("job", func(ctx context.Context, _ []byte) error {
			if first == nil {
				first = context.WithoutCancel(ctx)
				return errNetwork
			}
			assert.NoError(t, q.Offer(first, offer("a")))
			assert.Len(t, q.Tasks()[0].Restart.History, 2)
			return nil
		})
		start := time.Now()
		require.NoError(t, q.Offer(t.Context(), offer("a")))
		advance(time.Hour)
		assert.Equal(t, []string{
			"queued 1 0s", "started 1 1m0s", "queued 2 1m0s", "started 2 3m0s", "merged 1 3m0s", "succeeded 2 3m0s",
		}, rec.lines(start))
	})
}

type contextKey struct{}

func TestQueueKeepsContextAndHistory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q, rec := queueIn(t, nil)
		var value any
		var ended error
		q.Register("job", func(ctx context.Context, _ []byte) error {
			value, ended = ctx.Value(contextKey{}), ctx.Err()
			return nil
		})
		ctx, cancel := context.WithCancel(context.WithValue(t.Context(), contextKey{}, "trace 1"))
		r := offer("a")
		require.NoError(t, q.Offer(ctx, r))
		cancel() // ends the context of the call, but not the context of the restart
		r.Task.Payload[0], r.Targets[0].Model, r.History[0].Number = 'x', "x", 99

		tasks := q.Tasks()
		require.Len(t, tasks, 1)
		assert.Equal(t, offer("a"), tasks[0].Restart, "the caller's slices are not shared")
		assert.Equal(t, time.Minute, time.Until(tasks[0].Due))
		assert.Zero(t, tasks[0].Restarts)
		assert.False(t, tasks[0].Running)
		assert.False(t, tasks[0].Stored)
		assert.NotEmpty(t, tasks[0].ID)
		assert.Equal(t, time.Minute, rec.last().Nominal)

		advance(time.Hour)
		assert.Equal(t, "trace 1", value)
		assert.NoError(t, ended)
	})
}

func TestQueueRefuses(t *testing.T) {
	t.Parallel()
	auth := offer("a")
	auth.Result = classify.Message("401 unauthorized")
	deadline := offer("a")
	deadline.Result = classify.Error(context.DeadlineExceeded)
	for _, tt := range []struct {
		name   string
		config *resilience.Config
		offer  resilience.Restart
		want   string
	}{
		{"a kind that is not registered", nil,
			resilience.Restart{Task: resilience.Task{Kind: "other"}}, `restart "other": kind "other" is not registered: call Queue.Register first`},
		{"no kind at all", nil, resilience.Restart{}, `restart "": kind "" is not registered: call Queue.Register first`},
		{"another failure", nil, auth, `restart "job": authentication is not a transient network failure`},
		{"the caller's deadline", nil, deadline, `restart "job": timeout is not a transient network failure`},
		{"no restarts", &resilience.Config{TaskRestart: resilience.RestartConfig{MaxRestarts: new(0)}}, offer("a"),
			`restart "job": all restarts failed: taskRestart.maxRestarts is 0`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				store := &memory{}
				q, rec := queueIn(t, tt.config, resilience.WithStore(store))
				q.Register("job", func(context.Context, []byte) error { return nil })
				require.EqualError(t, q.Offer(t.Context(), tt.offer), tt.want)
				assert.Equal(t, resilience.RestartRefused, rec.last().To)
				assert.Error(t, rec.last().Err)
				assert.Empty(t, q.Tasks())
				assert.Zero(t, store.puts)
			})
		})
	}
}

func TestQueueFull(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q, rec := queueIn(t, nil, resilience.WithQueueCapacity(2))
		q.Register("job", func(context.Context, []byte) error { return nil })
		require.NoError(t, q.Offer(t.Context(), offer("a")))
		require.NoError(t, q.Offer(t.Context(), offer("b")))
		start := time.Now()
		err := q.Offer(t.Context(), offer("c"))
		require.ErrorIs(t, err, resilience.ErrQueueFull)
		assert.EqualError(t, err, `restart "job": the restart queue is full: it holds 2 tasks`)
		assert.Zero(t, time.Since(start), "at once")
		assert.Equal(t, resilience.RestartRefused, rec.last().To)
		assert.Len(t, q.Tasks(), 2)

		advance(2 * time.Minute)
		assert.NoError(t, q.Offer(t.Context(), offer("c")), "there is room again")
	})
}

// The restart settings of an agent override the general ones.
func TestQueueConfig(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q, rec := queueIn(t, &resilience.Config{
			TaskRestart: resilience.RestartConfig{RestartBackoffBaseMs: 1000},
			Agents:      map[string]resilience.AgentConfig{"eager": {TaskRestart: resilience.RestartConfig{MaxRestarts: new(1)}}},
		})
		q.Register("job", func(context.Context, []byte) error { return errNetwork })
		start := time.Now()
		r := offer("a")
		r.Agent = "eager"
		require.NoError(t, q.Offer(t.Context(), r))
		advance(time.Hour)
		assert.Equal(t, []string{"queued 1 0s", "started 1 1s", "failed 1 1s"}, rec.lines(start))
		assert.Equal(t, "eager", rec.last().Agent)
	})
}

// The number of running tasks does not exceed the number of workers.
func TestQueueWorkers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q, _ := queueIn(t, nil, resilience.WithQueueWorkers(2))
		var mu sync.Mutex
		running, most, done := 0, 0, 0
		job := func(context.Context, []byte) error {
			mu.Lock()
			running++
			most = max(most, running)
			mu.Unlock()
			time.Sleep(time.Second)
			mu.Lock()
			defer mu.Unlock()
			running--
			done++
			return nil
		}
		q.Register("job", job)
		for i := range 10 {
			require.NoError(t, q.Offer(t.Context(), offer(fmt.Sprint(i))))
		}
		advance(time.Minute + time.Second/2)
		q.Register("job", job) // sets new timers for the waiting tasks; no task may run twice
		advance(time.Minute)
		assert.Equal(t, 2, most)
		assert.Equal(t, 10, done)
		assert.Empty(t, q.Tasks())
	})
}

func TestQueuePanics(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q, rec := queueIn(t, nil, resilience.WithQueueObserver(func(context.Context, resilience.Event) { panic("observer") }),
			resilience.WithQueueObserver(nil), nil)
		q.Register("job", func(context.Context, []byte) error { panic("boom") })
		q.Register("job", nil)
		require.NoError(t, q.Offer(t.Context(), offer("a")))
		advance(time.Hour)
		assert.Equal(t, resilience.RestartFailed, rec.last().To)
		assert.EqualError(t, rec.last().Err, "the function panicked: boom")
		assert.Empty(t, q.Tasks())
	})
}

func TestQueueGoexit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q, rec := queueIn(t, nil)
		q.Register("job", func(context.Context, []byte) error { runtime.Goexit(); return nil })
		require.NoError(t, q.Offer(t.Context(), offer("a")))
		advance(time.Hour)
		assert.Equal(t, resilience.RestartFailed, rec.last().To)
		assert.EqualError(t, rec.last().Err, "the function called runtime.Goexit")
		assert.Empty(t, q.Tasks())
	})
}

func TestQueueConcurrentSafe(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &memory{}
		q, _ := queueIn(t, nil, resilience.WithStore(store))
		var mu sync.Mutex
		done := map[string]int{}
		q.Register("job", func(_ context.Context, payload []byte) error {
			mu.Lock()
			defer mu.Unlock()
			done[string(payload)]++
			if done[string(payload)] == 1 {
				return errNetwork
			}
			return nil
		})
		var wg sync.WaitGroup
		for i := range 200 {
			wg.Go(func() {
				assert.NoError(t, q.Offer(t.Context(), offer(fmt.Sprint(i))))
				_ = q.Tasks()
			})
		}
		wg.Wait()
		advance(time.Hour)
		assert.Len(t, done, 200)
		for task, n := range done {
			assert.Equal(t, 2, n, "runs of task %s", task)
		}
		assert.Zero(t, store.len())
	})
}
