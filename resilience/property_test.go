package resilience_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/resilience"
)

// Whatever fails in whatever order, with whatever options: no target is called
// more often than its errors allow, nothing is called after an error that ends
// it, every call is accounted for, and what comes back is the last answer or the
// last error.
func TestDo_Properties(t *testing.T) {
	t.Parallel()
	fails := []error{
		nil, errNetwork, errTransient, errLimited, errSlow, errKey, errRequest, errOverflow, errParsing, errPolicy,
		errUnknown, errDNS, errQuota, answer(429, "5"), answer(429, "90"), classify.ErrBudgetExceeded, context.Canceled,
	}
	orders := []resilience.Order{resilience.RetryFirst, resilience.NextAtOnce}
	synctest.Test(t, func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			seen := new(events)
			cfg := enabled()
			cfg.Retry.Schedule = rapid.SampledFrom([]resilience.ScheduleName{"001", "002", "003", "004", "custom"}).Draw(t, "schedule")
			x, err := resilience.New(cfg, resilience.WithObserver(seen.observe),
				resilience.ProviderErrors(rapid.SampledFrom(orders).Draw(t, "provider errors")),
				resilience.RateLimits(rapid.SampledFrom(orders).Draw(t, "rate limits")))
			if err != nil {
				t.Fatal(err)
			}
			call := resilience.Call{Targets: all3[:rapid.IntRange(1, 3).Draw(t, "targets")]}
			if rapid.Bool().Draw(t, "may fall back") {
				call.FallBack = func(resilience.Attempt) bool { return true }
			}
			if rapid.Bool().Draw(t, "can correct") {
				call.Correct = func(context.Context, resilience.Attempt) error { return nil }
			}
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			if rapid.Bool().Draw(t, "with a deadline") {
				ctx, cancel = context.WithTimeout(ctx, time.Duration(rapid.IntRange(1, 60).Draw(t, "seconds"))*time.Second)
				defer cancel()
			}
			start := time.Now()
			var made []error
			_, got := resilience.Do(ctx, x, call, func(context.Context, resilience.Target) (int, error) {
				if ctx.Err() != nil {
					t.Fatal("a call began after the end of its context")
				}
				made = append(made, rapid.SampledFrom(fails).Draw(t, "call"))
				return len(made), made[len(made)-1]
			})
			last := made[len(made)-1]
			if (got == nil) != (last == nil) || !errors.Is(got, last) {
				t.Fatalf("got %v after %v", got, last)
			}
			for i, err := range made[:len(made)-1] {
				switch reason(err) {
				case "", classify.ReasonAuthentication, classify.ReasonPolicy, classify.ReasonAborted:
					t.Fatalf("call %d returned %v, and another one was made", i+1, err)
				}
			}
			perTarget := map[resilience.Target]int{}
			attempts := seen.of(resilience.KindAttempt)
			for i, a := range attempts {
				perTarget[a.Target]++
				if a.Attempt != perTarget[a.Target] || !errors.Is(a.Err, made[i]) {
					t.Fatalf("attempt %d is told as %+v", i, a)
				}
			}
			if e, ok := errors.AsType[*resilience.Error](got); len(attempts) != len(made) || ok && len(e.Attempts) != len(made) {
				t.Fatalf("%d calls, %d told, error %+v", len(made), len(attempts), e)
			}
			for target, n := range perTarget {
				if n > 7 { // six for network errors, one of them mended
					t.Fatalf("%d calls to %v", n, target)
				}
			}
			if d := time.Since(start); d > 3*6*time.Minute {
				t.Fatalf("it took %v", d)
			}
		})
	})
}
