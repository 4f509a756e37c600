package resilience

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/mask"
)

// Config is the configuration of an [Executor], a [Queue] or a [Health]. It can be
// read from JSON or YAML. If a Config is zero or nil, every call is made once.
//
// A field that is not set has its default ([DefaultConfig]). Pointer fields allow
// zero as a setting, such as no retries. Endpoints and Agents override the general
// sections field by field.
type Config struct {
	Enabled        bool             `json:"enabled" yaml:"enabled"`
	Retry          RetryConfig      `json:"retry" yaml:"retry"`
	CircuitBreaker BreakerConfig    `json:"circuitBreaker" yaml:"circuitBreaker"`
	TaskRestart    RestartConfig    `json:"taskRestart" yaml:"taskRestart"`
	HealthCheck    HealthConfig     `json:"healthCheck" yaml:"healthCheck"`
	Visibility     VisibilityConfig `json:"visibility" yaml:"visibility"`

	// Endpoints overrides settings for one endpoint. The key is [Target.Name],
	// usually a URL. For a [Transport] without [WithCall], write the URL as
	// scheme://host, without a path and without a slash at the end. A name with a
	// masked part, written without the hash at its end, stands for all such endpoints.
	Endpoints map[string]EndpointConfig `json:"endpoints,omitempty" yaml:"endpoints,omitempty"`
	// Agents overrides settings for the calls of one agent. The key is [Call.Agent].
	// If an endpoint has the setting too, the endpoint's setting applies.
	Agents map[string]AgentConfig `json:"agents,omitempty" yaml:"agents,omitempty"`
}

// RetryConfig configures retries.
type RetryConfig struct {
	// Schedule selects the pauses between calls. The default is
	// [MediumSchedule].
	Schedule ScheduleName `json:"schedule,omitempty" yaml:"schedule,omitempty"`
	// MaxNetworkRetries is the number of retries after a network error. The default
	// is 5, which makes six calls in total. For other errors,
	// [classify.Policy.Calls] sets the number of calls.
	MaxNetworkRetries *int `json:"maxNetworkRetries,omitempty" yaml:"maxNetworkRetries,omitempty"`
	// The next three fields apply only to the schedule "custom".
	BaseDelayMs   int      `json:"baseDelayMs,omitempty" yaml:"baseDelayMs,omitempty"`     // before the first retry; default 1000
	MaxDelayMs    int      `json:"maxDelayMs,omitempty" yaml:"maxDelayMs,omitempty"`       // default 30000
	JitterPercent *float64 `json:"jitterPercent,omitempty" yaml:"jitterPercent,omitempty"` // jitter as a fraction of the pause, in both directions; default 0.2
	// MaxHoldMs is the longest wait for a provider's Retry-After or rate limit. If
	// the wait would be longer, the call goes to another target or fails. The
	// default is [MaxRetryAfterWait].
	MaxHoldMs int `json:"maxHoldMs,omitempty" yaml:"maxHoldMs,omitempty"`
	// AttemptTimeoutMs limits the time of each call. The default is no limit. The
	// function that [Do] calls must read the whole answer before it returns, because
	// its context ends then. A [Transport] limits only the time until the response
	// header arrives.
	AttemptTimeoutMs int `json:"attemptTimeoutMs,omitempty" yaml:"attemptTimeoutMs,omitempty"`
	// MinConfidence is the smallest [classify.Result.Confidence] that allows a retry
	// on the same target. With the default 0, every retryable failure is retried. If
	// a result has no confidence, the failure is retried.
	MinConfidence *float64 `json:"minConfidence,omitempty" yaml:"minConfidence,omitempty"`
	// Reasons overrides the number of calls, the pauses and the fallback for
	// individual reasons.
	Reasons map[classify.Reason]ReasonConfig `json:"reasons,omitempty" yaml:"reasons,omitempty"`
}

