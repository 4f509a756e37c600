package resilience

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Config is what an operator may set, in Go, JSON or YAML. The zero Config, and a
// nil one, change nothing: every call is made once.
//
// A field that is left out has its default; where zero means something by
// itself, as "no retry at all" does, the field is a pointer. [DefaultConfig]
// has every default spelled out. Sections of Endpoints and Agents override
// the general ones field by field.
type Config struct {
	Enabled        bool             `json:"enabled" yaml:"enabled"`
	Retry          RetryConfig      `json:"retry" yaml:"retry"`
	CircuitBreaker BreakerConfig    `json:"circuitBreaker" yaml:"circuitBreaker"`
	TaskRestart    RestartConfig    `json:"taskRestart" yaml:"taskRestart"`
	HealthCheck    HealthConfig     `json:"healthCheck" yaml:"healthCheck"`
	Visibility     VisibilityConfig `json:"visibility" yaml:"visibility"`

	// Endpoints has what differs for one endpoint, by its name as in
	// [Target.Name], mostly its URL.
	Endpoints map[string]EndpointConfig `json:"endpoints,omitempty" yaml:"endpoints,omitempty"`
	// Agents has what differs for the calls of one agent, by [Call.Agent].
	// Where both say something, the endpoint has the last word.
	Agents map[string]AgentConfig `json:"agents,omitempty" yaml:"agents,omitempty"`
}

// RetryConfig says how a call is repeated.
type RetryConfig struct {
	// Schedule names the pauses; the default is [MediumSchedule].
	Schedule ScheduleName `json:"schedule,omitempty" yaml:"schedule,omitempty"`
	// MaxNetworkRetries is how often a call is repeated after a network error:
	// the default 5 makes six calls in all. All other reasons have the number
	// of calls that their policy gives them.
	MaxNetworkRetries *int `json:"maxNetworkRetries,omitempty" yaml:"maxNetworkRetries,omitempty"`
	// The next three belong to the schedule "custom".
	BaseDelayMs   int      `json:"baseDelayMs,omitempty" yaml:"baseDelayMs,omitempty"`     // before the first retry; 1000
	MaxDelayMs    int      `json:"maxDelayMs,omitempty" yaml:"maxDelayMs,omitempty"`       // 30000
	JitterPercent *float64 `json:"jitterPercent,omitempty" yaml:"jitterPercent,omitempty"` // a fraction up or down; 0.2
}

// BreakerConfig says when an endpoint is left alone.
type BreakerConfig struct {
	FailureThreshold   int         `json:"failureThreshold,omitempty" yaml:"failureThreshold,omitempty"`     // failures in a row; 5
	CooldownMs         int         `json:"cooldownMs,omitempty" yaml:"cooldownMs,omitempty"`                 // 300000, five minutes
	HealthProbeEnabled *bool       `json:"healthProbeEnabled,omitempty" yaml:"healthProbeEnabled,omitempty"` // true: a probe ([WithProbe]) goes before the first call
	Mode               BreakerMode `json:"mode,omitempty" yaml:"mode,omitempty"`                             // auto
}

// RestartConfig says how often a task is started again after its call's
// network retries were all in vain.
type RestartConfig struct {
	MaxRestarts          *int `json:"maxRestarts,omitempty" yaml:"maxRestarts,omitempty"`                   // 3
	RestartBackoffBaseMs int  `json:"restartBackoffBaseMs,omitempty" yaml:"restartBackoffBaseMs,omitempty"` // 60000, doubled each time: 1, 2, 4 minutes
}

// HealthConfig says when an endpoint counts as unhealthy.
type HealthConfig struct {
	PingIntervalMs     int     `json:"pingIntervalMs,omitempty" yaml:"pingIntervalMs,omitempty"`         // 30000; no ping takes longer either
	UnhealthyThreshold float64 `json:"unhealthyThreshold,omitempty" yaml:"unhealthyThreshold,omitempty"` // failed part of the calls in [HealthWindow]; 0.5
}

// VisibilityConfig says what a person gets to see.
type VisibilityConfig struct {
	LogRetries     *bool `json:"logRetries,omitempty" yaml:"logRetries,omitempty"`         // true: [WithLogger] logs attempts and waits too
	AlertThreshold int   `json:"alertThreshold,omitempty" yaml:"alertThreshold,omitempty"` // failures in [AlertWindow]; 10
}

