package resilience_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/resilience"
)

// fakeSharer records the published changes. The function answer decides what Claim
// returns.
type fakeSharer struct {
	resilience.Receiver

	mu        sync.Mutex
	published []resilience.GateChange
	claims    int
	current   []resilience.GateChange
	panics    bool                                             // Publish panics
	answer    func(ctx context.Context) (time.Duration, error) // nil: granted
}

func (f *fakeSharer) Attach(r resilience.Receiver) { f.Receiver = r }

func (f *fakeSharer) Publish(c resilience.GateChange) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.panics {
		panic("no memory")
	}
	f.published = append(f.published, c)
}

func (f *fakeSharer) Current(string) []resilience.GateChange { return f.current }

func (f *fakeSharer) Claim(ctx context.Context, _ string, _ time.Duration) (time.Duration, error) {
	f.mu.Lock()
	f.claims++
	f.mu.Unlock()
	if f.answer == nil {
		return 0, nil
	}
	return f.answer(ctx)
}

// kinds returns the kinds of the published changes.
func (f *fakeSharer) kinds() []resilience.GateChangeKind {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []resilience.GateChangeKind
	for _, c := range f.published {
		all = append(all, c.Kind)
	}
	return all
}

// gateOfPrimary is the id of the primary target's gate.
const gateOfPrimary = "https%3A%2F%2Fa.example"

func opened(c resilience.GateChange) resilience.GateChange {
	c.Gate, c.Kind, c.Peer = gateOfPrimary, resilience.GateOpened, "peer"
	return c
}

func held(d time.Duration) resilience.GateChange {
	return resilience.GateChange{Gate: gateOfPrimary, Kind: resilience.GateHeld, Hold: d, Peer: "peer"}
}

// sharedFixture is an executor with a fake sharer and a scripted endpoint.
type sharedFixture struct {
	*fakeSharer
	x      *resilience.Executor
	seen   *events
	fails  error // error of the next calls
	called int
}

func newSharedFixture(t *testing.T, opts ...resilience.Option) *sharedFixture {
	t.Helper()
	f := &sharedFixture{fakeSharer: new(fakeSharer), seen: new(events)}
	f.x = executor(t, enabled(), append(opts, resilience.WithSharing(f.fakeSharer), resilience.WithObserver(f.seen.observe))...)
	return f
}

func (f *sharedFixture) do(ctx context.Context) error {
	_, err := resilience.Do(ctx, f.x, resilience.Call{Targets: []resilience.Target{primary}},
		func(context.Context, resilience.Target) (int, error) {
			f.called++
			return 1, f.fails
		})
	return err
}

// begin makes a first call, which creates the gate. Then it waits longer than
// quietMs.
func (f *sharedFixture) begin(t *testing.T) {
	t.Helper()
	require.NoError(t, f.do(t.Context()))
	time.Sleep(2 * time.Second)
	f.called = 0
}

func (f *sharedFixture) status() resilience.BreakerStatus { return f.x.Breakers().Snapshot()[0] }

func (f *sharedFixture) sharing() (all []string) {
	for _, e := range f.seen.ofKind(resilience.KindSharing) {
		all = append(all, e.To)
	}
	return all
}

// bubble runs a test in virtual time.
func bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, f)
}

func TestSharing_PublishesChanges(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := newSharedFixture(t)
		f.fails = answer(429, "5")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.Error(t, f.do(ctx))
		require.Len(t, f.published, 1)
		assert.Equal(t, resilience.GateHeld, f.published[0].Kind)
		assert.Equal(t, gateOfPrimary, f.published[0].Gate)
		assert.Equal(t, 5*time.Second, f.published[0].Hold)
		assert.Equal(t, 429, f.published[0].Cause.Status)

		time.Sleep(10 * time.Second)
		f.fails = errNetwork
		for f.status().State == resilience.BreakerClosed {
			_ = f.do(ctx)
			ctx, cancel = context.WithTimeout(t.Context(), time.Second)
			defer cancel()
		}
		time.Sleep(time.Second)
		f.fails = nil
		require.NoError(t, f.do(t.Context()))
		assert.Equal(t, []resilience.GateChangeKind{resilience.GateHeld, resilience.GateOpened, resilience.GateClosed}, slices.Compact(f.kinds()))
		assert.Equal(t, 500*time.Millisecond, f.published[1].NextTrial)
		assert.Equal(t, classify.ReasonNetwork, f.published[1].Cause.Reason)
	})
}