// BreakerConfig configures the circuit breakers.
type BreakerConfig struct {
	FailureThreshold   int         `json:"failureThreshold,omitempty" yaml:"failureThreshold,omitempty"`     // failures in a row that open the breaker; default 5
	CooldownMs         int         `json:"cooldownMs,omitempty" yaml:"cooldownMs,omitempty"`                 // longest time between trial calls of an open breaker; default 300000
	QuietMs            *int        `json:"quietMs,omitempty" yaml:"quietMs,omitempty"`                       // time after a success in which the breaker does not open; default 1000
	BridgeMs           *int        `json:"bridgeMs,omitempty" yaml:"bridgeMs,omitempty"`                     // time after an opening in which new calls wait; default 30000
	HealthProbeEnabled *bool       `json:"healthProbeEnabled,omitempty" yaml:"healthProbeEnabled,omitempty"` // run the probe ([WithProbe]) before the trial call; default true
	Mode               BreakerMode `json:"mode,omitempty" yaml:"mode,omitempty"`                             // default auto
	// Strict makes a simple breaker. The default is false. Every retryable failure
	// counts, even a rate limit. After failureThreshold failures in a row, the
	// breaker opens. It then refuses all calls for cooldownMs. QuietMs and BridgeMs
	// have no effect.
	Strict *bool `json:"strict,omitempty" yaml:"strict,omitempty"`
}

// RestartConfig configures the restarts of tasks in a [Queue]. A task is restarted
// if it failed with a network error after all retries.
type RestartConfig struct {
	MaxRestarts          *int `json:"maxRestarts,omitempty" yaml:"maxRestarts,omitempty"`                   // default 3
	RestartBackoffBaseMs int  `json:"restartBackoffBaseMs,omitempty" yaml:"restartBackoffBaseMs,omitempty"` // default 60000, doubled each time: 1, 2, 4 minutes
}

// HealthConfig configures [Health].
type HealthConfig struct {
	PingIntervalMs     int     `json:"pingIntervalMs,omitempty" yaml:"pingIntervalMs,omitempty"`         // time between pings, and timeout of a ping or probe; default 30000
	UnhealthyThreshold float64 `json:"unhealthyThreshold,omitempty" yaml:"unhealthyThreshold,omitempty"` // fraction of failed calls in [HealthWindow]; default 0.5
}

// VisibilityConfig configures logs and alerts.
type VisibilityConfig struct {
	LogRetries     *bool `json:"logRetries,omitempty" yaml:"logRetries,omitempty"`         // [WithLogger] logs attempts and pauses too; default true
	AlertThreshold int   `json:"alertThreshold,omitempty" yaml:"alertThreshold,omitempty"` // failures in [AlertWindow]; default 10
}

// EndpointConfig overrides the general sections for one endpoint.
type EndpointConfig struct {
	Retry          RetryConfig      `json:"retry" yaml:"retry"`
	CircuitBreaker BreakerConfig    `json:"circuitBreaker" yaml:"circuitBreaker"`
	HealthCheck    HealthConfig     `json:"healthCheck" yaml:"healthCheck"`
	Visibility     VisibilityConfig `json:"visibility" yaml:"visibility"`
}

// AgentConfig overrides the general sections for the calls of one agent.
type AgentConfig struct {
	// Enabled overrides Config.Enabled for the calls of the agent.
	Enabled     *bool         `json:"enabled,omitempty" yaml:"enabled,omitempty"`
	Retry       RetryConfig   `json:"retry" yaml:"retry"`
	TaskRestart RestartConfig `json:"taskRestart" yaml:"taskRestart"`
}

// These limits and defaults have no config field.
const (
	// MaxRetryAfterWait is the longest Retry-After that a call waits for. If
	// retry.maxHoldMs is set, that limit applies instead. If a provider asks for
	// more, the call goes to another target or fails.
	MaxRetryAfterWait = 60 * time.Second
	// DefaultFallbackCooldown is the time after a fallback in which calls begin at
	// the new target. [WithFallbackCooldown] changes it.
	DefaultFallbackCooldown = time.Minute
	// AlertWindow is the period in which failures are counted for an alert.
	AlertWindow = 5 * time.Minute
	// HealthWindow is the period in which [Health] counts calls and failures. Fewer
	// than HealthMinCalls calls in this period do not make an endpoint unhealthy.
	HealthWindow   = 5 * time.Minute
	HealthMinCalls = 10
	// MaxEndpoints limits the number of endpoints that are remembered. The limit
	// applies to [Breakers], [Health], alerts and fallbacks, each on its own. The
	// least recently used endpoint is forgotten first.
	MaxEndpoints = 4096
	// MaxKeys limits the number of [Call.Key] values that are remembered. The limit
	// applies to the backoff and to [Statuses], each on its own.
	MaxKeys = 65536
)

