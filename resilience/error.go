package resilience

import (
	"errors"
	"time"

	"github.com/errclass/errclass/classify"
)

// Attempt is one call of the caller's function.
type Attempt struct {
	Target   Target          `json:"target"`
	Number   int             `json:"number"` // of the calls to this target, from 1
	Start    time.Time       `json:"start"`
	Duration time.Duration   `json:"duration"`
	Result   classify.Result `json:"result"` // zero where it succeeded
	Err      error           `json:"-"`      // the caller's own
}

// Error is what [Do] returns where it did more than pass on one call. It reads
// like the caller's own last error and unwraps to it.
type Error struct {
	// Attempts are the calls that were made, on all targets, in order.
	Attempts []Attempt
	// Err is the caller's own last error. Where no call was made at all it is
	// the same as Stop.
	Err error
	// Stop is why no further call was made where the policy would have had
	// one: the end of the caller's context during a wait, an open breaker, a
	// spent budget, a full restart queue. errors.Is finds it too. nil means that
	// calls and targets were used up, or that the last error allows no more.
	Stop error
	// Queued: the restart queue has taken the call over.
	Queued bool
}

// Error returns the text of the caller's last error alone.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the caller's last error.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is what stopped the calls: a program that looks
// for context.Canceled finds it also where the last call failed otherwise.
func (e *Error) Is(target error) bool { return e.Stop != nil && errors.Is(e.Stop, target) }

// Timeout reports whether the caller's last error says of itself that it is a
// timeout, as net.Error does: what wraps e, like *url.Error, asks for that.
func (e *Error) Timeout() bool {
	var t interface{ Timeout() bool }
	return errors.As(e.Err, &t) && t.Timeout()
}

// ErrorType returns the reason of the last failure, which is what OpenTelemetry's
// semantic conventions put into error.type.
func (e *Error) ErrorType() string {
	if n := len(e.Attempts); n > 0 {
		return string(e.Attempts[n-1].Result.Reason)
	}
	return string(classify.Error(e.Stop).Reason)
}
