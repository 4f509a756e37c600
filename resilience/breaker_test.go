package resilience_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/resilience"
)

// fixture is an executor with one endpoint. Tests make one call at a time.
type fixture struct {
	t      *testing.T
	x      *resilience.Executor
	events *events
}

func newFixture(t *testing.T, cfg *resilience.Config, opts ...resilience.Option) *fixture {
	recorded := new(events)
	return &fixture{t: t, events: recorded, x: executor(t, cfg, append(opts, resilience.WithObserver(recorded.observe))...)}
}

// single returns a config without retries.
func single() *resilience.Config {
	cfg := enabled()
	cfg.Retry.MaxNetworkRetries = new(0)
	return cfg
}

// strict returns a config without retries whose breakers are strict.
func strict() *resilience.Config {
	cfg := single()
	cfg.CircuitBreaker.Strict = new(true)
	return cfg
}

// do makes a call that fails with err. It reports whether the call was made.
func (b *fixture) do(err error) (called bool, got error) {
	_, got = resilience.Do(b.t.Context(), b.x, resilience.Call{Targets: []resilience.Target{primary}},
		func(context.Context, resilience.Target) (int, error) {
			called = true
			return 0, err
		})
	return called, got
}

// fail makes n calls that fail with err. The breaker must not refuse them.
func (b *fixture) fail(n int, err error) {
	b.t.Helper()
	for i := range n {
		called, _ := b.do(err)
		require.True(b.t, called, "call %d was refused", i+1)
	}
}

// state returns the state of the only breaker.
func (b *fixture) state() resilience.BreakerState {
	b.t.Helper()
	all := b.x.Breakers().Snapshot()
	require.Len(b.t, all, 1)
	return all[0].State
}

func TestBreaker_OpensAndCloses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newFixture(t, strict())
		b.fail(4, errNetwork)
		assert.Equal(t, resilience.BreakerClosed, b.state())
		b.fail(1, errNetwork)
		assert.Equal(t, resilience.BreakerOpen, b.state())

		time.Sleep(time.Minute)
		called, err := b.do(nil)
		assert.False(t, called)
		require.ErrorIs(t, err, resilience.ErrOpen)
		open, ok := errors.AsType[*resilience.OpenError](err)
		require.True(t, ok)
		assert.Equal(t, 4*time.Minute, open.RetryAfter)
		assert.Equal(t, classify.ReasonNetwork, open.Cause.Reason)
		require.EqualError(t, err, `circuit breaker open for "https://a.example": try again in 4m0s, or force it closed`)
		res := classify.Error(err)
		assert.Equal(t, classify.ReasonTransient, res.Reason)
		assert.Equal(t, 4*time.Minute, res.RetryAfter)
		assert.Equal(t, string(res.Reason), open.ErrorType())

		time.Sleep(4*time.Minute - 1)
		called, _ = b.do(nil)
		assert.False(t, called)
		time.Sleep(time.Nanosecond)
		b.fail(1, errNetwork) // the trial call
		assert.Equal(t, resilience.BreakerOpen, b.state(), "open for another five minutes")
		called, _ = b.do(nil)
		assert.False(t, called)
		time.Sleep(5 * time.Minute)
		b.fail(1, nil)
		assert.Equal(t, resilience.BreakerClosed, b.state())
		assert.Equal(t, []string{
			"closed>open", "open>half_open", "half_open>open", "open>half_open", "half_open>closed",
		}, b.events.transitions(resilience.KindBreaker))
		b.fail(4, errNetwork)
		assert.Equal(t, resilience.BreakerClosed, b.state(), "it counts anew")
	})
}

