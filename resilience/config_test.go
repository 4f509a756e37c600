package resilience_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/errclass/errclass/resilience"
)

// fullConfig is a complete config with all defaults.
const fullConfig = `{
  "enabled": false,
  "retry": {"schedule": "medium", "maxNetworkRetries": 5, "baseDelayMs": 1000, "maxDelayMs": 30000, "jitterPercent": 0.2, "maxHoldMs": 60000, "minConfidence": 0},
  "circuitBreaker": {
    "failureThreshold": 5, "cooldownMs": 300000, "quietMs": 1000, "bridgeMs": 30000, "healthProbeEnabled": true, "mode": "auto", "strict": false
  },
  "taskRestart": {"maxRestarts": 3, "restartBackoffBaseMs": 60000},
  "healthCheck": {"pingIntervalMs": 30000, "unhealthyThreshold": 0.5},
  "visibility": {"logRetries": true, "alertThreshold": 10}
}`

func TestDefaultConfig_IsSeed004(t *testing.T) {
	t.Parallel()
	d := resilience.DefaultConfig()
	text, err := json.Marshal(d)
	require.NoError(t, err)
	assert.JSONEq(t, fullConfig, string(text))
	var fromJSON, fromYAML resilience.Config
	require.NoError(t, json.Unmarshal([]byte(fullConfig), &fromJSON))
	require.NoError(t, yaml.Unmarshal([]byte(fullConfig), &fromYAML), "JSON is YAML")
	assert.Equal(t, d, fromJSON)
	assert.Equal(t, d, fromYAML)
	require.NoError(t, d.Validate())
	var none *resilience.Config
	require.NoError(t, none.Validate())
	require.NoError(t, new(resilience.Config).Validate(), "what is left out has its default")
}

