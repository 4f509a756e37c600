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

// pushbackKey is the trailer by which a server steers retries (gRFC A6).
const pushbackKey = "grpc-retry-pushback-ms"

// A trailer may have megabytes. No hint needs more: a date has 29 bytes.
const (
	maxHint  = 64 // bytes of one hint that is read
	maxHints = 8  // hints that are looked at
)

// failed takes the error of one attempt and returns it with the pause that the
// trailer asks for.
func (u *unary) failed(err error) error {
	u.last, u.refuse = err, false
	if err == nil {
		return nil
	}
	if pushback := u.trailer[pushbackKey]; len(pushback) > 0 {
		ms, bad := strconv.ParseUint(pushback[0], 10, 31)
		if len(pushback) > 1 || bad != nil {
			u.refuse = true
			return err
		}
		return &hinted{err, time.Duration(ms) * time.Millisecond}
	}
	hints := u.trailer["retry-after"]
	for _, value := range hints[:min(len(hints), maxHints)] {
		if len(value) > maxHint {
			continue
		}
		if wait, ok := classify.ParseRetryAfter(value, time.Now()); ok {
			return &hinted{err, wait}
		}
	}
	return err
}

// repeatable is Call.Repeatable.
func (u *unary) repeatable(callers func(resilience.Attempt) bool, may bool) func(resilience.Attempt) bool {
	return func(a resilience.Attempt) bool {
		return may && !u.refuse && (callers == nil || callers(a))
	}
}

// result is what the caller gets for what Do returned.
func (u *unary) result(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	_, several := errors.AsType[*resilience.Error](err)
	switch {
	case u.last != nil && !several:
		return u.last // exactly gRPC's
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return &callError{status.FromContextError(ctx.Err()), err}
	case u.last != nil:
		return &callError{status.Convert(u.last), err}
	default:
		return &callError{status.New(codes.Unavailable, err.Error()), err}
	}
}

// callError is the end of a call that was more than one attempt, or none.
type callError struct {
	status *status.Status
	err    error // what Do returned
}

func (e *callError) Error() string              { return e.status.Err().Error() }
func (e *callError) Unwrap() error              { return e.err }
func (e *callError) GRPCStatus() *status.Status { return e.status }

// hinted is the error of an attempt with a pause, which package classify finds
// by the method.
type hinted struct {
	err  error
	wait time.Duration
}

func (e *hinted) Error() string                     { return e.err.Error() }
func (e *hinted) Unwrap() error                     { return e.err }
func (e *hinted) RetryAfter() (time.Duration, bool) { return e.wait, true }
