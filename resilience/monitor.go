package resilience

import (
	"context"
	"time"

	"github.com/errclass/errclass/classify"
)

// Monitor knows how endpoints are. An [Executor] asks it before each call
// ([WithMonitor]) and tells it how each went. Endpoints are named as
// [Target.Name] does, never by "". It must be safe for concurrent use.
type Monitor interface {
	// Healthy says whether a call makes sense now. It answers at once. An
	// endpoint of which too little is known is healthy.
	Healthy(endpoint string) bool
	// WaitForRecovery returns nil once the endpoint is healthy, or when that
	// can no longer be found out, and ctx's error when ctx ends before.
	WaitForRecovery(ctx context.Context, endpoint string) error
	// Record takes the outcome of one call. It must not block.
	Record(ctx context.Context, o Outcome)
}

// Outcome is how one call went.
type Outcome struct {
	Endpoint string
	Time     time.Time       // when it ended
	Latency  time.Duration   // how long it took
	Result   classify.Result // the zero Result is a success
}

// Failed reports whether the outcome speaks against the endpoint: the call
// failed in a way that it may recover from (retryable, timeout). What the
// caller did wrong or ended himself says nothing about an endpoint.
func (o Outcome) Failed() bool { return speaksAgainst(o.Result) }

// speaksAgainst reports whether a failure counts for breakers and health:
// fatal, aborted and context_overflow never do.
func speaksAgainst(r classify.Result) bool {
	return r.Category == classify.CategoryRetryable || r.Category == classify.CategoryTimeout
}

// Restarter takes over calls whose network failures outlast their retries. An
// [Executor] offers them ([WithRestarter]). It must be safe for concurrent use.
type Restarter interface {
	// Offer hands over a failed call. nil means that it will be made again; an
	// error says why not (the queue is full or shut down, the task has had all
	// its restarts). It must not block. ctx is that of the failed call: where
	// that was itself a restart, ctx is the one that the task's function was
	// given, by which the queue knows the task again.
	Offer(ctx context.Context, r Restart) error
}

// Restart is a failed call that could be made again later: the same
// parameters, and what happened so far.
type Restart struct {
	Key     string
	Agent   string
	Targets []Target
	Task    Task
	History []Attempt // the calls that failed, in order
	Err     error     // the caller's own, of the last one; an *OpenError where no call was let through
	Result  classify.Result
}

// refused is the breaker that let no call through; nil where calls were made.
func (r Restart) refused() *OpenError {
	if len(r.History) > 0 {
		return nil
	}
	return openIn(r.Err)
}