func TestConfig_Validate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		yaml string
		want []string // nil means valid
	}{
		{name: "no retry", yaml: `retry: {maxNetworkRetries: 0}`},
		{name: "no restart", yaml: `taskRestart: {maxRestarts: 0}`},
		{name: "custom", yaml: `retry: {schedule: custom, baseDelayMs: 10, maxDelayMs: 10, jitterPercent: 0}`},
		{name: "retries", yaml: `retry: {maxNetworkRetries: -1}`, want: []string{`retry.maxNetworkRetries: must be between 0 and 1000000, is -1`}},
		{name: "hold", yaml: `retry: {maxHoldMs: -1}`, want: []string{`retry.maxHoldMs: must be between 1 and 2147483647, is -1`}},
		{name: "attempt timeout", yaml: `retry: {attemptTimeoutMs: -1}`, want: []string{`retry.attemptTimeoutMs: must be between 0 and 2147483647, is -1`}},
		{name: "no bridge", yaml: `circuitBreaker: {bridgeMs: 0, quietMs: 0, strict: true}`},
		{name: "bridge", yaml: `circuitBreaker: {bridgeMs: -1}`, want: []string{`circuitBreaker.bridgeMs: must be between 0 and 2147483647, is -1`}},
		{name: "quiet", yaml: `circuitBreaker: {quietMs: -1}`, want: []string{`circuitBreaker.quietMs: must be between 0 and 2147483647, is -1`}},
		{name: "schedule", yaml: `retry: {schedule: slow}`, want: []string{`retry.schedule: must be short, medium, long, fixed or custom, is "slow"`}},
		{name: "base", yaml: `retry: {schedule: custom, baseDelayMs: -5}`, want: []string{`retry.baseDelayMs: must be between 1 and 2147483647, is -5`}},
		{name: "cap below base", yaml: `retry: {schedule: custom, baseDelayMs: 500, maxDelayMs: 400}`, want: []string{`retry.maxDelayMs: must be at least baseDelayMs (500), is 400`}},
		{name: "per cent", yaml: `retry: {schedule: custom, jitterPercent: 20}`, want: []string{`retry.jitterPercent: must be between 0 and 1, is 20`}},
		{name: "no number", yaml: `retry: {schedule: custom, jitterPercent: .nan}`, want: []string{`retry.jitterPercent: must be between 0 and 1, is NaN`}},
		{name: "without effect", yaml: `retry: {schedule: long, baseDelayMs: 500, maxDelayMs: 600, jitterPercent: 0}`, want: []string{
			`retry.baseDelayMs: has no effect with schedule long: set retry.schedule to custom`,
			`retry.maxDelayMs: has no effect with schedule long: set retry.schedule to custom`,
			`retry.jitterPercent: has no effect with schedule long: set retry.schedule to custom`,
		}},
		{name: "threshold", yaml: `circuitBreaker: {failureThreshold: -1}`, want: []string{`circuitBreaker.failureThreshold: must be between 1 and 1000000, is -1`}},
		{name: "cooldown", yaml: `circuitBreaker: {cooldownMs: 99999999999}`, want: []string{`circuitBreaker.cooldownMs: must be between 1 and 2147483647, is 99999999999`}},
		{name: "mode", yaml: `circuitBreaker: {mode: ajar}`, want: []string{`circuitBreaker.mode: must be auto, force_open or force_closed, is "ajar"`}},
		{name: "restarts", yaml: `taskRestart: {maxRestarts: -3, restartBackoffBaseMs: -1}`, want: []string{
			`taskRestart.maxRestarts: must be between 0 and 1000000, is -3`,
			`taskRestart.restartBackoffBaseMs: must be between 1 and 2147483647, is -1`,
		}},
		{name: "health", yaml: `healthCheck: {pingIntervalMs: -1, unhealthyThreshold: 50}`, want: []string{
			`healthCheck.pingIntervalMs: must be between 1 and 2147483647, is -1`,
			`healthCheck.unhealthyThreshold: must be between 0 and 1, is 50`,
		}},
		{name: "alert", yaml: `visibility: {alertThreshold: -10}`, want: []string{`visibility.alertThreshold: must be between 1 and 1000000, is -10`}},
		{name: "override", yaml: "{endpoints: {https://a.example: {circuitBreaker: {failureThreshold: -1}}}, agents: {writer: {retry: {schedule: x}}}}", want: []string{
			`endpoints["https://a.example"].circuitBreaker.failureThreshold: must be between 1 and 1000000, is -1`,
			`agents["writer"].retry.schedule: must be short, medium, long, fixed or custom, is "x"`,
		}},
		{name: "a fault is told once", yaml: "{retry: {maxNetworkRetries: -1}, agents: {writer: {}}, endpoints: {e: {}}}", want: []string{
			`retry.maxNetworkRetries: must be between 0 and 1000000, is -1`,
		}},
		{name: "an override that fits only on top", yaml: "{retry: {schedule: custom, maxDelayMs: 2000}, agents: {writer: {retry: {baseDelayMs: 3000}}}}", want: []string{
			`agents["writer"].retry.maxDelayMs: must be at least baseDelayMs (3000), is 2000`,
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var cfg resilience.Config
			require.NoError(t, yaml.Unmarshal([]byte(tt.yaml), &cfg))
			err := cfg.Validate()
			if tt.want == nil {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, strings.Join(tt.want, "\n"))
			x, err := resilience.New(&cfg)
			require.ErrorContains(t, err, "resilience config: "+tt.want[0])
			assert.Nil(t, x)
		})
	}
	cfg := resilience.Config{Retry: resilience.RetryConfig{Schedule: resilience.CustomSchedule, JitterPercent: new(math.Inf(1))}}
	require.ErrorContains(t, cfg.Validate(), "retry.jitterPercent")
}

// An endpoint's setting overrides an agent's setting. Both override the general
// setting.
func TestConfig_Overrides(t *testing.T) {
	t.Parallel()
	cfg := &resilience.Config{
		Enabled: true,
		Retry:   resilience.RetryConfig{Schedule: resilience.LongSchedule, MaxNetworkRetries: new(1)},
		Agents: map[string]resilience.AgentConfig{
			"patient": {Retry: resilience.RetryConfig{MaxNetworkRetries: new(2)}},
		},
		Endpoints: map[string]resilience.EndpointConfig{
			primary.Endpoint: {Retry: resilience.RetryConfig{Schedule: resilience.ShortSchedule}},
			tertiary.Endpoint: {
				Retry:      resilience.RetryConfig{MaxNetworkRetries: new(3)},
				Visibility: resilience.VisibilityConfig{AlertThreshold: 2},
			},
		},
	}
	ms := time.Millisecond
	for _, tt := range []struct {
		name   string
		agent  string
		target resilience.Target
		want   []time.Duration
		alerts int
	}{
		{name: "general", target: secondary, want: []time.Duration{1000 * ms}},
		{name: "agent", agent: "patient", target: secondary, want: []time.Duration{1000 * ms, 2000 * ms}},
		{name: "another agent", agent: "other", target: secondary, want: []time.Duration{1000 * ms}},
		{name: "endpoint", target: primary, want: []time.Duration{200 * ms}},
		{name: "both", agent: "patient", target: primary, want: []time.Duration{200 * ms, 400 * ms}},
		{name: "endpoint over agent", agent: "patient", target: tertiary, want: []time.Duration{1000 * ms, 2000 * ms, 4000 * ms}, alerts: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				seen := new(events)
				x := executor(t, cfg, resilience.WithObserver(seen.observe))
				s := newScript(map[resilience.Target][]error{tt.target: {errNetwork}})
				_, err := resilience.Do(t.Context(), x, resilience.Call{Agent: tt.agent, Targets: []resilience.Target{tt.target}}, s.call)
				require.Error(t, err)
				assert.Equal(t, tt.want, seen.pauses())
				assert.Len(t, seen.ofKind(resilience.KindAlert), tt.alerts)
			})
		})
	}
}

