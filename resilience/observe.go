package resilience

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/url"
	"time"

	"github.com/errclass/errclass/classify"
)

// logEntry is the level and message of one kind of event.
type logEntry struct {
	level   slog.Level
	message string
}

var logEntries = map[Kind]logEntry{
	KindAttempt:  {slog.LevelWarn, "call failed"},
	KindWait:     {slog.LevelInfo, "waiting before the next call"},
	KindFallback: {slog.LevelWarn, "falling back to another target"},
	KindBreaker:  {slog.LevelWarn, "circuit breaker changed"},
	KindHold:     {slog.LevelDebug, "rate limit holds endpoint"},
	KindRestart:  {slog.LevelWarn, "task restart"},
	KindHealth:   {slog.LevelWarn, "endpoint health changed"},
	KindSharing:  {slog.LevelWarn, "sharing of breakers and holds"},
	KindAlert:    {slog.LevelError, "endpoint keeps failing"},
	KindNotRepeated: {
		slog.LevelWarn,
		"failed requests are not repeated, unless WithMethods or WithModelAPIs allows their method and they have a GetBody",
	},
	KindStream: {slog.LevelWarn, "response failed while it was read"},
	KindDone:   {slog.LevelDebug, "call done"},
}

// LogEvents returns an observer that logs each event as one record. Records are
// logged with the context of the call. The levels are:
//
//   - error: alerts
//   - warn: failed calls, failed streams, fallbacks, restarts, and requests that are
//     not repeated
//   - warn: each change of a breaker, of an endpoint's health, or of the sharing
//     between processes
//   - info: pauses before calls
//   - debug: successful calls, changes of rate limits, and the end of a Do
//
// The record of a pause contains the time that the provider asked for (retryAfterMs,
// derivedRetry). If the provider asked for no time, the record contains backoffMs: the
// pause of the retry schedule, without jitter.
//
// The attribute "err" is an error with the text of the caller's error. Secrets in the
// text are masked. Other methods of the caller's error, such as MarshalJSON, are not
// used. errors.Is and errors.As still work on the error. A nil logger logs nothing.
func LogEvents(logger *slog.Logger) Observer {
	return func(ctx context.Context, e Event) {
		if logger == nil {
			return
		}
		l, ok := logEntries[e.Kind]
		if !ok {
			l = logEntry{slog.LevelInfo, string(e.Kind)}
		}
		if e.Kind == KindAttempt && e.Result.Category == "" {
			l = logEntry{slog.LevelDebug, "call succeeded"}
		}
		if logger.Enabled(ctx, l.level) {
			logger.LogAttrs(ctx, l.level, l.message, e.attrs()...)
		}
	}
}

// Counters are the functions that [CountEvents] calls. Each of them can be nil. The
// methods of otelclass's CallMetrics have the right types.
//
// Several functions have these parameters:
//
//   - provider: [Target.Provider] or, if that is empty, the provider of the
//     endpoint's host ([classify.HostProvider])
//   - endpoint: [Target.Name], without the key
type Counters struct {
	// Call counts a call to a provider, successful or not.
	Call func(ctx context.Context, provider string)
	// Attempt counts a call with its outcome when the call ends. A failure counts
	// even if a retry succeeds later. For a successful call, res is zero. If the
	// caller canceled the call, res has the category aborted.
	Attempt func(ctx context.Context, provider, endpoint string, res classify.Result)
	// Retry counts a retry and whether the retry succeeded. The argument cause is
	// the failure before the retry.
	Retry func(ctx context.Context, provider string, cause classify.Result, succeeded bool)
	// Fallback counts a change of target. The argument cause is the failure of the
	// old target.
	Fallback func(ctx context.Context, from, to string, cause classify.Result)
	// Breaker is called when a circuit breaker changes. The argument state is the
	// new [BreakerState]. If the target has a [Target.Key], the argument endpoint
	// has the form endpoint#key.
	Breaker func(ctx context.Context, endpoint, state string)
	// Hold is called in three cases:
	//
	//   - A rate limit begins.
	//   - A rate limit is extended.
	//   - A person ends a rate limit.
	//
	// The wait is the time until calls are allowed. It is 0 if a person has ended the
	// rate limit. If the target has a [Target.Key], the argument endpoint has the form
	// endpoint#key.
	Hold func(ctx context.Context, endpoint string, wait time.Duration)
	// Health is called when the health of an endpoint changes. The argument state is
	// [Healthy] or [Unhealthy]. To get these events, pass the observer to
	// [WithHealthObserver] too.
	Health func(ctx context.Context, endpoint, state string)
	// Restart is called when the state of a queued task changes. The argument state
	// is a Restart constant, such as [RestartQueued]. To get these events, pass the
	// observer to [WithQueueObserver] too.
	Restart func(ctx context.Context, state string)
}

// CountEvents returns an observer that calls c for each event.
func CountEvents(c Counters) Observer {
	return func(ctx context.Context, e Event) {
		switch e.Kind {
		case KindAttempt:
			c.attempt(ctx, e)
		case KindFallback:
			if c.Fallback != nil {
				c.Fallback(ctx, e.From, e.To, e.Result)
			}
		case KindBreaker:
			if c.Breaker != nil {
				c.Breaker(ctx, gateName(e.Target.Endpoint, e.Target.Key), e.To)
			}
		case KindHold:
			if c.Hold != nil {
				c.Hold(ctx, gateName(e.Target.Endpoint, e.Target.Key), e.ScheduledDelay)
			}
		case KindHealth:
			if c.Health != nil {
				c.Health(ctx, e.Target.Endpoint, e.To)
			}
		case KindRestart:
			if c.Restart != nil {
				c.Restart(ctx, e.To)
			}
		}
	}
}

func (c Counters) attempt(ctx context.Context, e Event) {
	provider := cmp.Or(e.Target.Provider, hostProvider(e.Target.Endpoint))
	if c.Call != nil {
		c.Call(ctx, provider)
	}
	if c.Attempt != nil {
		res := e.Result
		// A canceled call can fail with any error.
		if res.Category != "" && errors.Is(ctx.Err(), context.Canceled) {
			res = classify.Result{Category: classify.CategoryAborted, Reason: classify.ReasonAborted, Rule: "context/canceled"}
		}
		c.Attempt(ctx, provider, e.Target.Name(), res)
	}
	if c.Retry != nil && e.Cause.Category != "" {
		c.Retry(ctx, provider, e.Cause, e.Result.Category == "")
	}
}

// hostProvider returns the provider of an endpoint's host, or "".
func hostProvider(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil {
		return ""
	}
	return classify.HostProvider(u.Hostname())
}