// Only failures of the endpoint count. A success resets their count.
func TestBreaker_WhatCounts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		err    error
		counts bool
	}{
		{name: "network", err: errNetwork, counts: true},
		{name: "transient", err: answer(503, "120"), counts: true},
		{name: "rate limit", err: answer(429, "120"), counts: true},
		{name: "peer's timeout", err: answer(504, "120"), counts: true},
		{name: "fatal", err: errKey},
		{name: "unknown", err: errUnknown},
		{name: "parsing", err: errParsing},
		{name: "aborted", err: context.Canceled},
		{name: "context overflow", err: errOverflow},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newFixture(t, strict())
				b.fail(4, errNetwork)
				b.fail(1, tt.err)
				assert.Equal(t, tt.counts, b.state() == resilience.BreakerOpen)
				if !tt.counts {
					b.fail(20, tt.err)
					assert.Equal(t, resilience.BreakerClosed, b.state())
					b.fail(1, errNetwork)
					assert.Equal(t, resilience.BreakerOpen, b.state(), "it does not stand for a success either")
				}
			})
		})
	}
	t.Run("a success between", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			b := newFixture(t, strict())
			for range 10 {
				b.fail(4, errNetwork)
				b.fail(1, nil)
			}
			assert.Equal(t, resilience.BreakerClosed, b.state())
		})
	})
}

// After a trial call that says nothing about the endpoint, another trial call is
// allowed.
func TestBreaker_TrialShowsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newFixture(t, strict())
		b.fail(5, errNetwork)
		time.Sleep(5 * time.Minute)
		b.fail(1, context.Canceled)
		assert.Equal(t, resilience.BreakerOpen, b.state())
		b.fail(1, errUnknown)
		assert.Equal(t, resilience.BreakerOpen, b.state())
		assert.Panics(t, func() {
			_, _ = resilience.Do(t.Context(), b.x, resilience.Call{Targets: []resilience.Target{primary}},
				func(context.Context, resilience.Target) (int, error) { panic("boom") })
		})
		b.fail(1, nil)
		assert.Equal(t, resilience.BreakerClosed, b.state())
		assert.Equal(t, []string{
			"closed>open", "open>half_open", "half_open>open", "open>half_open", "half_open>open", "open>half_open", "half_open>open", "open>half_open", "half_open>closed",
		}, b.events.transitions(resilience.KindBreaker))
	})
}

// During a trial call, other calls are refused.
func TestBreaker_OneTrialAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newFixture(t, strict())
		b.fail(5, errNetwork)
		time.Sleep(5 * time.Minute)
		done := make(chan error)
		go func() {
			_, err := resilience.Do(t.Context(), b.x, resilience.Call{Targets: []resilience.Target{primary}},
				func(context.Context, resilience.Target) (int, error) {
					time.Sleep(10 * time.Second)
					return 0, nil
				})
			done <- err
		}()
		synctest.Wait()
		for range 10 {
			called, err := b.do(nil)
			assert.False(t, called)
			require.ErrorContains(t, err, "another call is finding out")
		}
		require.NoError(t, <-done)
		assert.Equal(t, resilience.BreakerClosed, b.state())
	})
}

// If a trial call hangs for longer than the cooldown, the next call is made as a new
// trial call.
func TestBreaker_TrialHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newFixture(t, strict())
		b.fail(5, errNetwork)
		time.Sleep(5 * time.Minute)
		hangs, done := make(chan error), make(chan error)
		go func() {
			_, err := resilience.Do(t.Context(), b.x, resilience.Call{Targets: []resilience.Target{primary}},
				func(context.Context, resilience.Target) (int, error) { return 0, <-hangs })
			done <- err
		}()
		synctest.Wait()
		time.Sleep(5*time.Minute - 1)
		_, err := b.do(nil)
		var open *resilience.OpenError
		require.ErrorAs(t, err, &open)
		assert.Equal(t, time.Duration(0), open.RetryAfter)
		time.Sleep(time.Nanosecond)
		b.fail(1, errUnknown) // says nothing about the endpoint
		b.fail(1, nil)
		assert.Equal(t, resilience.BreakerClosed, b.state())
		hangs <- errNetwork
		require.ErrorIs(t, <-done, errNetwork)
		assert.Zero(t, b.x.Breakers().Snapshot()[0].Failures)
	})
}

