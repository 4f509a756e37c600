package resilience_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/resilience"
)

// failingRestarter is a restart queue that fails the test when a call is offered.
type failingRestarter struct{ t *testing.T }

func (r failingRestarter) Offer(_ context.Context, o resilience.Restart) error {
	assert.Fail(r.t, "offered", "%v", o.Err)
	return nil
}

// A call that is not repeatable is made once: no retry, correction, fallback or
// restart.
func TestDo_Repeatable(t *testing.T) {
	t.Parallel()
	for _, failure := range []error{errNetwork, errTransient, errLimited, errSlow, errKey, errParsing, errQuota} {
		t.Run(failure.Error(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newScript(map[resilience.Target][]error{primary: {failure}})
				var asked []resilience.Attempt
				call := resilience.Call{
					Targets:  []resilience.Target{primary, secondary},
					FallBack: func(resilience.Attempt) bool { return true },
					Correct: func(context.Context, resilience.Attempt) error {
						assert.Fail(t, "corrected")
						return nil
					},
					Restart:    resilience.Task{Kind: "k"},
					Repeatable: func(a resilience.Attempt) bool { asked = append(asked, a); return false },
				}
				x := executor(t, enabled(), resilience.WithRestarter(failingRestarter{t}))
				_, err := resilience.Do(t.Context(), x, call, s.call)
				assert.Same(t, failure, err, "exactly the caller's error")
				assert.Len(t, s.calls, 1)
				require.Len(t, asked, 1)
				assert.Same(t, failure, asked[0].Err)
			})
		})
	}
}

// Repeatable is called after each failure, never after a success.
func TestDo_RepeatableByAttempt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScript(map[resilience.Target][]error{primary: {errNetwork}})
		call := resilience.Call{
			Targets:    []resilience.Target{primary},
			Repeatable: func(a resilience.Attempt) bool { return a.Number < 3 },
		}
		x := executor(t, enabled())
		_, err := resilience.Do(t.Context(), x, call, s.call)
		require.ErrorIs(t, err, errNetwork)
		assert.Len(t, asError(t, err).Attempts, 3)

		call.Repeatable = func(resilience.Attempt) bool { panic("asked after a success") }
		_, err = resilience.Do(t.Context(), x, call, newScript(nil).call)
		require.NoError(t, err)
	})
}

// If a breaker refuses a request, the request is not sent. So another target can be
// called, even if Repeatable returns false.
func TestDo_RepeatableUnsent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		x := executor(t, enabled())
		require.NoError(t, x.Breakers().Force(t.Context(), primary.Endpoint, resilience.BreakerForceOpen))
		call := resilience.Call{
			Targets:    []resilience.Target{primary, secondary},
			Repeatable: func(resilience.Attempt) bool { return false },
		}
		got, err := resilience.Do(t.Context(), x, call, newScript(nil).call)
		require.NoError(t, err)
		assert.Equal(t, secondary.Model, got)
	})
}