// The id of a gate contains no secrets of the key or the endpoint.
func TestSharing_GateHasNoSecret(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := newSharedFixture(t)
		long := strings.Repeat("/päth {x}", 100)
		for _, target := range []resilience.Target{
			{Endpoint: "https://user:hunter2@a.example/v1?key=hunter2", Key: "hunter2"},
			{Endpoint: "https://a.example" + long, Key: "hunter2"},
		} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			_, err := resilience.Do(ctx, f.x, resilience.Call{Targets: []resilience.Target{target}},
				func(context.Context, resilience.Target) (int, error) { return 0, answer(429, "5") })
			require.Error(t, err)
		}
		require.Len(t, f.published, 2)
		for _, c := range f.published {
			assert.NotContains(t, c.Gate, "hunter2")
			assert.Regexp(t, `^[A-Za-z0-9%._~+#-]{1,256}$`, c.Gate)
		}
		assert.NotEqual(t, f.published[0].Gate, f.published[1].Gate)
	})
}

func TestSharing_RemoteHold(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := newSharedFixture(t)
		f.begin(t)
		f.Apply(held(5 * time.Second))
		start := time.Now()
		require.NoError(t, f.do(t.Context()))
		assert.Equal(t, 5*time.Second, time.Since(start))
		assert.Empty(t, f.published, "a change of another process is not sent again")
		require.Len(t, f.seen.ofKind(resilience.KindHold), 1)
	})
}

// A hostile change does limited harm, and the executor reports it once.
func TestSharing_HostileChanges(t *testing.T) {
	tests := []struct {
		name    string
		change  resilience.GateChange
		hold    time.Duration
		ignored bool
	}{
		{name: "a hold of ten years", change: held(87600 * time.Hour), hold: time.Minute, ignored: true},
		{name: "a negative hold", change: held(-time.Hour), ignored: true},
		{name: "a hold of nothing", change: held(0)},
		{name: "an unknown kind", change: resilience.GateChange{Gate: gateOfPrimary, Kind: "exploded"}, ignored: true},
		{name: "an unknown gate", change: resilience.GateChange{Gate: "https%3A%2F%2Fz.example", Kind: resilience.GateHeld, Hold: time.Second}},
		{name: "negative trials", change: opened(resilience.GateChange{FailedTrials: -1}), ignored: true},
		{name: "a hold for ten billion processes", change: resilience.GateChange{Gate: gateOfPrimary, Kind: resilience.GateHeld, Hold: time.Second, Peers: 1e10}, hold: 2 * time.Second},
		{name: "closed while closed", change: resilience.GateChange{Gate: gateOfPrimary, Kind: resilience.GateClosed}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				f := newSharedFixture(t)
				f.begin(t)
				f.Apply(tt.change)
				f.Apply(tt.change)
				assert.Equal(t, tt.hold, f.status().Hold)
				assert.Equal(t, resilience.BreakerClosed, f.status().State)
				var want []string
				if tt.ignored {
					want = []string{resilience.SharingIgnored}
				}
				assert.Equal(t, want, f.sharing())
				time.Sleep(time.Second)
				require.NoError(t, f.do(t.Context()))
			})
		})
	}
	resilience.Receiver{}.Apply(held(time.Second)) // does nothing
	resilience.Receiver{}.Away(errNetwork)
}

// A trial follows after five minutes, even if another process reports that the next
// trial is in ten years.
func TestSharing_HostileOpening(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := newSharedFixture(t)
		f.begin(t)
		f.Apply(opened(resilience.GateChange{NextTrial: 87600 * time.Hour, OpenFor: 87600 * time.Hour, FailedTrials: 1 << 60}))
		assert.Equal(t, resilience.BreakerOpen, f.status().State)
		assert.Equal(t, 5*time.Minute, f.status().RetryAfter)
		require.ErrorIs(t, f.do(t.Context()), resilience.ErrOpen)
		time.Sleep(5 * time.Minute)
		require.NoError(t, f.do(t.Context()))
		assert.Equal(t, resilience.BreakerClosed, f.status().State)
	})
}

// If another process reports the largest number of failed trials, this process can
// still count its own failed trial.
func TestSharing_HostileNumberOfTrials(t *testing.T) {
	for name, open := range map[string]bool{"while closed": false, "while open": true} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				f := newSharedFixture(t)
				f.begin(t)
				if open {
					f.Apply(opened(resilience.GateChange{NextTrial: time.Millisecond, OpenFor: time.Minute}))
				}
				f.Apply(opened(resilience.GateChange{NextTrial: time.Millisecond, OpenFor: time.Minute, FailedTrials: math.MaxInt}))
				f.fails = errNetwork
				time.Sleep(time.Second)
				require.Error(t, f.do(t.Context()))
				assert.Equal(t, 1, f.called, "the trial")
				require.NotEmpty(t, f.published)
				assert.Positive(t, f.published[0].FailedTrials)
				f.fails = nil
				time.Sleep(10 * time.Second)
				require.NoError(t, f.do(t.Context()))
			})
		})
	}
}

