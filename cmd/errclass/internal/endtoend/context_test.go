package endtoend

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/trace"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/otelclass"
	"github.com/errclass/errclass/resilience"
)

// derive returns a child of the given context. The child ends some time later.
type derive func(context.Context) (context.Context, context.CancelFunc)

// These are causes of the end of a context. Only context.Cause returns them.
var (
	errDrain   = errors.New("the server is shutting down")
	errPatient = fmt.Errorf("the report took too long: %w", context.DeadlineExceeded)
	errKey     = errors.New("503 service unavailable")
)

func cancelled(cause error) derive {
	return func(ctx context.Context) (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancelCause(ctx)
		time.AfterFunc(time.Second, func() { cancel(cause) })
		return ctx, func() { cancel(nil) }
	}
}

func timeout(d time.Duration, cause error) derive {
	return func(ctx context.Context) (context.Context, context.CancelFunc) {
		return context.WithTimeoutCause(ctx, d, cause)
	}
}

func deadline(d time.Duration, cause error) derive {
	return func(ctx context.Context) (context.Context, context.CancelFunc) {
		return context.WithDeadlineCause(ctx, time.Now().Add(d), cause)
	}
}

// nested combines several levels of contexts. The first level is the outermost.
func nested(levels ...derive) derive {
	return func(ctx context.Context) (context.Context, context.CancelFunc) {
		var cancels []context.CancelFunc
		for _, level := range levels {
			var cancel context.CancelFunc
			ctx, cancel = level(ctx)
			cancels = append(cancels, cancel)
		}
		return ctx, func() {
			for _, cancel := range cancels {
				cancel()
			}
		}
	}
}

// callErrors has errors that a call can return after the end of the context.
var callErrors = map[string]func(context.Context) error{
	"the cause":             context.Cause,
	"the cause, wrapped":    func(ctx context.Context) error { return fmt.Errorf("ask: %w", context.Cause(ctx)) },
	"the cause, joined":     func(ctx context.Context) error { return errors.Join(errors.New("no answer"), context.Cause(ctx)) },
	"the context's own":     context.Context.Err,
	"another error":         func(context.Context) error { return errors.New("HTTP 429") },
	"another, of no reason": func(context.Context) error { return errors.New("it went wrong") },
}

// TestEndOfContext checks that slogclass, otelclass and resilience classify the end of a
// context in the same way.
func TestEndOfContext(t *testing.T) {
	aborted, timedOut := answer{"aborted", "aborted"}, answer{"timeout", "timeout"}
	s := newSignals()
	for _, tt := range []struct {
		name string
		ctx  derive
		want answer // for errors caused by the end of the context
	}{
		{"cancelled", cancelled(nil), aborted},
		{"cancelled for a cause", cancelled(errDrain), aborted},
		{"cancelled for a cause about a deadline", cancelled(errPatient), aborted},
		{"cancelled for a deadline", cancelled(context.DeadlineExceeded), aborted},
		{"cancelled for a cause that reads like a provider's", cancelled(errKey), aborted},
		{"timed out", timeout(time.Second, nil), timedOut},
		{"timed out for a cause", timeout(time.Second, errDrain), timedOut},
		{"timed out for a cancellation", timeout(time.Second, context.Canceled), timedOut},
		{"timed out for a cause that reads like a provider's", timeout(time.Second, errKey), timedOut},
		{"deadline", deadline(time.Second, nil), timedOut},
		{"deadline for a cause", deadline(time.Second, errDrain), timedOut},
		{"deadline for a cause about one", deadline(time.Second, errPatient), timedOut},
		{"nested, the inner one times out", nested(cancelled(errDrain), timeout(time.Second/2, errPatient)), timedOut},
		{"nested, the inner one times out for a cause", nested(cancelled(errPatient), deadline(time.Second/2, errDrain)), timedOut},
		{"nested, the outer one times out", nested(timeout(time.Second/2, errDrain), cancelled(nil)), timedOut},
		{"nested, the outer one is cancelled", nested(cancelled(errDrain), timeout(time.Hour, errPatient)), aborted},
		{"nested, the outer one is cancelled, three levels", nested(cancelled(errDrain), deadline(time.Hour, nil), timeout(time.Hour, errKey)), aborted},
	} {
		for of, returned := range callErrors {
			t.Run(tt.name+"/"+of, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ctx, cancel := tt.ctx(t.Context())
					defer cancel()
					inCall, err := callUntilEnd(ctx, t, returned)

					_, inRecord := s.record(ctx, t, "err", err)
					inSpan, inEvent := s.span(t, func(span trace.Span) {
						otelclass.RecordErrorContext(trace.ContextWithSpan(ctx, span), err)
					})
					want := tt.want
					switch of {
					case "another error":
						want = answer{"retryable", "rate_limit"}
					case "another, of no reason":
						want = answer{"fatal", "unknown"}
					}
					assert.Equal(t, want, inRecord, "slogclass, %v", err)
					assert.Equal(t, want, inSpan, "otelclass, the span, %v", err)
					assert.Equal(t, want, inEvent, "otelclass, the event, %v", err)
					assert.Equal(t, want, inCall, "resilience, %v", err)
				})
			})
		}
	}
}

// callUntilEnd makes a call that waits for the end of ctx. It returns the answer of
// package resilience and the error of the call.
func callUntilEnd(ctx context.Context, t *testing.T, returned func(context.Context) error) (got answer, err error) {
	x, invalid := resilience.New(&resilience.Config{Enabled: true}, resilience.WithObserver(func(_ context.Context, e resilience.Event) {
		if e.Kind == resilience.KindAttempt {
			got = answerOf(t, e.Result)
		}
	}))
	require.NoError(t, invalid)
	call := resilience.Call{Targets: []resilience.Target{{Endpoint: "https://api.example.com"}}}
	_, _ = resilience.Do(ctx, x, call, func(ctx context.Context, _ resilience.Target) (int, error) {
		<-ctx.Done()
		err = returned(ctx)
		return 0, err
	})
	return got, err
}

// TestRetryableIsTheCategory checks that Retryable depends only on the category.
func TestRetryableIsTheCategory(t *testing.T) {
	t.Parallel()
	for _, c := range classify.Categories() {
		for _, r := range classify.Reasons() {
			assert.Equal(t, c == classify.CategoryRetryable, classify.Result{Category: c, Reason: r}.Retryable(), "%s %s", c, r)
		}
	}
	assert.False(t, classify.Result{Reason: classify.ReasonTransient}.Retryable(), "no error")
}
