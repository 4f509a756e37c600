package resilience

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/failsafe-go/failsafe-go/circuitbreaker"

	"github.com/errclass/errclass/classify"
)

// BreakerMode says who decides about a circuit breaker.
type BreakerMode string

// The modes.
const (
	BreakerAuto        BreakerMode = "auto"         // the endpoint's failures
	BreakerForceOpen   BreakerMode = "force_open"   // a person: no call goes through
	BreakerForceClosed BreakerMode = "force_closed" // a person: every call goes through
)

func (m BreakerMode) valid() bool {
	return m == BreakerAuto || m == BreakerForceOpen || m == BreakerForceClosed
}

// BreakerState is what a circuit breaker does with calls.
type BreakerState string

// The states.
const (
	BreakerClosed   BreakerState = "closed"    // lets them through
	BreakerOpen     BreakerState = "open"      // refuses them
	BreakerHalfOpen BreakerState = "half_open" // lets one through to see
)

var breakerStates = map[circuitbreaker.State]BreakerState{
	circuitbreaker.ClosedState:   BreakerClosed,
	circuitbreaker.OpenState:     BreakerOpen,
	circuitbreaker.HalfOpenState: BreakerHalfOpen,
}

// Probe asks an endpoint whether it is up, at little cost. An error means that
// it is not, unless it says that the probe itself is wrong (a missing key, a
// 404, a bad URL) or the probe panics: then nothing is known, and a call is let
// through. It must return when ctx ends and be safe for concurrent use.
type Probe func(ctx context.Context, endpoint string) error

// ErrOpen is found by errors.Is where a circuit breaker refused a call.
var ErrOpen = errors.New("circuit breaker open")

// OpenError says which circuit breaker refused a call. It is an [ErrOpen], and
// classify takes it as transient, with RetryAfter as its hint.
type OpenError struct {
	Endpoint   string
	Mode       BreakerMode     // [BreakerForceOpen] where a person opened it
	RetryAfter time.Duration   // until a call is let through to see; 0 where a person or another call decides that
	Cause      classify.Result // the failure that opened it
	Err        error           // what the probe said, where one has just failed
}

// Error says what to do about it.
func (e *OpenError) Error() string {
	about := fmt.Sprintf("circuit breaker open for %q", e.Endpoint)
	switch {
	case e.Mode == BreakerForceOpen:
		return about + ": it is forced open, force it closed or set it to auto"
	case e.RetryAfter == 0:
		return about + ": another call is finding out whether the endpoint is back, try again later"
	default:
		return fmt.Sprintf("%s: try again in %s, or force it closed", about, e.RetryAfter.Round(time.Millisecond))
	}
}

// Unwrap returns the error of the probe, if one has just failed.
func (e *OpenError) Unwrap() error { return e.Err }

// Is reports whether target is [ErrOpen].
func (e *OpenError) Is(target error) bool { return target == ErrOpen }

// ErrorType returns the reason that classify gives for it.
func (*OpenError) ErrorType() string { return string(classify.ReasonTransient) }

// breaker is the circuit breaker of one endpoint. failsafe-go's does the
// counting; what is counted is decided here, and what it lacks is added: a mode,
// and a trial that shows nothing.
type breaker struct {
	endpoint string
	cfg      BreakerConfig
	report   func(ctx context.Context, from, to BreakerState) // called without mu

	mu      sync.Mutex
	circuit circuitbreaker.CircuitBreaker[any]
	mode    BreakerMode
	since   time.Time       // of the last change of state
	cause   classify.Result // of the last failure that counted
	epoch   int             // calls that were let through in an earlier one no longer count; see force and admit
	trialAt time.Time       // when the last trial was let through
	retired bool            // forgotten by Breakers: it reports no more changes
}

func newBreaker(endpoint string, cfg BreakerConfig, report func(context.Context, BreakerState, BreakerState)) *breaker {
	return &breaker{endpoint: endpoint, cfg: cfg, report: report, mode: cfg.Mode, since: time.Now(), circuit: newCircuit(cfg)}
}

func newCircuit(cfg BreakerConfig) circuitbreaker.CircuitBreaker[any] {
	return circuitbreaker.NewBuilder[any]().
		WithFailureThreshold(uint(cfg.FailureThreshold)).
		WithDelay(ms(cfg.CooldownMs)).
		WithSuccessThreshold(1). // one trial at a time, and it decides
		Build()
}

// permit lets one call through. The zero permit belongs to no breaker.
type permit struct {
	b     *breaker
	epoch int
	trial bool // the one call that a half-open breaker lets through
	grace bool // the breaker is open, see admit
}