// If a Sharer panics, the panic goes to the caller. The gate is not blocked.
func TestSharing_PanicOfSharer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := newSharedFixture(t)
		f.begin(t)
		f.panics, f.fails = true, answer(429, "5")
		assert.PanicsWithValue(t, "no memory", func() { _ = f.do(t.Context()) })
		f.panics, f.fails = false, nil
		assert.Equal(t, 5*time.Second, f.status().Hold)
		require.NoError(t, f.do(t.Context()))
	})
}

func TestSharing_NewGateCatchesUp(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := newSharedFixture(t)
		f.current = []resilience.GateChange{held(3 * time.Second)}
		start := time.Now()
		require.NoError(t, f.do(t.Context()))
		assert.Equal(t, 3*time.Second, time.Since(start))
		assert.Equal(t, 1, f.called)
	})
}

// Another process reports that the breaker has opened. After successful calls of this
// process, the report has no effect until a call of this process fails too.
func TestSharing_OpeningNeedsOwnFailureAfterSuccess(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := newSharedFixture(t)
		require.NoError(t, f.do(t.Context()))
		f.Apply(opened(resilience.GateChange{NextTrial: 500 * time.Millisecond}))
		assert.Equal(t, resilience.BreakerClosed, f.status().State)
		require.NoError(t, f.do(t.Context()))

		time.Sleep(100 * time.Millisecond)
		f.Apply(opened(resilience.GateChange{NextTrial: 500 * time.Millisecond}))
		time.Sleep(1500 * time.Millisecond)
		f.fails = errNetwork
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		require.Error(t, f.do(ctx))
		assert.Equal(t, 1, f.called-2)
		assert.Equal(t, resilience.BreakerOpen, f.status().State)
	})
}

// If one machine cannot reach an endpoint, the breakers of other machines do not
// stay open.
func TestSharing_DistrustsRefutedOpenings(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := newSharedFixture(t)
		f.begin(t)
		f.Apply(opened(resilience.GateChange{NextTrial: 500 * time.Millisecond}))
		assert.Equal(t, resilience.BreakerOpen, f.status().State)
		require.NoError(t, f.do(t.Context()))
		time.Sleep(2 * time.Second)
		f.Apply(opened(resilience.GateChange{NextTrial: 500 * time.Millisecond}))
		assert.Equal(t, resilience.BreakerClosed, f.status().State)
		other := opened(resilience.GateChange{NextTrial: 500 * time.Millisecond})
		other.Peer = "another"
		f.Apply(other)
		assert.Equal(t, resilience.BreakerOpen, f.status().State)
	})
}

// While another process makes the trial, the breaker of this process stays open.
func TestSharing_TrialElsewhere(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := newSharedFixture(t)
		f.begin(t)
		f.answer = func(context.Context) (time.Duration, error) { return 20 * time.Second, nil }
		f.Apply(opened(resilience.GateChange{NextTrial: 500 * time.Millisecond, OpenFor: 10 * time.Second, Cause: classify.Error(errNetwork)}))
		start := time.Now()
		time.AfterFunc(3*time.Second, func() {
			f.Apply(resilience.GateChange{Gate: gateOfPrimary, Kind: resilience.GateClosed, Peer: "another"})
		})
		require.NoError(t, f.do(t.Context()), "waits in the bridge")
		assert.Equal(t, 3*time.Second, time.Since(start))
		assert.Equal(t, 1, f.claims)
		assert.Equal(t, 1, f.called)
	})
	t.Run("late", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			f := newSharedFixture(t)
			f.begin(t)
			f.answer = func(context.Context) (time.Duration, error) {
				time.Sleep(10 * time.Millisecond)
				return 20 * time.Second, nil
			}
			f.Apply(opened(resilience.GateChange{NextTrial: time.Millisecond, OpenFor: time.Minute}))
			time.Sleep(time.Second)
			start := time.Now()
			require.ErrorIs(t, f.do(t.Context()), resilience.ErrOpen)
			assert.Equal(t, 10*time.Millisecond, time.Since(start))
			require.ErrorIs(t, f.do(t.Context()), resilience.ErrOpen)
			assert.Equal(t, 10*time.Millisecond, time.Since(start), "it is known that another process has the lease")
			f.answer = nil
			time.Sleep(20 * time.Second)
			require.NoError(t, f.do(t.Context()), "a late call makes the trial")
			assert.Equal(t, resilience.BreakerClosed, f.status().State)
		})
	})
}

