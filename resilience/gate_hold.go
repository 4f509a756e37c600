package resilience

import (
	"time"

	"github.com/errclass/errclass/classify"
)

// hold is the part of a [gate] that stops calls after a rate limit. gate.mu guards
// it.
type hold struct {
	until    time.Time       // no call is let in before this time
	reviewed time.Time       // end of the hold when waiting calls were last checked
	emitted  time.Time       // end of the hold in the last event
	limit    classify.Result // the rate limit
}

// reviewStep is the shortest extension of a hold after which waiting calls are
// checked again.
const reviewStep = 10 * time.Millisecond

// extensionStep is the minimum by which a hold must be extended to cause an event.
const extensionStep = time.Second

// ramp limits how many calls run at the same time after a hold or an outage. This
// limit is the window:
//
//   - It grows by one with each success and shrinks by one with each failure.
//   - It doubles after each rampStep, unless more calls failed than succeeded.
//
// When a call succeeds, or when the window would double, the ramp ends if no call is
// waiting. gate.mu guards the fields.
type ramp struct {
	number int       // number of the current ramp, to recognise its calls
	window int       // calls that may be made at the same time; 0 = no ramp
	inside int       // calls of this ramp under way
	step   time.Time // the window may double at this time; zero before the first call
	net    int       // successes minus failures since step was last set
}

// rampStep is the time after which the window of a ramp may double.
const rampStep = 400 * time.Millisecond

// held reports whether calls are stopped because of a rate limit. The caller must have
// locked mu.
func (g *gate) held(now time.Time) bool { return now.Before(g.until) }

// startHold begins or extends a hold: no call is let in until the hold ends. The caller
// must have locked mu.
func (g *gate) startHold(now time.Time, pause time.Duration, r classify.Result) {
	held := g.held(now)
	// Without this limit, a wrong Retry-After could stop all calls for a day.
	if until := now.Add(min(pause, g.cooldown())); until.After(g.until) {
		g.until = until
	}
	g.limit = r
	g.addHoldEvent(now, held)
	g.startRamp(now, 1)
	if g.until.Sub(g.reviewed) >= reviewStep {
		g.reviewed = g.until
		g.dismiss(now)
	}
}

// addHoldEvent adds the event of a hold that has begun or was extended. The caller
// must have locked mu.
func (g *gate) addHoldEvent(now time.Time, held bool) {
	e := Event{Kind: KindHold, To: HoldBegun, Result: g.limit, ScheduledDelay: g.until.Sub(now)}
	switch {
	case !g.held(now):
		return
	case held && g.until.Sub(g.emitted) < extensionStep:
		return
	case held:
		e.To = HoldExtended
	}
	if hinted(g.limit) {
		e.HintGiven, e.RetryAfter, e.Derived = true, e.ScheduledDelay, g.limit.Derived
	}
	g.emitted = g.until
	g.newEvents = append(g.newEvents, e)
	g.publishChange(GateChange{Kind: GateHeld, Hold: e.ScheduledDelay, Cause: g.limit})
}

// holdRefusal returns the error for a call that a hold refuses. The caller must have
// locked mu.
func (g *gate) holdRefusal(now time.Time) *HoldError {
	return &HoldError{Endpoint: g.name, RetryAfter: max(g.until.Sub(now), 0), Cause: g.limit}
}

func (r *ramp) ramping() bool { return r.window > 0 }

// startRamp begins a ramp (a limit on simultaneous calls). window is the limit at the
// beginning.
func (r *ramp) startRamp(now time.Time, window int) {
	*r = ramp{number: r.number + 1, window: window}
	if window > 1 {
		r.step = now.Add(rampStep)
	}
}

// enterRamp reports whether one more call may run now. number is the number of the
// current ramp, or 0 if the ramp has ended.
func (r *ramp) enterRamp(now time.Time, waiting bool) (number int, ok bool) {
	if r.step.IsZero() {
		r.step = now.Add(rampStep)
	}
	if !now.Before(r.step) {
		switch {
		case r.net < 0: // more failures than successes
		case !waiting:
			r.window = 0
			return 0, true
		default:
			r.window *= 2
		}
		r.step, r.net = now.Add(rampStep), 0
	}
	if r.inside >= r.window {
		return 0, false
	}
	r.inside++
	return r.number, true
}

// leaveRamp removes an ended call from the running calls of the current ramp. It
// reports whether the call belonged to this ramp.
func (r *ramp) leaveRamp(p permit) bool {
	if p.ramp == 0 || p.ramp != r.number || !r.ramping() {
		return false
	}
	r.inside--
	return true
}

// growRamp raises the window by one after a success. If no call waits, growRamp ends
// the ramp instead.
func (r *ramp) growRamp(waiting bool) {
	if !waiting {
		r.window = 0
		return
	}
	r.window++
	r.net++
}

// shrinkRamp lowers the window by one after a failure, but never below 1.
func (r *ramp) shrinkRamp() {
	r.window = max(r.window-1, 1)
	r.net--
}
