package resilience

import (
	"context"
	"log/slog"
	"time"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/mask"
)

// Kind says which step of a call an [Event] reports.
type Kind string

// These are the kinds of events. The comment of a kind names the fields that its
// events set, besides Time, Key, Agent and Target.
const (
	// KindAttempt: a call has ended. Attempt and Duration are always set.
	// Result and Err are set if the call failed. If the call was a retry, Cause
	// is the failure before it.
	KindAttempt Kind = "attempt"
	// KindWait: a call begins to wait, either before a retry, or because its
	// endpoint has an open circuit breaker or a rate limit. ScheduledDelay is the
	// time until the next call. If the provider said how long to wait (a hint),
	// HintGiven, RetryAfter and Derived are set.
	//
	// Before a retry, Attempt, Result and Err describe the failed call. Without a
	// hint, Nominal is set.
	//
	// In the other cases, ScheduledDelay is the shortest possible time, and Attempt
	// is the number of calls so far. Result is the failure or rate limit that makes
	// calls wait.
	KindWait Kind = "wait"
	// KindFallback: another target takes over. The fields From and To name the old
	// and the new target. Target is the new one. Result is the failure of the old
	// one.
	KindFallback Kind = "fallback"
	// KindBreaker: the circuit breaker of Target's endpoint has changed. The fields
	// From and To are the old and the new state ([BreakerState]).
	KindBreaker Kind = "breaker"
	// KindHold: a hold has begun, has been extended, or has been ended by a person.
	// During a hold, calls to Target's endpoint wait because of a rate limit. The
	// field To is one of the Hold constants. Result is the rate limit.
	// ScheduledDelay is the time until the hold ends. If the provider said how long
	// to wait, HintGiven, RetryAfter and Derived are set.
	KindHold Kind = "hold"
	// KindRestart: the state of a queued task has changed. Attempt is the number of
	// the running, the next or the last restart. The field To is one of the Restart
	// constants.
	KindRestart Kind = "restart"
	// KindHealth: the endpoint has become healthy or unhealthy. The fields From and
	// To are [Healthy] and [Unhealthy], or the reverse.
	KindHealth Kind = "health"
	// KindSharing: the executor's [Sharer] ([WithSharing]) can no longer share
	// changes with other processes, can share them again, or has ignored a change
	// that it could not read. The field To is one of the Sharing constants. Err says
	// why.
	KindSharing Kind = "sharing"
	// KindAlert: an endpoint keeps failing. Failures is the number of failures
	// within [AlertWindow]. Result and Err describe the last failure.
	KindAlert Kind = "alert"
	// KindNotRepeated: a [Transport] did not repeat a failed request, although the
	// error allows a retry. The field To has the cause: "method" or "body".
	// Attempt, Result and Err describe the failed request. A Transport sends this
	// event only once.
	KindNotRepeated Kind = "not_repeated"
	// KindStream: the body of a successful response has failed while the client of a
	// [Transport], or of a gRPC stream, was reading it. Err is:
	//
	//   - a [*ResponseError] with the data of an error event, or of a JSON line with an
	//     error
	//   - the error of Read, if the body ended early
	//   - the gRPC status
	//
	// Attempt is the number of the request. Nothing is repeated. A response has at
	// most one such event. The event follows the KindDone event of the call.
	KindStream Kind = "stream"
	// KindDone: a [Do] returns. Attempt is the number of calls on all targets.
	// Duration includes all pauses. Result and Err are zero if it succeeded.
	KindDone Kind = "done"
)

// These are the values of To in events of [KindHold]. A hold that simply expires
// causes no event.
const (
	HoldBegun    = "begun"
	HoldExtended = "extended" // by a second or more, before its end
	HoldEnded    = "ended"    // by [Breakers.Force], before its end
)

// These are the values of To in events of [KindRestart].
const (
	RestartQueued    = "queued"    // waits for its next restart
	RestartStarted   = "started"   // has begun to run
	RestartPostponed = "postponed" // refused by an open breaker, or the start could not be stored; runs later and is not counted
	RestartSucceeded = "succeeded" // its function returned nil
	RestartRefused   = "refused"   // not accepted by the queue, for example because it is full
	RestartFailed    = "failed"    // all restarts failed, or the failure is not a network failure
	RestartReturned  = "returned"  // returned by Queue.Shutdown

	RestartMerged      = "merged"      // added again while already queued; there is still one task
	RestartInterrupted = "interrupted" // the process ended during the restart with the number Attempt; the task runs again with the next number
	RestartParked      = "parked"      // the process ended during three restarts of the task; see Queue.Resume
	RestartUnhandled   = "unhandled"   // due, but its kind is not registered
)

// These are the values of To in events of [KindSharing].
const (
	SharingAway    = "away"    // the Sharer fails; this process continues without sharing
	SharingBack    = "back"    // changes are shared again
	SharingIgnored = "ignored" // a change was ignored or limited; sent once before the next SharingBack
)

