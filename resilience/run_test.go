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

// The policy of an error's reason determines how many calls Do makes.
func TestDo_CallsOfEachReason(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		err   error
		want  classify.Reason
		calls int
	}{
		{name: "network", err: errNetwork, want: classify.ReasonNetwork, calls: 6},
		{name: "rate limit", err: errLimited, want: classify.ReasonRateLimit, calls: 3},
		{name: "transient", err: errTransient, want: classify.ReasonTransient, calls: 3},
		{name: "overloaded", err: errOverloaded, want: classify.ReasonTransient, calls: 3},
		{name: "peer's timeout", err: errSlow, want: classify.ReasonTimeout, calls: 3},
		{name: "own deadline of one call", err: fmt.Errorf("call: %w", context.DeadlineExceeded), want: classify.ReasonTimeout, calls: 3},
		{name: "authentication", err: errKey, want: classify.ReasonAuthentication, calls: 1},
		{name: "invalid request", err: errRequest, want: classify.ReasonInvalidRequest, calls: 1},
		{name: "context overflow", err: errOverflow, want: classify.ReasonContextOverflow, calls: 1},
		{name: "parsing without a correction", err: errParsing, want: classify.ReasonParsing, calls: 1},
		{name: "policy", err: errPolicy, want: classify.ReasonPolicy, calls: 1},
		{name: "unknown", err: errUnknown, want: classify.ReasonUnknown, calls: 1},
		{name: "permanent network", err: errDNS, want: classify.ReasonNetworkPermanent, calls: 1},
		{name: "provider's quota", err: errQuota, want: classify.ReasonBudgetExceeded, calls: 1},
		{name: "own budget", err: classify.ErrBudgetExceeded, want: classify.ReasonBudgetExceeded, calls: 1},
		{name: "cancelled by the function itself", err: context.Canceled, want: classify.ReasonAborted, calls: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, reason(tt.err))
			synctest.Test(t, func(t *testing.T) {
				s := newScript(map[resilience.Target][]error{primary: {tt.err}})
				x := executor(t, enabled())
				_, err := resilience.Do(t.Context(), x, resilience.Call{Targets: []resilience.Target{primary}}, s.call)
				assert.Len(t, s.calls, tt.calls)
				require.ErrorIs(t, err, tt.err)
				assert.EqualError(t, err, tt.err.Error())
				if tt.calls == 1 {
					assert.Same(t, tt.err, err, "exactly the caller's error")
					return
				}
				e := asError(t, err)
				require.Len(t, e.Attempts, tt.calls)
				for i, a := range e.Attempts {
					assert.Equal(t, i+1, a.Number)
					assert.Equal(t, primary, a.Target)
					assert.Equal(t, tt.want, a.Result.Reason)
				}
				assert.Same(t, tt.err, e.Unwrap())
				require.NoError(t, e.Stop)
				assert.False(t, e.Queued)
				assert.Equal(t, string(tt.want), e.ErrorType())
			})
		})
	}
}

func TestDo_Success(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		seen := new(events)
		s := newScript(map[resilience.Target][]error{primary: {errLimited, nil}})
		x := executor(t, enabled(), resilience.WithObserver(seen.observe))
		got, err := resilience.Do(t.Context(), x, resilience.Call{Key: "k", Agent: "g", Targets: []resilience.Target{primary}}, s.call)
		require.NoError(t, err)
		assert.Equal(t, "a-1", got)
		assert.Equal(t, 500*time.Millisecond, time.Since(start), "one pause of the default schedule")

		attempts := seen.ofKind(resilience.KindAttempt)
		require.Len(t, attempts, 2)
		assert.Equal(t, classify.ReasonRateLimit, attempts[0].Result.Reason)
		assert.Empty(t, attempts[0].Cause)
		assert.Empty(t, attempts[1].Result)
		assert.Equal(t, classify.ReasonRateLimit, attempts[1].Cause.Reason, "what the retry repeated")
		assert.Equal(t, 2, attempts[1].Attempt)
		done := seen.ofKind(resilience.KindDone)
		require.Len(t, done, 1)
		assert.Equal(t, 2, done[0].Attempt)
		require.NoError(t, done[0].Err)
		assert.Equal(t, 500*time.Millisecond, done[0].Duration)
		for _, e := range seen.all {
			if e.Kind == resilience.KindHold {
				continue // belongs to the endpoint
			}
			assert.Equal(t, "k", e.Key)
			assert.Equal(t, "g", e.Agent)
			assert.False(t, e.Time.IsZero())
		}
	})
}