// Changes of the caller's config after New have no effect.
func TestNew_CopiesTheConfig(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cfg := enabled()
		cfg.Retry.MaxNetworkRetries = new(1)
		cfg.Endpoints = map[string]resilience.EndpointConfig{primary.Endpoint: {Retry: resilience.RetryConfig{MaxNetworkRetries: new(1)}}}
		cfg.Agents = map[string]resilience.AgentConfig{"a": {Enabled: new(true), Retry: resilience.RetryConfig{MaxNetworkRetries: new(1)}}}
		x := executor(t, cfg)
		*cfg.Retry.MaxNetworkRetries = 9
		*cfg.Endpoints[primary.Endpoint].Retry.MaxNetworkRetries = 9
		*cfg.Agents["a"].Retry.MaxNetworkRetries = 9
		*cfg.Agents["a"].Enabled = false
		clear(cfg.Endpoints)
		cfg.Enabled = false
		for _, call := range []resilience.Call{{}, {Agent: "a"}, {Targets: []resilience.Target{primary}}} {
			s := newScript(map[resilience.Target][]error{primary: {errNetwork}, {}: {errNetwork}})
			_, err := resilience.Do(t.Context(), x, call, s.call)
			require.Error(t, err)
			assert.Len(t, s.calls, 2)
		}
	})
}

// New ignores a Restarter that is a nil *Queue, and a Monitor that is a nil *Health.
func TestNew_NilQueueAndHealth(t *testing.T) {
	t.Parallel()
	var (
		q *resilience.Queue
		h *resilience.Health
	)
	x := executor(t, single(), resilience.WithRestarter(q), resilience.WithMonitor(h))
	call := resilience.Call{Targets: []resilience.Target{primary}, Restart: resilience.Task{Kind: "job"}}
	_, err := resilience.Do(t.Context(), x, call, newScript(map[resilience.Target][]error{primary: {errNetwork}}).call)
	require.ErrorIs(t, err, errNetwork)
}

// The zero Queue returns errors and does not panic.
func TestQueue_Zero(t *testing.T) {
	t.Parallel()
	q := &resilience.Queue{}
	q.Register("job", func(context.Context, []byte) error { return nil })
	require.ErrorContains(t, q.Offer(t.Context(), offer("a")), "NewQueue")
	assert.Empty(t, q.Tasks())
}

func TestNew_NilOptions(t *testing.T) {
	t.Parallel()
	x, err := resilience.New(enabled(), nil, resilience.WithObserver(nil), resilience.WithLogger(nil), resilience.WithAlert(nil),
		resilience.WithMonitor(nil), resilience.WithRestarter(nil), resilience.WithProbe(nil), resilience.WithRandom(nil), resilience.WithClassifier(nil))
	require.NoError(t, err)
	boom := errors.New("status 401")
	_, err = resilience.Do(t.Context(), x, resilience.Call{Targets: []resilience.Target{primary}}, newScript(map[resilience.Target][]error{primary: {boom}}).call)
	require.ErrorIs(t, err, boom)
	resilience.LogEvents(nil)(t.Context(), resilience.Event{})
	resilience.CountEvents(resilience.Counters{})(t.Context(), resilience.Event{Kind: resilience.KindAttempt})
}
