package resilience_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/resilience"
)

// callTime is the duration of a call to a fakeEndpoint.
const callTime = 20 * time.Millisecond

// fakeEndpoint is a simulated endpoint that records every call.
type fakeEndpoint struct {
	start  time.Time
	answer func(at time.Duration) error // nil: success

	mu     sync.Mutex
	calls  []fakeCall
	inside int
	most   int // calls at the same time
}

type fakeCall struct {
	at  time.Duration
	err error
}

func newFakeEndpoint(answer func(time.Duration) error) *fakeEndpoint {
	return &fakeEndpoint{start: time.Now(), answer: answer}
}

func (p *fakeEndpoint) call(ctx context.Context, _ resilience.Target) (int, error) {
	at := time.Since(p.start)
	err := p.answer(at)
	p.mu.Lock()
	p.calls = append(p.calls, fakeCall{at, err})
	p.inside++
	p.most = max(p.most, p.inside)
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		p.inside--
		p.mu.Unlock()
	}()
	select {
	case <-time.After(callTime):
		return 1, err
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// failed returns the number of failed calls that began at earliest or later.
func (p *fakeEndpoint) failed(earliest time.Duration) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, c := range p.calls {
		if c.err != nil && c.at >= earliest {
			n++
		}
	}
	return n
}

// starts returns the start times of all calls that began at earliest or later.
func (p *fakeEndpoint) starts(earliest time.Duration) []time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []time.Duration
	for _, c := range p.calls {
		if c.at >= earliest {
			all = append(all, c.at)
		}
	}
	return all
}

// downBetween returns an answer function. Calls between begin and end fail with
// network errors.
func downBetween(begin, end time.Duration) func(time.Duration) error {
	return func(at time.Duration) error {
		if begin <= at && at < end {
			return errNetwork
		}
		return nil
	}
}

// crowd makes n calls at the same time and records when they end.
func crowd(t *testing.T, x *resilience.Executor, p *fakeEndpoint, n int, call resilience.Call) (errs []error, ends []time.Duration) {
	t.Helper()
	errs, ends = make([]error, n), make([]time.Duration, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			_, errs[i] = resilience.Do(t.Context(), x, call, p.call)
			ends[i] = time.Since(p.start)
		})
	}
	all.Wait()
	return errs, ends
}

func answered(errs []error) (n int) {
	for _, err := range errs {
		if err == nil {
			n++
		}
	}
	return n
}

var onPrimary = resilience.Call{Targets: []resilience.Target{primary}}

// jittered returns an executor with random jitter, and its events.
func jittered(t *testing.T, cfg *resilience.Config, opts ...resilience.Option) (*resilience.Executor, *events) {
	t.Helper()
	seen := new(events)
	random := rand.New(rand.NewPCG(1, 2))
	var mu sync.Mutex
	return executor(t, cfg, append(opts, resilience.WithObserver(seen.observe), resilience.WithRandom(func() float64 {
		mu.Lock()
		defer mu.Unlock()
		return random.Float64()
	}))...), seen
}

// forCallers calls f three times: for 1, for 10 and for 1,000 callers.
func forCallers(t *testing.T, f func(t *testing.T, n int)) {
	t.Helper()
	for _, n := range []int{1, 10, 1000} {
		t.Run(fmt.Sprint(n, " callers"), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { f(t, n) })
		})
	}
}

// If Do is called during an outage, it succeeds soon after the recovery. Until then,
// few calls to the endpoint fail.
func TestGate_Outage(t *testing.T) {
	t.Parallel()
	for _, long := range []time.Duration{2 * time.Second, 5 * time.Second, 15 * time.Second} {
		t.Run(long.String(), func(t *testing.T) {
			t.Parallel()
			forCallers(t, func(t *testing.T, n int) {
				x, _ := jittered(t, enabled())
				p := newFakeEndpoint(downBetween(0, long))
				errs, ends := crowd(t, x, p, n, onPrimary)
				assert.Equal(t, n, answered(errs))
				assert.LessOrEqual(t, p.failed(0), 2*n+20, "a first call, and sometimes a second before the breaker opens")
				for _, end := range ends {
					assert.LessOrEqual(t, end, max(long+4*time.Second, 16*time.Second))
				}
				assert.Equal(t, resilience.BreakerClosed, x.Breakers().Snapshot()[0].State)
			})
		})
	}
}

