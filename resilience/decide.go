package resilience

import (
	"slices"
	"time"

	"github.com/errclass/errclass/classify"
)

// decide says what comes after a failed call: its verdict, and where that is
// again, the pause.
func (r *run) decide(a Attempt) {
	if r.ctx.Err() != nil {
		if len(r.attempts) > 1 {
			r.stop = ended(r.ctx)
		}
		return
	}
	if r.call.Repeatable != nil && !r.call.Repeatable(a) {
		r.final = true
		return
	}
	p := a.Result.Policy()
	switch {
	case p.Corrective() && r.mended < p.Calls()-1:
		r.correct(a)
		return
	case p.Retry == classify.RetryExponential && a.Number < r.calls(a.Result):
		if r.repeat(a) {
			return
		}
	}
	if len(r.rest) > 0 && r.call.mayFallBack(a) {
		r.verdict = next
	}
}

// calls is how often a target may be called in all where the last call failed
// like this.
func (r *run) calls(res classify.Result) int {
	n := res.Policy().Calls()
	if res.Reason == classify.ReasonNetwork {
		n = 1 + *r.set.retry.MaxNetworkRetries
	}
	if most := r.set.retry.schedule().MaxCalls; most > 0 {
		n = min(n, most)
	}
	return n
}

// correct lets the caller change the request for the one corrective retry,
// which is made at once.
func (r *run) correct(a Attempt) {
	if r.call.Correct == nil {
		return
	}
	if r.stop = r.call.Correct(r.ctx, a); r.stop != nil {
		return
	}
	r.mended++
	r.verdict, r.pause = again, 0
}

// repeat arranges for another call to the same target, unless it is better to
// go on to the next one or the provider asks for too much patience.
func (r *run) repeat(a Attempt) bool {
	res := a.Result
	if r.x.first[res.Reason] == FallbackFirst && r.more() {
		return false
	}
	if res.HasRetryAfter && res.RetryAfter > MaxRetryAfterWait {
		return false
	}
	// The key's next pause is longer also where the provider's hint takes the
	// place of this one.
	nominal, delay := r.x.backoff.next(r.backoffKey(), r.set.retry.schedule(), a.Number)
	e := Event{Kind: KindWait, Target: a.Target, Attempt: a.Number, Result: res, Err: a.Err, Nominal: nominal}
	if res.HasRetryAfter {
		delay = max(res.RetryAfter, 0)
		e.HintGiven, e.RetryAfter, e.Derived, e.Nominal = true, delay, res.Derived, 0
	}
	// A wait beyond the caller's deadline is in vain, so somebody else is asked;
	// without anybody else the deadline ends it, as the caller wants.
	if deadline, ok := r.ctx.Deadline(); ok && time.Until(deadline) <= delay && r.more() {
		return false
	}
	// So is one at whose end the breaker is open all the same.
	if name := a.Target.Name(); name != "" && !r.opened {
		if open := r.x.breakers.of(r.ctx, name).refuses(delay); open != nil {
			r.refused(open)
			return true
		}
	}
	r.verdict, r.pause = again, delay
	e.ScheduledDelay = delay
	r.emit(e)
	return true
}

// more reports whether a later target is open for calls.
func (r *run) more() bool {
	return slices.ContainsFunc(r.rest, func(t Target) bool {
		name, m := t.Name(), r.x.monitor
		return name == "" || (m == nil || m.Healthy(name)) && !r.x.breakers.of(r.ctx, name).shut()
	})
}

func (r *run) backoffKey() backoffKey { return backoffKey{r.call.Key, r.target} }
