package resilience_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/errclass/errclass/resilience"
)

// Unknown keys are errors. A 0 that would mean "not set" is an error too.
func TestConfig_Decode(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ text, want string }{
		"unknown at the top":     {`{"enabld": true}`, "enabld: unknown; the keys here are agents, circuitBreaker, enabled, endpoints, healthCheck, retry, taskRestart, visibility"},
		"unknown in a section":   {`{"healthCheck": {"pingInterval": 3}}`, "healthCheck.pingInterval: unknown; the keys here are pingIntervalMs, unhealthyThreshold"},
		"of another case":        {`{"Enabled": true}`, "Enabled: unknown"},
		"unknown in an endpoint": {`{"endpoints": {"https://a.example": {"retries": {}}}}`, `endpoints["https://a.example"].retries: unknown; the keys here are circuitBreaker, healthCheck, retry, visibility`},
		"unknown in an agent":    {`{"agents": {"writer": {"retry": {"max": 1}}}}`, `agents["writer"].retry.max: unknown`},
		"unknown in a reason":    {`{"retry": {"reasons": {"timeout": {"call": 1}}}}`, `retry.reasons["timeout"].call: unknown; the keys here are calls, fallback, schedule`},
		"zero threshold":         {`{"circuitBreaker": {"failureThreshold": 0}}`, "circuitBreaker.failureThreshold: 0 would mean the default, 5: leave it out, or set another value"},
		"zero fraction":          {`{"healthCheck": {"unhealthyThreshold": 0.0}}`, "healthCheck.unhealthyThreshold: 0 would mean the default, 0.5"},
		"zero calls":             {`{"retry": {"reasons": {"timeout": {"calls": 0}}}}`, `retry.reasons["timeout"].calls: 0 would mean the general setting`},
		"zero in an endpoint":    {`{"endpoints": {"https://a.example": {"retry": {"attemptTimeoutMs": 0}}}}`, `endpoints["https://a.example"].retry.attemptTimeoutMs: 0 would mean the general setting: leave it out, or set another value`},
		"both names":             {`{"enabled": true, "enableNetworkResilience": true}`, "enableNetworkResilience: is the former name of enabled, and both are set: remove enableNetworkResilience"},
		"a former name, wrong":   {`{"MAX_MODEL_RETRIES": "many"}`, "maxNetworkRetries"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var c resilience.Config
			require.ErrorContains(t, json.Unmarshal([]byte(tt.text), &c), tt.want)
			require.ErrorContains(t, yaml.Unmarshal([]byte(tt.text), &c), tt.want, "JSON is YAML")
		})
	}

	var c resilience.Config
	err := json.Unmarshal([]byte(`{"a": 1, "retry": {"b": 2, "maxDelayMs": 0}}`), &c)
	require.ErrorContains(t, err, "a: unknown")
	require.ErrorContains(t, err, "retry.b: unknown")
	require.ErrorContains(t, err, "retry.maxDelayMs: 0")
}

// A 0 is accepted if it is a valid setting. Fields may be left out.
func TestConfig_DecodeKeeps(t *testing.T) {
	t.Parallel()
	const text = `{"retry": {"maxNetworkRetries": 0, "attemptTimeoutMs": 0, "minConfidence": 0},
		"circuitBreaker": {"quietMs": 0, "bridgeMs": 0}, "taskRestart": {"maxRestarts": 0}, "visibility": null}`
	for name, decode := range map[string]func([]byte, any) error{"json": json.Unmarshal, "yaml": yaml.Unmarshal} {
		c := resilience.Config{Enabled: true, Retry: resilience.RetryConfig{Schedule: resilience.LongSchedule}}
		require.NoError(t, decode([]byte(text), &c), name)
		assert.Equal(t, resilience.Config{
			Enabled:        true,
			Retry:          resilience.RetryConfig{Schedule: resilience.LongSchedule, MaxNetworkRetries: new(0), MinConfidence: new(0.0)},
			CircuitBreaker: resilience.BreakerConfig{QuietMs: new(0), BridgeMs: new(0)},
			TaskRestart:    resilience.RestartConfig{MaxRestarts: new(0)},
		}, c, name)
		require.NoError(t, decode([]byte(`null`), &c), name)
		require.Error(t, decode([]byte(`[]`), &c), name)
	}
}

func TestConfig_FormerNames(t *testing.T) {
	t.Parallel()
	const text = `{"enableNetworkResilience": true, "MAX_MODEL_RETRIES": 2, "RETRY_DELAY_MS": 1500}`
	want := resilience.Config{
		Enabled: true,
		Retry:   resilience.RetryConfig{Schedule: resilience.CustomSchedule, MaxNetworkRetries: new(2), BaseDelayMs: 1500},
	}
	var fromJSON, fromYAML resilience.Config
	require.NoError(t, json.Unmarshal([]byte(text), &fromJSON))
	require.NoError(t, yaml.Unmarshal([]byte(text), &fromYAML))
	assert.Equal(t, want, fromJSON)
	assert.Equal(t, want, fromYAML)
	require.NoError(t, fromJSON.Validate())
}

// Validate rejects a key of Endpoints that cannot be the name of a target.
func TestConfig_EndpointNames(t *testing.T) {
	t.Parallel()
	for name, valid := range map[string]bool{
		"https://a.example": true, "https://a.example/v1": true, "anthropic": true, "claude-sonnet-4": true, "unix:/run/x.sock": true,
		"": false, "https://user:pass@a.example": false, "https://a.example?key=1": false, "https://a.example#x": false,
	} {
		c := resilience.Config{Endpoints: map[string]resilience.EndpointConfig{name: {}}}
		if valid {
			require.NoError(t, c.Validate(), name)
			continue
		}
		err := c.Validate()
		require.ErrorContains(t, err, "endpoints[", name)
		assert.NotContains(t, err.Error(), "pass")
	}
}
