package resilience_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/resilience"
)

// Each schedule has the expected pauses. With jitter, a pause is between low
// and high.
func TestSchedule_Figures(t *testing.T) {
	t.Parallel()
	const below1 = 1 - 1e-12
	ms := func(all ...float64) []time.Duration {
		var d []time.Duration
		for _, f := range all {
			d = append(d, time.Duration(f*float64(time.Millisecond)))
		}
		return d
	}
	for _, tt := range []struct {
		name               resilience.ScheduleName
		nominal, low, high []time.Duration
		maxCalls           int
	}{
		{
			name:    resilience.MediumSchedule,
			nominal: ms(500, 1000, 2000, 4000, 8000, 8000),
			low:     ms(300, 800, 1800, 3800, 7800, 7800),
			high:    ms(700, 1200, 2200, 4200, 8200, 8200),
		},
		{
			name:     resilience.FixedSchedule,
			nominal:  ms(1000, 2000, 4000, 8000, 16000, 30000, 30000),
			low:      ms(1000, 2000, 4000, 8000, 16000, 30000, 30000),
			high:     ms(1000, 2000, 4000, 8000, 16000, 30000, 30000),
			maxCalls: 3,
		},
		{
			name:    resilience.ShortSchedule,
			nominal: ms(200, 400, 800, 1600, 2000, 2000),
			low:     ms(180, 360, 720, 1440, 1800, 1800),
			high:    ms(220, 440, 880, 1760, 2200, 2200),
		},
		{
			name:    resilience.LongSchedule,
			nominal: ms(1000, 2000, 4000, 8000, 16000, 30000, 30000),
			low:     ms(800, 1600, 3200, 6400, 12800, 24000, 24000),
			high:    ms(1200, 2400, 4800, 9600, 19200, 36000, 36000),
		},
		{
			name:    resilience.CustomSchedule,
			nominal: ms(1000, 2000, 4000, 8000, 16000, 30000),
			low:     ms(800, 1600, 3200, 6400, 12800, 24000),
			high:    ms(1200, 2400, 4800, 9600, 19200, 36000),
		},
	} {
		t.Run(string(tt.name), func(t *testing.T) {
			t.Parallel()
			s := tt.name.Schedule()
			assert.Equal(t, tt.maxCalls, s.MaxCalls)
			for n := range tt.nominal {
				assert.Equal(t, tt.nominal[n], s.Nominal(n), "step %d", n)
				assert.Equal(t, tt.nominal[n], s.Delay(n, 0.5), "step %d in the middle", n)
				assert.Equal(t, tt.low[n], s.Delay(n, 0), "step %d at its least", n)
				assert.InDelta(t, tt.high[n], s.Delay(n, below1), 1000, "step %d at its most", n)
			}
			assert.Equal(t, tt.nominal[0], s.Nominal(-3))
		})
	}
	assert.Equal(t, resilience.MediumSchedule.Schedule(), resilience.ScheduleName("slow").Schedule())
	assert.Equal(t, time.Duration(0), resilience.Schedule{}.Delay(9, 0.9))
}

// Each pause is between 0 and Max plus jitter. Without jitter, pauses never shrink.
func TestSchedule_Bounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := resilience.Schedule{
			Base:           time.Duration(rapid.Int64Range(-10, math.MaxInt64).Draw(t, "base")),
			Max:            time.Duration(rapid.Int64Range(0, math.MaxInt64/4).Draw(t, "max")),
			Jitter:         time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "jitter")),
			JitterFraction: rapid.Float64Range(0, 1).Draw(t, "fraction"),
		}
		n := rapid.IntRange(-5, math.MaxInt).Draw(t, "step")
		nominal := s.Nominal(n)
		if nominal < 0 || nominal > s.Max || n < math.MaxInt && s.Nominal(n+1) < nominal {
			t.Fatalf("nominal %v of %+v", nominal, s)
		}
		d := s.Delay(n, rapid.Float64Range(0, 0.999).Draw(t, "random"))
		if most := nominal + s.Jitter + time.Duration(s.JitterFraction*float64(nominal)) + 1024; d < 0 || d > most {
			t.Fatalf("delay %v beyond %v of %+v", d, most, s)
		}
	})
}