// EndpointConfig overrides the general sections for one endpoint.
type EndpointConfig struct {
	Retry          RetryConfig      `json:"retry" yaml:"retry"`
	CircuitBreaker BreakerConfig    `json:"circuitBreaker" yaml:"circuitBreaker"`
	HealthCheck    HealthConfig     `json:"healthCheck" yaml:"healthCheck"`
	Visibility     VisibilityConfig `json:"visibility" yaml:"visibility"`
}

// AgentConfig overrides the general sections for the calls of one agent.
// Breakers and health belong to endpoints, which agents share.
type AgentConfig struct {
	// Enabled overrides Config.Enabled in both directions, so that agents can
	// be moved over one by one.
	Enabled     *bool         `json:"enabled,omitempty" yaml:"enabled,omitempty"`
	Retry       RetryConfig   `json:"retry" yaml:"retry"`
	TaskRestart RestartConfig `json:"taskRestart" yaml:"taskRestart"`
}

// Figures that no field sets.
const (
	// MaxRetryAfterWait is the longest hint of a provider that is waited for. A
	// longer one is not cut short, as that wait is known to be in vain: the
	// call goes to another target or fails.
	MaxRetryAfterWait = 60 * time.Second
	// DefaultFallbackCooldown is how long calls stay with a target that was
	// fallen back to, unless [WithFallbackCooldown] says otherwise.
	DefaultFallbackCooldown = time.Minute
	// AlertWindow is the time in which failures are counted for an alert.
	AlertWindow = 5 * time.Minute
	// HealthWindow is the time over which an endpoint's health is judged, and
	// HealthMinCalls how many calls it takes to judge.
	HealthWindow   = 5 * time.Minute
	HealthMinCalls = 10
	// MaxEndpoints is how many endpoints are remembered at once, by [Breakers],
	// by [Health] and for alerts and fallbacks, each by itself. Endpoints come
	// from callers, and from peers where a client follows redirects, so there may
	// be any number. The one that was used least recently is forgotten first.
	MaxEndpoints = 4096
	// MaxKeys is the same for the keys of calls: their backoff ([Call.Key]) and
	// their [Statuses].
	MaxKeys = 65536
)

// DefaultConfig returns the defaults, spelled out. It is not enabled.
func DefaultConfig() Config {
	return Config{
		Retry: RetryConfig{
			Schedule:          MediumSchedule,
			MaxNetworkRetries: new(5),
			BaseDelayMs:       1000,
			MaxDelayMs:        30000,
			JitterPercent:     new(0.2),
		},
		CircuitBreaker: BreakerConfig{
			FailureThreshold:   5,
			CooldownMs:         300000,
			HealthProbeEnabled: new(true),
			Mode:               BreakerAuto,
		},
		TaskRestart: RestartConfig{MaxRestarts: new(3), RestartBackoffBaseMs: 60000},
		HealthCheck: HealthConfig{PingIntervalMs: 30000, UnhealthyThreshold: 0.5},
		Visibility:  VisibilityConfig{LogRetries: new(true), AlertThreshold: 10},
	}
}

// settings is what holds for one endpoint and one agent: every field is set.
type settings struct {
	retry   RetryConfig
	breaker BreakerConfig
	restart RestartConfig
	health  HealthConfig
	visible VisibilityConfig
}

var defaultSettings = func(d Config) settings {
	return settings{d.Retry, d.CircuitBreaker, d.TaskRestart, d.HealthCheck, d.Visibility}
}(DefaultConfig())

// settings looks up what holds for an endpoint as an agent calls it. Either
// may be empty. c may be nil.
func (c *Config) settings(agent, endpoint string) settings {
	s := defaultSettings
	if c == nil {
		return s
	}
	a, e := c.Agents[agent], c.Endpoints[endpoint]
	return settings{
		retry:   e.Retry.over(a.Retry.over(c.Retry.over(s.retry))),
		breaker: e.CircuitBreaker.over(c.CircuitBreaker.over(s.breaker)),
		restart: a.TaskRestart.over(c.TaskRestart.over(s.restart)),
		health:  e.HealthCheck.over(c.HealthCheck.over(s.health)),
		visible: e.Visibility.over(c.Visibility.over(s.visible)),
	}
}