// All calls of a steady stream succeed, despite an outage of two seconds.
func TestGate_OutageOfAStream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		x, seen := jittered(t, enabled())
		p := newFakeEndpoint(downBetween(10*time.Second, 12*time.Second))
		assert.Equal(t, 1500, answered(stream(t, x, p, 1500, 20*time.Millisecond)))
		assert.Less(t, p.failed(0), 80, "calls in vain: those of a second until the breaker opens, and trials")
		breaks := seen.transitions(resilience.KindBreaker)
		assert.Equal(t, "closed>open", breaks[0])
		assert.Equal(t, "half_open>closed", breaks[len(breaks)-1])
	})
}

// stream makes n calls, one per interval, and returns their errors.
func stream(t *testing.T, x *resilience.Executor, p *fakeEndpoint, n int, interval time.Duration) []error {
	t.Helper()
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { _, errs[i] = resilience.Do(t.Context(), x, onPrimary, p.call) })
		time.Sleep(interval)
	}
	all.Wait()
	return errs
}

// All callers wait until a rate limit is over, and all succeed.
func TestGate_RateLimit(t *testing.T) {
	t.Parallel()
	for _, hint := range []string{"10", ""} {
		t.Run("Retry-After "+hint, func(t *testing.T) {
			t.Parallel()
			forCallers(t, func(t *testing.T, n int) {
				x, seen := jittered(t, enabled())
				p := newFakeEndpoint(func(at time.Duration) error {
					switch {
					case at >= 10*time.Second:
						return nil
					case hint == "":
						return errLimited
					default:
						return answer(429, "10")
					}
				})
				errs, ends := crowd(t, x, p, n, onPrimary)
				if hint == "" && n == 1 {
					require.ErrorIs(t, errs[0], errLimited, "without a hint a lone caller has three calls in 1.5 s")
					return
				}
				if hint != "" {
					assert.Equal(t, n, answered(errs))
					assert.Equal(t, n, p.failed(0), "nobody calls before the hold ends")
				} else {
					assert.GreaterOrEqual(t, answered(errs), n-10, "a call a second finds out that the limit stays")
					assert.Less(t, p.failed(callTime), 25)
				}
				for _, end := range ends {
					assert.Less(t, end, 12*time.Second)
				}
				assert.Empty(t, seen.ofKind(resilience.KindBreaker), "a rate limit opens no breaker")
			})
		})
	}
}

// After a rate limit, 1, 2, 4, 8 and more calls run at the same time.
func TestGate_Ramp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		x, _ := jittered(t, enabled())
		p := newFakeEndpoint(func(at time.Duration) error {
			if at < 10*time.Second {
				return answer(429, "10")
			}
			return nil
		})
		errs, _ := crowd(t, x, p, 1000, onPrimary)
		assert.Equal(t, 1000, answered(errs))
		rounds := map[time.Duration]int{}
		for _, at := range p.starts(10 * time.Second) {
			rounds[at]++
		}
		begin := 10*time.Second + callTime
		for i := range 8 {
			assert.Equal(t, 1<<i, rounds[begin+time.Duration(i)*callTime], "round %d", i)
		}
	})
}

// After a rate limit, the number of calls at the same time grows step by step (the
// ramp). It grows even while the first calls, which take a minute each, still run.
func TestGate_RampOfSlowCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		x := executor(t, enabled())
		start := time.Now()
		var all sync.WaitGroup
		for range 100 {
			all.Go(func() {
				_, err := resilience.Do(t.Context(), x, onPrimary, func(context.Context, resilience.Target) (int, error) {
					if time.Since(start) < 10*time.Second {
						return 0, answer(429, "10")
					}
					time.Sleep(time.Minute)
					return 0, nil
				})
				assert.NoError(t, err)
			})
		}
		all.Wait()
		assert.Less(t, time.Since(start), 75*time.Second)
	})
}

