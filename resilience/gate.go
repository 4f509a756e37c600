package resilience

import (
	"container/list"
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/errclass/errclass/classify"
)

// gate controls the calls to one endpoint, or to one [Target.Key] of it. Normally it
// lets every call in. It has three other states:
//
//   - held: no call may be made before the end of a rate limit (gate_hold.go)
//   - open: the circuit breaker allows one trial call at a time (gate_open.go)
//   - ramp: the number of simultaneous calls grows from 1 or 2 (gate_hold.go)
//
// Calls that may wait form a queue (gate_wait.go). A call that is let in gets a
// permit. For each permit, done or release must be called exactly once.
type gate struct {
	name     string // the endpoint, or endpoint#key
	endpoint string
	key      string
	cfg      atomic.Pointer[BreakerConfig] // every field is set
	born     time.Time                     // time of creation; lastSuccess counts from here
	events   *gateEvents

	fastState   atomic.Uint64 // generation<<2 | failing | busy
	used        atomic.Bool   // found in Breakers.cache since the last eviction
	lastSuccess atomic.Int64  // time of the last success since born in successTicks, plus one; 0 = never

	cached    []gateKey // keys of this gate in Breakers.cache; guarded by Breakers.mu
	forgotten bool      // removed from Breakers; guarded by Breakers.mu

	mu          sync.Mutex
	mode        BreakerMode
	generation  uint64          // rises with each counted failure, opening, trial, closing and change of mode
	failures    int             // counted since the last success
	recoveries  int             // how often a success ended a series of failures
	recoveredAt time.Time       // time of the last of these successes
	overlap     bool            // a failure was not counted, because two failed calls overlapped
	cause       classify.Result // the last counted failure
	since       time.Time       // time of the last change of state
	retired     bool            // removed from Breakers, so it emits no events
	newEvents   []Event         // events of the current change, emitted at its end

	opening
	hold
	ramp
	share

	queue list.List   // *waiter, first come first served
	timer *time.Timer // calls g.wake; nil before the first wait
}

// successTick is the precision of lastSuccess. After the first success in a tick,
// other successes need not write to that field. So simultaneous calls are fast.
const successTick = 50 * time.Millisecond

// These are the lowest bits of gate.fastState. The other bits are gate.generation.
const (
	busyBit         = 1 << iota // admit needs the lock
	failingBit                  // done needs the lock after a success, to reset gate.failures
	generationShift = iota
)

func newGate(endpoint, key string, cfg BreakerConfig, events *gateEvents, s *sharing) *gate {
	now := time.Now()
	g := &gate{name: gateName(endpoint, key), endpoint: endpoint, key: key, born: now, since: now, mode: cfg.Mode, events: events}
	g.cfg.Store(&cfg)
	if s != nil {
		g.share = share{sharing: s, id: gateID(endpoint, key)}
	}
	g.publish()
	return g
}

// gateName returns the name of a gate for errors, snapshots and metrics.
func gateName(endpoint, key string) string {
	if key == "" {
		return endpoint
	}
	return endpoint + "#" + key
}

// permit allows one call. The zero permit belongs to no gate.
type permit struct {
	g          *gate
	generation uint64
	ramp       int  // number of the ramp that let the call in; 0 = none
	trial      bool // the call is a trial of an open breaker
	late       bool // the call is a trial, and may not wait at an open breaker
}

// admit returns a permit at once if the gate lets every call in.
func (g *gate) admit() (permit, bool) {
	state := g.fastState.Load()
	return permit{g: g, generation: state >> generationShift}, state&busyBit == 0
}

// locked locks mu and runs f. Then it lets waiting calls in, sends the changes to
// the Sharer, updates g.fastState, and emits events.
func (g *gate) locked(ctx context.Context, f func(now time.Time)) {
	if g.change(ctx, f) {
		g.events.flush()
	}
}

// change does the part of locked that needs mu. It reports whether there are events.
// If f or the Sharer panics, change unlocks mu.
func (g *gate) change(ctx context.Context, f func(now time.Time)) (added bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	from := g.state()
	f(now)
	g.letIn(now)
	if to := g.state(); to != from {
		g.since = now
		g.newEvents = append(g.newEvents, Event{Kind: KindBreaker, From: string(from), To: string(to)})
	}
	if g.sharing != nil {
		g.sendChanges()
	}
	g.publish()
	return g.queueEvents(ctx, now)
}

// queueEvents moves g.newEvents to g.events. It reports whether there were new events.
// The caller holds mu.
func (g *gate) queueEvents(ctx context.Context, now time.Time) bool {
	if len(g.newEvents) == 0 {
		return false
	}
	added := g.newEvents
	g.newEvents = nil
	if g.retired {
		return false
	}
	for _, e := range added {
		e.Time = now
		g.events.add(ctx, g, e)
	}
	return true
}

// publish updates g.fastState. The caller holds mu.
func (g *gate) publish() {
	state := g.generation << generationShift
	if g.mode == BreakerForceOpen || g.open || g.ramping() {
		state |= busyBit
	}
	if g.failures > 0 {
		state |= failingBit
	}
	g.fastState.Store(state)
}

// state returns the breaker's state. The caller holds mu.
func (g *gate) state() BreakerState {
	switch {
	case g.mode == BreakerForceOpen:
		return BreakerOpen
	case !g.open:
		return BreakerClosed
	case g.trialStart.IsZero():
		return BreakerOpen
	default:
		return BreakerHalfOpen
	}
}

