package resilience

import (
	"time"

	"github.com/errclass/errclass/classify"
)

// opening is the part of a [gate] that describes an open breaker. gate.mu guards it.
type opening struct {
	open        bool
	openedAt    time.Time
	openedIn    uint64 // generation of the opening; only trials have a higher one
	nextTrial   time.Time
	soonest     time.Time // a new call can make nextTrial this early
	scheduledAt time.Time // when nextTrial was set
	asked       int       // calls since scheduledAt, without restarts
	failedTrial int       // trials that have failed since openedAt
	trialStart  time.Time // when the running trial began; zero = none
}

// hungTrial is how long a trial without a result prevents the next trial.
const hungTrial = 30 * time.Second

// trialGaps[n] is the pause after n failed trials, if few calls come. The last pause
// repeats.
var trialGaps = [...]time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second}

const (
	// busyGap is the pause between two trials while many calls come, unless trialGaps
	// gives a shorter pause.
	busyGap = 2 * time.Second
	// callsPerTrial is the number of calls that should come between two trials. If
	// more come, the pause between the trials is shortened, but not below busyGap.
	callsPerTrial = 2
	// waitingPerCall is the number of waiting calls that count like one new call when
	// the pause between two trials is computed.
	waitingPerCall = 4
	// restartGap is the additional pause before a call from the restart queue may make
	// the trial. Other calls should make the trial first, because a failed trial uses
	// up one restart of a queued task.
	restartGap = 10 * time.Second
)

func (g *gate) strict() bool { return *g.cfg.Load().Strict }

func (g *gate) cooldown() time.Duration { return ms(g.cfg.Load().CooldownMs) }

// fail counts a failure that means that the endpoint is down. The caller holds mu.
// If failed calls overlap:
//
//   - normally only the first counts
//   - a call without an answer (hung) always counts
//   - at a strict breaker, all count
func (g *gate) fail(now time.Time, p permit, trial, hung bool, r classify.Result) {
	switch {
	case g.mode != BreakerAuto:
	case trial:
		g.cause = r
		g.failedTrial++
		g.recoveries = 0
		g.scheduleTrial(now)
		g.publishOpened(now)
		g.dismiss(now)
	case g.open:
	case p.generation != g.generation && (!hung && !g.strict() || !g.began(p)):
		g.overlap = true
	default:
		g.cause = r
		g.failures++
		g.generation++
		if (g.failures >= g.threshold(now) || g.reportedDown(now)) && g.quiet(now) {
			g.open, g.openedAt, g.openedIn, g.failedTrial, g.openedBy = true, now, g.generation, 0, ""
			g.scheduleTrial(now)
			g.publishOpened(now)
			g.dismiss(now)
		}
	}
}

// recoveryLife is how long gate.recoveries stays valid after its last increase.
const recoveryLife = 5 * time.Minute

// noteRecovery counts a success that has ended a series of failures. The caller
// holds mu.
func (g *gate) noteRecovery(now time.Time) {
	if now.Sub(g.recoveredAt) >= recoveryLife {
		g.recoveries = 0
	}
	g.recoveries++
	g.recoveredAt = now
}

// threshold returns how many failures in a row open the breaker. Endpoints that
// often recover need twice as many. The caller holds mu.
func (g *gate) threshold(now time.Time) int {
	n := g.cfg.Load().FailureThreshold
	if g.recoveries >= n && now.Sub(g.recoveredAt) < recoveryLife && !g.strict() {
		n *= 2
	}
	return n
}

// began returns true if only failures of the current series have raised g.generation
// since the call with the permit p began. If anything else has raised g.generation too,
// such as a trial or a change of mode, began returns false.
func (g *gate) began(p permit) bool {
	return p.generation+uint64(g.failures) >= g.generation
}

// quiet reports whether the last success is at least QuietMs ago. At a strict
// breaker, it returns true. The caller holds mu. Before the first success:
//
//   - Normally, quiet returns true.
//   - If failed calls have overlapped, quiet reports whether the gate was created at
//     least QuietMs ago.
func (g *gate) quiet(now time.Time) bool {
	last := g.lastSuccessAt()
	switch {
	case g.strict(), last.IsZero() && !g.overlap:
		return true
	case last.IsZero():
		last = g.born
	}
	return now.Sub(last) >= ms(*g.cfg.Load().QuietMs)
}

// lastSuccessAt returns the time of the last success, or the zero time.
func (g *gate) lastSuccessAt() time.Time {
	last := g.lastSuccess.Load()
	if last == 0 {
		return time.Time{}
	}
	return g.born.Add(time.Duration(last-1) * successTick)
}