// If retries are disabled, Do calls the function once and returns its result.
func TestDo_Disabled(t *testing.T) {
	t.Parallel()
	off, err := resilience.New(nil)
	require.NoError(t, err)
	disabled, err := resilience.New(&resilience.Config{Agents: map[string]resilience.AgentConfig{"on": {Enabled: new(true)}}})
	require.NoError(t, err)
	except, err := resilience.New(&resilience.Config{Enabled: true, Agents: map[string]resilience.AgentConfig{"off": {Enabled: new(false)}}})
	require.NoError(t, err)
	for _, tt := range []struct {
		name  string
		x     *resilience.Executor
		agent string
		calls int
	}{
		{name: "no executor", x: nil, calls: 1},
		{name: "no config", x: off, calls: 1},
		{name: "not enabled", x: disabled, calls: 1},
		{name: "not enabled for this agent", x: except, agent: "off", calls: 1},
		{name: "enabled for this agent", x: disabled, agent: "on", calls: 6},
		{name: "enabled but for another agent", x: except, agent: "on", calls: 6},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				type key struct{}
				ctx, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, 1))
				if tt.calls == 1 {
					cancel() // Do does not check the context if retries are disabled
				}
				defer cancel()
				calls := 0
				call := resilience.Call{Agent: tt.agent, Targets: []resilience.Target{primary, secondary}[:1]}
				got, err := resilience.Do(ctx, tt.x, call, func(ctx context.Context, target resilience.Target) (int, error) {
					calls++
					assert.Equal(t, primary, target)
					assert.Equal(t, 1, ctx.Value(key{}))
					return 7, errNetwork
				})
				assert.Equal(t, tt.calls, calls)
				assert.Equal(t, 7, got, "the value beside an error is passed on")
				_, wrapped := errors.AsType[*resilience.Error](err)
				assert.Equal(t, tt.calls > 1, wrapped, "got %T", err)
			})
		})
	}
}

// For the zero Call, Do calls the zero Target, which has no breaker.
func TestDo_ZeroCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScript(map[resilience.Target][]error{{}: repeat(7, errNetwork)})
		x := executor(t, enabled())
		_, err := resilience.Do(t.Context(), x, resilience.Call{}, s.call)
		require.ErrorIs(t, err, errNetwork)
		assert.Len(t, s.calls, 6)
		_, err = resilience.Do(t.Context(), x, resilience.Call{}, s.call)
		require.ErrorIs(t, err, errNetwork)
		assert.Len(t, s.calls, 12, "without a name there is no breaker")
		assert.Empty(t, x.Breakers().Snapshot())
	})
}

// Do counts calls with different errors together. The last error's policy sets the
// maximum.
func TestDo_MixedErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		fails []error
		calls int
	}{
		{name: "network for ever", fails: []error{errNetwork}, calls: 6},
		{name: "a rate limit after three network errors", fails: append(repeat(3, errNetwork), errLimited), calls: 4},
		{name: "network after two rate limits", fails: []error{errLimited, errLimited, errNetwork}, calls: 6},
		{name: "fatal at last", fails: []error{errTransient, errKey}, calls: 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newScript(map[resilience.Target][]error{primary: tt.fails})
				_, err := resilience.Do(t.Context(), executor(t, enabled()), resilience.Call{Targets: []resilience.Target{primary}}, s.call)
				assert.Len(t, asError(t, err).Attempts, tt.calls)
			})
		})
	}
}

