package resilience

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/errclass/errclass/classify"
)

// ReasonConfig overrides the policy of one reason ([classify.Policy]). If a field is
// not set, the policy applies.
type ReasonConfig struct {
	// Calls is the number of calls to a target, including the first. If the policy
	// of the reason allows no retries, Calls must not be more than 1.
	Calls int `json:"calls,omitempty" yaml:"calls,omitempty"`
	// Schedule selects the pauses. The default is [RetryConfig.Schedule].
	Schedule ScheduleName `json:"schedule,omitempty" yaml:"schedule,omitempty"`
	// Fallback decides whether the next target may be called after a failure. True
	// means always, and false means never. It has no effect on
	// [classify.ErrBudgetExceeded], which never allows a fallback.
	Fallback *bool `json:"fallback,omitempty" yaml:"fallback,omitempty"`
}

// mergeReasons merges two maps field by field. Fields set in overrides take
// precedence.
func mergeReasons(overrides, base map[classify.Reason]ReasonConfig) map[classify.Reason]ReasonConfig {
	if len(overrides) == 0 {
		return base
	}
	merged := maps.Clone(base)
	if merged == nil {
		merged = map[classify.Reason]ReasonConfig{}
	}
	for reason, o := range overrides {
		b := merged[reason]
		merged[reason] = ReasonConfig{
			Calls:    cmp.Or(o.Calls, b.Calls),
			Schedule: cmp.Or(o.Schedule, b.Schedule),
			Fallback: cmp.Or(o.Fallback, b.Fallback),
		}
	}
	return merged
}

func cloneReasons(all map[classify.Reason]ReasonConfig) map[classify.Reason]ReasonConfig {
	all = maps.Clone(all)
	for reason, c := range all {
		c.Fallback = clonePtr(c.Fallback)
		all[reason] = c
	}
	return all
}

// calls returns how many calls to a target a failure allows, including the first
// call.
func (r RetryConfig) calls(res classify.Result) int {
	if n := r.Reasons[res.Reason].Calls; n > 0 {
		return n
	}
	n := res.Policy().Calls()
	if res.Reason == classify.ReasonNetwork {
		n = 1 + *r.MaxNetworkRetries
	}
	if limit := r.scheduleFor(res.Reason).MaxCalls; limit > 0 {
		n = min(n, limit)
	}
	return n
}

// trusts reports whether the confidence of a result is high enough for a retry.
func (r RetryConfig) trusts(res classify.Result) bool {
	return res.Confidence == 0 || res.Confidence >= *r.MinConfidence
}

// scheduleFor returns the schedule of a reason. All fields of r must be set.
func (r RetryConfig) scheduleFor(reason classify.Reason) Schedule {
	r.Schedule = cmp.Or(r.Reasons[reason].Schedule, r.Schedule)
	return r.schedule()
}

// fallback returns whether the next target may be called after a failure.
func (r RetryConfig) fallback(res classify.Result) classify.Fallback {
	rule := res.Policy().Fallback
	override := r.Reasons[res.Reason].Fallback
	ownBudget := rule != res.Reason.Policy().Fallback
	switch {
	case override == nil || ownBudget:
		return rule
	case *override:
		return classify.FallbackYes
	default:
		return classify.FallbackNo
	}
}

// reasons validates the overrides of reasons.
func (v *validation) reasons(all map[classify.Reason]ReasonConfig) {
	for _, reason := range slices.Sorted(maps.Keys(all)) {
		field, c := fmt.Sprintf("retry.reasons[%q]", reason), all[reason]
		if !reason.Valid() {
			v.addf(field, "there is no such reason")
			continue
		}
		v.between(field+".calls", c.Calls, 0, maxCount)
		if c.Calls > 1 && reason.Policy().Retry != classify.RetryExponential {
			v.addf(field+".calls", "must be 1, is %d: this reason is not repeated", c.Calls)
		}
		if c.Schedule != "" && !c.Schedule.valid() {
			v.addf(field+".schedule", "must be short, medium, long, fixed or custom, is %q", c.Schedule)
		}
		if reason == classify.ReasonAborted && c.Fallback != nil && *c.Fallback {
			v.addf(field+".fallback", "must be false: the caller has canceled")
		}
	}
}
