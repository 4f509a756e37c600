package resilience

import (
	"container/list"
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/errclass/errclass/classify"
)

// gate controls the calls to one endpoint, or to one [Target.Key] of an endpoint.
// All callers share the gate. Normally it lets every call in. It has three other
// states:
//
//   - held: a rate limit says when the next call may be made (gate_hold.go)
//   - open: the circuit breaker allows one trial at a time (gate_open.go)
//   - ramp: after a hold or an outage, the number of simultaneous calls grows from 1
//
// Callers that may wait form a queue (gate_wait.go). A call that is let in gets a
// permit. Each permit needs exactly one call of done or release.
//
// If the gate lets every call in, a successful call takes no lock. It uses only the
// fields word and lastSuccess.
type gate struct {
	name     string // the endpoint, or endpoint#key
	endpoint string
	key      string
	cfg      atomic.Pointer[BreakerConfig] // every field is set
	born     time.Time                     // time 0 of lastSuccess
	events   *gateEvents

	word        atomic.Uint64 // generation<<2 | failing | busy
	used        atomic.Bool   // found in Breakers.cache since the last eviction
	lastSuccess atomic.Int64  // in units of successTick since born, plus one; 0 = never

	cached    []gateKey // its keys in Breakers.cache; guarded by Breakers.mu
	forgotten bool      // removed from Breakers; guarded by Breakers.mu

	mu         sync.Mutex
	mode       BreakerMode
	generation uint64          // raised by each counted failure, opening, trial and change of mode
	failures   int             // counted since the last success
	chance     int             // series of consecutive failures that ended with a success
	chanceAt   time.Time       // time of the last of these successes
	overlap    bool            // a failure did not count, because its call overlapped with another one
	cause      classify.Result // the last counted failure
	since      time.Time       // time of the last change of state
	retired    bool            // removed from Breakers, so it emits no events
	notes      []Event         // events that the current change of the gate emits

	opening
	hold
	ramp
	share

	queue list.List   // *waiter, first come first served
	timer *time.Timer // runs wake; nil until a caller waits
}

// successTick is the precision of lastSuccess. It is so coarse that simultaneous
// successes rarely write to the shared value.
const successTick = 50 * time.Millisecond

// These are the lowest bits of gate.word. The other bits are gate.generation.
const (
	busyBit         = 1 << iota // admit needs the lock
	failingBit                  // done needs the lock after a success, to reset failures
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
	ramp       int  // number of the ramp that counts the call as inside; 0 = none
	trial      bool // the call is a trial of an open breaker
	late       bool // a trial by a call that may not wait at an open breaker
}

// admit returns a permit at once if the gate lets every call in.
func (g *gate) admit() (permit, bool) {
	word := g.word.Load()
	return permit{g: g, generation: word >> generationShift}, word&busyBit == 0
}

// locked runs f while it holds mu. It then lets waiting calls in, emits the events
// of the changes that f has made, and sends these changes to other processes.
func (g *gate) locked(ctx context.Context, f func(now time.Time)) {
	g.mu.Lock()
	now := time.Now()
	from := g.state()
	f(now)
	g.letIn(now)
	if to := g.state(); to != from {
		g.since = now
		g.notes = append(g.notes, Event{Kind: KindBreaker, From: string(from), To: string(to)})
	}
	if g.sharing != nil {
		g.sendChanges()
	}
	g.publish()
	noted := g.queueNotes(ctx, now)
	g.mu.Unlock()
	if noted {
		g.events.flush()
	}
}

// queueNotes moves the events in g.notes to the queue g.events. It returns false if
// g.notes is empty. The caller holds mu, so the events are in the order of the
// changes.
func (g *gate) queueNotes(ctx context.Context, now time.Time) bool {
	if len(g.notes) == 0 {
		return false
	}
	notes := g.notes
	g.notes = nil
	if g.retired {
		return false
	}
	for _, e := range notes {
		e.Time = now
		g.events.add(ctx, g, e)
	}
	return true
}

// publish updates the field word, which admit and done read without a lock. The
// caller holds mu.
func (g *gate) publish() {
	word := g.generation << generationShift
	if g.mode == BreakerForceOpen || g.open || g.ramping() {
		word |= busyBit
	}
	if g.failures > 0 {
		word |= failingBit
	}
	g.word.Store(word)
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

// issue returns a permit if the state of the gate allows a call now. restart is true
// if a restart queue makes the call. The caller holds mu.
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
	outcomeAnswered                // the endpoint is up, but rejected the call; this does not count as a success
	outcomeLimited                 // the endpoint is up, but a rate limit applies
	outcomeDown                    // network, 5xx, a peer's timeout
	outcomeHung                    // no answer within the attempt timeout
)

// outcomeOf returns the outcome for a result. ended is true if the caller's context
// has ended. In that case, the caller may have caused the failure.
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

// done records the outcome of the permit's call. end is the time at which the
// call ended. If the call met a rate limit, pause is how long the hold lasts.
func (p permit) done(ctx context.Context, o outcome, r classify.Result, end time.Time, pause time.Duration) {
	if p.g == nil {
		return
	}
	if o == outcomeUp && p.ramp == 0 && !p.trial && p.g.word.Load()&failingBit == 0 {
		p.g.succeeded(end)
		return
	}
	if o == outcomeNone && p.ramp == 0 && !p.trial {
		return
	}
	p.g.locked(ctx, func(now time.Time) { p.g.count(now, p, o, r, pause) })
}

// release gives back the permit of a call whose result says nothing about the
// endpoint.
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

// count applies an outcome to the state of the gate. The caller holds mu.
func (g *gate) count(now time.Time, p permit, o outcome, r classify.Result, pause time.Duration) {
	inRamp := g.leaveRamp(p)
	trial := p.trial && p.generation == g.generation
	if trial {
		g.trialStart = time.Time{}
	}
	switch o {
	case outcomeUp:
		switch {
		case trial:
			if g.failedTrial == 0 {
				g.chance, g.chanceAt = g.cfg.Load().FailureThreshold, now
			}
			g.close(now, "")
		case g.open: // the call began before the breaker opened
			return
		case inRamp:
			g.growRamp(g.queue.Len() > 0)
		}
		if g.failures > 0 {
			g.noteChance(now)
		}
		g.failures = 0
		g.succeeded(now)
	case outcomeAnswered:
		if trial {
			g.close(now, "")
		}
	case outcomeLimited:
		if trial && !g.strict() {
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

// force sets the mode, closes the breaker, resets its counts and ends a hold.
// Waiting calls are let in or refused.
func (g *gate) force(ctx context.Context, mode BreakerMode) {
	g.locked(ctx, func(now time.Time) {
		if mode == g.mode {
			return
		}
		if g.held(now) {
			g.notes = append(g.notes, Event{Kind: KindHold, To: HoldEnded})
		}
		g.mode, g.cause, g.failures, g.chance = mode, classify.Result{}, 0, 0
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
	if g.word.Load()&busyBit == 0 {
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
