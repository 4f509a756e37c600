package resilience_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/resilience"
)

var all3 = []resilience.Target{primary, secondary, tertiary}

// Do makes three calls to each target.
func TestDo_FallbackStartsNewCount(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		seen := new(events)
		x := executor(t, enabled(), resilience.WithObserver(seen.observe))
		s := newScript(map[resilience.Target][]error{primary: {errLimited}, secondary: {errTransient, nil}})
		got, err := resilience.Do(t.Context(), x, resilience.Call{Key: "k", Targets: all3}, s.call)
		require.NoError(t, err)
		assert.Equal(t, "b-1", got)
		assert.Equal(t, []resilience.Target{primary, primary, primary, secondary, secondary}, s.calls)
		assert.Equal(t, []time.Duration{500 * time.Millisecond, time.Second, 500 * time.Millisecond}, seen.pauses(), "the fallback starts at the shortest pause")
		moves := seen.ofKind(resilience.KindFallback)
		require.Len(t, moves, 1)
		assert.Equal(t, "claude", moves[0].From)
		assert.Equal(t, "openai", moves[0].To)
		assert.Equal(t, secondary, moves[0].Target)
		assert.Equal(t, classify.ReasonRateLimit, moves[0].Result.Reason)
	})
}

// The reason of an error decides which targets are called, and how often.
func TestDo_FallbackOfEachReason(t *testing.T) {
	t.Parallel()
	yes := func(resilience.Attempt) bool { return true }
	mend := func(context.Context, resilience.Attempt) error { return nil }
	ownBudget := fmt.Errorf("daily budget: %w", classify.ErrBudgetExceeded)
	for _, tt := range []struct {
		name  string
		err   error
		call  resilience.Call
		calls int
		moved bool
	}{
		{name: "rate limit", err: errLimited, calls: 3, moved: true},
		{name: "transient", err: errTransient, calls: 3, moved: true},
		{name: "network", err: errNetwork, calls: 5, moved: true},
		{name: "timeout", err: errSlow, calls: 3, moved: true},
		{name: "rate limit for longer than a minute", err: answer(429, "90"), calls: 1, moved: true},
		{name: "authentication", err: errKey, calls: 1, call: resilience.Call{FallBack: yes}},
		{name: "policy", err: errPolicy, calls: 1, call: resilience.Call{FallBack: yes}},
		{name: "own budget", err: ownBudget, calls: 1, call: resilience.Call{FallBack: yes}},
		{name: "cancelled", err: context.Canceled, calls: 1, call: resilience.Call{FallBack: yes}},
		{name: "invalid request", err: errRequest, calls: 1},
		{name: "invalid request, another model might", err: errRequest, calls: 1, call: resilience.Call{FallBack: yes}, moved: true},
		{name: "context overflow", err: errOverflow, calls: 1},
		{name: "context overflow, another model might", err: errOverflow, calls: 1, call: resilience.Call{FallBack: yes}, moved: true},
		{name: "provider's quota", err: errQuota, calls: 1},
		{name: "provider's quota, another might", err: errQuota, calls: 1, call: resilience.Call{FallBack: yes}, moved: true},
		{name: "unknown", err: errUnknown, calls: 1},
		{name: "unknown, another might", err: errUnknown, calls: 1, call: resilience.Call{FallBack: yes}, moved: true},
		{name: "no such host", err: errDNS, calls: 1},
		{name: "no such host, another might", err: errDNS, calls: 1, call: resilience.Call{FallBack: yes}, moved: true},
		{name: "parsing without a correction", err: errParsing, calls: 1, call: resilience.Call{FallBack: yes}},
		{name: "parsing", err: errParsing, calls: 2, call: resilience.Call{Correct: mend}, moved: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newScript(map[resilience.Target][]error{primary: {tt.err}})
				tt.call.Targets = []resilience.Target{primary, secondary}
				got, err := resilience.Do(t.Context(), executor(t, enabled()), tt.call, s.call)
				assert.Equal(t, tt.calls, s.count(primary))
				if tt.moved {
					require.NoError(t, err)
					assert.Equal(t, "b-1", got)
					return
				}
				require.ErrorIs(t, err, tt.err)
				assert.Zero(t, s.count(secondary))
			})
		})
	}
}

// If all targets fail, the error has the text of the last error and lists all
// attempts.
func TestDo_AllTargetsFail(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScript(map[resilience.Target][]error{primary: {errLimited}, secondary: {errNetwork}, tertiary: {errSlow}})
		_, err := resilience.Do(t.Context(), executor(t, enabled()), resilience.Call{Targets: all3}, s.call)
		e := asError(t, err)
		assert.Same(t, errSlow, e.Unwrap())
		require.Len(t, e.Attempts, 3+5+3, "the fifth network error opens the breaker, and another target is left")
		assert.Equal(t, 1, e.Attempts[3].Number, "each target counts from one")
		assert.Equal(t, secondary, e.Attempts[3].Target)
		assert.NotErrorIs(t, err, errLimited)
	})
}

