package resiliencegrpc

import (
	"context"
	"errors"
	"strconv"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/resilience"
)

// pushbackKey is the trailer by which a server controls retries (gRFC A6).
const pushbackKey = "grpc-retry-pushback-ms"

// These constants limit how much of the trailer retry-after is read. A value may be an
// HTTP date, which has 29 bytes.
const (
	maxValue  = 64 // bytes of one value
	maxValues = 8  // values
)

// recordError stores and returns the error of an attempt. If the trailer asks for a
// pause, the result is a hintedError.
func (u *attempts) recordError(err error) error {
	u.last, u.noRetry = err, false
	if err == nil {
		return nil
	}
	if pushback := u.trailer[pushbackKey]; len(pushback) > 0 {
		ms, bad := strconv.ParseUint(pushback[0], 10, 31)
		if len(pushback) > 1 || bad != nil {
			u.noRetry = true
			return err
		}
		return &hintedError{err, time.Duration(ms) * time.Millisecond}
	}
	values := u.trailer["retry-after"]
	for _, value := range values[:min(len(values), maxValues)] {
		if len(value) > maxValue {
			continue
		}
		if wait, ok := classify.ParseRetryAfter(value, time.Now()); ok {
			return &hintedError{err, wait}
		}
	}
	return err
}

// repeatable returns a function for Call.Repeatable. The function allows another
// attempt if three conditions are true:
//
//   - The method may be called again.
//   - The server has not forbidden another attempt.
//   - The caller's own Repeatable function is nil or returns true.
func (u *attempts) repeatable(callerAllows func(resilience.Attempt) bool, methodAllowed bool) func(resilience.Attempt) bool {
	return func(a resilience.Attempt) bool {
		return methodAllowed && !u.noRetry && (callerAllows == nil || callerAllows(a))
	}
}

// result converts the error of Do to the error that the caller gets.
func (u *attempts) result(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	_, several := errors.AsType[*resilience.Error](err)
	_, hung := errors.AsType[*resilience.AttemptTimeoutError](err)
	switch {
	case hung && ctx.Err() == nil:
		return &callError{status.New(codes.DeadlineExceeded, err.Error()), err}
	case u.last != nil && !several:
		return u.last // unchanged
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return &callError{status.FromContextError(ctx.Err()), err}
	case u.last != nil:
		return &callError{status.Convert(u.last), err}
	case errors.Is(err, resilience.ErrHeld):
		return &callError{status.New(codes.ResourceExhausted, err.Error()), err}
	default:
		return &callError{status.New(codes.Unavailable, err.Error()), err}
	}
}

// callError is an error of resilience.Do with a gRPC status.
type callError struct {
	status *status.Status
	err    error // the error of Do
}

func (e *callError) Error() string              { return e.status.Err().Error() }
func (e *callError) Unwrap() error              { return e.err }
func (e *callError) GRPCStatus() *status.Status { return e.status }

// hintedError wraps an error and adds the pause that the server asked for. Package
// classify calls the method RetryAfter.
type hintedError struct {
	err  error
	wait time.Duration
}

func (e *hintedError) Error() string                     { return e.err.Error() }
func (e *hintedError) Unwrap() error                     { return e.err }
func (e *hintedError) RetryAfter() (time.Duration, bool) { return e.wait, true }