func TestDo_MaxNetworkRetries(t *testing.T) {
	t.Parallel()
	for retries, calls := range map[int]int{0: 1, 1: 2, 5: 6, 9: 10} {
		t.Run(fmt.Sprint(retries), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				cfg := enabled()
				cfg.Retry.MaxNetworkRetries = &retries
				s := newScript(map[resilience.Target][]error{primary: {errNetwork}})
				_, err := resilience.Do(t.Context(), executor(t, cfg), resilience.Call{Targets: []resilience.Target{primary}}, s.call)
				require.ErrorIs(t, err, errNetwork)
				assert.Len(t, s.calls, calls)
			})
		})
	}
}

// A cancellation ends a pause at once. The error matches the context's error and
// cause.
func TestDo_CancelledInWait(t *testing.T) {
	t.Parallel()
	why := errors.New("user pressed stop")
	for _, tt := range []struct {
		name  string
		ctx   func(context.Context) (context.Context, context.CancelFunc)
		is    []error
		after time.Duration
	}{
		{name: "cancelled", after: 300 * time.Millisecond, is: []error{context.Canceled}, ctx: func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(300*time.Millisecond, cancel)
			return ctx, cancel
		}},
		{name: "with a cause", after: 300 * time.Millisecond, is: []error{context.Canceled, why}, ctx: func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancelCause(ctx)
			time.AfterFunc(300*time.Millisecond, func() { cancel(why) })
			return ctx, func() { cancel(nil) }
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := tt.ctx(t.Context())
				defer cancel()
				start := time.Now()
				s := newScript(map[resilience.Target][]error{primary: {errNetwork}})
				_, err := resilience.Do(ctx, executor(t, enabled()), resilience.Call{Targets: []resilience.Target{primary}}, s.call)
				assert.Equal(t, tt.after, time.Since(start))
				assert.Len(t, s.calls, 1)
				for _, is := range tt.is {
					require.ErrorIs(t, err, is)
				}
				require.ErrorIs(t, err, errNetwork, "the last error is not lost")
				assert.EqualError(t, err, errNetwork.Error())
				assert.Len(t, asError(t, err).Attempts, 1)
			})
		})
	}
}

// A call that is canceled while it runs returns the function's own result.
func TestDo_CancelledInCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		defer cancel()
		own := errors.New("status 503: torn down")
		calls := 0
		_, err := resilience.Do(ctx, executor(t, enabled()), resilience.Call{Targets: []resilience.Target{primary, secondary}},
			func(ctx context.Context, _ resilience.Target) (int, error) {
				calls++
				<-ctx.Done()
				return 0, own
			})
		assert.Equal(t, 1, calls)
		assert.Same(t, own, err, "exactly the caller's error")
	})
}

// After a cancellation, the error matches both the context's error and the last
// failure. The canceled call does not count against the endpoint.
func TestDo_CancelledInLaterCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		x := executor(t, enabled(), resilience.WithAlert(func(context.Context, resilience.Event) { assert.Fail(t, "alert") }))
		for range 9 { // each round has one counted failure and one caused by the cancellation
			ctx, cancel := context.WithCancel(t.Context())
			calls := 0
			_, err := resilience.Do(ctx, x, resilience.Call{Targets: []resilience.Target{primary}},
				func(context.Context, resilience.Target) (int, error) {
					if calls++; calls == 2 {
						cancel()
						return 0, errNetwork
					}
					return 0, answer(500, "1")
				})
			cancel()
			require.ErrorIs(t, err, errNetwork)
			require.ErrorIs(t, err, context.Canceled)
			assert.Equal(t, 2, calls)
			_, err = resilience.Do(t.Context(), x, resilience.Call{Targets: []resilience.Target{primary}}, newScript(nil).call)
			require.NoError(t, err)
		}
		assert.Equal(t, resilience.BreakerClosed, x.Breakers().Snapshot()[0].State)
	})
}