// If a breaker has been open for longer than bridgeMs, a new Do makes one trial
// call. If the trial call fails, Do makes no retries.
func TestBreaker_FailedTrialEndsTheCall(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		strict bool
		calls  int // calls before the breaker opens; Do makes no more
	}{{name: "default", calls: 6}, {name: "strict", strict: true, calls: 5}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				cfg := enabled()
				cfg.CircuitBreaker.Strict = &tt.strict
				b := newFixture(t, cfg)
				s := newScript(map[resilience.Target][]error{primary: {errNetwork}})
				call := resilience.Call{Targets: []resilience.Target{primary}}
				_, _ = resilience.Do(t.Context(), b.x, call, s.call)
				assert.Len(t, s.calls, tt.calls)
				time.Sleep(5 * time.Minute)
				start, waits := time.Now(), len(b.events.pauses())
				_, err := resilience.Do(t.Context(), b.x, call, s.call)
				assert.Len(t, s.calls, tt.calls+1)
				assert.Zero(t, time.Since(start), "nobody waits for a call that will be refused")
				assert.Len(t, b.events.pauses(), waits)
				require.ErrorIs(t, err, errNetwork)
				require.ErrorIs(t, err, resilience.ErrOpen)
			})
		})
	}
}

// The outcomes of calls that began before the breaker opened do not change its state.
func TestBreaker_LateOutcomeAfterOpening(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		err   error
		after time.Duration
		state resilience.BreakerState
	}{
		{name: "success while open", after: time.Minute, state: resilience.BreakerOpen},
		{name: "failure while open", err: errNetwork, after: time.Minute, state: resilience.BreakerOpen},
		{name: "success while half-open", after: 6 * time.Minute, state: resilience.BreakerHalfOpen},
		{name: "failure while half-open", err: errNetwork, after: 6 * time.Minute, state: resilience.BreakerHalfOpen},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newFixture(t, strict())
				slow := func(d time.Duration, err error) {
					go func() {
						_, _ = resilience.Do(t.Context(), b.x, resilience.Call{Targets: []resilience.Target{primary}},
							func(context.Context, resilience.Target) (int, error) {
								time.Sleep(d)
								return 0, err
							})
					}()
					synctest.Wait()
				}
				slow(tt.after, tt.err)
				b.fail(5, errNetwork)
				time.Sleep(min(tt.after, 5*time.Minute))
				if tt.after > 5*time.Minute {
					slow(2*time.Minute, nil) // the trial call
					time.Sleep(tt.after - 5*time.Minute)
				}
				synctest.Wait()
				assert.Equal(t, tt.state, b.state())
				called, _ := b.do(nil)
				assert.False(t, called)
				time.Sleep(time.Hour)
			})
		})
	}
}

// Five attempts of one call open the breaker. The sixth attempt is a trial.
func TestBreaker_LastCallIsTheTrial(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		fails []error
		state resilience.BreakerState
	}{
		{name: "in vain", fails: []error{errNetwork}, state: resilience.BreakerOpen},
		{name: "the sixth succeeds", fails: append(repeat(5, errNetwork), nil), state: resilience.BreakerClosed},
		{name: "the sixth is rejected", fails: append(repeat(5, errNetwork), errKey), state: resilience.BreakerClosed},
		{name: "the sixth is limited", fails: append(repeat(5, errNetwork), errLimited), state: resilience.BreakerClosed},
		{name: "the sixth says nothing", fails: append(repeat(5, errNetwork), errUnknown), state: resilience.BreakerOpen},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newFixture(t, enabled())
				s := newScript(map[resilience.Target][]error{primary: tt.fails})
				start := time.Now()
				_, _ = resilience.Do(t.Context(), b.x, resilience.Call{Targets: []resilience.Target{primary}}, s.call)
				assert.Len(t, s.calls, 6)
				assert.Equal(t, 15500*time.Millisecond, time.Since(start), "all pauses of the schedule")
				assert.Equal(t, tt.state, b.state())
			})
		})
	}
}

// If the breaker is forced open during a pause, the call makes no retry.
func TestBreaker_EndsRetriesOfOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newFixture(t, enabled())
		s := newScript(map[resilience.Target][]error{primary: {errNetwork}})
		time.AfterFunc(time.Second, func() {
			assert.NoError(t, b.x.Breakers().Force(t.Context(), primary.Endpoint, resilience.BreakerForceOpen))
		})
		_, err := resilience.Do(t.Context(), b.x, resilience.Call{Targets: []resilience.Target{primary}}, s.call)
		assert.Len(t, s.calls, 2)
		require.ErrorIs(t, err, errNetwork)
		require.ErrorIs(t, err, resilience.ErrOpen)
		assert.EqualError(t, err, errNetwork.Error())
		assert.EqualError(t, asError(t, err).Stop, `circuit breaker open for "https://a.example": it is forced open, force it closed or set it to auto`)
	})
}