// These are the values of From and To in events of [KindHealth].
const (
	Healthy   = "healthy"
	Unhealthy = "unhealthy"
)

// Event is one step of a call. Fields that the comment of the event's [Kind] does
// not name are zero.
type Event struct {
	Kind     Kind            `json:"kind"`
	Time     time.Time       `json:"time"`
	Key      string          `json:"key,omitempty"`     // key of the call or the task
	Agent    string          `json:"agent,omitempty"`   // agent of the call
	Target   Target          `json:"target"`            // the endpoint has no user information and no query
	Attempt  int             `json:"attempt,omitempty"` // number of the call to Target, from 1
	Duration time.Duration   `json:"duration,omitempty"`
	Result   classify.Result `json:"result,omitzero"`
	Cause    classify.Result `json:"cause,omitzero"`
	Err      error           `json:"-"` // as the caller's function returned it
	From     string          `json:"from,omitempty"`
	To       string          `json:"to,omitempty"`
	Failures int             `json:"failures,omitempty"`

	// The next fields describe a pause. HintGiven means that the provider said how
	// long to wait. A log record then has RetryAfter and Derived, otherwise Nominal.
	HintGiven  bool          `json:"hintGiven,omitempty"`
	RetryAfter time.Duration `json:"retryAfter,omitempty"` // possibly 0
	Derived    bool          `json:"derived,omitempty"`    // RetryAfter was computed from a reset header
	Nominal    time.Duration `json:"nominal,omitempty"`
	// ScheduledDelay is the actual pause with jitter. Neither [Event.LogValue]
	// nor JSON includes it.
	ScheduledDelay time.Duration `json:"-"`
}

// Observer receives events, with the context of the call that causes them. It is
// called in the goroutine of that call. There is one exception: the events
// [KindBreaker], [KindHold] and [KindHealth] can come from the goroutine of another
// call. These events are sent one at a time and in order.
//
// An Observer must be safe for concurrent use, must not block, and must not call the
// object that it observes. If it panics, the call continues and the other observers
// are still called.
type Observer func(ctx context.Context, e Event)

// notify calls o and recovers a panic of o, so that an observer cannot break a
// call.
func (o Observer) notify(ctx context.Context, e Event) {
	defer func() { _ = recover() }()
	o(ctx, e)
}

// observers is a list of observers. Its notify method calls them in order and sets
// a missing Time.
type observers []Observer

func (o observers) notify(ctx context.Context, e Event) {
	if len(o) == 0 {
		return
	}
	if e.Time.IsZero() {
		e.Time = time.Now()
	}
	e.Target = e.Target.masked()
	for _, each := range o {
		each.notify(ctx, e)
	}
}

var _ slog.LogValuer = Event{}

// These are the log keys of an event's attributes. Package slogclass uses the first
// two keys too, and adds nothing to a record that already has them.
const (
	categoryKey     = "error.category"
	reasonKey       = "error.reason"
	retryAfterMsKey = "retryAfterMs"
	derivedRetryKey = "derivedRetry"
	backoffMsKey    = "backoffMs"
)

// LogValue returns the event's fields for a log record. Secrets are masked.
// ScheduledDelay, and the duration of KindDone events, are left out.
func (e Event) LogValue() slog.Value { return slog.GroupValue(e.attrs()...) }

// attrs returns the log attributes of e in the order of its fields.
func (e Event) attrs() []slog.Attr {
	attrs := make([]slog.Attr, 0, 16)
	text := func(key, value string) {
		if value != "" {
			attrs = append(attrs, slog.String(key, mask.Text(value)))
		}
	}
	number := func(key string, value int64) {
		if value != 0 {
			attrs = append(attrs, slog.Int64(key, value))
		}
	}
	text("kind", string(e.Kind))
	text("key", e.Key)
	text("agent", e.Agent)
	text("endpoint", mask.Endpoint(e.Target.Endpoint))
	text("provider", e.Target.Provider)
	text("model", e.Target.Model)
	text("targetKey", e.Target.Key)
	number("attempt", int64(e.Attempt))
	if e.Kind != KindDone { // its duration would reveal the jittered pauses
		number("durationMs", e.Duration.Milliseconds())
	}
	text("from", e.From)
	text("to", e.To)
	number("failures", int64(e.Failures))
	if e.HintGiven {
		attrs = append(attrs, slog.Int64(retryAfterMsKey, e.RetryAfter.Milliseconds()), slog.Bool(derivedRetryKey, e.Derived))
	} else {
		number(backoffMsKey, e.Nominal.Milliseconds())
	}
	text(categoryKey, string(e.Result.Category))
	text(reasonKey, string(e.Result.Reason))
	if e.Err != nil {
		attrs = append(attrs, slog.Any("err", maskError(e.Err)))
	}
	return attrs
}