// issue returns a permit if the gate allows a call now. The caller holds mu.
func (g *gate) issue(now time.Time, restart bool) (p permit, ok bool) {
	p = permit{g: g}
	switch {
	case g.mode == BreakerForceOpen, g.held(now):
		return p, false
	case g.open:
		if !g.trialDue(now, restart) || !g.mayTry(now) {
			return p, false
		}
		g.startTrial(now)
		p.trial = true
	case g.ramping():
		if p.ramp, ok = g.enterRamp(now, g.queue.Len() > 0); !ok {
			return p, false
		}
	}
	p.generation = g.generation
	return p, true
}

// outcome says what a call's result means for the endpoint.
type outcome uint8

const (
	outcomeNone     outcome = iota // nothing
	outcomeUp                      // the call succeeded
	outcomeAnswered                // the endpoint rejected the call; not a success
	outcomeLimited                 // the endpoint answered with a rate limit
	outcomeDown                    // a network error, a 5xx, or a timeout that the server reports
	outcomeHung                    // no answer within the attempt timeout
)

// outcomeOf returns the outcome for a result. ended is true if the caller's context
// has ended.
func outcomeOf(r classify.Result, ended bool) outcome {
	rejected := 400 <= r.Status && r.Status < 500 && r.Status != 408
	switch {
	case r.Category == "":
		return outcomeUp
	case r.Reason == classify.ReasonRateLimit && r.Category == classify.CategoryRetryable:
		return outcomeLimited
	case rejected:
		return outcomeAnswered
	case r.Category == classify.CategoryRetryable && !ended:
		return outcomeDown
	default:
		return outcomeNone
	}
}

// done records the outcome of the permit's call. After a rate limit, pause is the time
// for which calls should stop.
func (p permit) done(ctx context.Context, o outcome, r classify.Result, end time.Time, pause time.Duration) {
	if p.g == nil {
		return
	}
	if o == outcomeUp && p.ramp == 0 && !p.trial && p.g.fastState.Load()&failingBit == 0 {
		p.g.succeeded(end)
		return
	}
	if o == outcomeNone && p.ramp == 0 && !p.trial {
		return
	}
	p.g.locked(ctx, func(now time.Time) { p.g.count(now, p, o, r, pause) })
}

// release gives back the permit of a call that says nothing about the endpoint.
func (p permit) release(ctx context.Context) {
	p.done(ctx, outcomeNone, classify.Result{}, time.Time{}, 0)
}

// succeeded records the time of a success.
func (g *gate) succeeded(end time.Time) {
	tick := int64(end.Sub(g.born)/successTick) + 1
	if tick > g.lastSuccess.Load() {
		g.lastSuccess.Store(tick)
	}
}

// count updates the gate after a call. The caller holds mu.
func (g *gate) count(now time.Time, p permit, o outcome, r classify.Result, pause time.Duration) {
	inRamp, tests := g.leaveRamp(p), g.tests(p)
	trial := p.trial && p.generation == g.generation // false if another trial has followed
	if trial {
		g.trialStart = time.Time{}
	}
	switch o {
	case outcomeUp:
		switch {
		case tests:
			if g.failedTrial == 0 {
				g.recoveries, g.recoveredAt = g.cfg.Load().FailureThreshold, now
			}
			g.close(now, "")
		case g.open: // the call began before the breaker opened
			return
		case inRamp:
			g.growRamp(g.queue.Len() > 0)
		}
		if g.failures > 0 {
			g.noteRecovery(now)
		}
		g.failures = 0
		g.succeeded(now)
	case outcomeAnswered:
		if tests {
			g.close(now, "")
		}
	case outcomeLimited:
		if tests && !g.strict() {
			g.close(now, "")
		}
		g.startHold(now, pause, r)
		if g.strict() {
			g.fail(now, p, trial, false, r)
		}
	case outcomeDown, outcomeHung:
		if inRamp {
			g.shrinkRamp()
		}
		g.fail(now, p, trial, o == outcomeHung, r)
	case outcomeNone:
		if trial {
			g.keepClaim()
		}
	}
}

// force sets the mode. If the mode changes, force resets all counts. It also closes a
// breaker that failures have opened, and ends a hold (the time without calls after a rate
// limit).
func (g *gate) force(ctx context.Context, mode BreakerMode) {
	g.locked(ctx, func(now time.Time) {
		if mode == g.mode {
			return
		}
		if g.held(now) {
			g.newEvents = append(g.newEvents, Event{Kind: KindHold, To: HoldEnded})
		}
		g.mode, g.cause, g.failures, g.recoveries = mode, classify.Result{}, 0, 0
		g.opening, g.hold, g.ramp = opening{}, hold{}, ramp{number: g.number}
		g.dropClaim()
		g.generation++
		if g.queue.Len() > 0 {
			g.startRamp(now, 1)
		}
		g.dismiss(now)
	})
}

// ready reports whether a call made now would neither wait nor be refused.
func (g *gate) ready() bool {
	if g.fastState.Load()&busyBit == 0 {
		return true
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	return g.mode != BreakerForceOpen && !g.held(now) && (!g.open || g.queue.Len() == 0 && g.trialDue(now, false))
}

func (g *gate) status() BreakerStatus {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	s := BreakerStatus{
		Endpoint: g.name, State: g.state(), Mode: g.mode, Since: g.since, Failures: g.failures,
		Hold: max(g.until.Sub(now), 0), Waiting: g.queue.Len(),
	}
	if s.State == BreakerOpen && g.mode == BreakerAuto {
		s.RetryAfter = g.untilTrial(now)
	}
	return s
}
