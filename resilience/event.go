package resilience

import (
	"context"
	"log/slog"
	"time"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/mask"
)

// Kind says what an [Event] is about.
type Kind string

// The kinds of events, and the fields that each of them fills in besides
// Time, Key, Agent and Target.
const (
	// KindAttempt: one call has ended. Attempt, Duration, and where it failed
	// Result and Err; where it was a retry, Cause is what had failed before.
	KindAttempt Kind = "attempt"
	// KindWait: a pause begins, after which the call is repeated. Attempt and
	// Result are those of the call that failed; HintGiven, RetryAfter and
	// Derived where the provider said how long, else Nominal; ScheduledDelay.
	KindWait Kind = "wait"
	// KindFallback: another target takes over. From and To name the targets,
	// Target is the new one, Result why the old one was left.
	KindFallback Kind = "fallback"
	// KindBreaker: the circuit breaker of the target's endpoint has changed.
	// From and To are its states ([BreakerState]).
	KindBreaker Kind = "breaker"
	// KindRestart: something happened to a task of the restart queue. Attempt
	// is the number of the restart, To one of the Restart constants.
	KindRestart Kind = "restart"
	// KindHealth: the endpoint's health has changed. From and To are Healthy
	// and Unhealthy.
	KindHealth Kind = "health"
	// KindAlert: an endpoint keeps failing. Failures is how often it did within
	// [AlertWindow]; Result and Err are the last failure.
	KindAlert Kind = "alert"
	// KindDone: a [Do] returns. Attempt is the number of calls on all targets,
	// Duration is with all pauses; Result and Err are zero where it succeeded.
	KindDone Kind = "done"
)

// Values of From and To in events of [KindRestart].
const (
	RestartQueued    = "queued"    // taken over, due later
	RestartStarted   = "started"   // running again
	RestartPostponed = "postponed" // an open breaker let no call through: it does not count and comes again later
	RestartSucceeded = "succeeded" // done with
	RestartRefused   = "refused"   // the queue is full or shut down: the call has failed for good
	RestartFailed    = "failed"    // all restarts were in vain, or the failure is none that a restart helps
	RestartReturned  = "returned"  // handed back by a queue that was shut down
)

// Values of From and To in events of [KindHealth].
const (
	Healthy   = "healthy"
	Unhealthy = "unhealthy"
)

// Event is something that happened on the way of a call. It is a plain value;
// fields that its kind does not name are zero.
type Event struct {
	Kind     Kind            `json:"kind"`
	Time     time.Time       `json:"time"`
	Key      string          `json:"key,omitempty"`     // of the call, or of the task
	Agent    string          `json:"agent,omitempty"`   // of the call
	Target   Target          `json:"target"`            // its endpoint without user information and query
	Attempt  int             `json:"attempt,omitempty"` // counts the calls to Target from 1
	Duration time.Duration   `json:"duration,omitempty"`
	Result   classify.Result `json:"result,omitzero"`
	Cause    classify.Result `json:"cause,omitzero"`
	Err      error           `json:"-"` // the caller's own
	From     string          `json:"from,omitempty"`
	To       string          `json:"to,omitempty"`
	Failures int             `json:"failures,omitempty"`

	// How long a pause is. What may be logged is the provider's hint, and
	// without one the schedule's step before jitter.
	HintGiven  bool          `json:"hintGiven,omitempty"`
	RetryAfter time.Duration `json:"retryAfter,omitempty"` // possibly 0
	Derived    bool          `json:"derived,omitempty"`    // RetryAfter was computed from a reset header
	Nominal    time.Duration `json:"nominal,omitempty"`
	// ScheduledDelay is how long the pause really is, jitter included. It is never
	// logged, so neither [Event.LogValue] nor JSON has it.
	ScheduledDelay time.Duration `json:"-"`
}

// Observer is told of events as they happen, in the goroutine in which they
// do, with the context of the call. It must be safe for concurrent use, must
// not block, and must not call what it observes. Where it panics the call goes
// on and the other observers are told.
type Observer func(ctx context.Context, e Event)

// notify tells o of e and survives its panic: who watches a call must not be
// able to end it.
func (o Observer) notify(ctx context.Context, e Event) {
	defer func() { _ = recover() }()
	o(ctx, e)
}

// observers tells several of them, in order. Times that are missing are set.
type observers []Observer

func (o observers) notify(ctx context.Context, e Event) {
	if len(o) == 0 {
		return
	}
	if e.Time.IsZero() {
		e.Time = time.Now()
	}
	e.Target = e.Target.shown()
	for _, each := range o {
		each.notify(ctx, e)
	}
}

var _ slog.LogValuer = Event{}

// Keys of an event's attributes in a log. The first two are those of package
// slogclass, which leaves them alone where they are set.
const (
	categoryKey     = "error.category"
	reasonKey       = "error.reason"
	retryAfterMsKey = "retryAfterMs"
	derivedRetryKey = "derivedRetry"
	backoffMsKey    = "backoffMs"
)

// LogValue returns what may be logged of e: all that is set, but for
// ScheduledDelay and the duration of a whole Do. Secrets in its texts and in the
// error's are masked.
func (e Event) LogValue() slog.Value { return slog.GroupValue(e.attrs()...) }

// attrs are the attributes of e in the order of its fields.
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
	number("attempt", int64(e.Attempt))
	if e.Kind != KindDone { // whose duration would give away the pauses
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
		attrs = append(attrs, slog.Any("err", masked(e.Err)))
	}
	return attrs
}
