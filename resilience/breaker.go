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

// BreakerMode says whether a circuit breaker is automatic or set by a person.
type BreakerMode string

// The modes.
const (
	BreakerAuto        BreakerMode = "auto"         // the endpoint's failures control it
	BreakerForceOpen   BreakerMode = "force_open"   // set by a person: it stays open
	BreakerForceClosed BreakerMode = "force_closed" // set by a person: it stays closed
)

func (m BreakerMode) valid() bool {
	return m == BreakerAuto || m == BreakerForceOpen || m == BreakerForceClosed
}

// BreakerState is the state of a circuit breaker.
type BreakerState string

// The states.
const (
	BreakerClosed   BreakerState = "closed"    // allows calls
	BreakerOpen     BreakerState = "open"      // refuses calls
	BreakerHalfOpen BreakerState = "half_open" // allows one trial call
)

var breakerStates = map[circuitbreaker.State]BreakerState{
	circuitbreaker.ClosedState:   BreakerClosed,
	circuitbreaker.OpenState:     BreakerOpen,
	circuitbreaker.HalfOpenState: BreakerHalfOpen,
}

// Probe checks whether an endpoint is up, at lower cost than a call. An error
// means that the endpoint is down. The exception is an error that the probe
// itself causes: a missing key, a 404, a bad URL. After such an error or a
// panic, the call is made as if there were no probe. A Probe must return when
// ctx ends and must be safe for concurrent use.
type Probe func(ctx context.Context, endpoint string) error

// ErrOpen matches every [*OpenError] in errors.Is.
var ErrOpen = errors.New("circuit breaker open")

// OpenError is the error of a call that a circuit breaker refused. errors.Is
// matches it with [ErrOpen]. Package classify classifies it as transient and
// reads RetryAfter.
type OpenError struct {
	Endpoint   string
	Mode       BreakerMode     // [BreakerForceOpen] if a person opened it
	RetryAfter time.Duration   // time until the next trial call; 0 if forced open or during a trial call
	Cause      classify.Result // the failure that opened it
	Err        error           // the error of a probe that has just failed, or nil
}

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

// ErrorType returns "transient", the reason that package classify finds for e.
func (*OpenError) ErrorType() string { return string(classify.ReasonTransient) }

// breaker is the circuit breaker of one endpoint. It wraps failsafe-go's
// breaker and adds three things: it chooses the failures that count, it has
// modes, and it allows another trial call if the outcome of the first is not
// conclusive.
type breaker struct {
	endpoint string
	cfg      BreakerConfig
	report   func(ctx context.Context, from, to BreakerState) // called without mu

	mu      sync.Mutex
	circuit circuitbreaker.CircuitBreaker[any]
	mode    BreakerMode
	since   time.Time       // time of the last change of state
	cause   classify.Result // the last counted failure
	epoch   int             // raised by force and admit; outcomes of permits with an older epoch are ignored
	trialAt time.Time       // when the last trial call began
	retired bool            // removed from Breakers, so it reports no changes
}

func newBreaker(endpoint string, cfg BreakerConfig, report func(context.Context, BreakerState, BreakerState)) *breaker {
	return &breaker{endpoint: endpoint, cfg: cfg, report: report, mode: cfg.Mode, since: time.Now(), circuit: newCircuit(cfg)}
}

func newCircuit(cfg BreakerConfig) circuitbreaker.CircuitBreaker[any] {
	return circuitbreaker.NewBuilder[any]().
		WithFailureThreshold(uint(cfg.FailureThreshold)).
		WithDelay(ms(cfg.CooldownMs)).
		WithSuccessThreshold(1). // one successful trial call closes the breaker
		Build()
}

// permit allows one call. The zero permit belongs to no breaker.
type permit struct {
	b     *breaker
	epoch int
	trial bool // the trial call of a half-open breaker
	grace bool // given while the breaker was open; see admit
}

// change runs f with mu held and reports a change of state.
func (b *breaker) change(ctx context.Context, f func()) {
	b.mu.Lock()
	from := b.state()
	f()
	to := b.state()
	if from != to {
		b.since = time.Now()
	}
	changed := from != to && !b.retired
	b.mu.Unlock()
	if changed {
		b.report(ctx, from, to)
	}
}

// state returns b's state. The caller holds mu.
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

// admit returns a permit or an [*OpenError]. If grace is true, it returns a
// permit even if the breaker is open. The Do that opened the breaker sets grace
// for its retries. Without grace, five network failures would open the breaker
// and prevent the sixth call.
//
// If a trial call does not end within the cooldown, admit allows another one,
// because the first may never end.
func (b *breaker) admit(ctx context.Context, grace bool) (p permit, err error) {
	b.change(ctx, func() {
		if b.mode == BreakerAuto && b.circuit.IsHalfOpen() && time.Since(b.trialAt) >= ms(b.cfg.CooldownMs) {
			b.resetTrial()
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

// refusal returns the error for a refused call. The caller holds mu.
func (b *breaker) refusal() *OpenError {
	e := &OpenError{Endpoint: b.endpoint, Mode: b.mode}
	if b.mode != BreakerForceOpen {
		e.RetryAfter, e.Cause = b.circuit.RemainingDelay(), b.cause
	}
	return e
}

// refusesNow reports whether a call made now would be refused.
func (b *breaker) refusesNow() bool {
	return b.refusalAfter(0) != nil
}

// refusalAfter returns an error if the breaker will certainly still be open
// after the pause. Otherwise it returns nil.
func (b *breaker) refusalAfter(pause time.Duration) *OpenError {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.mode == BreakerForceOpen || b.mode == BreakerAuto && b.circuit.RemainingDelay() > pause {
		return b.refusal()
	}
	return nil
}

// done records the outcome of the call and reports whether it opened the
// breaker. Each permit needs exactly one call of done or release.
func (p permit) done(ctx context.Context, r classify.Result) (opened bool) {
	if p.b == nil {
		return false
	}
	success, failure := r.Category == "", countsAsFailure(r)
	if !success && !failure {
		p.release(ctx)
		return false
	}
	p.b.change(ctx, func() { opened = p.count(success, r) })
	return opened
}

// count records an outcome for done. It ignores the outcome of a call that
// began before the breaker opened. The caller holds mu.
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
		b.circuit.Close() // the call began after the breaker had opened, so the endpoint is up
	case p.grace, !p.trial && state != circuitbreaker.ClosedState:
	case success:
		b.circuit.RecordSuccess()
	default:
		b.circuit.RecordFailure()
		return !p.trial && b.circuit.IsOpen()
	}
	return false
}

// release gives back the permit of a call without a conclusive outcome: it was
// canceled, or its failure says nothing about the endpoint. failsafe-go knows
// only success and failure. Without release it would wait forever for the
// outcome of a trial call.
func (p permit) release(ctx context.Context) {
	if p.b == nil || !p.trial {
		return
	}
	p.b.change(ctx, func() {
		if p.epoch == p.b.epoch && p.b.circuit.IsHalfOpen() {
			p.b.resetTrial()
		}
	})
}

// resetTrial gives a half-open breaker a new trial permit. The caller holds mu.
func (b *breaker) resetTrial() {
	b.circuit.Open()
	b.circuit.HalfOpen()
}

// force sets the mode. Going back to auto resets the breaker.
func (b *breaker) force(ctx context.Context, mode BreakerMode) {
	b.change(ctx, func() {
		if mode == b.mode {
			return
		}
		b.mode, b.cause = mode, classify.Result{}
		b.epoch++
		b.circuit = newCircuit(b.cfg) // a new circuit, because Close does not clear the failures of a closed one
	})
}