// A call does not wait beyond its deadline or beyond maxHoldMs.
func TestGate_HoldInVain(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		hint     string
		deadline time.Duration
		maxHold  int
		targets  []resilience.Target
		opts     []resilience.Option
		want     error
		took     time.Duration
		other    int // calls to the second target
	}{
		{name: "it waits", hint: "20", took: 20 * time.Second},
		{name: "it waits within its deadline", hint: "20", deadline: 25 * time.Second, took: 20 * time.Second},
		{name: "its deadline is earlier", hint: "20", deadline: 15 * time.Second, want: resilience.ErrHeld},
		{name: "its deadline is earlier, and there is another target", hint: "20", deadline: 15 * time.Second, targets: all3, other: 1},
		{name: "another target, and time to wait", hint: "20", targets: all3, took: 20 * time.Second},
		{name: "another target first", hint: "20", targets: all3, opts: []resilience.Option{resilience.WithRateLimitOrder(resilience.FallbackFirst)}, other: 1},
		{name: "more than a minute", hint: "90", want: resilience.ErrHeld},
		{name: "more than a minute, and there is another target", hint: "90", targets: all3, other: 1},
		{name: "more than a minute is allowed", hint: "90", maxHold: 120_000, took: 90 * time.Second},
		{name: "less than a minute is allowed", hint: "20", maxHold: 10_000, want: resilience.ErrHeld},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				cfg := enabled()
				cfg.Retry.MaxHoldMs = tt.maxHold
				x := executor(t, cfg, tt.opts...)
				s := newScript(map[resilience.Target][]error{primary: {answer(429, tt.hint), nil}})
				first, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				start := time.Now()
				_, err := resilience.Do(first, x, onPrimary, s.call)
				assert.Equal(t, classify.ReasonRateLimit, reason(err), "the provider's own error")
				assert.Zero(t, time.Since(start), "at once")

				ctx := t.Context()
				if tt.deadline > 0 {
					ctx, cancel = context.WithTimeout(ctx, tt.deadline)
					defer cancel()
				}
				call := onPrimary
				if tt.targets != nil {
					call.Targets = tt.targets
				}
				_, err = resilience.Do(ctx, x, call, s.call)
				require.ErrorIs(t, err, tt.want)
				assert.Equal(t, tt.took, time.Since(start))
				assert.Equal(t, tt.other, s.count(secondary))
				if held, ok := errors.AsType[*resilience.HoldError](err); ok {
					assert.Equal(t, classify.ReasonRateLimit, classify.Error(held).Reason)
					assert.Equal(t, held.RetryAfter, classify.Error(held).RetryAfter)
					assert.Equal(t, string(classify.ReasonRateLimit), held.ErrorType())
					assert.Equal(t, classify.ReasonRateLimit, held.Cause.Reason)
				}
			})
		})
	}
}

// If a provider wrongly announces a rate limit of 24 hours, calls stop for only five
// minutes.
func TestGate_LongestHold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		x := executor(t, enabled())
		s := newScript(map[resilience.Target][]error{primary: {answer(429, "86400"), nil}})
		_, err := resilience.Do(t.Context(), x, onPrimary, s.call)
		require.Error(t, err)
		assert.Equal(t, 5*time.Minute, x.Breakers().Snapshot()[0].Hold)
		time.Sleep(5 * time.Minute)
		_, err = resilience.Do(t.Context(), x, onPrimary, s.call)
		require.NoError(t, err)
	})
}

