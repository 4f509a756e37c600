package resilience

import (
	"context"
	"log/slog"

	"github.com/errclass/errclass/classify"
)

// line is how events of one kind are logged.
type line struct {
	level   slog.Level
	message string
}

var lines = map[Kind]line{
	KindAttempt:  {slog.LevelWarn, "call failed"},
	KindWait:     {slog.LevelInfo, "waiting before the next call"},
	KindFallback: {slog.LevelWarn, "falling back to another target"},
	KindBreaker:  {slog.LevelWarn, "circuit breaker changed"},
	KindRestart:  {slog.LevelWarn, "task restart"},
	KindHealth:   {slog.LevelWarn, "endpoint health changed"},
	KindAlert:    {slog.LevelError, "endpoint keeps failing"},
	KindDone:     {slog.LevelDebug, "call done"},
}

// LogEvents returns an observer that logs each event as one record, with the
// context of the call: a failed call, a fallback, a breaker and the like as a
// warning, a wait as an information, an alert as an error, what went well for
// debugging. A wait has the provider's hint (retryAfterMs, derivedRetry), or
// without one the schedule's step as backoffMs; the jittered pause is never
// logged. "err" is the caller's own error, unless its text has a secret in it,
// as that of a URL with a key does: then it is an error with the masked text,
// in which errors.Is and errors.As find the same. A nil logger logs nothing.
func LogEvents(logger *slog.Logger) Observer {
	return func(ctx context.Context, e Event) {
		if logger == nil {
			return
		}
		l, ok := lines[e.Kind]
		if !ok {
			l = line{slog.LevelInfo, string(e.Kind)}
		}
		if e.Kind == KindAttempt && e.Result.Category == "" {
			l = line{slog.LevelDebug, "call succeeded"}
		}
		if logger.Enabled(ctx, l.level) {
			logger.LogAttrs(ctx, l.level, l.message, e.attrs()...)
		}
	}
}

// Counters are functions that count: the methods of otelclass's CallMetrics
// fit, as do one's own. Any of them may be nil.
type Counters struct {
	// Call counts a call to a provider, whatever came of it.
	Call func(ctx context.Context, provider string)
	// Retry counts a call that repeated another one, which had failed with
	// cause, and whether it was of use.
	Retry func(ctx context.Context, provider string, cause classify.Result, succeeded bool)
	// Fallback counts that one target took over from another, and why.
	Fallback func(ctx context.Context, from, to string, cause classify.Result)
	// Breaker sets the state of an endpoint's circuit breaker, a [BreakerState].
	Breaker func(ctx context.Context, endpoint, state string)
}

// CountEvents returns an observer that counts.
func CountEvents(c Counters) Observer {
	return func(ctx context.Context, e Event) {
		switch e.Kind {
		case KindAttempt:
			if c.Call != nil {
				c.Call(ctx, e.Target.Provider)
			}
			if c.Retry != nil && e.Cause.Category != "" {
				c.Retry(ctx, e.Target.Provider, e.Cause, e.Result.Category == "")
			}
		case KindFallback:
			if c.Fallback != nil {
				c.Fallback(ctx, e.From, e.To, e.Result)
			}
		case KindBreaker:
			if c.Breaker != nil {
				c.Breaker(ctx, e.Target.Endpoint, e.To)
			}
		}
	}
}
