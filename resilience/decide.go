package resilience

import (
	"slices"
	"time"

	"github.com/errclass/errclass/classify"
)

// decide sets r.action after a failed call. If the action is actionRetry, it
// also sets r.pause.
func (r *run) decide(a Attempt) {
	if r.ctx.Err() != nil {
		if len(r.attempts) > 1 {
			r.stop = contextErr(r.ctx)
		}
		return
	}
	if r.call.Repeatable != nil && !r.call.Repeatable(a) {
		r.final = true
		return
	}
	p := a.Result.Policy()
	switch {
	case p.Corrective() && r.corrections < p.Calls()-1:
		r.correct(a)
		return
	case p.Retry == classify.RetryExponential && a.Number < r.maxCalls(a.Result):
		if r.retry(a) {
			return
		}
	}
	if len(r.remaining) > 0 && r.call.mayFallBack(a) {
		r.action = actionNext
	}
}

// maxCalls returns the maximum number of calls to a target after a failure res.
// The first call counts too.
func (r *run) maxCalls(res classify.Result) int {
	n := res.Policy().Calls()
	if res.Reason == classify.ReasonNetwork {
		n = 1 + *r.settings.retry.MaxNetworkRetries
	}
	if limit := r.settings.retry.schedule().MaxCalls; limit > 0 {
		n = min(n, limit)
	}
	return n
}

// correct lets the caller change the request for the corrective retry, which
// has no pause.
func (r *run) correct(a Attempt) {
	if r.call.Correct == nil {
		return
	}
	if r.stop = r.call.Correct(r.ctx, a); r.stop != nil {
		return
	}
	r.corrections++
	r.action, r.pause = actionRetry, 0
}

// retry schedules another call to the same target. It returns false if the next
// target should be called instead, or if the provider's Retry-After is too
// long.
func (r *run) retry(a Attempt) bool {
	res := a.Result
	if r.x.order[res.Reason] == FallbackFirst && r.hasOpenTarget() {
		return false
	}
	if res.HasRetryAfter && res.RetryAfter > MaxRetryAfterWait {
		return false
	}
	// Count the pause even if the provider's hint replaces it, so that the
	// key's next pause is longer.
	nominal, delay := r.x.backoff.next(r.backoffKey(), r.settings.retry.schedule(), a.Number)
	e := Event{Kind: KindWait, Target: a.Target, Attempt: a.Number, Result: res, Err: a.Err, Nominal: nominal}
	if res.HasRetryAfter {
		delay = max(res.RetryAfter, 0)
		e.HintGiven, e.RetryAfter, e.Derived, e.Nominal = true, delay, res.Derived, 0
	}
	// If the pause ends after the caller's deadline, prefer another target.
	// Without one, wait until the deadline.
	if deadline, ok := r.ctx.Deadline(); ok && time.Until(deadline) <= delay && r.hasOpenTarget() {
		return false
	}
	// Do not wait if the breaker will still be open after the pause.
	if name := a.Target.Name(); name != "" && !r.openedBreaker {
		if open := r.x.breakers.get(r.ctx, name).refusalAfter(delay); open != nil {
			r.skipTarget(open)
			return true
		}
	}
	r.action, r.pause = actionRetry, delay
	e.ScheduledDelay = delay
	r.emit(e)
	return true
}

// hasOpenTarget reports whether a later target accepts calls.
func (r *run) hasOpenTarget() bool {
	return slices.ContainsFunc(r.remaining, func(t Target) bool {
		name, m := t.Name(), r.x.monitor
		return name == "" || (m == nil || m.Healthy(name)) && !r.x.breakers.get(r.ctx, name).refusesNow()
	})
}

func (r *run) backoffKey() backoffKey { return backoffKey{r.call.Key, r.target} }