// DefaultConfig returns a Config with the default of every field. Enabled is false.
func DefaultConfig() Config {
	return Config{
		Retry: RetryConfig{
			Schedule:          MediumSchedule,
			MaxNetworkRetries: new(5),
			BaseDelayMs:       1000,
			MaxDelayMs:        30000,
			JitterPercent:     new(0.2),
			MaxHoldMs:         int(MaxRetryAfterWait / time.Millisecond),
			MinConfidence:     new(0.0),
		},
		CircuitBreaker: BreakerConfig{
			FailureThreshold:   5,
			CooldownMs:         300000,
			QuietMs:            new(1000),
			BridgeMs:           new(30000),
			HealthProbeEnabled: new(true),
			Mode:               BreakerAuto,
			Strict:             new(false),
		},
		TaskRestart: RestartConfig{MaxRestarts: new(3), RestartBackoffBaseMs: 60000},
		HealthCheck: HealthConfig{PingIntervalMs: 30000, UnhealthyThreshold: 0.5},
		Visibility:  VisibilityConfig{LogRetries: new(true), AlertThreshold: 10},
	}
}

// settings are the settings for one endpoint and one agent. Every field is set.
type settings struct {
	retry      RetryConfig
	breaker    BreakerConfig
	restart    RestartConfig
	health     HealthConfig
	visibility VisibilityConfig
}

var defaultSettings = func(d Config) settings {
	return settings{d.Retry, d.CircuitBreaker, d.TaskRestart, d.HealthCheck, d.Visibility}
}(DefaultConfig())

// settings applies all overrides and defaults. Either name may be empty, and c may
// be nil.
func (c *Config) settings(agent, endpoint string) settings {
	s := defaultSettings
	if c == nil {
		return s
	}
	a, e := c.Agents[agent], c.endpoint(endpoint)
	return settings{
		retry:      e.Retry.withDefaults(a.Retry.withDefaults(c.Retry.withDefaults(s.retry))),
		breaker:    e.CircuitBreaker.withDefaults(c.CircuitBreaker.withDefaults(s.breaker)),
		restart:    a.TaskRestart.withDefaults(c.TaskRestart.withDefaults(s.restart)),
		health:     e.HealthCheck.withDefaults(c.HealthCheck.withDefaults(s.health)),
		visibility: e.Visibility.withDefaults(c.Visibility.withDefaults(s.visibility)),
	}
}

// endpoint returns the overrides for an endpoint. If the config does not have the name,
// the name without the hash is looked up.
func (c *Config) endpoint(name string) EndpointConfig {
	if e, ok := c.Endpoints[name]; ok {
		return e
	}
	return c.Endpoints[mask.WithoutDigest(name)]
}

// enabled reports whether calls of the agent are retried. c may be nil.
func (c *Config) enabled(agent string) bool {
	if c == nil {
		return false
	}
	if e := c.Agents[agent].Enabled; e != nil {
		return *e
	}
	return c.Enabled
}

// clone returns a deep copy of c.
func (c *Config) clone() *Config {
	if c == nil {
		return nil
	}
	own := *c
	own.Retry, own.CircuitBreaker = c.Retry.clone(), c.CircuitBreaker.clone()
	own.TaskRestart, own.Visibility = c.TaskRestart.clone(), c.Visibility.clone()
	own.Endpoints, own.Agents = maps.Clone(c.Endpoints), maps.Clone(c.Agents)
	for name, e := range own.Endpoints {
		e.Retry, e.CircuitBreaker, e.Visibility = e.Retry.clone(), e.CircuitBreaker.clone(), e.Visibility.clone()
		own.Endpoints[name] = e
	}
	for name, a := range own.Agents {
		a.Enabled, a.Retry, a.TaskRestart = clonePtr(a.Enabled), a.Retry.clone(), a.TaskRestart.clone()
		own.Agents[name] = a
	}
	return &own
}

func (r RetryConfig) clone() RetryConfig {
	r.MaxNetworkRetries, r.JitterPercent = clonePtr(r.MaxNetworkRetries), clonePtr(r.JitterPercent)
	r.MinConfidence = clonePtr(r.MinConfidence)
	r.Reasons = cloneReasons(r.Reasons)
	return r
}

