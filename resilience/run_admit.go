package resilience

import (
	"context"
	"fmt"
	"time"

	"github.com/errclass/errclass/classify"
)

// admit waits until the monitor and the gate allow the call, or one of them refuses.
// A target without a name gets the zero permit, and so does a call that passes the gate
// within another call.
func (r *run) admit() (permit, error) {
	if err := contextErr(r.ctx); err != nil {
		return permit{}, err
	}
	if r.gate == nil {
		return permit{}, nil
	}
	if r.x.monitor == nil {
		if p, ok := r.gate.admit(); ok {
			return p, nil
		}
	}
	if r.gate.passes(r.ctx) {
		return permit{}, nil
	}
	if err := r.awaitHealth(); err != nil {
		return permit{}, err
	}
	if p, ok := r.gate.admit(); ok {
		return p, nil
	}
	return r.awaitGate()
}

// awaitHealth waits until the monitor allows the call, or refuses.
func (r *run) awaitHealth() error {
	name := r.gate.endpoint
	if m := r.x.monitor; m != nil && !m.Healthy(name) {
		if r.hasReadyTarget() {
			return fmt.Errorf("endpoint %q: %w", name, ErrUnhealthy)
		}
		if err := m.WaitForRecovery(r.ctx, name); err != nil {
			return fmt.Errorf("endpoint %q: wait for recovery: %w", name, err)
		}
	}
	return nil
}

// awaitGate asks a gate that does not let every call in.
func (r *run) awaitGate() (permit, error) {
	start := time.Now()
	other := r.hasReadyTarget()
	p, err := r.x.breakers.admit(r.ctx, r.gate, entrant{
		member:    r.member,
		restart:   RestartNumber(r.ctx) > 0,
		leaveOpen: other,
		leaveHold: other && r.x.order[classify.ReasonRateLimit] == FallbackFirst,
		maxHold:   ms(r.settings().retry.MaxHoldMs),
		patience:  r.patience,
		waits:     r.emitGateWait,
	})
	r.waited += time.Since(start)
	return p, err
}

// patience returns how much longer the call can wait at an open breaker. cause is the
// failure that opened the breaker. The result is the sum of these times, minus the
// time that the call has already waited:
//
//   - the remaining pauses
//   - busyGap, the pause before one more trial
//   - if cause is a timeout: one attempt timeout for the trial, and one for each
//     remaining call
func (r *run) patience(cause classify.Result) time.Duration {
	calls, s := r.settings().retry.calls(cause), r.settings().retry.scheduleFor(cause.Reason)
	if calls < 2 {
		return 0
	}
	var each time.Duration
	if cause.Reason == classify.ReasonTimeout {
		each = ms(r.settings().retry.AttemptTimeoutMs)
	}
	left := busyGap + each - r.waited
	for n := r.number; n < calls-1; n++ {
		left += s.Nominal(n) + each
	}
	return left
}

// emitGateWait emits the event for a call that begins to wait at a gate.
func (r *run) emitGateWait(after time.Duration, held bool, cause classify.Result) {
	e := Event{Kind: KindWait, Target: r.target, Attempt: r.number, Result: cause, ScheduledDelay: after}
	if held && hinted(cause) {
		e.HintGiven, e.RetryAfter, e.Derived = true, after, cause.Derived
	}
	r.emit(e)
}

// sleep waits for d. If ctx ends first, it returns the context's error.
func sleep(ctx context.Context, d time.Duration) error {
	if d > 0 {
		t := time.NewTimer(d)
		defer t.Stop()
		select {
		case <-t.C:
		case <-ctx.Done():
		}
	}
	return contextErr(ctx)
}