// change runs f with mu held and reports what it did to the state.
func (b *breaker) change(ctx context.Context, f func()) {
	b.mu.Lock()
	from := b.state()
	f()
	to := b.state()
	if from != to {
		b.since = time.Now()
	}
	told := from != to && !b.retired
	b.mu.Unlock()
	if told {
		b.report(ctx, from, to)
	}
}

// state is what b does with calls. The caller holds mu.
func (b *breaker) state() BreakerState {
	switch b.mode {
	case BreakerForceOpen:
		return BreakerOpen
	case BreakerForceClosed:
		return BreakerClosed
	default:
		return breakerStates[b.circuit.State()]
	}
}

// admit asks for a permit; a refusal is an [*OpenError]. grace is for the
// retries of a call whose own failures have opened the breaker: the call keeps
// the number of calls that it is granted, as otherwise five failures would open
// the breaker before the sixth call.
//
// A trial that is not back after the time for which the breaker was open may
// never be: it is given up, and another one let through.
func (b *breaker) admit(ctx context.Context, grace bool) (p permit, err error) {
	b.change(ctx, func() {
		if b.mode == BreakerAuto && b.circuit.IsHalfOpen() && time.Since(b.trialAt) >= ms(b.cfg.CooldownMs) {
			b.anew()
			b.epoch++
		}
		p = permit{b: b, epoch: b.epoch}
		switch {
		case b.mode == BreakerForceClosed:
		case b.mode == BreakerForceOpen:
			err = b.refusal()
		case b.circuit.TryAcquirePermit():
			if p.trial = b.circuit.IsHalfOpen(); p.trial {
				b.trialAt = time.Now()
			}
		case grace:
			p.grace = true
		default:
			err = b.refusal()
		}
	})
	return p, err
}

// refusal says why a call is not let through. The caller holds mu.
func (b *breaker) refusal() *OpenError {
	e := &OpenError{Endpoint: b.endpoint, Mode: b.mode}
	if b.mode != BreakerForceOpen {
		e.RetryAfter, e.Cause = b.circuit.RemainingDelay(), b.cause
	}
	return e
}

// shut reports whether a call would be refused for some time to come.
func (b *breaker) shut() bool {
	return b.refuses(0) != nil
}

// refuses is the refusal of a call that would be made after a pause, where that
// is certain now; nil where it is not.
func (b *breaker) refuses(pause time.Duration) *OpenError {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.mode == BreakerForceOpen || b.mode == BreakerAuto && b.circuit.RemainingDelay() > pause {
		return b.refusal()
	}
	return nil
}

// done takes the outcome of the call that p let through, and says whether
// that opened the breaker. Every permit comes back exactly once, with done or
// release.
func (p permit) done(ctx context.Context, r classify.Result) (opened bool) {
	if p.b == nil {
		return false
	}
	success, failure := r.Category == "", speaksAgainst(r)
	if !success && !failure {
		p.release(ctx)
		return false
	}
	p.b.change(ctx, func() { opened = p.count(success, r) })
	return opened
}

// count is done's part with mu held. A call that was let through by a closed
// breaker says nothing about one that has opened since: it began before.
func (p permit) count(success bool, r classify.Result) (opened bool) {
	b := p.b
	if b.mode != BreakerAuto || p.epoch != b.epoch {
		return false
	}
	if !success {
		b.cause = r
	}
	switch state := b.circuit.State(); {
	case success && p.grace && state == circuitbreaker.OpenState:
		b.circuit.Close() // it began after the breaker had opened, so the endpoint is back
	case p.grace, !p.trial && state != circuitbreaker.ClosedState:
	case success:
		b.circuit.RecordSuccess()
	default:
		b.circuit.RecordFailure()
		return !p.trial && b.circuit.IsOpen()
	}
	return false
}

// release gives back a permit of which nothing came: the call was cancelled,
// or its failure says nothing about the endpoint. failsafe-go knows only
// successes and failures, and would wait for the trial for ever.
func (p permit) release(ctx context.Context) {
	if p.b == nil || !p.trial {
		return
	}
	p.b.change(ctx, func() {
		if p.epoch == p.b.epoch && p.b.circuit.IsHalfOpen() {
			p.b.anew()
		}
	})
}

// anew makes a half-open breaker half-open again, which has a new permit. The
// caller holds mu.
func (b *breaker) anew() {
	b.circuit.Open()
	b.circuit.HalfOpen()
}

// force sets the mode. Back in auto, the breaker starts anew.
func (b *breaker) force(ctx context.Context, mode BreakerMode) {
	b.change(ctx, func() {
		if mode == b.mode {
			return
		}
		b.mode, b.cause = mode, classify.Result{}
		b.epoch++
		b.circuit = newCircuit(b.cfg) // Close would keep the failures of a closed one
	})
}