func (b BreakerConfig) clone() BreakerConfig {
	b.HealthProbeEnabled, b.Strict = clonePtr(b.HealthProbeEnabled), clonePtr(b.Strict)
	b.QuietMs, b.BridgeMs = clonePtr(b.QuietMs), clonePtr(b.BridgeMs)
	return b
}

func (r RestartConfig) clone() RestartConfig {
	r.MaxRestarts = clonePtr(r.MaxRestarts)
	return r
}

func (v VisibilityConfig) clone() VisibilityConfig {
	v.LogRetries = clonePtr(v.LogRetries)
	return v
}

func clonePtr[T any](p *T) *T {
	if p == nil {
		return nil
	}
	return new(*p)
}

// The methods withDefaults copy the receiver and take unset fields from d.

func (r RetryConfig) withDefaults(d RetryConfig) RetryConfig {
	return RetryConfig{
		Schedule:          cmp.Or(r.Schedule, d.Schedule),
		MaxNetworkRetries: cmp.Or(r.MaxNetworkRetries, d.MaxNetworkRetries),
		BaseDelayMs:       cmp.Or(r.BaseDelayMs, d.BaseDelayMs),
		MaxDelayMs:        cmp.Or(r.MaxDelayMs, d.MaxDelayMs),
		JitterPercent:     cmp.Or(r.JitterPercent, d.JitterPercent),
		MaxHoldMs:         cmp.Or(r.MaxHoldMs, d.MaxHoldMs),
		AttemptTimeoutMs:  cmp.Or(r.AttemptTimeoutMs, d.AttemptTimeoutMs),
		MinConfidence:     cmp.Or(r.MinConfidence, d.MinConfidence),
		Reasons:           mergeReasons(r.Reasons, d.Reasons),
	}
}

func (b BreakerConfig) withDefaults(d BreakerConfig) BreakerConfig {
	return BreakerConfig{
		FailureThreshold:   cmp.Or(b.FailureThreshold, d.FailureThreshold),
		CooldownMs:         cmp.Or(b.CooldownMs, d.CooldownMs),
		QuietMs:            cmp.Or(b.QuietMs, d.QuietMs),
		BridgeMs:           cmp.Or(b.BridgeMs, d.BridgeMs),
		HealthProbeEnabled: cmp.Or(b.HealthProbeEnabled, d.HealthProbeEnabled),
		Mode:               cmp.Or(b.Mode, d.Mode),
		Strict:             cmp.Or(b.Strict, d.Strict),
	}
}

func (r RestartConfig) withDefaults(d RestartConfig) RestartConfig {
	return RestartConfig{
		MaxRestarts:          cmp.Or(r.MaxRestarts, d.MaxRestarts),
		RestartBackoffBaseMs: cmp.Or(r.RestartBackoffBaseMs, d.RestartBackoffBaseMs),
	}
}

func (h HealthConfig) withDefaults(d HealthConfig) HealthConfig {
	return HealthConfig{
		PingIntervalMs:     cmp.Or(h.PingIntervalMs, d.PingIntervalMs),
		UnhealthyThreshold: cmp.Or(h.UnhealthyThreshold, d.UnhealthyThreshold),
	}
}

func (v VisibilityConfig) withDefaults(d VisibilityConfig) VisibilityConfig {
	return VisibilityConfig{
		LogRetries:     cmp.Or(v.LogRetries, d.LogRetries),
		AlertThreshold: cmp.Or(v.AlertThreshold, d.AlertThreshold),
	}
}

func ms(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// Validate checks every field, with all overrides applied. The error has one line
// for each fault. Each line names the field as JSON does: `retry.jitterPercent: must
// be between 0 and 1, is 20`. A nil Config is valid.
func (c *Config) Validate() error {
	if c == nil {
		return nil
	}
	v := validation{}
	v.check("", c.settings("", ""))
	for _, name := range slices.Sorted(maps.Keys(c.Endpoints)) {
		v.endpoint(name)
		v.check(fmt.Sprintf("endpoints[%q].", name), c.settings("", name))
	}
	for _, name := range slices.Sorted(maps.Keys(c.Agents)) {
		v.check(fmt.Sprintf("agents[%q].", name), c.settings(name, ""))
	}
	return errors.Join(v...)
}
