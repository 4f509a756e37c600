package resilience

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/errclass/errclass/classify"
)

// BreakerMode says whether a circuit breaker is automatic or set by a person.
type BreakerMode string

// These are the modes of a circuit breaker.
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

// These are the states of a circuit breaker.
const (
	BreakerClosed   BreakerState = "closed"    // allows calls
	BreakerOpen     BreakerState = "open"      // makes calls wait or refuses them
	BreakerHalfOpen BreakerState = "half_open" // open, and a trial call tests the endpoint
)

// Probe checks whether an endpoint is up, at lower cost than a call. An error means
// that the endpoint is down. The call is made anyway in two cases:
//
//   - The error is a fault of the probe itself, such as a missing API key, a 404 or
//     a bad URL.
//   - The probe panics.
//
// A Probe can use the program's own client, with a [Transport] or [Do]. Calls with ctx
// to this endpoint do not wait for its health, its circuit breaker or its rate limit,
// and do not count there.
//
// A Probe must return when ctx ends. It must be safe for concurrent use.
type Probe func(ctx context.Context, endpoint string) error

// ErrOpen matches every [*OpenError] in errors.Is.
var ErrOpen = errors.New("circuit breaker open")

// OpenError is the error of a call that a circuit breaker refused. It matches
// [ErrOpen] in errors.Is. Package classify classifies it as transient and reads
// RetryAfter.
type OpenError struct {
	Endpoint   string          // with a [Target.Key]: endpoint#key
	Mode       BreakerMode     // [BreakerForceOpen] if a person opened the breaker
	RetryAfter time.Duration   // time until the next trial call; 0 if forced open, and 0 during a trial call
	Cause      classify.Result // the failure that opened the breaker
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

// Unwrap returns e.Err: the error of a probe that has just failed, or nil.
func (e *OpenError) Unwrap() error { return e.Err }

// Is reports whether target is [ErrOpen].
func (e *OpenError) Is(target error) bool { return target == ErrOpen }

// ErrorType returns "transient", the reason that package classify finds for e.
func (*OpenError) ErrorType() string { return string(classify.ReasonTransient) }

func (e *OpenError) after() time.Duration { return e.RetryAfter }

func (e *OpenError) result() classify.Result { return e.Cause }

// ErrHeld matches every [*HoldError] in errors.Is.
var ErrHeld = errors.New("endpoint held by a rate limit")

// HoldError is the error of a call that was not made because of a rate limit. After
// a rate limit, no call to the endpoint is made for a while. This time is called a
// hold.
//
// If the call's deadline is before the end of the hold, the call is refused. If the
// wait would be longer than maxHoldMs ([RetryConfig]), the call is refused too.
//
// A HoldError matches [ErrHeld] in errors.Is. Package classify classifies it as a
// rate limit and reads RetryAfter.
type HoldError struct {
	Endpoint   string          // with a [Target.Key]: endpoint#key
	RetryAfter time.Duration   // time until the hold ends; 0 if it has ended, but earlier calls are still waiting
	Cause      classify.Result // the rate limit
}

func (e *HoldError) Error() string {
	about := fmt.Sprintf("rate limit holds %q", e.Endpoint)
	if e.RetryAfter == 0 {
		return about + ": other calls are first, try again later"
	}
	return fmt.Sprintf("%s: try again in %s", about, e.RetryAfter.Round(time.Millisecond))
}

// Is reports whether target is [ErrHeld].
func (e *HoldError) Is(target error) bool { return target == ErrHeld }

// ErrorType returns "rate_limit", the reason that package classify finds for e.
func (*HoldError) ErrorType() string { return string(classify.ReasonRateLimit) }

func (e *HoldError) after() time.Duration { return e.RetryAfter }

func (e *HoldError) result() classify.Result { return e.Cause }

// refusal is the error of a call that a [gate] refused: an [*OpenError] or a
// [*HoldError].
type refusal interface {
	error
	after() time.Duration    // time until a call may be made
	result() classify.Result // the failure that caused the refusal
}
