package resilience_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/resilience"
)

// scenario is a call with random settings and failures.
type scenario struct {
	schedule resilience.ScheduleName
	opts     []resilience.Option
	call     resilience.Call
	deadline time.Duration // 0 = none
	fails    []error       // errors of the calls in order; later calls succeed
}

func drawScenario(t *rapid.T) scenario {
	fails := []error{
		nil, errNetwork, errTransient, errLimited, errSlow, errKey, errRequest, errOverflow, errParsing, errPolicy,
		errUnknown, errDNS, errQuota, answer(429, "5"), answer(429, "90"), classify.ErrBudgetExceeded, context.Canceled,
		errNetwork, errNetwork, errTransient, errLimited, // repeated, because these errors allow retries
	}
	orders := rapid.SampledFrom([]resilience.Order{resilience.RetryFirst, resilience.FallbackFirst})
	s := scenario{
		schedule: rapid.SampledFrom([]resilience.ScheduleName{"medium", "fixed", "short", "long", "custom"}).Draw(t, "schedule"),
		opts:     []resilience.Option{resilience.WithProviderErrorOrder(orders.Draw(t, "provider errors")), resilience.WithRateLimitOrder(orders.Draw(t, "rate limits"))},
		call:     resilience.Call{Targets: all3[:rapid.IntRange(0, 3).Draw(t, "targets")]},
		deadline: time.Duration(rapid.IntRange(0, 60).Draw(t, "deadline")) * time.Second,
		fails:    rapid.SliceOfN(rapid.SampledFrom(fails), 1, 25).Draw(t, "fails"),
	}
	if rapid.Bool().Draw(t, "may fall back") {
		s.call.FallBack = func(resilience.Attempt) bool { return true }
	}
	if rapid.Bool().Draw(t, "can correct") {
		s.call.Correct = func(context.Context, resilience.Attempt) error { return nil }
	}
	return s
}

// The test makes random calls and checks these rules:
//
//   - No target is called more often than the policies of its errors allow.
//   - No call follows a final error or the deadline.
//   - Every call causes an event.
//   - Do returns the last answer or the last error.
func TestDo_Properties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s := drawScenario(rt)
		var violation error // reported below, because rapid cannot be called inside the bubble
		synctest.Test(t, func(t *testing.T) { violation = s.run(t) })
		if violation != nil {
			rt.Fatal(violation)
		}
	})
}

// run makes the call and returns the first violation of a rule.
func (s scenario) run(t *testing.T) error {
	seen := new(events)
	cfg := enabled()
	cfg.Retry.Schedule = s.schedule
	x := executor(t, cfg, append(s.opts, resilience.WithObserver(seen.observe))...)
	ctx := t.Context()
	if s.deadline > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.deadline)
		defer cancel()
	}
	start := time.Now()
	var made []error
	late := false
	answered, err := resilience.Do(ctx, x, s.call, func(ctx context.Context, _ resilience.Target) (int, error) {
		late = late || ctx.Err() != nil
		var fail error
		if len(made) < len(s.fails) {
			fail = s.fails[len(made)]
		}
		made = append(made, fail)
		return len(made), fail
	})
	last := made[len(made)-1]
	attempts, waits := seen.ofKind(resilience.KindAttempt), seen.ofKind(resilience.KindWait)
	switch took := time.Since(start); {
	case late:
		return errors.New("a call began after the deadline")
	case (err == nil) != (last == nil) || !errors.Is(err, last) || answered != len(made):
		return fmt.Errorf("got %d, %v after %d calls, the last of which returned %v", answered, fmt.Sprint(err), len(made), fmt.Sprint(last))
	case len(attempts) != len(made) || len(seen.ofKind(resilience.KindDone)) != 1:
		return fmt.Errorf("%d calls, told: %+v", len(made), seen.all)
	case s.deadline > 0 && took > s.deadline:
		return fmt.Errorf("it took %v", took)
	case len(waits) > 3*5:
		return fmt.Errorf("%d waits", len(waits))
	}
	if e, ok := errors.AsType[*resilience.Error](err); ok && len(e.Attempts) != len(made) {
		return fmt.Errorf("%d calls, %d in the error", len(made), len(e.Attempts))
	}
	return checkAttempts(attempts, made)
}

func checkAttempts(attempts []resilience.Event, made []error) error {
	calls := map[resilience.Target]int{}
	for i, a := range attempts {
		calls[a.Target]++
		if a.Attempt != calls[a.Target] || !errors.Is(a.Err, made[i]) || calls[a.Target] > 7 { // six calls for network errors and one correction
			return fmt.Errorf("call %d is told as %+v", i+1, a)
		}
		if i == len(attempts)-1 {
			return nil
		}
		switch a.Result.Reason {
		case "", classify.ReasonAuthentication, classify.ReasonPolicy, classify.ReasonAborted:
			return fmt.Errorf("call %d returned %s, and another one was made", i+1, fmt.Sprint(a.Err))
		}
	}
	return errors.New("no call was made")
}
