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

// Error is the error of a [Do] that made several calls or was stopped. Its text is
// the text of Err, and it unwraps to Err.
type Error struct {
	// Attempts are the calls to all targets, in order.
	Attempts []Attempt
	// Err is the last error of the caller's function. If no call was made, Err and
	// Stop are the same error.
	Err error
	// Stop says what prevented a further call that the policy allowed. errors.Is
	// matches this error too. The possible reasons are:
	//
	//   - the end of the caller's context
	//   - a deadline before the end of the pause ([ErrNoTime])
	//   - an open breaker ([ErrOpen]) or a rate limit ([ErrHeld])
	//   - an error of [Call.Spend]
	//   - a full restart queue
	//
	// If the last error allows no further call, Stop is nil. If all calls and
	// targets are used up, Stop is nil too.
	Stop error
	// Queued is true if the restart queue accepted the call.
	Queued bool
}

func (e *Error) Error() string { return e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// Is reports whether e.Stop matches target. If the caller has canceled, for example,
// e.Stop matches context.Canceled.
func (e *Error) Is(target error) bool { return e.Stop != nil && errors.Is(e.Stop, target) }

// Timeout reports whether Err is a timeout. It is the method Timeout of the
// interface net.Error.
func (e *Error) Timeout() bool {
	var t interface{ Timeout() bool }
	return errors.As(e.Err, &t) && t.Timeout()
}

// ErrorType returns the reason of the last failure. It is a value for
// OpenTelemetry's attribute error.type.
func (e *Error) ErrorType() string {
	if n := len(e.Attempts); n > 0 {
		return string(e.Attempts[n-1].Result.Reason)
	}
	return string(classify.Error(e.Stop).Reason)
}