func TestOrders(t *testing.T) {
	t.Parallel()
	next := []resilience.Option{resilience.WithProviderErrorOrder(resilience.FallbackFirst), resilience.WithRateLimitOrder(resilience.FallbackFirst)}
	for _, tt := range []struct {
		name  string
		opts  []resilience.Option
		err   error
		calls int
	}{
		{name: "transient, retry first", err: errTransient, calls: 3},
		{name: "transient, next at once", opts: next, err: errTransient, calls: 1},
		{name: "transient, only rate limits at once", opts: next[1:], err: errTransient, calls: 3},
		{name: "rate limit, retry first", err: errLimited, calls: 3},
		{name: "rate limit, next at once", opts: next, err: errLimited, calls: 1},
		{name: "rate limit, only provider errors at once", opts: next[:1], err: errLimited, calls: 3},
		{name: "rate limit, the last option holds", opts: append(next[:2:2], resilience.WithRateLimitOrder(resilience.RetryFirst)), err: errLimited, calls: 3},
		{name: "network stays until the breaker opens", opts: next, err: errNetwork, calls: 5},
		{name: "timeout stays", opts: next, err: errSlow, calls: 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newScript(map[resilience.Target][]error{primary: {tt.err}})
				_, err := resilience.Do(t.Context(), executor(t, enabled(), tt.opts...), resilience.Call{Targets: []resilience.Target{primary, secondary}}, s.call)
				require.NoError(t, err)
				assert.Equal(t, tt.calls, s.count(primary))
			})
		})
	}
	t.Run("the last target retries", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			s := newScript(map[resilience.Target][]error{primary: {errTransient}, secondary: {errTransient}})
			_, err := resilience.Do(t.Context(), executor(t, enabled(), next...), resilience.Call{Targets: []resilience.Target{primary, secondary}}, s.call)
			require.Error(t, err)
			assert.Equal(t, []resilience.Target{primary, secondary, secondary, secondary}, s.calls)
		})
	})
	t.Run("nobody else is open", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			x := executor(t, enabled(), next...)
			require.NoError(t, x.Breakers().Force(t.Context(), secondary.Endpoint, resilience.BreakerForceOpen))
			s := newScript(map[resilience.Target][]error{primary: {errTransient}})
			_, err := resilience.Do(t.Context(), x, resilience.Call{Targets: []resilience.Target{primary, secondary}}, s.call)
			require.ErrorIs(t, err, errTransient)
			require.ErrorIs(t, err, resilience.ErrOpen, "why nobody else was asked")
			assert.Equal(t, 3, s.count(primary))
		})
	})
}

// After a fallback, calls begin at the fallback target for one minute.
func TestDo_FallbackCooldown(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		opts     []resilience.Option
		cooldown time.Duration
	}{
		{name: "default", cooldown: time.Minute},
		{name: "an hour", opts: []resilience.Option{resilience.WithFallbackCooldown(time.Hour)}, cooldown: time.Hour},
		{name: "not at all", opts: []resilience.Option{resilience.WithFallbackCooldown(0)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				seen := new(events)
				x := executor(t, enabled(), append(tt.opts, resilience.WithObserver(seen.observe))...)
				s := newScript(map[resilience.Target][]error{primary: append(repeat(3, errTransient), nil)})
				call := resilience.Call{Targets: all3}
				do := func() string {
					got, err := resilience.Do(t.Context(), x, call, s.call)
					require.NoError(t, err)
					return got
				}
				assert.Equal(t, "b-1", do())
				if tt.cooldown > 0 {
					time.Sleep(tt.cooldown - 1)
					assert.Equal(t, "b-1", do())
					assert.Equal(t, 3, s.count(primary))
					time.Sleep(time.Nanosecond)
				}
				assert.Equal(t, "a-1", do())
				assert.Len(t, seen.ofKind(resilience.KindFallback), 1, "staying is no fallback")
				assert.Equal(t, "a-1", do())
			})
		})
	}
}

// If the fallback target fails, the primary target is called last. Its success ends
// the cooldown.
func TestDo_FallbackFailsInCooldown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		x := executor(t, enabled())
		s := newScript(map[resilience.Target][]error{
			primary:   append(repeat(3, errTransient), nil),
			secondary: {nil, errTransient},
			tertiary:  {errTransient},
		})
		call := resilience.Call{Targets: all3}
		for _, want := range []string{"b-1", "a-1", "a-1"} {
			got, err := resilience.Do(t.Context(), x, call, s.call)
			require.NoError(t, err)
			assert.Equal(t, want, got)
		}
		assert.Equal(t, 3, s.count(tertiary))
		assert.Equal(t, 4, s.count(secondary))
	})
}