// Errors caused by the callers' own deadlines do not open the breaker.
func TestGate_OwnDeadlines(t *testing.T) {
	t.Parallel()
	for _, where := range []string{"of the caller", "in the function"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			forCallers(t, func(t *testing.T, n int) {
				x, seen := jittered(t, single())
				p := newFakeEndpoint(func(time.Duration) error { return nil })
				for range 2 * n {
					ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
					outer := ctx
					if where == "in the function" {
						outer = t.Context()
					}
					_, err := resilience.Do(outer, x, resilience.Call{Targets: onPrimary.Targets, Repeatable: func(resilience.Attempt) bool { return false }},
						func(_ context.Context, target resilience.Target) (int, error) { return p.call(ctx, target) })
					assert.ErrorIs(t, err, context.DeadlineExceeded)
					cancel()
				}
				assert.Empty(t, seen.ofKind(resilience.KindBreaker))
				_, err := resilience.Do(t.Context(), x, onPrimary, p.call)
				require.NoError(t, err)
			})
		})
	}
}

// If a pause would end after the deadline, Do returns the provider's error at once.
func TestDo_NoPauseInVain(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		err  error
		took time.Duration
		want error
	}{
		{name: "a hint of 50 s", err: answer(429, "50"), want: resilience.ErrNoTime},
		{name: "a hint of 50 s of a 503", err: answer(503, "50"), want: resilience.ErrNoTime},
		{name: "exactly the deadline", err: answer(503, "10"), want: resilience.ErrNoTime},
		{name: "a late pause of the schedule", err: errNetwork, took: 7500 * time.Millisecond, want: resilience.ErrNoTime},
		{name: "time enough", err: errTransient, took: 1500 * time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				defer cancel()
				start := time.Now()
				_, err := resilience.Do(ctx, executor(t, enabled()), onPrimary, newScript(map[resilience.Target][]error{primary: {tt.err}}).call)
				require.ErrorIs(t, err, tt.err)
				assert.Equal(t, tt.took, time.Since(start))
				assert.Equal(t, reason(tt.err), reason(err), "the classification stays")
				if tt.want == nil {
					require.NoError(t, asError(t, err).Stop)
					return
				}
				require.ErrorIs(t, asError(t, err).Stop, tt.want)
				assert.Contains(t, asError(t, err).Stop.Error(), "the deadline (in ")
			})
		})
	}
}

// One call in five fails with 503. No breaker opens, and no call is refused.
func TestGate_OneInFive(t *testing.T) {
	t.Parallel()
	for _, perSecond := range []int{10, 100, 500} {
		t.Run(fmt.Sprint(perSecond, " a second"), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				x, seen := jittered(t, enabled())
				random := rand.New(rand.NewPCG(3, 4))
				var mu sync.Mutex
				p := newFakeEndpoint(func(time.Duration) error {
					mu.Lock()
					defer mu.Unlock()
					if random.IntN(5) == 0 {
						return errTransient
					}
					return nil
				})
				errs := stream(t, x, p, 3000, time.Second/time.Duration(perSecond))
				assert.GreaterOrEqual(t, answered(errs), 3000-3000/100, "three calls fail in a row once in 125")
				for _, err := range errs {
					assert.NotErrorIs(t, err, resilience.ErrOpen)
				}
				if perSecond >= 100 {
					assert.Empty(t, seen.ofKind(resilience.KindBreaker))
				}
			})
		})
	}
}

// Failures at the same time count as one failure.
func TestGate_ConcurrentFailuresCountOnce(t *testing.T) {
	t.Parallel()
	forCallers(t, func(t *testing.T, n int) {
		cfg := single()
		cfg.CircuitBreaker.QuietMs = new(0) // no time for a first success
		x := executor(t, cfg)
		p := newFakeEndpoint(downBetween(0, time.Minute))
		for round := range 5 {
			assert.Equal(t, resilience.BreakerClosed, stateOf(x), "round %d", round)
			crowd(t, x, p, n, onPrimary)
			assert.Equal(t, round+1, x.Breakers().Snapshot()[0].Failures)
		}
		assert.Equal(t, resilience.BreakerOpen, stateOf(x))
	})
}

// stateOf returns the state of the only breaker, or closed if there is none.
func stateOf(x *resilience.Executor) resilience.BreakerState {
	for _, b := range x.Breakers().Snapshot() {
		return b.State
	}
	return resilience.BreakerClosed
}

