package resilience

import (
	"context"
	"log/slog"
	"time"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/mask"
)

// Kind is the step of a call that an [Event] reports.
type Kind string

// These are the kinds of events. Each comment names the fields that are set,
// besides Time, Key, Agent and Target.
const (
	// KindAttempt: a call has ended. Attempt and Duration are set. If the call
	// failed, Result and Err are set too. If the call was a retry, Cause is the
	// failure before it.
	KindAttempt Kind = "attempt"
	// KindWait: a call begins to wait. ScheduledDelay is the time until the next
	// call. If the provider gave a time to wait, HintGiven, RetryAfter and Derived
	// are set.
	//
	// If the call waits before a retry, Attempt, Result and Err describe the failed
	// call. Without a time from the provider, Nominal is set.
	//
	// If the call waits at a circuit breaker or for a rate limit, ScheduledDelay is
	// the shortest possible time. Attempt is the number of calls so far. Result is
	// the failure or rate limit that makes calls wait.
	KindWait Kind = "wait"
	// KindFallback: another target takes over. The fields From and To name the old
	// and the new target. Target is the new one. Result is the failure of the old
	// one.
	KindFallback Kind = "fallback"
	// KindBreaker: the circuit breaker of Target's endpoint has changed. The fields
	// From and To are the old and the new [BreakerState].
	KindBreaker Kind = "breaker"
	// KindHold: a hold has begun, has been extended, or has been ended by a person.
	// During a hold, calls to the endpoint wait because of a rate limit. The field
	// To is one of the Hold constants. With [HoldEnded], no other field is set.
	// Otherwise Result is the rate limit, and ScheduledDelay is the time until the
	// hold ends. If the provider gave a time to wait, HintGiven, RetryAfter and
	// Derived are set.
	KindHold Kind = "hold"
	// KindRestart: the state of a queued task has changed. The field To is one of
	// the Restart constants. Attempt is the number of the running restart. If no
	// restart is running, Attempt is the number of the next or the last restart.
	KindRestart Kind = "restart"
	// KindHealth: the endpoint has become healthy or unhealthy. The fields From and
	// To are [Healthy] and [Unhealthy], or the reverse.
	KindHealth Kind = "health"
	// KindSharing: the executor's [Sharer] has failed, has recovered, or has ignored
	// a change ([WithSharing]). The field To is one of the Sharing constants. Err
	// says why.
	KindSharing Kind = "sharing"
	// KindAlert: an endpoint keeps failing. Failures is the number of failures
	// within [AlertWindow]. Result and Err describe the last failure.
	KindAlert Kind = "alert"
	// KindNotRepeated: a [Transport] did not repeat a failed request, although the
	// error allows a retry. The field To has the cause: "method" or "body". Attempt,
	// Result and Err describe the failed request. A Transport sends this event only
	// once.
	KindNotRepeated Kind = "not_repeated"
	// KindStream: a call through a [Transport], or a gRPC stream, was successful at
	// first. Then the response failed while the client was reading it. Err is:
	//
	//   - a [*ResponseError] with the data of an error event, or of a JSON line with
	//     an error
	//   - the error of Read, if the body ended early
	//   - the gRPC status
	//
	// Attempt is the number of the request. Nothing is repeated. A response has at
	// most one such event. The event follows the KindDone event of the call.
	KindStream Kind = "stream"
	// KindDone: a [Do] returns. Attempt is the number of calls on all targets.
	// Duration includes all pauses. After a success, Result and Err are zero.
	KindDone Kind = "done"
)

// These are the values of To in events of [KindHold]. The normal end of a hold causes
// no event.
const (
	HoldBegun    = "begun"
	HoldExtended = "extended" // by a second or more, before its end
	HoldEnded    = "ended"    // by [Breakers.Force], before its end
)

// These are the values of To in events of [KindRestart].
const (
	RestartQueued    = "queued"    // waits for its next restart
	RestartStarted   = "started"   // has begun to run
	RestartPostponed = "postponed" // not counted and runs later: a breaker or a rate limit refused it, or its start could not be stored
	RestartSucceeded = "succeeded" // its function returned nil
	RestartRefused   = "refused"   // not accepted by the queue, for example because it is full
	RestartFailed    = "failed"    // all restarts failed, or the failure is not a network failure
	RestartReturned  = "returned"  // returned by Queue.Shutdown

	RestartMerged      = "merged"      // added again while already queued; there is still one task
	RestartInterrupted = "interrupted" // the process ended during this restart; the task runs again
	RestartParked      = "parked"      // the process ended during three restarts; see Queue.Resume
	RestartUnhandled   = "unhandled"   // due, but its kind is not registered
)

// These are the values of To in events of [KindSharing].
const (
	SharingAway    = "away"    // the Sharer fails; this process continues without sharing
	SharingBack    = "back"    // changes are shared again
	SharingIgnored = "ignored" // a change was ignored or limited; sent at most once until the next SharingBack
)

// These are the values of From and To in events of [KindHealth].
const (
	Healthy   = "healthy"
	Unhealthy = "unhealthy"
)

// Event is one step of a call. The comment of its [Kind] names the fields that are
// set.
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

	// The next fields describe a pause. HintGiven is true if the provider gave a
	// time to wait. If HintGiven is true, a log record has RetryAfter and Derived.
	// If not, it has Nominal.
	HintGiven  bool          `json:"hintGiven,omitempty"`
	RetryAfter time.Duration `json:"retryAfter,omitempty"` // possibly 0
	Derived    bool          `json:"derived,omitempty"`    // RetryAfter was computed from a reset header
	Nominal    time.Duration `json:"nominal,omitempty"`
	// ScheduledDelay is the pause with jitter. Logs and JSON do not have it.
	ScheduledDelay time.Duration `json:"-"`
}

// Observer receives events and the context of the call that caused them. It is
// called in the goroutine of that call. Events of [KindBreaker], [KindHold] and
// [KindHealth] can come from the goroutine of another call. They are sent one at a
// time and in order.
//
// An Observer must be safe for concurrent use and must not block. It must not call
// the object that it observes. If an Observer panics, the call continues and the
// other observers are still called.
type Observer func(ctx context.Context, e Event)

// notify calls the observer and recovers a panic.
func (o Observer) notify(ctx context.Context, e Event) {
	defer func() { _ = recover() }()
	o(ctx, e)
}

// observers is a list of observers that are called in order.
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

// These are the log keys of an event. Package slogclass uses the first two keys too.
const (
	categoryKey     = "error.category"
	reasonKey       = "error.reason"
	retryAfterMsKey = "retryAfterMs"
	derivedRetryKey = "derivedRetry"
	backoffMsKey    = "backoffMs"
)

// LogValue returns the event's fields for a log record. Secrets are masked.
// ScheduledDelay and the duration of KindDone events are left out.
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
	target := e.Target.masked()
	text("endpoint", target.Endpoint)
	text("provider", target.Provider)
	text("model", target.Model)
	text("targetKey", target.Key)
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
