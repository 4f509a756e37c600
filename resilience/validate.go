package resilience

import (
	"fmt"
	"math"
	"strings"

	"github.com/errclass/errclass/internal/mask"
)

// These are upper limits of the numbers in a [Config]. They prevent overflow.
const (
	maxMs    = math.MaxInt32 // 24 days
	maxCount = 1_000_000
)

// validation collects the errors in a config.
type validation []error

// addf appends an error for a field. The other parameters are those of
// [fmt.Sprintf].
func (v *validation) addf(field, problem string, args ...any) {
	*v = append(*v, fmt.Errorf("%s: %s", field, fmt.Sprintf(problem, args...)))
}

func (v *validation) between(field string, value, least, most int) {
	if value < least || value > most {
		v.addf(field, "must be between %d and %d, is %d", least, most, value)
	}
}

// fraction checks that value is between 0 and 1. It rejects NaN.
func (v *validation) fraction(field string, value float64) {
	if !(value >= 0 && value <= 1) {
		v.addf(field, "must be between 0 and 1, is %v", value)
	}
}

// endpoint checks that name can be a result of [Target.Name]. Any other name would
// have no effect.
func (v *validation) endpoint(name string) {
	switch named := (Target{Endpoint: name}).Name(); {
	case name == "":
		v.addf("endpoints[\"\"]", "a target without a name has no settings")
	case named != name && mask.Text(name) != name, named != name && strings.Contains(name, "://"):
		v.addf(fmt.Sprintf("endpoints[%q]", named), "no target has the name that is written here; this is how Target.Name writes it")
	}
}

// check validates one complete set of settings. Overrides inherit invalid values, so
// check adds an error only if v does not contain it yet.
func (v *validation) check(path string, s settings) {
	found := validation{}
	found.retry(s.retry)
	found.between("circuitBreaker.failureThreshold", s.breaker.FailureThreshold, 1, maxCount)
	found.between("circuitBreaker.cooldownMs", s.breaker.CooldownMs, 1, maxMs)
	found.between("circuitBreaker.quietMs", *s.breaker.QuietMs, 0, maxMs)
	found.between("circuitBreaker.bridgeMs", *s.breaker.BridgeMs, 0, maxMs)
	if !s.breaker.Mode.valid() {
		found.addf("circuitBreaker.mode", "must be %s, %s or %s, is %q", BreakerAuto, BreakerForceOpen, BreakerForceClosed, s.breaker.Mode)
	}
	found.between("taskRestart.maxRestarts", *s.restart.MaxRestarts, 0, maxCount)
	found.between("taskRestart.restartBackoffBaseMs", s.restart.RestartBackoffBaseMs, 1, maxMs)
	found.between("healthCheck.pingIntervalMs", s.health.PingIntervalMs, 1, maxMs)
	found.fraction("healthCheck.unhealthyThreshold", s.health.UnhealthyThreshold)
	found.between("visibility.alertThreshold", s.visibility.AlertThreshold, 1, maxCount)

	known := make(map[string]bool, len(*v))
	for _, err := range *v {
		known[err.Error()] = true
	}
	for _, err := range found {
		if !known[err.Error()] {
			*v = append(*v, fmt.Errorf("%s%w", path, err))
		}
	}
}

func (v *validation) retry(r RetryConfig) {
	v.between("retry.maxNetworkRetries", *r.MaxNetworkRetries, 0, maxCount)
	v.between("retry.baseDelayMs", r.BaseDelayMs, 1, maxMs)
	v.between("retry.maxDelayMs", r.MaxDelayMs, 1, maxMs)
	v.fraction("retry.jitterPercent", *r.JitterPercent)
	v.between("retry.maxHoldMs", r.MaxHoldMs, 1, maxMs)
	v.between("retry.attemptTimeoutMs", r.AttemptTimeoutMs, 0, maxMs)
	v.fraction("retry.minConfidence", *r.MinConfidence)
	v.reasons(r.Reasons)
	if r.MaxDelayMs < r.BaseDelayMs {
		v.addf("retry.maxDelayMs", "must be at least baseDelayMs (%d), is %d", r.BaseDelayMs, r.MaxDelayMs)
	}
	if !r.Schedule.valid() {
		v.addf("retry.schedule", "must be short, medium, long, fixed or custom, is %q", r.Schedule)
		return
	}
	if r.Schedule == CustomSchedule {
		return
	}
	// Only the custom schedule uses these fields. With any other schedule, they must
	// have their default values.
	d := defaultSettings.retry
	for _, f := range []struct {
		field  string
		chosen bool
	}{
		{"retry.baseDelayMs", r.BaseDelayMs != d.BaseDelayMs},
		{"retry.maxDelayMs", r.MaxDelayMs != d.MaxDelayMs},
		{"retry.jitterPercent", *r.JitterPercent != *d.JitterPercent},
	} {
		if f.chosen {
			v.addf(f.field, "has no effect with schedule %s: set retry.schedule to custom", r.Schedule)
		}
	}
}