// A breaker does not open within a second of a success.
func TestGate_QuietBeforeOpening(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		quiet *int
		want  time.Duration
	}{{nil, time.Second}, {new(3000), 3 * time.Second}, {new(0), 400 * time.Millisecond}} {
		t.Run(tt.want.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				cfg := single()
				cfg.CircuitBreaker.QuietMs = tt.quiet
				b := newFixture(t, cfg)
				b.fail(1, nil)
				start := time.Now()
				for b.state() == resilience.BreakerClosed {
					b.fail(1, errNetwork)
					time.Sleep(100 * time.Millisecond)
				}
				assert.Equal(t, tt.want, time.Since(start)-100*time.Millisecond)
			})
		})
	}
}

// An open gate lets one trial in at a time. The pauses between trials grow.
func TestGate_Trials(t *testing.T) {
	t.Parallel()
	forCallers(t, func(t *testing.T, n int) {
		x, _ := jittered(t, enabled())
		p := newFakeEndpoint(downBetween(0, time.Hour))
		b := &fixture{t: t, x: x}
		b.fail(1, nil)
		time.Sleep(time.Second)
		for range 5 {
			once := resilience.Call{Targets: onPrimary.Targets, Repeatable: func(resilience.Attempt) bool { return false }}
			_, err := resilience.Do(t.Context(), x, once, p.call)
			require.ErrorIs(t, err, errNetwork)
		}
		require.Equal(t, resilience.BreakerOpen, stateOf(x))
		opened := time.Since(p.start)
		var all sync.WaitGroup
		for range n {
			all.Go(func() { _, _ = resilience.Do(t.Context(), x, onPrimary, p.call) })
		}
		all.Wait()
		at := opened
		for i, start := range p.starts(opened) {
			gap := []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second}[min(i, 2)]
			if n == 1 {
				assert.GreaterOrEqual(t, start, at+gap, "trial %d", i)
			} else {
				assert.Equal(t, at+gap, start, "trial %d", i)
			}
			at = start + callTime
		}
		assert.GreaterOrEqual(t, len(p.starts(opened)), 5)

		// After BridgeMs, new calls do not wait. A few of them are trials, which
		// fail. The others are refused.
		time.Sleep(time.Until(p.start.Add(opened + 40*time.Second)))
		late := time.Since(p.start)
		refused := 0
		for range 60 {
			before := time.Now()
			errs, _ := crowd(t, x, p, n, onPrimary)
			assert.LessOrEqual(t, time.Since(before), callTime)
			for _, err := range errs {
				require.ErrorIs(t, err, resilience.ErrOpen)
				if _, ok := errors.AsType[*resilience.OpenError](err); ok {
					refused++
				}
			}
			time.Sleep(time.Second)
		}
		trials := p.starts(late)
		assert.InDelta(t, 25, len(trials), 6)
		assert.Equal(t, 60*n-len(trials), refused)
	})
}

// If a call from the restart queue and an ordinary call wait, the ordinary call makes
// the trials. If only a call from the restart queue waits, this call makes the trial,
// but later than an ordinary call would.
func TestGate_RestartsLeaveTrials(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		another bool // another call, which came later, waits too
		want    []string
	}{
		{name: "alone", want: []string{"restart"}},
		{name: "with another call", another: true, want: []string{"call", "call", "call", "restart"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newFixture(t, enabled())
				for range 5 {
					once := resilience.Call{Targets: onPrimary.Targets, Repeatable: func(resilience.Attempt) bool { return false }}
					_, err := resilience.Do(t.Context(), b.x, once, newFakeEndpoint(downBetween(0, time.Hour)).call)
					require.ErrorIs(t, err, errNetwork)
				}
				require.Equal(t, resilience.BreakerOpen, b.state())
				p := newFakeEndpoint(downBetween(0, 3*time.Second))
				var mu sync.Mutex
				var made []string
				do := func(ctx context.Context, who string) {
					_, err := resilience.Do(ctx, b.x, onPrimary, func(ctx context.Context, target resilience.Target) (int, error) {
						mu.Lock()
						made = append(made, who)
						mu.Unlock()
						return p.call(ctx, target)
					})
					assert.NoError(t, err)
				}
				var all sync.WaitGroup
				all.Go(func() { do(resilience.WithRestartNumber(t.Context(), 1), "restart") })
				synctest.Wait()
				if tt.another {
					all.Go(func() { do(t.Context(), "call") })
				}
				all.Wait()
				assert.Equal(t, tt.want, made)
			})
		})
	}
}