// enabled says whether the calls of an agent are looked after. c may be nil.
func (c *Config) enabled(agent string) bool {
	if c == nil {
		return false
	}
	if e := c.Agents[agent].Enabled; e != nil {
		return *e
	}
	return c.Enabled
}

// clone copies c with all that it points to.
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
		a.Enabled, a.Retry, a.TaskRestart = copied(a.Enabled), a.Retry.clone(), a.TaskRestart.clone()
		own.Agents[name] = a
	}
	return &own
}

func (r RetryConfig) clone() RetryConfig {
	r.MaxNetworkRetries, r.JitterPercent = copied(r.MaxNetworkRetries), copied(r.JitterPercent)
	return r
}

func (b BreakerConfig) clone() BreakerConfig {
	b.HealthProbeEnabled = copied(b.HealthProbeEnabled)
	return b
}

func (r RestartConfig) clone() RestartConfig {
	r.MaxRestarts = copied(r.MaxRestarts)
	return r
}

func (v VisibilityConfig) clone() VisibilityConfig {
	v.LogRetries = copied(v.LogRetries)
	return v
}

func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	return new(*p)
}

// The methods named over take what is set in the receiver, and the rest from
// below.

func (r RetryConfig) over(below RetryConfig) RetryConfig {
	return RetryConfig{
		Schedule:          cmp.Or(r.Schedule, below.Schedule),
		MaxNetworkRetries: cmp.Or(r.MaxNetworkRetries, below.MaxNetworkRetries),
		BaseDelayMs:       cmp.Or(r.BaseDelayMs, below.BaseDelayMs),
		MaxDelayMs:        cmp.Or(r.MaxDelayMs, below.MaxDelayMs),
		JitterPercent:     cmp.Or(r.JitterPercent, below.JitterPercent),
	}
}

func (b BreakerConfig) over(below BreakerConfig) BreakerConfig {
	return BreakerConfig{
		FailureThreshold:   cmp.Or(b.FailureThreshold, below.FailureThreshold),
		CooldownMs:         cmp.Or(b.CooldownMs, below.CooldownMs),
		HealthProbeEnabled: cmp.Or(b.HealthProbeEnabled, below.HealthProbeEnabled),
		Mode:               cmp.Or(b.Mode, below.Mode),
	}
}

func (r RestartConfig) over(below RestartConfig) RestartConfig {
	return RestartConfig{
		MaxRestarts:          cmp.Or(r.MaxRestarts, below.MaxRestarts),
		RestartBackoffBaseMs: cmp.Or(r.RestartBackoffBaseMs, below.RestartBackoffBaseMs),
	}
}

func (h HealthConfig) over(below HealthConfig) HealthConfig {
	return HealthConfig{
		PingIntervalMs:     cmp.Or(h.PingIntervalMs, below.PingIntervalMs),
		UnhealthyThreshold: cmp.Or(h.UnhealthyThreshold, below.UnhealthyThreshold),
	}
}

func (v VisibilityConfig) over(below VisibilityConfig) VisibilityConfig {
	return VisibilityConfig{
		LogRetries:     cmp.Or(v.LogRetries, below.LogRetries),
		AlertThreshold: cmp.Or(v.AlertThreshold, below.AlertThreshold),
	}
}

// ms reads a figure of the config.
func ms(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// Validate checks every field, those of the overrides as they come out on top
// of the general ones. The error joins one line for each fault, which names
// the field as JSON does: `retry.jitterPercent: must be between 0 and 1, is 20`.
// A nil Config is valid.
func (c *Config) Validate() error {
	if c == nil {
		return nil
	}
	v := validation{}
	v.check("", c.settings("", ""))
	for _, name := range slices.Sorted(maps.Keys(c.Endpoints)) {
		v.check(fmt.Sprintf("endpoints[%q].", name), c.settings("", name))
	}
	for _, name := range slices.Sorted(maps.Keys(c.Agents)) {
		v.check(fmt.Sprintf("agents[%q].", name), c.settings(name, ""))
	}
	return errors.Join(v...)
}
