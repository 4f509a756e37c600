package resilience

import (
	"context"
	"time"

	"github.com/errclass/errclass/classify"
)

// Monitor tracks the health of endpoints. An [Executor] with a Monitor calls Healthy
// before each call and Record after it ([WithMonitor]). The name of an endpoint is
// its [Target.Name], and is never "". A Monitor must be safe for concurrent use.
type Monitor interface {
	// Healthy reports whether the endpoint should be called now. It must not block.
	// An endpoint with too little data is healthy.
	Healthy(endpoint string) bool
	// WaitForRecovery waits until the endpoint is healthy. If the Monitor cannot
	// detect the recovery, WaitForRecovery returns nil while the endpoint is still
	// unhealthy. If ctx ends first, WaitForRecovery returns the error of ctx.
	WaitForRecovery(ctx context.Context, endpoint string) error
	// Record counts the outcome of one call. It must not block.
	Record(ctx context.Context, o Outcome)
}

// Outcome says how one call to an endpoint ended.
type Outcome struct {
	Endpoint string
	Time     time.Time       // when the call ended
	Latency  time.Duration   // duration of the call
	Result   classify.Result // zero if the call succeeded
}

// Failed reports whether the outcome counts against the endpoint. Only retryable
// errors and timeouts count. Mistakes and cancellations of the caller do not.
func (o Outcome) Failed() bool { return countsAsFailure(o.Result) }

// countsAsFailure reports whether a failure counts for health.
func countsAsFailure(r classify.Result) bool {
	return r.Category == classify.CategoryRetryable || r.Category == classify.CategoryTimeout
}

// Restarter is a queue for calls that failed with network errors after all retries.
// An [Executor] offers such calls to its Restarter ([WithRestarter]). A Restarter
// must be safe for concurrent use.
type Restarter interface {
	// Offer queues a failed call. It must not block. If the call will be made again,
	// Offer returns nil. Otherwise the error gives the reason: for example, the
	// queue is full.
	//
	// ctx is the context of the failed call. If that call was itself a restart, ctx
	// identifies the restarted task.
	//
	// A Restarter can also have the method BreakerClosed(gate string). The executor
	// calls this method when a circuit breaker has closed. The argument is the field
	// Endpoint of the [OpenError]s of that breaker.
	Offer(ctx context.Context, r Restart) error
}

// Restart is a failed call and the data to make it again.
type Restart struct {
	Key     string
	Agent   string
	Targets []Target
	Task    Task
	History []Attempt // the calls that failed, in order
	Err     error     // error of the last attempt; without one, an *OpenError or *HoldError
	Result  classify.Result
}

// Transient reports whether r is a transient network failure. A [Restarter] should
// accept such failures. An [AttemptTimeoutError] counts, because the endpoint did
// not answer. The end of the caller's own deadline does not count.
func (r Restart) Transient() bool { return restartable(r.Result, r.Err) }

// Refused reports whether a circuit breaker or a rate limit refused the call
// ([Breakers]). In that case, no call was made, so a [Restarter] should not count a
// failed restart. The result wait is the time until the next call can be allowed.
func (r Restart) Refused() (wait time.Duration, ok bool) {
	if e := r.refused(); e != nil {
		return e.after(), true
	}
	return 0, false
}

// refused returns the error of the [gate] that refused the call. It returns nil if a
// call was made.
func (r Restart) refused() refusal {
	if len(r.History) > 0 {
		return nil
	}
	return findRefusal(r.Err)
}