// If the breaker has been open for less than BridgeMs, new calls wait. A call is
// refused if its deadline is before the next trial.
func TestGate_Bridge(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		bridge   *int
		after    time.Duration // time after the opening
		deadline time.Duration
		targets  []resilience.Target
		want     error
	}{
		{name: "it waits", after: time.Second},
		{name: "after the bridge", after: 31 * time.Second, want: resilience.ErrOpen},
		{name: "no bridge", bridge: new(0), after: 100 * time.Millisecond, want: resilience.ErrOpen},
		{name: "another target", after: time.Second, targets: all3},
		{name: "its deadline is before the next trial", after: 100 * time.Millisecond, deadline: 300 * time.Millisecond, want: resilience.ErrOpen},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				cfg := single()
				cfg.CircuitBreaker.BridgeMs = tt.bridge
				cfg.Agents = map[string]resilience.AgentConfig{"patient": {Retry: resilience.RetryConfig{MaxNetworkRetries: new(5)}}}
				b := newFixture(t, cfg)
				b.fail(5, errNetwork)
				opened := time.Now()
				back := 3 * time.Second
				if tt.want != nil {
					back = time.Hour
				}
				p := newFakeEndpoint(downBetween(0, back))
				// Some of these calls are the trials of the open breaker.
				go func() {
					for time.Since(opened) < 32*time.Second {
						time.Sleep(240 * time.Millisecond)
						go func() { _, _ = resilience.Do(t.Context(), b.x, onPrimary, p.call) }()
					}
				}()
				time.Sleep(tt.after)
				ctx := t.Context()
				if tt.deadline > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, tt.deadline)
					defer cancel()
				}
				call := resilience.Call{Agent: "patient", Targets: onPrimary.Targets}
				if tt.targets != nil {
					call.Targets = tt.targets
				}
				start := time.Now()
				_, err := resilience.Do(ctx, b.x, call, func(ctx context.Context, target resilience.Target) (int, error) {
					if target != primary {
						return 0, nil
					}
					return p.call(ctx, target)
				})
				require.ErrorIs(t, err, tt.want)
				if tt.want != nil || tt.targets != nil {
					assert.LessOrEqual(t, time.Since(start), callTime)
				} else {
					assert.Greater(t, time.Since(start), 2*time.Second, "until the network is back")
					assert.Less(t, time.Since(start), 5*time.Second)
				}
				time.Sleep(time.Minute)
			})
		})
	}
}

// Each key of an endpoint has its own gate.
func TestGate_Keys(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		x, seen := jittered(t, single())
		tenant := func(key string) resilience.Target {
			return resilience.Target{Endpoint: primary.Endpoint, Provider: primary.Provider, Key: key}
		}
		s := newScript(map[resilience.Target][]error{tenant("acme"): {errNetwork}, tenant("bolt"): {answer(429, "30")}})
		do := func(key string) error {
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			_, err := resilience.Do(ctx, x, resilience.Call{Targets: []resilience.Target{tenant(key)}}, s.call)
			return err
		}
		for range 5 {
			require.ErrorIs(t, do("acme"), errNetwork)
		}
		require.ErrorIs(t, do("acme"), resilience.ErrOpen)
		require.Error(t, do("bolt"))
		require.ErrorIs(t, do("bolt"), resilience.ErrHeld)
		require.NoError(t, do("other"))
		require.NoError(t, do(""))
		var names []string
		for _, b := range x.Breakers().Snapshot() {
			names = append(names, b.Endpoint)
		}
		assert.Equal(t, []string{
			"https://a.example", "https://a.example#acme", "https://a.example#bolt", "https://a.example#other",
		}, names)
		assert.Equal(t, resilience.Target{Endpoint: primary.Endpoint, Key: "acme"}, seen.ofKind(resilience.KindBreaker)[0].Target)

		require.NoError(t, x.Breakers().Force(t.Context(), "https://a.example#acme", resilience.BreakerForceClosed))
		require.ErrorIs(t, do("acme"), errNetwork, "it is called again")
		require.NoError(t, x.Breakers().Force(t.Context(), "https://a.example#bolt", resilience.BreakerForceClosed))
		assert.Equal(t, classify.ReasonRateLimit, reason(do("bolt")), "it is called again")
	})
}

