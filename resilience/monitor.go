package resilience

import (
	"context"
	"time"

	"github.com/errclass/errclass/classify"
)

// Monitor tracks the health of endpoints. An [Executor] with a Monitor
// ([WithMonitor]) calls Healthy before each call and Record after it. The name of an
// endpoint is its [Target.Name], which is never "". A Monitor must be safe for
// concurrent use.
type Monitor interface {
	// Healthy reports whether the endpoint should be called now. It must not
	// block. An endpoint with too little data is healthy.
	Healthy(endpoint string) bool
	// WaitForRecovery waits until the endpoint is healthy. It returns nil earlier
	// if the Monitor cannot detect the recovery. It returns ctx's error if ctx
	// ends first.
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

// countsAsFailure reports whether a failure counts for health. Fatal, aborted
// and context_overflow failures do not.
func countsAsFailure(r classify.Result) bool {
	return r.Category == classify.CategoryRetryable || r.Category == classify.CategoryTimeout
}

// Restarter is a queue for calls that failed with network errors after all retries.
// An [Executor] hands such calls to its Restarter ([WithRestarter]). A Restarter
// must be safe for concurrent use.
type Restarter interface {
	// Offer queues a failed call. It must not block. It returns nil if the call will
	// be made again. Otherwise the error says why the call is not queued: for example,
	// the queue is full or shut down, or all restarts are used up.
	//
	// ctx is the context of the failed call. If that call was a restart, ctx is the
	// context that the task's function received, which identifies the task.
	//
	// A Restarter may also have the method BreakerClosed(gate string). The executor
	// calls this method when a circuit breaker has closed. The argument gate is the
	// field Endpoint of the [OpenError]s of that breaker.
	Offer(ctx context.Context, r Restart) error
}

// Restart is a failed call and the data to make it again.
type Restart struct {
	Key     string
	Agent   string
	Targets []Target
	Task    Task
	History []Attempt // the calls that failed, in order
	Err     error     // of the last attempt; an *OpenError or *HoldError if no call was made
	Result  classify.Result
}

// Transient reports whether r is a transient network failure, which a [Restarter]
// should accept. An [AttemptTimeoutError] counts as one, because the endpoint did
// not answer. The end of the caller's own deadline does not count.
func (r Restart) Transient() bool { return restartable(r.Result, r.Err) }

// Refused returns ok = true if a circuit breaker or a rate limit ([Breakers])
// refused the call, so that no call was made. Such a restart should not count as a
// failure. wait is the time until the breaker or the rate limit may allow a call.
func (r Restart) Refused() (wait time.Duration, ok bool) {
	if e := r.refused(); e != nil {
		return e.after(), true
	}
	return 0, false
}

// refused returns the error of the [gate] (breaker and rate limit) that refused the
// call. It returns nil if a call was made.
func (r Restart) refused() refusal {
	if len(r.History) > 0 {
		return nil
	}
	return findRefusal(r.Err)
}