func TestBreaker_Force(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newFixture(t, single())
		force := func(mode resilience.BreakerMode) {
			t.Helper()
			require.NoError(t, b.x.Breakers().Force(t.Context(), primary.Endpoint, mode))
		}
		force(resilience.BreakerForceOpen)
		time.Sleep(time.Hour)
		called, err := b.do(nil)
		assert.False(t, called, "time does not close it")
		require.ErrorIs(t, err, resilience.ErrOpen)
		force(resilience.BreakerForceClosed)
		b.fail(50, errNetwork)
		force(resilience.BreakerAuto)
		b.fail(4, errNetwork)
		assert.Equal(t, resilience.BreakerClosed, b.state(), "it starts anew")
		b.fail(1, errNetwork)
		force(resilience.BreakerForceClosed) // a person overrides the open breaker
		b.fail(1, nil)
		require.ErrorContains(t, b.x.Breakers().Force(t.Context(), "x", "ajar"), `breaker mode "ajar": must be auto, force_open or force_closed`)
		assert.Len(t, b.x.Breakers().Snapshot(), 1, "a mistake makes no breaker")
		assert.Equal(t, []string{"closed>open", "open>closed", "closed>open", "open>closed"}, b.events.transitions(resilience.KindBreaker))
	})
}

// Failures of calls that began before a change of mode do not count.
func TestBreaker_LateOutcomes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newFixture(t, single())
		b.fail(4, errNetwork)
		_, err := resilience.Do(t.Context(), b.x, resilience.Call{Targets: []resilience.Target{primary}},
			func(ctx context.Context, _ resilience.Target) (int, error) {
				assert.NoError(t, b.x.Breakers().Force(ctx, primary.Endpoint, resilience.BreakerForceClosed))
				assert.NoError(t, b.x.Breakers().Force(ctx, primary.Endpoint, resilience.BreakerAuto))
				return 0, errNetwork
			})
		require.Error(t, err)
		assert.Equal(t, 0, b.x.Breakers().Snapshot()[0].Failures)
		assert.Equal(t, resilience.BreakerClosed, b.state())
	})
}

func TestBreaker_Config(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cfg := single()
		cfg.CircuitBreaker.FailureThreshold = 2
		cfg.Endpoints = map[string]resilience.EndpointConfig{
			primary.Endpoint:   {CircuitBreaker: resilience.BreakerConfig{CooldownMs: 1000, Strict: new(true)}},
			secondary.Endpoint: {CircuitBreaker: resilience.BreakerConfig{Mode: resilience.BreakerForceOpen}},
		}
		b := newFixture(t, cfg)
		b.fail(2, errNetwork)
		got := b.x.Breakers().Snapshot()
		now := time.Now()
		assert.Equal(t, []resilience.BreakerStatus{
			{Endpoint: primary.Endpoint, State: resilience.BreakerOpen, Mode: resilience.BreakerAuto, Since: now, Failures: 2, RetryAfter: time.Second},
			{Endpoint: secondary.Endpoint, State: resilience.BreakerOpen, Mode: resilience.BreakerForceOpen, Since: now},
		}, got)
		time.Sleep(time.Second)
		b.fail(1, nil)
	})
}

// Two models behind one endpoint share a breaker. One model behind two
// endpoints has two breakers.
func TestBreaker_PerEndpoint(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newFixture(t, single())
		b.fail(5, errNetwork)
		for _, tt := range []struct {
			target resilience.Target
			called bool
		}{
			{target: resilience.Target{Endpoint: primary.Endpoint, Model: "a-2"}},
			{target: resilience.Target{Endpoint: "https://gateway.example", Model: primary.Model}, called: true},
		} {
			s := newScript(nil)
			_, err := resilience.Do(t.Context(), b.x, resilience.Call{Targets: []resilience.Target{tt.target}}, s.call)
			assert.Equal(t, tt.called, err == nil)
			assert.Equal(t, tt.called, len(s.calls) == 1)
		}
	})
}