// An open strict breaker lets no call in for five minutes.
func TestGate_Strict(t *testing.T) {
	t.Parallel()
	forCallers(t, func(t *testing.T, n int) {
		cfg := enabled()
		cfg.CircuitBreaker.Strict = new(true)
		x, _ := jittered(t, cfg)
		p := newFakeEndpoint(downBetween(0, time.Second))
		errs, _ := crowd(t, x, p, n, onPrimary)
		if n == 1 {
			require.NoError(t, errs[0], "three calls in vain do not open it")
			return
		}
		assert.Zero(t, answered(errs))
		made := len(p.starts(0))
		opened := time.Now()
		for time.Since(opened) < 290*time.Second {
			_, err := resilience.Do(t.Context(), x, onPrimary, p.call)
			require.ErrorIs(t, err, resilience.ErrOpen)
			time.Sleep(10 * time.Second)
		}
		assert.Len(t, p.starts(0), made)
		time.Sleep(10 * time.Second)
		_, err := resilience.Do(t.Context(), x, onPrimary, p.call)
		require.NoError(t, err)
	})
}

// A trial that hangs does not prevent further trials.
func TestGate_HungTrial(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newFixture(t, single())
		b.fail(5, errNetwork)
		time.Sleep(time.Second)
		release, done := make(chan struct{}), make(chan error)
		go func() {
			_, err := resilience.Do(t.Context(), b.x, onPrimary, func(context.Context, resilience.Target) (int, error) {
				<-release
				return 0, errNetwork
			})
			done <- err
		}()
		synctest.Wait()
		assert.Equal(t, resilience.BreakerHalfOpen, b.state())
		time.Sleep(30 * time.Second)
		b.fail(1, nil)
		assert.Equal(t, resilience.BreakerClosed, b.state())
		close(release)
		require.ErrorIs(t, <-done, errNetwork)
		assert.Equal(t, resilience.BreakerClosed, b.state(), "its outcome no longer counts")
		assert.Zero(t, b.x.Breakers().Snapshot()[0].Failures)
	})
}

// An answer closes the breaker, even if another trial has begun meanwhile. So calls
// that always take longer than hungTrial end an outage too.
func TestGate_AnswerOfAnEarlierTrial(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		err    error
		second error // of the second trial; nil: the second trial is still under way
		before bool  // the breaker has closed and opened again between the trials
		state  resilience.BreakerState
	}{
		{name: "success", state: resilience.BreakerClosed},
		{name: "success after another failed trial", second: errNetwork, state: resilience.BreakerClosed},
		{name: "rejected", err: errRequest, state: resilience.BreakerClosed},
		{name: "rate limit", err: errLimited, state: resilience.BreakerClosed},
		{name: "server error", err: errTransient, state: resilience.BreakerHalfOpen},
		{name: "shows nothing", err: errUnknown, state: resilience.BreakerHalfOpen},
		{name: "success of a trial before this opening", before: true, state: resilience.BreakerHalfOpen},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newFixture(t, single())
				slow := func(err error) {
					go func() {
						_, _ = resilience.Do(t.Context(), b.x, onPrimary, func(context.Context, resilience.Target) (int, error) {
							time.Sleep(40 * time.Second)
							return 0, err
						})
					}()
					synctest.Wait()
				}
				b.fail(5, errNetwork)
				time.Sleep(time.Second)
				slow(tt.err)
				time.Sleep(30 * time.Second)
				if tt.before {
					b.fail(1, nil)
					time.Sleep(2 * time.Second)
					b.fail(10, errNetwork)
					time.Sleep(time.Second)
				}
				if tt.second != nil {
					b.fail(1, tt.second)
				} else {
					slow(nil)
				}
				time.Sleep(10 * time.Second)
				synctest.Wait()
				assert.Equal(t, tt.state, b.state())
				time.Sleep(10 * time.Minute) // until all calls have ended
			})
		})
	}
}

