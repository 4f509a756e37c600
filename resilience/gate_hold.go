package resilience

import (
	"time"

	"github.com/errclass/errclass/classify"
)

// hold is the part of a [gate] that stops calls after a rate limit. gate.mu guards
// the fields.
type hold struct {
	until    time.Time       // end of the hold: no call is let in before this time
	reviewed time.Time       // end of the hold at the last call of dismiss
	emitted  time.Time       // end of the hold in the last event
	limit    classify.Result // the rate limit
}

// reviewStep is the shortest extension of a hold after which the gate checks again
// whether the waiting calls should wait. Without reviewStep, each of many
// simultaneous rate limits would cause a check of all waiting calls.
const reviewStep = 10 * time.Millisecond

// extensionStep is the shortest extension of a hold that emits an event.
const extensionStep = time.Second

// ramp limits how many calls run at the same time after a hold or an outage. This
// limit, the window, grows by one with each success and shrinks by one with each
// failure. So if all calls of a full window succeed, the window has doubled.
//
// Calls may take minutes. So the window also doubles after each rampStep, unless
// more calls have failed than succeeded since the last doubling. The ramp ends when a
// call succeeds and no call waits. gate.mu guards the fields.
type ramp struct {
	number int       // number of the current ramp, to recognise its calls
	window int       // calls that may be made at the same time; 0 = no ramp
	inside int       // calls of this ramp under way
	step   time.Time // when the window may double next; zero before the first call
	net    int       // successes minus failures since step was last set
}

// rampStep is the time after which the window of a ramp may double.
const rampStep = 400 * time.Millisecond

// held reports whether a hold is in force now. The caller must have locked mu.
func (g *gate) held(now time.Time) bool { return now.Before(g.until) }

// startHold begins a hold that lasts for the given pause. A ramp follows the hold.
// The caller must have locked mu.
func (g *gate) startHold(now time.Time, pause time.Duration, r classify.Result) {
	held := g.held(now)
	// A hold lasts cooldownMs at most, so that a wrong Retry-After does not stop all
	// calls for a day.
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

// addHoldEvent adds an event to g.newEvents: a hold has begun or has been extended.
// Calls that meet the rate limit at the same time cause only one event. held is true
// if an earlier hold was still in force. The caller must have locked mu.
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

// holdRefusal returns the error for a call that does not wait for the end of a
// hold. The caller must have locked mu.
func (g *gate) holdRefusal(now time.Time) *HoldError {
	return &HoldError{Endpoint: g.name, RetryAfter: max(g.until.Sub(now), 0), Cause: g.limit}
}

func (r *ramp) ramping() bool { return r.window > 0 }

// startRamp begins a ramp. window is the number of calls that may be made at the
// same time.
func (r *ramp) startRamp(now time.Time, window int) {
	*r = ramp{number: r.number + 1, window: window}
	if window > 1 {
		r.step = now.Add(rampStep)
	}
}

// enterRamp reports in ok whether the ramp lets one more call in now. waiting is
// true if other calls wait. number identifies the ramp that let the call in; it is 0
// if the ramp has just ended.
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

// leaveRamp is called when the permit's call has ended. If the current ramp had let
// the call in, leaveRamp returns true, and the call no longer counts as running.
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

// shrinkRamp lowers the window by one after a failure. The window stays at least 1.
func (r *ramp) shrinkRamp() {
	r.window = max(r.window-1, 1)
	r.net--
}
