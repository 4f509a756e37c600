package resilience

import (
	"time"

	"github.com/errclass/errclass/classify"
)

// opening is the part of a [gate] that describes an open breaker. gate.mu guards the
// fields.
type opening struct {
	open        bool
	openedAt    time.Time
	nextTrial   time.Time
	soonest     time.Time // the earliest time to which a call may bring nextTrial forward
	scheduledAt time.Time // when nextTrial was set
	asked       int       // calls that asked for a permit since scheduledAt; restarts do not count
	failedTrial int       // trials that have failed since openedAt
	trialStart  time.Time // when the trial under way began; zero = none
}

// hungTrial is how long a trial call without a result can prevent the next trial.
const hungTrial = 30 * time.Second

// trialGaps[n] is the pause before the next trial after n failed trials, if few calls
// come. The last pause repeats. The pauses are those of [MediumSchedule], so trials
// are no more frequent than the calls of one caller that retries.
var trialGaps = [...]time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second}

const (
	// busyGap is the longest pause between two trials while many calls come.
	busyGap = 2 * time.Second
	// callsPerTrial is the number of calls that come between two trials, if the
	// pause lies between busyGap and the value in trialGaps.
	callsPerTrial = 2
	// waitingPerCall is the number of waiting calls that count like one new call.
	// Waiting calls count too, because without the breaker their callers would
	// repeat them.
	waitingPerCall = 4
	// restartGap is the time after nextTrial in which only other calls may make the
	// trial. After that, a restart of a queued task may make it too. Restarts come
	// last because a failed trial uses up one of the task's few restarts.
	restartGap = 10 * time.Second
)

func (g *gate) strict() bool { return *g.cfg.Load().Strict }

func (g *gate) cooldown() time.Duration { return ms(g.cfg.Load().CooldownMs) }

// fail counts a failure that means that the endpoint is down. If calls overlap, only
// the first of their failures counts. There are two exceptions. A call that got no
// answer (hung) always counts, because the call has waited for the whole attempt
// timeout. A strict breaker counts all failures. The caller holds mu.
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
			g.open, g.openedAt, g.failedTrial, g.openedBy = true, now, 0, ""
			g.scheduleTrial(now)
			g.publishOpened(now)
			g.dismiss(now)
		}
	}
}

// recoveryLife is how long the count in gate.recoveries applies after its last
// increase.
const recoveryLife = 5 * time.Minute

// noteRecovery raises gate.recoveries by one, because a success has ended a series of
// failures before the breaker opened. The caller holds mu.
func (g *gate) noteRecovery(now time.Time) {
	if now.Sub(g.recoveredAt) >= recoveryLife {
		g.recoveries = 0
	}
	g.recoveries++
	g.recoveredAt = now
}

// threshold returns the number of failures in a row that open the breaker. This
// number is doubled for an endpoint that has often recovered while its breaker was
// still closed (gate.recoveries). If one call in five fails, for example, five
// failures in a row happen by chance sooner or later. The caller holds mu.
func (g *gate) threshold(now time.Time) int {
	n := g.cfg.Load().FailureThreshold
	if g.recoveries >= n && now.Sub(g.recoveredAt) < recoveryLife && !g.strict() {
		n *= 2
	}
	return n
}

// began reports whether the permit's call began after the last opening or change of
// mode. It did if only the counted failures have raised the generation since then,
// each by one.
func (g *gate) began(p permit) bool {
	return p.generation+uint64(g.failures) >= g.generation
}

// quiet reports whether no call has succeeded for quietMs. If no call has succeeded
// yet and overlapping calls have failed, quietMs counts from the creation of the
// gate, because failures often arrive before the first success. A strict breaker
// ignores quietMs. The caller holds mu.
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
// the pause, down to busyGap: a trial costs little compared with the calls that wait
// for its result. If other processes share the gate, trialGap assumes many calls,
// because this process does not know their total. The caller holds mu.
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

// waitingCalls returns the number of waiting calls. It does not count the calls of
// restarted tasks. The caller holds mu.
func (g *gate) waitingCalls() int {
	n := 0
	for e := g.queue.Front(); e != nil; e = e.Next() {
		if !e.Value.(*waiter).restart {
			n++
		}
	}
	return n
}

// hurry is called when w begins to wait. If w would stop waiting before the next
// trial is due, hurry brings the trial forward. The caller holds mu.
func (g *gate) hurry(w *waiter) {
	limit := w.openLimit
	if !w.deadline.IsZero() && w.deadline.Before(limit) {
		limit = w.deadline
	}
	if !w.restart && !limit.After(g.nextTrial) && g.soonest.Before(g.nextTrial) {
		g.nextTrial = g.soonest
	}
}

// bridged reports whether new calls no longer wait at the open breaker: the breaker
// is strict, or has been open for BridgeMs. The caller holds mu.
func (g *gate) bridged(now time.Time) bool {
	return g.strict() || now.Sub(g.openedAt) >= ms(*g.cfg.Load().BridgeMs)
}

// untilTrial returns the time until the next trial may begin. It returns 0 while a
// trial is under way. The caller holds mu.
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

// startTrial begins a trial. The outcome of an earlier trial that is still under way
// no longer counts. The caller holds mu.
func (g *gate) startTrial(now time.Time) {
	g.generation++
	g.trialStart = now
}

// close closes the breaker after a successful trial. peer is the process that made
// the trial; "" means this process. After that, waiting calls are let in, two at
// first. The caller holds mu.
func (g *gate) close(now time.Time, peer string) {
	g.distrustReporter(now, peer)
	g.opening = opening{}
	g.dropClaim()
	g.failures = 0
	g.generation++
	g.startRamp(now, 2)
	g.publishChange(GateChange{Kind: GateClosed})
}

// openRefusal returns the error of a call that the open breaker refuses. The caller
// holds mu.
func (g *gate) openRefusal(now time.Time) *OpenError {
	e := &OpenError{Endpoint: g.name, Mode: g.mode}
	if g.mode != BreakerForceOpen {
		e.RetryAfter, e.Cause = g.untilTrial(now), g.cause
	}
	return e
}

// refusalAfter returns nil if a failed call should be repeated after a pause, and an
// error otherwise. member is true if the gate let in an earlier call of the same Do
// before the breaker had been open for BridgeMs. hasOther reports whether another
// target accepts calls.
func (g *gate) refusalAfter(pause time.Duration, member bool, hasOther func() bool) *OpenError {
	if g.fastState.Load()&busyBit == 0 {
		return nil
	}
	other := hasOther() // before the lock, because it locks other gates
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