// A nil context is treated as context.Background.
func TestDo_NilContext(t *testing.T) {
	t.Parallel()
	var none context.Context
	got, err := resilience.Do(none, executor(t, enabled()), resilience.Call{Targets: []resilience.Target{primary}},
		func(ctx context.Context, _ resilience.Target) (string, error) { return "got", ctx.Err() })
	require.NoError(t, err)
	assert.Equal(t, "got", got)
}

// A nil executor has no breakers.
func TestExecutor_Nil(t *testing.T) {
	t.Parallel()
	var x *resilience.Executor
	assert.Empty(t, x.Breakers().Snapshot())
	require.ErrorContains(t, x.Breakers().Force(t.Context(), "e", resilience.BreakerForceOpen), "there is none")
	require.ErrorContains(t, executor(t, enabled()).Breakers().Force(t.Context(), "", resilience.BreakerForceOpen), "there is none")
}

// Do returns a successful answer even if the context has been canceled.
func TestDo_AnswerAfterCancellation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		got, err := resilience.Do(ctx, executor(t, enabled()), resilience.Call{Targets: []resilience.Target{primary}},
			func(context.Context, resilience.Target) (string, error) {
				cancel()
				return "paid for", nil
			})
		require.NoError(t, err)
		assert.Equal(t, "paid for", got)
	})
}

func TestDo_CancelledBefore(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	seen := new(events)
	_, err := resilience.Do(ctx, executor(t, enabled(), resilience.WithObserver(seen.observe)), resilience.Call{Targets: []resilience.Target{primary}},
		func(context.Context, resilience.Target) (int, error) {
			assert.Fail(t, "called")
			return 0, nil
		})
	require.Len(t, seen.all, 1)
	assert.Equal(t, resilience.KindDone, seen.all[0].Kind)
	assert.Equal(t, classify.CategoryAborted, seen.all[0].Result.Category)
	assert.Same(t, context.Canceled, err)
}

// A panic of the function reaches the caller. The permit of the call is released.
func TestDo_Panic(t *testing.T) {
	t.Parallel()
	x := executor(t, enabled())
	call := resilience.Call{Targets: []resilience.Target{primary}}
	assert.PanicsWithValue(t, "boom", func() {
		_, _ = resilience.Do(t.Context(), x, call, func(context.Context, resilience.Target) (int, error) { panic("boom") })
	})
	got, err := resilience.Do(t.Context(), x, call, func(context.Context, resilience.Target) (int, error) { return 1, nil })
	require.NoError(t, err)
	assert.Equal(t, 1, got)
}

// A panic of an observer does not end the call.
func TestDo_ObserverPanics(t *testing.T) {
	t.Parallel()
	seen := new(events)
	x := executor(t, enabled(),
		resilience.WithObserver(func(context.Context, resilience.Event) { panic("observer") }),
		resilience.WithObserver(nil),
		resilience.WithObserver(seen.observe))
	got, err := resilience.Do(t.Context(), x, resilience.Call{}, func(context.Context, resilience.Target) (int, error) { return 1, nil })
	require.NoError(t, err)
	assert.Equal(t, 1, got)
	assert.Len(t, seen.all, 2)
}

// hostileError is an error whose methods panic.
type hostileError struct{}

func (*hostileError) Error() string { panic("no text") }

// Do returns errors unchanged, even if their methods panic.
func TestDo_OddErrors(t *testing.T) {
	t.Parallel()
	var typedNil *answerError
	for _, tt := range []struct {
		name string
		err  error
	}{
		{name: "nil pointer", err: typedNil},
		{name: "panics", err: &hostileError{}},
		{name: "no text", err: errors.New("")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := resilience.Do(t.Context(), executor(t, enabled()), resilience.Call{Targets: []resilience.Target{primary}},
				func(context.Context, resilience.Target) (int, error) { return 0, tt.err })
			assert.Same(t, tt.err, err)
		})
	}
}