// A fallback affects only calls that list the new target.
func TestDo_FallbackOfAnotherCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		x := executor(t, enabled())
		s := newScript(map[resilience.Target][]error{primary: append(repeat(3, errTransient), nil)})
		_, err := resilience.Do(t.Context(), x, resilience.Call{Targets: []resilience.Target{primary, secondary}}, s.call)
		require.NoError(t, err)
		got, err := resilience.Do(t.Context(), x, resilience.Call{Targets: []resilience.Target{primary, tertiary}}, s.call)
		require.NoError(t, err)
		assert.Equal(t, "a-1", got)
	})
}

// After a parsing error, Do makes one corrected retry, then calls the next target.
func TestDo_CorrectiveRetry(t *testing.T) {
	t.Parallel()
	refused := errors.New("nothing to correct")
	for _, tt := range []struct {
		name      string
		fails     []error
		correct   error
		primary   int
		secondary int
		corrected int
		wantErr   error
	}{
		{name: "it helps", fails: []error{errParsing, nil}, primary: 2, corrected: 1},
		{name: "it does not help", fails: []error{errParsing}, primary: 2, corrected: 1, secondary: 1},
		{name: "there is no correction", fails: []error{errParsing}, correct: refused, primary: 1, corrected: 1, wantErr: refused},
		{name: "after other failures", fails: []error{errTransient, errTransient, errParsing, nil}, primary: 4, corrected: 1},
		{name: "and a fatal error then", fails: []error{errParsing, errKey}, primary: 2, corrected: 1, wantErr: errKey},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				corrected := 0
				call := resilience.Call{
					Targets: []resilience.Target{primary, secondary},
					Correct: func(_ context.Context, a resilience.Attempt) error {
						corrected++
						assert.Equal(t, classify.ReasonParsing, a.Result.Reason)
						return tt.correct
					},
				}
				s := newScript(map[resilience.Target][]error{primary: tt.fails})
				_, err := resilience.Do(t.Context(), executor(t, enabled()), call, s.call)
				require.ErrorIs(t, err, tt.wantErr)
				assert.Equal(t, tt.primary, s.count(primary))
				assert.Equal(t, tt.secondary, s.count(secondary))
				assert.Equal(t, tt.corrected, corrected)
				if errors.Is(tt.fails[0], errParsing) {
					assert.Zero(t, time.Since(start), "it is made at once")
				}
			})
		})
	}
}

// Do calls Spend after each attempt, whatever the target. If Spend returns an error, Do
// makes no further attempt.
func TestCall_Spend(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		budget int
		calls  int
		want   error
	}{
		{name: "enough", budget: 100, calls: 5},
		{name: "just spent by the answer", budget: 5, calls: 5},
		{name: "spent on the way", budget: 2, calls: 2, want: classify.ErrBudgetExceeded},
		{name: "spent by the first call", budget: 1, calls: 1, want: classify.ErrBudgetExceeded},
		{name: "spent on the fallback", budget: 4, calls: 4, want: classify.ErrBudgetExceeded},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				spent := 0
				var values []any
				call := resilience.Call{
					Targets: all3,
					Spend: func(_ context.Context, _ resilience.Attempt, value any) error {
						values = append(values, value)
						spent++
						if spent >= tt.budget {
							return fmt.Errorf("day's budget of %d: %w", tt.budget, classify.ErrBudgetExceeded)
						}
						return nil
					},
				}
				s := newScript(map[resilience.Target][]error{primary: {errLimited}, secondary: {errTransient, nil}})
				got, err := resilience.Do(t.Context(), executor(t, enabled()), call, s.call)
				assert.Len(t, s.calls, tt.calls)
				assert.Len(t, values, tt.calls)
				if tt.want == nil {
					require.NoError(t, err)
					assert.Equal(t, "b-1", got)
					assert.Equal(t, "b-1", values[len(values)-1])
					return
				}
				require.ErrorIs(t, err, tt.want)
				e := asError(t, err)
				assert.Len(t, e.Attempts, tt.calls)
				assert.NotErrorIs(t, e.Unwrap(), tt.want, "the caller's own last error stays")
				assert.Equal(t, classify.ReasonBudgetExceeded, reason(err), "and whoever classifies it sees the budget")
			})
		})
	}
}

// If a pause would end after the caller's deadline, Do calls the next target.
func TestDo_DeadlineBeforeTheWaitEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		start := time.Now()
		s := newScript(map[resilience.Target][]error{primary: {answer(429, "30")}})
		got, err := resilience.Do(ctx, executor(t, enabled()), resilience.Call{Targets: []resilience.Target{primary, secondary}}, s.call)
		require.NoError(t, err)
		assert.Equal(t, "b-1", got)
		assert.Zero(t, time.Since(start))
	})
}
