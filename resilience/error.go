package resilience

import (
	"errors"
	"time"

	"github.com/errclass/errclass/classify"
)

// Attempt is one call of the caller's function.
type Attempt struct {
	Target   Target          `json:"target"`
	Number   int             `json:"number"` // number of the call to this target, from 1
	Start    time.Time       `json:"start"`
	Duration time.Duration   `json:"duration"`
	Result   classify.Result `json:"result"` // zero if the call succeeded
	Err      error           `json:"-"`      // as the function returned it
}

// Error is the error of a [Do] that made several calls or was stopped. It has the
// text of the last error of the caller's function and unwraps to that error.
type Error struct {
	// Attempts are the calls to all targets, in order.
	Attempts []Attempt
	// Err is the last error of the caller's function. If no call was made, Err is
	// the same error as Stop.
	Err error
	// Stop says what prevented a further call that the policy allowed. errors.Is
	// matches Stop too. The possible reasons are:
	//
	//   - the end of the caller's context
	//   - a deadline before the end of the pause ([ErrNoTime])
	//   - an open breaker ([ErrOpen]) or a rate limit ([ErrHeld])
	//   - an error of [Call.Spend]
	//   - a full restart queue
	//
	// Stop is nil if the last error allows no further call, or if all calls and
	// targets are used up.
	Stop error
	// Queued means that the restart queue accepted the call.
	Queued bool
}

func (e *Error) Error() string { return e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// Is reports whether Stop matches target. For example, Stop matches
// context.Canceled if the caller has canceled, even if Err is a different error.
func (e *Error) Is(target error) bool { return e.Stop != nil && errors.Is(e.Stop, target) }

// Timeout reports whether Err is a timeout. With it, e implements net.Error's
// Timeout method, which wrappers such as *url.Error call.
func (e *Error) Timeout() bool {
	var t interface{ Timeout() bool }
	return errors.As(e.Err, &t) && t.Timeout()
}

// ErrorType returns the reason of the last failure. It is a value for the attribute
// error.type of OpenTelemetry's semantic conventions.
func (e *Error) ErrorType() string {
	if n := len(e.Attempts); n > 0 {
		return string(e.Attempts[n-1].Result.Reason)
	}
	return string(classify.Error(e.Stop).Reason)
}
