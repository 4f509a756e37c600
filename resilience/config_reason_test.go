package resilience_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/resilience"
)

// configOf returns the config of a YAML text.
func configOf(t *testing.T, text string) *resilience.Config {
	t.Helper()
	cfg := new(resilience.Config)
	require.NoError(t, yaml.Unmarshal([]byte(text), cfg))
	return cfg
}

// The config can override the policy of a reason.
func TestReasonConfig_Overrides(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		yaml  string
		err   error
		calls int
		took  time.Duration
		moved bool
		agent string
	}{
		{name: "no override", yaml: `{}`, err: errTransient, calls: 3, took: 1500 * time.Millisecond, moved: true},
		{name: "calls", yaml: `retry: {reasons: {transient: {calls: 4}}}`, err: errTransient, calls: 4, took: 3500 * time.Millisecond, moved: true},
		{name: "calls of another reason", yaml: `retry: {reasons: {rate_limit: {calls: 4}}}`, err: errTransient, calls: 3, took: 1500 * time.Millisecond, moved: true},
		{name: "no retry", yaml: `retry: {reasons: {transient: {calls: 1}}}`, err: errTransient, calls: 1, moved: true},
		{name: "network", yaml: `retry: {maxNetworkRetries: 9, reasons: {network: {calls: 2}}}`, err: errNetwork, calls: 2, took: 500 * time.Millisecond, moved: true},
		{name: "unknown errors", yaml: `retry: {reasons: {unknown: {calls: 2}}}`, err: errUnknown, calls: 2, took: 500 * time.Millisecond},
		{name: "pauses", yaml: `retry: {reasons: {transient: {schedule: long}}}`, err: errTransient, calls: 3, took: 3 * time.Second, moved: true},
		{name: "more calls than the schedule has", yaml: `retry: {reasons: {transient: {schedule: fixed, calls: 4}}}`, err: errTransient, calls: 4, took: 7 * time.Second, moved: true},
		{name: "fallback for a dead key", yaml: `retry: {reasons: {authentication: {fallback: true}}}`, err: errKey, calls: 1, moved: true},
		{name: "no fallback", yaml: `retry: {reasons: {transient: {fallback: false}}}`, err: errTransient, calls: 3, took: 1500 * time.Millisecond},
		{name: "a provider's quota", yaml: `retry: {reasons: {budget_exceeded: {fallback: true}}}`, err: errQuota, calls: 1, moved: true},
		{name: "own budget", yaml: `retry: {reasons: {budget_exceeded: {fallback: true}}}`, err: classify.ErrBudgetExceeded, calls: 1},
		{
			name: "an endpoint's comes first, then an agent's", agent: "a", err: errTransient, calls: 2, took: 200 * time.Millisecond,
			yaml: `{retry: {reasons: {transient: {calls: 6, schedule: short, fallback: true}}}, agents: {a: {retry: {reasons: {transient: {calls: 5, fallback: false}}}}},
				endpoints: {"https://a.example": {retry: {reasons: {transient: {calls: 2}}}}}}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				cfg := configOf(t, tt.yaml)
				cfg.Enabled = true
				start := time.Now()
				s := newScript(map[resilience.Target][]error{primary: {tt.err}})
				_, err := resilience.Do(t.Context(), executor(t, cfg), resilience.Call{Agent: tt.agent, Targets: []resilience.Target{primary, secondary}}, s.call)
				assert.Equal(t, tt.calls, s.count(primary))
				assert.Equal(t, tt.took, time.Since(start))
				assert.Equal(t, tt.moved, err == nil, "got %v", err)
			})
		})
	}
}

func TestReasonConfig_Validate(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{rate_limt: {calls: 2}}`:         `retry.reasons["rate_limt"]: there is no such reason`,
		`{authentication: {calls: 2}}`:    `retry.reasons["authentication"].calls: must be 1, is 2: this reason is not repeated`,
		`{rate_limit: {calls: -1}}`:       `retry.reasons["rate_limit"].calls: must be between 0 and 1000000, is -1`,
		`{rate_limit: {schedule: slow}}`:  `retry.reasons["rate_limit"].schedule: must be short, medium, long, fixed or custom, is "slow"`,
		`{aborted: {fallback: true}}`:     `retry.reasons["aborted"].fallback: must be false: the caller has canceled`,
		`{authentication: {calls: 1}}`:    ``,
		`{aborted: {fallback: false}}`:    ``,
		`{rate_limit: {schedule: fixed}}`: ``,
	} {
		err := configOf(t, `retry: {reasons: `+text+`}`).Validate()
		if want == "" {
			require.NoError(t, err, text)
		} else {
			require.EqualError(t, err, want)
		}
	}
}

// Changes of the caller's config after New have no effect.
func TestReasonConfig_Copied(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cfg := configOf(t, `{enabled: true, retry: {reasons: {transient: {calls: 1}, authentication: {fallback: true}}}}`)
		x := executor(t, cfg, resilience.WithFallbackCooldown(0))
		cfg.Retry.Reasons[classify.ReasonTransient] = resilience.ReasonConfig{Calls: 5}
		*cfg.Retry.Reasons[classify.ReasonAuthentication].Fallback = false
		for _, err := range []error{errTransient, errKey} {
			s := newScript(map[resilience.Target][]error{primary: {err}})
			_, err := resilience.Do(t.Context(), x, resilience.Call{Targets: []resilience.Target{primary, secondary}}, s.call)
			require.NoError(t, err)
			assert.Equal(t, []resilience.Target{primary, secondary}, s.calls)
		}
	})
}

// After a context overflow, Shrink makes the request smaller. Do calls Shrink once
// for each target.
func TestCall_Shrink(t *testing.T) {
	t.Parallel()
	hopeless := errors.New("one message is too long")
	for _, tt := range []struct {
		name   string
		fits   int // the longest request that fits
		shrink error
		calls  int
		want   error
	}{
		{name: "it fits", fits: 100, calls: 1},
		{name: "it fits then", fits: 50, calls: 2},
		{name: "it is still too long", fits: 10, calls: 2, want: errOverflow},
		{name: "it cannot shrink", fits: 50, shrink: hopeless, calls: 1, want: hopeless},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				question, calls := strings.Repeat("x", 100), 0
				call := onPrimary
				call.Shrink = func(_ context.Context, a resilience.Attempt) error {
					assert.Equal(t, classify.ReasonContextOverflow, a.Result.Reason)
					question = question[:len(question)/2]
					return tt.shrink
				}
				_, err := resilience.Do(t.Context(), executor(t, enabled()), call, func(context.Context, resilience.Target) (int, error) {
					calls++
					if len(question) > tt.fits {
						return 0, errOverflow
					}
					return len(question), nil
				})
				require.ErrorIs(t, err, tt.want)
				assert.Equal(t, tt.calls, calls)
				assert.Zero(t, time.Since(start), "it is made at once")
			})
		})
	}
}