// Force lets waiting calls in or refuses them. The end of a context ends its call.
func TestGate_ForceAndWaiting(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		mode resilience.BreakerMode
		want error
	}{
		{mode: resilience.BreakerForceClosed},
		{mode: resilience.BreakerForceOpen, want: resilience.ErrOpen},
	} {
		t.Run(string(tt.mode), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				x, seen := jittered(t, enabled())
				limited := newScript(map[resilience.Target][]error{primary: {answer(429, "50")}})
				hopeless, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				_, err := resilience.Do(hopeless, x, onPrimary, limited.call)
				require.Error(t, err)
				cancelled, stop := context.WithCancel(t.Context())
				var all sync.WaitGroup
				all.Go(func() {
					_, err := resilience.Do(cancelled, x, onPrimary, newScript(nil).call)
					assert.ErrorIs(t, err, context.Canceled)
				})
				for range 10 {
					all.Go(func() {
						_, err := resilience.Do(t.Context(), x, onPrimary, newScript(nil).call)
						assert.ErrorIs(t, err, tt.want)
					})
				}
				synctest.Wait()
				got := x.Breakers().Snapshot()[0]
				assert.Equal(t, 11, got.Waiting)
				assert.Equal(t, 50*time.Second, got.Hold)
				assert.Len(t, seen.ofKind(resilience.KindWait), 11)
				stop()
				synctest.Wait()
				assert.Equal(t, 10, x.Breakers().Snapshot()[0].Waiting)
				start := time.Now()
				require.NoError(t, x.Breakers().Force(t.Context(), primary.Endpoint, tt.mode))
				all.Wait()
				assert.Less(t, time.Since(start), time.Second)
				assert.Zero(t, x.Breakers().Snapshot()[0].Waiting)
			})
		})
	}
}

// A longer Retry-After extends a hold. Waiting calls with deadlines before the new end
// of the hold are then refused.
func TestGate_HoldGrows(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		x := executor(t, enabled())
		s := newScript(map[resilience.Target][]error{primary: {answer(429, "5"), answer(429, "30"), nil}})
		var all sync.WaitGroup
		all.Go(func() {
			_, err := resilience.Do(t.Context(), x, onPrimary, s.call)
			assert.NoError(t, err)
		})
		synctest.Wait()
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		errs := make([]error, 10)
		for i := range errs {
			all.Go(func() { _, errs[i] = resilience.Do(ctx, x, onPrimary, s.call) })
		}
		all.Wait()
		assert.Equal(t, 35*time.Second, time.Since(start))
		refused := 0
		for _, err := range errs {
			if errors.Is(err, resilience.ErrHeld) {
				refused++
			} else {
				require.ErrorIs(t, err, resilience.ErrNoTime, "the one that met the second limit")
			}
		}
		assert.GreaterOrEqual(t, refused, 9)
	})
}

// The events of a breaker arrive in the order of its changes.
func TestGate_EventsInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		last := string(resilience.BreakerClosed)
		x, _ := jittered(t, enabled(), resilience.WithObserver(func(_ context.Context, e resilience.Event) {
			if e.Kind != resilience.KindBreaker {
				return
			}
			time.Sleep(time.Millisecond) // a slow observer
			mu.Lock()
			defer mu.Unlock()
			assert.Equal(t, last, e.From)
			last = e.To
		}))
		p := newFakeEndpoint(func(at time.Duration) error {
			if at/(5*time.Second)%2 == 0 {
				return errNetwork
			}
			return nil
		})
		stream(t, x, p, 3000, 10*time.Millisecond)
		assert.Equal(t, string(stateOf(x)), last)
	})
}
