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

// LogEvents returns an observer that logs each event as one record, with the
// context of the call. The levels are:
//
//   - error: alerts
//   - warn: failed calls, failed streams, fallbacks, restarts, and each change of a
//     breaker, of an endpoint's health or of sharing
//   - info: waits
//   - debug: successful calls, holds (waits that rate limits require), and the end of
//     a Do
//
// The record of a wait contains the wait that the provider asked for (retryAfterMs,
// derivedRetry). If the provider asked for none, the record contains backoffMs: the
// pause of the retry schedule, without jitter. The attribute "err" is the error of
// the caller's function. Secrets in the text of the error, such as a key in a URL,
// are masked. errors.Is and errors.As still work on the error. A nil logger logs
// nothing.
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

// Counters are the functions that [CountEvents] calls. The methods of otelclass's
// CallMetrics have the right types. Any of the functions may be nil.
//
// Several functions have the same arguments: provider is [Target.Provider] or, if
// that is empty, the provider to which the endpoint's host belongs
// ([classify.HostProvider]). endpoint is [Target.Name], without the key.
type Counters struct {
	// Call counts a call to a provider, successful or not.
	Call func(ctx context.Context, provider string)
	// Attempt counts a call with its outcome when the call ends. res is zero if the
	// call succeeded. If the caller canceled the call before it failed, res has the
	// category aborted, whatever error the call returned. A failure counts even if a
	// retry or another target succeeds later.
	Attempt func(ctx context.Context, provider, endpoint string, res classify.Result)
	// Retry counts a retry and whether it succeeded. cause is the failure that was
	// retried.
	Retry func(ctx context.Context, provider string, cause classify.Result, succeeded bool)
	// Fallback counts a change of target. cause is the failure of the old target.
	Fallback func(ctx context.Context, from, to string, cause classify.Result)
	// Breaker is called when an endpoint's circuit breaker changes. The argument state
	// is the new [BreakerState]. With a [Target.Key], endpoint is endpoint#key.
	Breaker func(ctx context.Context, endpoint, state string)
	// Hold is called when a rate limit begins or extends a hold of an endpoint, and
	// when a person ends a hold. The argument left is the time until the hold ends,
	// or 0 if a person has ended the hold. With a [Target.Key], endpoint is
	// endpoint#key.
	Hold func(ctx context.Context, endpoint string, left time.Duration)
	// Health is called when the health of an endpoint changes. The argument state is
	// [Healthy] or [Unhealthy]. To get these events, pass the observer to
	// [WithHealthObserver] too.
	Health func(ctx context.Context, endpoint, state string)
	// Restart is called when the state of a queued task changes. state is the new
	// state, one of the Restart constants, such as [RestartQueued]. To get these
	// events, pass the observer to [WithQueueObserver] too.
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
		// A cancellation closes the connection, so a canceled call may fail with
		// any error.
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