// If the breaker of a target is open, Do calls the next target.
func TestBreaker_OpenFallsBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newFixture(t, single())
		b.fail(5, errNetwork)
		s := newScript(map[resilience.Target][]error{secondary: {errKey}})
		_, err := resilience.Do(t.Context(), b.x, resilience.Call{Targets: []resilience.Target{primary, secondary}}, s.call)
		assert.Equal(t, []resilience.Target{secondary}, s.calls)
		assert.Same(t, errKey, err, "one call was made")
		moves := b.events.ofKind(resilience.KindFallback)
		require.Len(t, moves, 1)
		require.ErrorIs(t, moves[0].Err, resilience.ErrOpen)
		assert.Equal(t, classify.ReasonNetwork, moves[0].Result.Reason, "what had opened it")
	})
}

func TestBreaker_Probe(t *testing.T) {
	t.Parallel()
	down := errors.New("still down")
	for _, tt := range []struct {
		name    string
		probe   func(context.Context) error
		off     bool
		call    error
		called  bool
		state   resilience.BreakerState
		took    time.Duration
		wantErr error
	}{
		{name: "it is back", probe: func(context.Context) error { return nil }, called: true, state: resilience.BreakerClosed},
		{name: "it is back, but calls fail", probe: func(context.Context) error { return nil }, call: errNetwork, called: true, state: resilience.BreakerOpen, wantErr: errNetwork},
		{name: "it is not back", probe: func(context.Context) error { return down }, state: resilience.BreakerOpen, wantErr: down},
		{name: "it hangs", probe: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, state: resilience.BreakerOpen, took: 30 * time.Second, wantErr: context.DeadlineExceeded},
		{name: "it cannot be made", probe: func(context.Context) error { return answer(404, "") }, called: true, state: resilience.BreakerClosed},
		{name: "it has no key", probe: func(context.Context) error { return errKey }, call: errNetwork, called: true, state: resilience.BreakerOpen, wantErr: errNetwork},
		{name: "it panics", probe: func(context.Context) error { panic("probe") }, called: true, state: resilience.BreakerClosed},
		{name: "it is switched off", off: true, probe: func(context.Context) error { return down }, called: true, state: resilience.BreakerClosed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				cfg := strict()
				if tt.off {
					cfg.CircuitBreaker.HealthProbeEnabled = new(false)
				}
				b := newFixture(t, cfg, resilience.WithProbe(func(ctx context.Context, endpoint string) error {
					assert.Equal(t, primary.Endpoint, endpoint)
					return tt.probe(ctx)
				}))
				b.fail(5, errNetwork)
				time.Sleep(5 * time.Minute)
				start := time.Now()
				called, err := b.do(tt.call)
				assert.Equal(t, tt.called, called)
				assert.Equal(t, tt.state, b.state())
				assert.Equal(t, tt.took, time.Since(start))
				require.ErrorIs(t, err, tt.wantErr)
				if tt.state == resilience.BreakerOpen {
					called, err = b.do(nil)
					assert.False(t, called)
					require.ErrorIs(t, err, resilience.ErrOpen)
				}
			})
		})
	}
	t.Run("cancelled", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			b := newFixture(t, strict(), resilience.WithProbe(func(ctx context.Context, _ string) error { <-ctx.Done(); return ctx.Err() }))
			b.fail(5, errNetwork)
			time.Sleep(5 * time.Minute)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			_, err := resilience.Do(ctx, b.x, resilience.Call{Targets: []resilience.Target{primary}}, newScript(nil).call)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			assert.Equal(t, resilience.BreakerOpen, b.state(), "it shows nothing about the endpoint")
		})
	})
}

// Unused breakers do not accumulate.
func TestBreakers_ManyEndpoints(t *testing.T) {
	t.Parallel()
	x := executor(t, single())
	require.NoError(t, x.Breakers().Force(t.Context(), "forced", resilience.BreakerForceOpen))
	for i := range 10_000 {
		target := resilience.Target{Endpoint: "https://" + string(rune('a'+i%26)) + ".example/" + time.Duration(i).String()}
		_, err := resilience.Do(t.Context(), x, resilience.Call{Targets: []resilience.Target{target}}, newScript(nil).call)
		require.NoError(t, err)
	}
	all := x.Breakers().Snapshot()
	assert.Less(t, len(all), 2000)
	forced := 0
	for _, b := range all {
		if b.Endpoint == "forced" {
			forced++
		}
	}
	assert.Equal(t, 1, forced, "what a person has set is kept")
}