// If Claim fails or does not answer, the trial is made without a lease.
func TestSharing_ClaimFails(t *testing.T) {
	for name, answer := range map[string]func(context.Context) (time.Duration, error){
		"error":     func(context.Context) (time.Duration, error) { return 0, errors.New("away") },
		"no answer": func(ctx context.Context) (time.Duration, error) { <-ctx.Done(); return 0, ctx.Err() },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				f := newSharedFixture(t)
				f.begin(t)
				f.answer = answer
				f.Apply(opened(resilience.GateChange{NextTrial: time.Millisecond, OpenFor: time.Minute}))
				time.Sleep(time.Second)
				start := time.Now()
				require.NoError(t, f.do(t.Context()))
				assert.LessOrEqual(t, time.Since(start), 100*time.Millisecond)
			})
		})
	}
}

// After a canceled trial, the lease goes to the next call or is released.
func TestSharing_CanceledTrialEndsLease(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := newSharedFixture(t)
		f.begin(t)
		f.Apply(opened(resilience.GateChange{NextTrial: time.Millisecond}))
		time.Sleep(time.Second)
		ctx, cancel := context.WithCancel(t.Context())
		_, err := resilience.Do(ctx, f.x, resilience.Call{Targets: []resilience.Target{primary}},
			func(context.Context, resilience.Target) (int, error) { cancel(); return 0, context.Canceled })
		require.Error(t, err)
		require.Equal(t, []resilience.GateChangeKind{resilience.GateReleased}, f.kinds())

		// If a call ends before Claim answers, the lease is also released.
		f.answer = func(context.Context) (time.Duration, error) { time.Sleep(50 * time.Millisecond); return 0, nil }
		ctx, cancel = context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		require.Error(t, f.do(ctx))
		time.Sleep(time.Second)
		assert.Equal(t, []resilience.GateChangeKind{resilience.GateReleased, resilience.GateReleased}, f.kinds())

		// If the breaker closes before Claim answers, the lease is not kept.
		ctx, cancel = context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		require.Error(t, f.do(ctx))
		f.Apply(resilience.GateChange{Gate: gateOfPrimary, Kind: resilience.GateClosed, Peer: "another"})
		time.Sleep(time.Second)
		assert.Len(t, f.kinds(), 3)
		require.NoError(t, f.do(t.Context()))
	})
}

func TestSharing_AwayOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := newSharedFixture(t)
		f.Back()
		f.Away(errNetwork)
		f.Away(errNetwork)
		f.Ignored(errUnknown)
		f.Ignored(errUnknown)
		f.Back()
		f.Back()
		f.Ignored(errUnknown)
		assert.Equal(t, []string{resilience.SharingAway, resilience.SharingIgnored, resilience.SharingBack, resilience.SharingIgnored}, f.sharing())
		assert.ErrorIs(t, f.seen.ofKind(resilience.KindSharing)[0].Err, errNetwork)
	})
}

// Changes by other processes have no effect on a breaker with a forced mode.
func TestSharing_ForcedBreaker(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := newSharedFixture(t)
		f.begin(t)
		require.NoError(t, f.x.Breakers().Force(t.Context(), primary.Endpoint, resilience.BreakerForceClosed))
		f.Apply(opened(resilience.GateChange{NextTrial: time.Minute}))
		require.NoError(t, f.do(t.Context()))
		require.NoError(t, f.x.Breakers().Force(t.Context(), primary.Endpoint, resilience.BreakerForceOpen))
		f.Apply(resilience.GateChange{Gate: gateOfPrimary, Kind: resilience.GateClosed})
		require.ErrorIs(t, f.do(t.Context()), resilience.ErrOpen)
		assert.Empty(t, f.published)
	})
}

// If changes of other processes arrive while calls are running, there is no data race.
func TestSharing_ConcurrentSafe(t *testing.T) {
	bubble(t, func(t *testing.T) {
		server := newMemoryServer(time.Millisecond)
		var all sync.WaitGroup
		for _, name := range []string{"a", "b", "c"} {
			x := executor(t, enabled(), resilience.WithSharing(server.join(name)))
			for i := range 8 {
				all.Go(func() {
					for n := range 50 {
						_, _ = resilience.Do(t.Context(), x, resilience.Call{Targets: []resilience.Target{primary}},
							func(context.Context, resilience.Target) (int, error) {
								time.Sleep(time.Duration(i) * time.Millisecond)
								switch {
								case n%20 == 10:
									return 0, errLimited
								case n > 25 && n < 35:
									return 0, errNetwork
								}
								return 1, nil
							})
					}
				})
			}
		}
		all.Wait()
	})
}