func TestDo_Pauses(t *testing.T) {
	t.Parallel()
	sec := func(all ...float64) []time.Duration {
		var d []time.Duration
		for _, f := range all {
			d = append(d, time.Duration(f*float64(time.Second)))
		}
		return d
	}
	for _, tt := range []struct {
		name   string
		retry  resilience.RetryConfig
		random float64
		want   []time.Duration
	}{
		{name: "default", random: 0.5, want: sec(0.5, 1, 2, 4, 8)},
		{name: "medium at its least", random: 0, want: sec(0.3, 0.8, 1.8, 3.8, 7.8)},
		{name: "fixed", random: 0, retry: resilience.RetryConfig{Schedule: resilience.FixedSchedule}, want: sec(1, 2)},
		{name: "short", random: 0, retry: resilience.RetryConfig{Schedule: resilience.ShortSchedule}, want: sec(0.18, 0.36, 0.72, 1.44, 1.8)},
		{name: "long", random: 0.5, retry: resilience.RetryConfig{Schedule: resilience.LongSchedule}, want: sec(1, 2, 4, 8, 16)},
		{name: "custom", random: 0, want: sec(0.05, 0.1, 0.125, 0.125, 0.125), retry: resilience.RetryConfig{
			Schedule: resilience.CustomSchedule, BaseDelayMs: 100, MaxDelayMs: 250, JitterPercent: new(0.5),
		}},
		{name: "custom without jitter", random: 0, want: sec(1, 2, 4, 8, 16), retry: resilience.RetryConfig{
			Schedule: resilience.CustomSchedule, JitterPercent: new(0.0),
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				seen := new(events)
				cfg := &resilience.Config{Enabled: true, Retry: tt.retry}
				cfg.CircuitBreaker.Mode = resilience.BreakerForceClosed // otherwise the breaker opens and changes the pauses
				x := executor(t, cfg, resilience.WithRandom(func() float64 { return tt.random }), resilience.WithObserver(seen.observe))
				s := newScript(map[resilience.Target][]error{primary: {errNetwork}})
				start := time.Now()
				_, err := resilience.Do(t.Context(), x, resilience.Call{Targets: []resilience.Target{primary}}, s.call)
				require.Error(t, err)
				assert.Equal(t, tt.want, seen.pauses())
				var sum time.Duration
				for _, d := range tt.want {
					sum += d
				}
				assert.Equal(t, sum, time.Since(start), "so long it really took")
			})
		})
	}
}

// A Retry-After replaces the schedule's pause. If the Retry-After is longer than a
// minute, Do fails.
func TestDo_RetryAfter(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		hint   string
		pauses []time.Duration
		calls  int
	}{
		{name: "seconds", hint: "7", pauses: []time.Duration{7 * time.Second, 7 * time.Second}, calls: 3},
		{name: "zero is no hint", hint: "0", pauses: []time.Duration{300 * time.Millisecond, 800 * time.Millisecond}, calls: 3},
		{name: "just a minute", hint: "60", pauses: []time.Duration{time.Minute, time.Minute}, calls: 3},
		{name: "more than a minute", hint: "61", calls: 1},
		{name: "no hint", hint: "", pauses: []time.Duration{300 * time.Millisecond, 800 * time.Millisecond}, calls: 3},
		{name: "a date, which then is in the past", hint: "Sat, 01 Jan 2000 00:00:09 GMT", pauses: []time.Duration{9 * time.Second, 800 * time.Millisecond}, calls: 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { // starts at midnight, 2000-01-01
				seen := new(events)
				x := executor(t, enabled(), resilience.WithObserver(seen.observe), resilience.WithRandom(func() float64 { return 0 }))
				limited := answer(429, tt.hint)
				s := newScript(map[resilience.Target][]error{primary: {limited}})
				_, err := resilience.Do(t.Context(), x, resilience.Call{Targets: []resilience.Target{primary}}, s.call)
				require.ErrorIs(t, err, limited)
				assert.Len(t, s.calls, tt.calls)
				assert.Equal(t, tt.pauses, seen.pauses())
				for _, w := range seen.ofKind(resilience.KindWait) {
					assert.Equal(t, w.RetryAfter > 0, w.HintGiven)
					assert.NotEqual(t, w.HintGiven, w.Nominal > 0, "either the hint or the schedule's step")
					assert.False(t, w.Derived)
				}
				if tt.calls == 1 {
					assert.Same(t, limited, err, "nothing was retried")
				}
			})
		})
	}
}

