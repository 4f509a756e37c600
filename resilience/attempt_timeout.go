package resilience

import (
	"context"
	"fmt"
	"time"
)

// AttemptTimeoutError is the error of a call that took longer than attemptTimeoutMs
// ([RetryConfig]). It matches context.DeadlineExceeded. Package classify classifies
// it as a timeout.
//
// The circuit breaker counts the failure, and the call can be repeated. If the
// caller's own context has ended, neither happens.
type AttemptTimeoutError struct {
	Limit time.Duration
}

func (e *AttemptTimeoutError) Error() string { return fmt.Sprintf("no answer within %s", e.Limit) }

// Unwrap returns context.DeadlineExceeded.
func (*AttemptTimeoutError) Unwrap() error { return context.DeadlineExceeded }

// Timeout returns true. It is the method Timeout of the interface net.Error.
func (*AttemptTimeoutError) Timeout() bool { return true }

// attemptLimit cancels the context of one attempt when the time limit is over.
type attemptLimit struct {
	err   *AttemptTimeoutError
	timer *time.Timer
}

// startAttempt returns a context for one attempt. If the limit is 0, no time limit
// applies.
func startAttempt(parent context.Context, limit time.Duration) (ctx context.Context, cancel context.CancelFunc, l attemptLimit) {
	ctx, cancelCause := context.WithCancelCause(parent)
	if limit > 0 {
		l.err = &AttemptTimeoutError{limit}
		l.timer = time.AfterFunc(limit, func() { cancelCause(l.err) })
	}
	return ctx, func() { cancelCause(nil) }, l
}

// expired stops the timer. It returns an error if the time limit was already over.
func (l attemptLimit) expired() error {
	if l.timer == nil || l.timer.Stop() {
		return nil
	}
	return l.err
}

// attemptTimeout returns the time limit of a call to a target. 0 means no limit.
func (x *Executor) attemptTimeout(agent string, t Target) time.Duration {
	cfg := x.cfg.get()
	if !cfg.limitsAttempts {
		return 0
	}
	return ms(cfg.settings(agent, t.Name()).retry.AttemptTimeoutMs)
}

// limitsAttempts reports whether any section of the config sets an attempt timeout.
func (c *Config) limitsAttempts() bool {
	if c == nil {
		return false
	}
	limited := c.Retry.AttemptTimeoutMs > 0
	for _, e := range c.Endpoints {
		limited = limited || e.Retry.AttemptTimeoutMs > 0
	}
	for _, a := range c.Agents {
		limited = limited || a.Retry.AttemptTimeoutMs > 0
	}
	return limited
}