// scheduleTrial sets the time of the next trial. The caller holds mu.
func (g *gate) scheduleTrial(now time.Time) {
	gap := g.cooldown()
	shortest := gap
	if !g.strict() {
		gap, shortest = min(gap, g.trialGap(now)), min(gap, busyGap)
	}
	g.nextTrial, g.soonest = now.Add(gap), now.Add(shortest)
	g.scheduledAt, g.asked = now, 0
}

// trialGap returns the pause before the next trial. The more calls come, the shorter
// the pause is. If the gate shares its state with other processes, the pause is at most
// busyGap. The caller holds mu.
func (g *gate) trialGap(now time.Time) time.Duration {
	gap := trialGaps[min(g.failedTrial, len(trialGaps)-1)]
	if g.sharing != nil {
		return min(gap, busyGap)
	}
	calls := g.asked + g.waitingCalls()/waitingPerCall
	if calls == 0 {
		return gap
	}
	each := now.Sub(g.scheduledAt) / time.Duration(calls)
	return min(gap, max((callsPerTrial*each).Truncate(10*time.Millisecond), busyGap))
}

// waitingCalls returns the number of waiting calls. Calls from the restart queue do not
// count. The caller holds mu.
func (g *gate) waitingCalls() int {
	n := 0
	for e := g.queue.Front(); e != nil; e = e.Next() {
		if !e.Value.(*waiter).restart {
			n++
		}
	}
	return n
}

// hurry schedules the next trial earlier if w would stop waiting before that trial.
// The caller holds mu.
func (g *gate) hurry(w *waiter) {
	limit := w.openLimit
	if !w.deadline.IsZero() && w.deadline.Before(limit) {
		limit = w.deadline
	}
	if !w.restart && !limit.After(g.nextTrial) && g.soonest.Before(g.nextTrial) {
		g.nextTrial = g.soonest
	}
}

// bridged reports whether new calls no longer wait at the open breaker. The caller
// holds mu.
func (g *gate) bridged(now time.Time) bool {
	return g.strict() || now.Sub(g.openedAt) >= ms(*g.cfg.Load().BridgeMs)
}

// untilTrial returns the time until the next trial, or 0 during a trial. The caller
// holds mu.
func (g *gate) untilTrial(now time.Time) time.Duration {
	if !g.trialStart.IsZero() {
		return 0
	}
	return max(g.nextTrial.Sub(now), 0)
}

// trialDue reports whether a trial may begin now. The caller holds mu.
func (g *gate) trialDue(now time.Time, restart bool) bool {
	return !now.Before(g.trialTime(restart))
}

// trialTime returns when the next trial may begin. The caller holds mu.
func (g *gate) trialTime(restart bool) time.Time {
	next := g.nextTrial
	switch {
	case !g.trialStart.IsZero():
		next = g.trialStart.Add(g.hungAfter())
	case restart && !g.strict():
		next = next.Add(restartGap)
	}
	if g.noTrialBefore.After(next) {
		return g.noTrialBefore
	}
	return next
}

func (g *gate) hungAfter() time.Duration {
	if g.strict() {
		return g.cooldown()
	}
	return min(hungTrial, g.cooldown())
}

// startTrial begins a trial. A failure of an earlier trial no longer counts, but an
// answer still does. The caller holds mu.
func (g *gate) startTrial(now time.Time) {
	g.generation++
	g.trialStart = now
}

// tests reports whether the call is a trial of the current opening. It may have been
// followed by another trial. The caller holds mu.
func (g *gate) tests(p permit) bool { return g.open && p.generation > g.openedIn }

// close closes the breaker after a successful trial. peer is the process that made
// the trial; "" means this process. The caller holds mu.
func (g *gate) close(now time.Time, peer string) {
	g.distrustReporter(now, peer)
	g.opening = opening{}
	g.dropClaim()
	g.failures = 0
	g.generation++
	g.startRamp(now, 2)
	g.publishChange(GateChange{Kind: GateClosed})
}

// openRefusal returns the error for a call that the open breaker refuses. The caller
// holds mu.
func (g *gate) openRefusal(now time.Time) *OpenError {
	e := &OpenError{Endpoint: g.name, Mode: g.mode}
	if g.mode != BreakerForceOpen {
		e.RetryAfter, e.Cause = g.untilTrial(now), g.cause
	}
	return e
}

// refusalAfter returns nil if a failed call should be repeated after a pause.
// Otherwise it returns the error for the refused call. member is false if the failed
// call was a trial that began more than BridgeMs after the breaker opened.
func (g *gate) refusalAfter(pause time.Duration, member bool, hasOther func() bool) *OpenError {
	if g.fastState.Load()&busyBit == 0 {
		return nil
	}
	other := hasOther() // locks other gates, so this gate must not be locked
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	switch {
	case g.mode == BreakerForceOpen, g.open && (other || !member):
	case g.open && g.strict() && g.untilTrial(now) > pause:
	default:
		return nil
	}
	return g.openRefusal(now)
}
