package resilience

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/errclass/errclass/classify"
)

// decide sets r.action after a failed call. For actionRetry, it also sets r.pause.
func (r *run) decide(a Attempt) {
	if r.ctx.Err() != nil {
		if len(r.failed) > 1 {
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
		r.correct(a, r.call.Correct)
		return
	case a.Result.Category == classify.CategoryContextOverflow && r.call.Shrink != nil && r.shrinks == 0:
		r.shrinks++
		r.correct(a, r.call.Shrink)
		return
	case p.Retry == classify.RetryExponential && r.settings().retry.trusts(a.Result) && a.Number < r.settings().retry.calls(a.Result):
		if r.retry(a) {
			return
		}
	}
	if len(r.remaining) > 0 && r.mayFallBack(a) {
		r.action = actionNext
	}
}

// mayFallBack reports whether the next target may be called after a failed call.
func (r *run) mayFallBack(a Attempt) bool {
	switch r.settings().retry.fallback(a.Result) {
	case classify.FallbackYes, classify.FallbackAfterCorrective:
		return true
	case classify.FallbackOptional:
		return r.call.FallBack != nil && r.call.FallBack(a)
	default:
		return false
	}
}

// correct lets the caller change the request. If this succeeds, the call is repeated
// without a pause. If change is nil, correct does nothing.
func (r *run) correct(a Attempt, change func(context.Context, Attempt) error) {
	if change == nil {
		return
	}
	if r.stop = change(r.ctx, a); r.stop != nil {
		return
	}
	if a.Result.Policy().Corrective() {
		r.corrections++
	}
	r.action, r.pause = actionRetry, 0
}

// retry tries to repeat the call on the same target. It returns false if the next
// target should be called instead.
func (r *run) retry(a Attempt) bool {
	res := a.Result
	if r.x.order[res.Reason] == FallbackFirst && r.hasReadyTarget() {
		return false
	}
	if res.HasRetryAfter && res.RetryAfter > ms(r.settings().retry.MaxHoldMs) {
		return false
	}
	r.schedule(a)
	// Do not begin a pause that ends after the context's deadline.
	if deadline, ok := r.ctx.Deadline(); ok && time.Until(deadline) <= r.pause {
		if r.hasReadyTarget() {
			return false
		}
		r.stop = &deadlineError{pause: r.pause, left: time.Until(deadline)}
		return true
	}
	if open := r.openAfter(r.pause); open != nil {
		r.skipTarget(open)
		return true
	}
	r.action = actionRetry
	e := Event{Kind: KindWait, Target: a.Target, Attempt: a.Number, Result: res, Err: a.Err, ScheduledDelay: r.pause}
	if hinted(res) {
		e.HintGiven, e.RetryAfter, e.Derived = true, r.pause, res.Derived
	} else {
		e.Nominal = r.nominal
	}
	r.emit(e)
	return true
}

// schedule sets r.pause, once for each failed call.
func (r *run) schedule(a Attempt) {
	if r.scheduled == a.Number {
		return
	}
	r.scheduled = a.Number
	// The backoff counts this pause, even if the provider's Retry-After replaces it.
	r.nominal, r.pause = r.x.backoff.next(r.backoffKey(), r.settings().retry.scheduleFor(a.Result.Reason), a.Number)
	if hinted(a.Result) {
		r.pause = a.Result.RetryAfter
	}
}

// hinted reports whether the provider gave a time to wait of more than 0.
func hinted(r classify.Result) bool { return r.HasRetryAfter && r.RetryAfter > 0 }

// openAfter returns an error if the breaker is open and the call should not wait.
// The reasons are:
//
//   - Another target accepts calls.
//   - When this call began, the breaker had already been open for too long.
//   - The breaker will certainly refuse the call after the pause.
func (r *run) openAfter(pause time.Duration) *OpenError {
	if r.gate == nil {
		return nil
	}
	return r.gate.refusalAfter(pause, r.member, r.hasReadyTarget)
}

// ErrNoTime is wrapped by [Error.Stop] if the deadline is before the next call. The
// call is then not repeated.
var ErrNoTime = errors.New("the deadline is earlier than the next call")

// deadlineError wraps [ErrNoTime]. Its text has the pause and the time until the
// deadline.
type deadlineError struct{ pause, left time.Duration }

func (e *deadlineError) Error() string {
	return fmt.Sprintf("the deadline (in %s) is earlier than the next call (in %s)", e.left.Round(time.Millisecond), e.pause.Round(time.Millisecond))
}

func (*deadlineError) Unwrap() error { return ErrNoTime }

// hasReadyTarget reports whether another target accepts calls now.
func (r *run) hasReadyTarget() bool {
	return slices.ContainsFunc(r.remaining, func(t Target) bool {
		g, m := r.x.breakers.gateFor(r.ctx, t), r.x.monitor
		return g == nil || (m == nil || m.Healthy(g.endpoint)) && g.ready()
	})
}

func (r *run) backoffKey() backoffKey { return backoffKey{r.call.Key, r.target} }
