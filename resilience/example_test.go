package resilience_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/resilience"
)

// flaky returns a function that fails twice before it succeeds.
func flaky() func(context.Context, resilience.Target) (string, error) {
	n := 0
	return func(context.Context, resilience.Target) (string, error) {
		if n++; n <= 2 {
			return "", errors.New("429 too many requests, retry after 1ms")
		}
		return "hello", nil
	}
}

// down returns a function that always fails with the same error.
func down(text string) func(context.Context, resilience.Target) (string, error) {
	return func(context.Context, resilience.Target) (string, error) { return "", errors.New(text) }
}

var (
	endpoint = resilience.Target{Endpoint: "https://api.example.com", Provider: "acme", Model: "large"}
	gateway  = resilience.Target{Endpoint: "https://gateway.example.com", Provider: "other", Model: "medium"}
)

// must returns an executor. It panics if the config is invalid.
func must(cfg *resilience.Config, opts ...resilience.Option) *resilience.Executor {
	x, err := resilience.New(cfg, opts...)
	if err != nil {
		panic(err)
	}
	return x
}

func Example() {
	x, err := resilience.New(&resilience.Config{Enabled: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	call := resilience.Call{Targets: []resilience.Target{{Endpoint: "https://api.example.com"}}}
	answer, err := resilience.Do(context.Background(), x, call, flaky())
	fmt.Println(answer, err)
	// Output: hello <nil>
}

// If all calls fail, the error has the text of the last error and lists all attempts.
func ExampleDo() {
	x := must(&resilience.Config{Enabled: true, Retry: resilience.RetryConfig{
		Schedule: resilience.CustomSchedule, BaseDelayMs: 1, MaxDelayMs: 1,
	}})
	call := resilience.Call{Targets: []resilience.Target{endpoint, gateway}}
	_, err := resilience.Do(context.Background(), x, call, down("503 service unavailable"))
	fmt.Println(err)
	if e, ok := errors.AsType[*resilience.Error](err); ok {
		for _, a := range e.Attempts {
			fmt.Println(a.Target.Provider, a.Number, a.Result.Reason)
		}
	}
	// Output:
	// 503 service unavailable
	// acme 1 transient
	// acme 2 transient
	// acme 3 transient
	// other 1 transient
	// other 2 transient
	// other 3 transient
}

func ExampleNew() {
	var cfg resilience.Config
	text := `{"enabled": true, "retry": {"schedule": "custom", "jitterPercent": 20}}`
	if err := json.Unmarshal([]byte(text), &cfg); err != nil {
		fmt.Println(err)
		return
	}
	_, err := resilience.New(&cfg)
	fmt.Println(err)
	// Output: resilience config: retry.jitterPercent: must be between 0 and 1, is 20
}

func ExampleDefaultConfig() {
	cfg := resilience.DefaultConfig()
	fmt.Println(cfg.Enabled, cfg.Retry.Schedule, *cfg.Retry.MaxNetworkRetries, cfg.CircuitBreaker.FailureThreshold, cfg.CircuitBreaker.CooldownMs)
	// Output: false medium 5 5 300000
}

func ExampleConfig_Validate() {
	cfg := resilience.Config{Endpoints: map[string]resilience.EndpointConfig{
		"https://api.example.com": {CircuitBreaker: resilience.BreakerConfig{Mode: "ajar"}},
	}}
	fmt.Println(cfg.Validate())
	// Output: endpoints["https://api.example.com"].circuitBreaker.mode: must be auto, force_open or force_closed, is "ajar"
}

func ExampleScheduleName_Schedule() {
	s := resilience.LongSchedule.Schedule()
	for n := range 6 {
		fmt.Print(s.Nominal(n), " ")
	}
	fmt.Println()
	// Output: 1s 2s 4s 8s 16s 30s
}

func ExampleSchedule_Nominal() {
	s := resilience.Schedule{Base: 100 * time.Millisecond, Max: time.Second}
	fmt.Println(s.Nominal(0), s.Nominal(3), s.Nominal(9))
	// Output: 100ms 800ms 1s
}

// The second argument is a random number. 0.5 gives the pause without jitter.
func ExampleSchedule_Delay() {
	s := resilience.MediumSchedule.Schedule()
	fmt.Println(s.Delay(0, 0), s.Delay(0, 0.5), s.Delay(0, 0.75))
	// Output: 300ms 500ms 600ms
}

func ExampleTarget_Name() {
	fmt.Println(endpoint.Name(), resilience.Target{Provider: "acme", Model: "large"}.Name())
	// Output: https://api.example.com acme
}

func ExampleExecutor_Breakers() {
	x := must(&resilience.Config{Enabled: true})
	fmt.Println(len(x.Breakers().Snapshot()))
	// Output: 0
}

func ExampleBreakers_Force() {
	ctx := context.Background()
	x := must(&resilience.Config{Enabled: true})
	if err := x.Breakers().Force(ctx, endpoint.Endpoint, resilience.BreakerForceOpen); err != nil {
		fmt.Println(err)
	}
	_, err := resilience.Do(ctx, x, resilience.Call{Targets: []resilience.Target{endpoint}}, flaky())
	fmt.Println(err)
	fmt.Println(errors.Is(err, resilience.ErrOpen))
	// Output:
	// circuit breaker open for "https://api.example.com": it is forced open, force it closed or set it to auto
	// true
}

func ExampleBreakers_Snapshot() {
	ctx := context.Background()
	x := must(&resilience.Config{Enabled: true})
	call := resilience.Call{Targets: []resilience.Target{endpoint}}
	for range 2 { // three calls each; five failures in a row open the breaker
		_, _ = resilience.Do(ctx, x, call, down("503 service unavailable, retry after 1ms"))
	}
	for _, b := range x.Breakers().Snapshot() {
		fmt.Println(b.Endpoint, b.State, b.Mode, b.Failures, b.RetryAfter > 0)
	}
	// Output: https://api.example.com open auto 5 true
}

func ExampleOpenError() {
	err := &resilience.OpenError{Endpoint: "https://api.example.com", RetryAfter: 90 * time.Second}
	fmt.Println(err)
	fmt.Println(errors.Is(err, resilience.ErrOpen), err.ErrorType(), err.Unwrap(), classify.Error(err).RetryAfter)
	// Output:
	// circuit breaker open for "https://api.example.com": try again in 1m30s, or force it closed
	// true transient <nil> 1m30s
}

// Each call has a time limit of 20 ms. The first call hangs.
func ExampleAttemptTimeoutError() {
	x := must(&resilience.Config{Enabled: true, Retry: resilience.RetryConfig{
		AttemptTimeoutMs: 20, Schedule: resilience.CustomSchedule, BaseDelayMs: 1, MaxDelayMs: 1,
	}}, resilience.WithObserver(func(_ context.Context, e resilience.Event) {
		if e.Kind == resilience.KindAttempt {
			fmt.Println(e.Attempt, e.Err)
		}
	}))
	hangs := true
	answer, err := resilience.Do(context.Background(), x, resilience.Call{}, func(ctx context.Context, _ resilience.Target) (string, error) {
		if hangs {
			hangs = false
			<-ctx.Done()
			return "", ctx.Err()
		}
		return "answer", nil
	})
	fmt.Println(answer, err)
	// Output:
	// 1 no answer within 20ms
	// 2 <nil>
	// answer <nil>
}

func ExampleAttemptTimeoutError_Error() {
	err := &resilience.AttemptTimeoutError{Limit: time.Minute}
	fmt.Println(err.Error(), err.Timeout(), errors.Is(err, context.DeadlineExceeded), classify.Error(err).Category)
	// Output: no answer within 1m0s true true timeout
}

// With this config, Do calls the second provider if the first API key is invalid.
func ExampleReasonConfig() {
	x := must(&resilience.Config{Enabled: true, Retry: resilience.RetryConfig{Reasons: map[classify.Reason]resilience.ReasonConfig{
		classify.ReasonAuthentication: {Fallback: new(true)},
		classify.ReasonRateLimit:      {Calls: 5},
	}}})
	fmt.Println(called(x, "401 invalid api key"))
	// Output: acme other
}

// The rate limit ends only after the caller's deadline, so the next call is refused.
func ExampleHoldError() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	x := must(&resilience.Config{Enabled: true})
	call := resilience.Call{Targets: []resilience.Target{endpoint}}
	_, err := resilience.Do(ctx, x, call, down("429 too many requests, retry after 50s"))
	fmt.Println(err, errors.Is(err, resilience.ErrNoTime))

	_, err = resilience.Do(ctx, x, call, down("not called"))
	held, ok := errors.AsType[*resilience.HoldError](err)
	fmt.Println(ok, errors.Is(err, resilience.ErrHeld), held.ErrorType(), held.RetryAfter > 49*time.Second)
	// Output:
	// 429 too many requests, retry after 50s true
	// true true rate_limit true
}

func ExampleHoldError_Error() {
	err := &resilience.HoldError{Endpoint: "https://api.example.com", RetryAfter: 90 * time.Second}
	fmt.Println(err.Error(), classify.Error(err).Reason)
	// Output: rate limit holds "https://api.example.com": try again in 1m30s rate_limit
}

func ExampleHoldError_Is() {
	fmt.Println((&resilience.HoldError{}).Is(resilience.ErrHeld))
	// Output: true
}

func ExampleHoldError_ErrorType() {
	fmt.Println((&resilience.HoldError{}).ErrorType())
	// Output: rate_limit
}

func ExampleOpenError_Error() {
	fmt.Println((&resilience.OpenError{Endpoint: "api", Mode: resilience.BreakerAuto}).Error())
	// Output: circuit breaker open for "api": another call is finding out whether the endpoint is back, try again later
}

func ExampleOpenError_Is() {
	fmt.Println((&resilience.OpenError{}).Is(resilience.ErrOpen))
	// Output: true
}

func ExampleOpenError_Unwrap() {
	err := &resilience.OpenError{Err: errors.New("connection refused")}
	fmt.Println(err.Unwrap())
	// Output: connection refused
}

func ExampleOpenError_ErrorType() {
	fmt.Println((*resilience.OpenError)(nil).ErrorType())
	// Output: transient
}

func ExampleError_Error() {
	err := &resilience.Error{Err: errors.New("503 service unavailable"), Stop: context.Canceled}
	fmt.Println(err.Error())
	// Output: 503 service unavailable
}

func ExampleError_Unwrap() {
	err := &resilience.Error{Err: errors.New("503 service unavailable"), Stop: context.Canceled}
	fmt.Println(err.Unwrap())
	// Output: 503 service unavailable
}

// errors.Is also finds Stop, the error that prevented a further call.
func ExampleError_Is() {
	err := &resilience.Error{Err: errors.New("503 service unavailable"), Stop: context.Canceled}
	fmt.Println(errors.Is(err, context.Canceled))
	// Output: true
}

func ExampleError_ErrorType() {
	err := &resilience.Error{Attempts: []resilience.Attempt{{Result: classify.Message("429")}}}
	fmt.Println(err.ErrorType())
	// Output: rate_limit
}

func ExampleOutcome_Failed() {
	fmt.Println(resilience.Outcome{Result: classify.Message("503")}.Failed(), resilience.Outcome{Result: classify.Message("HTTP 401")}.Failed())
	// Output: true false
}

// After a provider's error, Do calls the next target. After a network error, it does
// not.
func ExampleWithProviderErrorOrder() {
	x := must(&resilience.Config{Enabled: true}, resilience.WithProviderErrorOrder(resilience.FallbackFirst))
	fmt.Println(called(x, "503 service unavailable"))
	// Output: acme other
}

func ExampleWithRateLimitOrder() {
	x := must(&resilience.Config{Enabled: true}, resilience.WithRateLimitOrder(resilience.FallbackFirst))
	fmt.Println(called(x, "429 too many requests"))
	// Output: acme other
}

// called returns the providers that Do calls after an error with the given text.
func called(x *resilience.Executor, text string) string {
	var called string
	call := resilience.Call{Targets: []resilience.Target{endpoint, gateway}}
	_, _ = resilience.Do(context.Background(), x, call, func(_ context.Context, t resilience.Target) (string, error) {
		if called == "" {
			called = t.Provider
			return "", errors.New(text)
		}
		called += " " + t.Provider
		return "", nil
	})
	return called
}

// Without a cooldown, each call starts at its primary target.
func ExampleWithFallbackCooldown() {
	x := must(&resilience.Config{Enabled: true}, resilience.WithProviderErrorOrder(resilience.FallbackFirst), resilience.WithFallbackCooldown(0))
	fmt.Println(called(x, "503 overloaded"))
	fmt.Println(called(x, "503 overloaded"))
	// Output:
	// acme other
	// acme other
}

func ExampleWithClassifier() {
	own, err := classify.New(classify.WithRules(classify.Rule{ID: "shop/locked", Reason: classify.ReasonTransient, Pattern: "stock is locked"}))
	if err != nil {
		fmt.Println(err)
		return
	}
	x := must(&resilience.Config{Enabled: true}, resilience.WithClassifier(own), resilience.WithProviderErrorOrder(resilience.FallbackFirst))
	fmt.Println(called(x, "stock is locked"))
	// Output: acme other
}

func ExampleWithObserver() {
	x := must(&resilience.Config{Enabled: true}, resilience.WithObserver(func(_ context.Context, e resilience.Event) {
		fmt.Println(e.Kind, e.Attempt, e.Result.Reason)
	}))
	_, _ = resilience.Do(context.Background(), x, resilience.Call{}, down("HTTP 401"))
	// Output:
	// attempt 1 authentication
	// done 1 authentication
}

// stdout returns a logger to standard output that omits times.
func stdout() *slog.Logger {
	return slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
}

func ExampleWithLogger() {
	x := must(&resilience.Config{Enabled: true}, resilience.WithLogger(stdout()))
	_, _ = resilience.Do(context.Background(), x, resilience.Call{Key: "task-1"}, flaky())
	// Output:
	// level=WARN msg="call failed" kind=attempt key=task-1 attempt=1 error.category=retryable error.reason=rate_limit err="429 too many requests, retry after 1ms"
	// level=INFO msg="waiting before the next call" kind=wait key=task-1 attempt=1 retryAfterMs=1 derivedRetry=false error.category=retryable error.reason=rate_limit err="429 too many requests, retry after 1ms"
	// level=WARN msg="call failed" kind=attempt key=task-1 attempt=2 error.category=retryable error.reason=rate_limit err="429 too many requests, retry after 1ms"
	// level=INFO msg="waiting before the next call" kind=wait key=task-1 attempt=2 retryAfterMs=1 derivedRetry=false error.category=retryable error.reason=rate_limit err="429 too many requests, retry after 1ms"
}

func ExampleWithAlert() {
	cfg := &resilience.Config{Enabled: true, Visibility: resilience.VisibilityConfig{AlertThreshold: 3}}
	x := must(cfg, resilience.WithAlert(func(_ context.Context, e resilience.Event) {
		fmt.Println(e.Target.Endpoint, "failed", e.Failures, "times, last with", e.Result.Reason)
	}))
	for range 5 {
		_, _ = resilience.Do(context.Background(), x, resilience.Call{Targets: []resilience.Target{endpoint}}, down("HTTP 401"))
	}
	// Output: https://api.example.com failed 3 times, last with authentication
}

// alwaysUnhealthy is a monitor that finds every endpoint unhealthy.
type alwaysUnhealthy struct{}

func (alwaysUnhealthy) Healthy(string) bool                            { return false }
func (alwaysUnhealthy) WaitForRecovery(context.Context, string) error  { return resilience.ErrUnhealthy }
func (alwaysUnhealthy) Record(_ context.Context, _ resilience.Outcome) {}
func (alwaysUnhealthy) Offer(_ context.Context, r resilience.Restart) error {
	fmt.Println("queued:", r.Task.Kind)
	return nil
}

func ExampleWithMonitor() {
	x := must(&resilience.Config{Enabled: true}, resilience.WithMonitor(alwaysUnhealthy{}))
	_, err := resilience.Do(context.Background(), x, resilience.Call{Targets: []resilience.Target{endpoint}}, flaky())
	fmt.Println(err)
	// Output: endpoint "https://api.example.com": wait for recovery: unhealthy
}

func ExampleWithRestarter() {
	cfg := &resilience.Config{Enabled: true, Retry: resilience.RetryConfig{MaxNetworkRetries: new(0)}}
	x := must(cfg, resilience.WithRestarter(alwaysUnhealthy{}))
	call := resilience.Call{Restart: resilience.Task{Kind: "summarise", Payload: []byte(`{"document": 42}`)}}
	_, err := resilience.Do(context.Background(), x, call, down("connection reset by peer"))
	fmt.Println(err)
	// Output:
	// queued: summarise
	// connection reset by peer
}

func ExampleWithProbe() {
	cfg := &resilience.Config{Enabled: true, CircuitBreaker: resilience.BreakerConfig{FailureThreshold: 1, CooldownMs: 1}}
	x := must(cfg, resilience.WithProbe(func(_ context.Context, endpoint string) error {
		fmt.Println("asking", endpoint)
		return nil
	}))
	failed := false
	call := resilience.Call{Targets: []resilience.Target{endpoint}}
	answer, err := resilience.Do(context.Background(), x, call, func(context.Context, resilience.Target) (string, error) {
		if !failed { // opens the breaker; the retry comes after its cooldown
			failed = true
			return "", errors.New("503 service unavailable, retry after 20ms")
		}
		return "hello", nil
	})
	fmt.Println(answer, err)
	// Output:
	// asking https://api.example.com
	// hello <nil>
}

// The random value 0.5 means no jitter.
func ExampleWithRandom() {
	x := must(&resilience.Config{Enabled: true, Retry: resilience.RetryConfig{
		Schedule: resilience.CustomSchedule, BaseDelayMs: 2, MaxDelayMs: 2,
	}}, resilience.WithRandom(func() float64 { return 0.5 }), resilience.WithObserver(func(_ context.Context, e resilience.Event) {
		if e.Kind == resilience.KindWait {
			fmt.Println(e.ScheduledDelay)
		}
	}))
	_, _ = resilience.Do(context.Background(), x, resilience.Call{}, down("503 service unavailable"))
	// Output:
	// 2ms
	// 2ms
}

func ExampleLogEvents() {
	observe := resilience.LogEvents(stdout())
	observe(context.Background(), resilience.Event{Kind: resilience.KindBreaker, Target: endpoint, From: "closed", To: "open"})
	// Output: level=WARN msg="circuit breaker changed" kind=breaker endpoint=https://api.example.com provider=acme model=large from=closed to=open
}

func ExampleCountEvents() {
	retries := 0
	x := must(&resilience.Config{Enabled: true}, resilience.WithObserver(resilience.CountEvents(resilience.Counters{
		Retry: func(context.Context, string, classify.Result, bool) { retries++ },
	})))
	_, _ = resilience.Do(context.Background(), x, resilience.Call{}, flaky())
	fmt.Println(retries)
	// Output: 2
}

func ExampleEvent_LogValue() {
	e := resilience.Event{Kind: resilience.KindWait, Nominal: 500 * time.Millisecond, ScheduledDelay: 431 * time.Millisecond}
	fmt.Println(e.LogValue())
	// Output: [kind=wait backoffMs=500]
}

func ExampleStatuses_Observe() {
	var tasks resilience.Statuses
	x := must(&resilience.Config{Enabled: true}, resilience.WithObserver(tasks.Observe))
	_, _ = resilience.Do(context.Background(), x, resilience.Call{Key: "task-1"}, flaky())
	s, _ := tasks.Status("task-1")
	fmt.Println(s.Phase, s.Calls, s.Retries, s.Last.Reason)
	// Output: succeeded 3 2 rate_limit
}

func ExampleStatuses_Status() {
	var tasks resilience.Statuses
	_, ok := tasks.Status("never heard of")
	fmt.Println(ok)
	// Output: false
}