// Do also reads headers that give the reset time of a rate limit.
func TestDo_DerivedHint(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limited := answer(429, "")
		inner, ok := errors.AsType[*answerError](limited)
		require.True(t, ok)
		inner.Response.Header.Set("x-ratelimit-reset-requests", "4s")
		inner.Response.Header.Set("x-ratelimit-remaining-requests", "0")
		seen := new(events)
		x := executor(t, enabled(), resilience.WithObserver(seen.observe))
		s := newScript(map[resilience.Target][]error{primary: {limited, nil}})
		_, err := resilience.Do(t.Context(), x, resilience.Call{Targets: []resilience.Target{primary}}, s.call)
		require.NoError(t, err)
		waits := seen.ofKind(resilience.KindWait)
		require.Len(t, waits, 1)
		assert.True(t, waits[0].Derived)
		assert.Equal(t, 4*time.Second, waits[0].ScheduledDelay)
	})
}

// Calls with the same key share one backoff until a call succeeds.
func TestDo_BackoffOfKey(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		seen := new(events)
		cfg := enabled()
		cfg.CircuitBreaker.Mode = resilience.BreakerForceClosed // keep the breaker closed
		x := executor(t, cfg, resilience.WithObserver(seen.observe))
		try := func(key string, fails ...error) {
			s := newScript(map[resilience.Target][]error{primary: append(fails, nil)})
			_, _ = resilience.Do(t.Context(), x, resilience.Call{Key: key, Targets: []resilience.Target{primary}}, s.call)
		}
		sec := func(f float64) time.Duration { return time.Duration(f * float64(time.Second)) }
		try("task", errTransient, errTransient, errKey)
		try("task", errTransient, errKey)
		try("other", errTransient, errKey)
		try("", errTransient, errKey)
		try("task", errTransient) // succeeds
		try("task", errTransient)
		assert.Equal(t, []time.Duration{sec(0.5), sec(1), sec(2), sec(0.5), sec(0.5), sec(4), sec(0.5)}, seen.pauses())
	})
}

// If a Retry-After replaces the first pause of the schedule, the next pause is the
// schedule's second pause.
func TestDo_HintIsAStep(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		seen := new(events)
		x := executor(t, enabled(), resilience.WithObserver(seen.observe))
		s := newScript(map[resilience.Target][]error{primary: {answer(429, "3"), errLimited, nil}})
		_, err := resilience.Do(t.Context(), x, resilience.Call{Key: "task", Targets: []resilience.Target{primary}}, s.call)
		require.NoError(t, err)
		assert.Equal(t, []time.Duration{3 * time.Second, time.Second}, seen.pauses())
	})
}

func TestWithClassifier_Decides(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		own, err := classify.New(classify.WithRules(classify.Rule{ID: "own/qwertz", Reason: classify.ReasonTransient, Pattern: "qwertz"}))
		require.NoError(t, err)
		s := newScript(map[resilience.Target][]error{primary: {errUnknown}})
		x := executor(t, enabled(), resilience.WithClassifier(own), resilience.WithClassifier(nil))
		_, err = resilience.Do(context.WithoutCancel(t.Context()), x, resilience.Call{Targets: []resilience.Target{primary}}, s.call)
		assert.Len(t, asError(t, err).Attempts, 3)
	})
}
