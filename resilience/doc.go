// Package resilience acts on the classification of an error: it retries a call,
// waits, opens a circuit breaker, falls back to another target, or gives up.
// [New] makes an [Executor]. One per program is enough. [Do] makes a call:
//
//	x, err := resilience.New(&resilience.Config{Enabled: true})
//	...
//	call := resilience.Call{Targets: []resilience.Target{{Endpoint: "https://api.example.com"}}}
//	answer, err := resilience.Do(ctx, x, call, func(ctx context.Context, t resilience.Target) (Answer, error) {
//		return client.Ask(ctx, t.Endpoint, question)
//	})
//
// HTTP and gRPC clients do not need Do: [NewTransport] wraps the transport of
// an [http.Client], and package resiliencegrpc has an interceptor for gRPC.
//
// What happens to a call:
//
//	┌──▶ health ──▶ gate ──▶ the function ──▶ success: its answer
//	│       │         │            │
//	│       │ down    │ refused    ▼ error
//	│       │         │        classify ──▶ the reason's policy
//	│       │         │            │
//	│       │         │            ├── calls left ──▶ wait ──▶ same target ─┐
//	│       └─────────┴────────────┼── fallback allowed ──▶ next target ────┤
//	│                              ├── network, no calls left ──▶ restart queue
//	│                              └── else ──▶ the error
//	└───────────────────────────────────────────────────────────────────────┘
//
// Step by step:
//
//   - Health ([WithMonitor], [Health]): an unhealthy endpoint is skipped. If no
//     other target is available, the call waits until the endpoint has recovered.
//   - Gate ([Breakers]): all calls to an endpoint, or to one [Target.Key] of it,
//     share a gate, which has a circuit breaker. After a rate limit, calls wait
//     until the limit ends, and are then made one by one at first. The breaker opens
//     after 5 failures in a row that mean that the endpoint is down. Then one trial
//     call at a time is made. Other calls go to another target, or wait for as long
//     as their remaining pauses would take. When the outage has lasted for 30 s, new
//     calls are refused.
//   - Classify ([WithClassifier]): the error's reason sets the number of calls to a
//     target ([classify.Policy.Calls]): 3 for rate limits, 5xx and timeouts, 6 for
//     network errors, 1 for fatal errors. Each target has its own count. If the
//     calls fail with different errors, the last error sets the limit.
//     [ReasonConfig] overrides the policy of a reason.
//   - Wait: the provider's Retry-After, up to a minute; without one, the
//     schedule's pause with jitter ([RetryConfig]). If the context's deadline is
//     before the end of the wait, the wait does not begin. If [Call.Correct] is set,
//     a parsing error is retried once, without a pause. If [Call.Shrink] is set, a
//     context overflow is retried in the same way.
//   - The next target starts with a new count of calls and the shortest pause.
//     [classify.Policy] decides whether there is a fallback; where it is
//     optional, [Call.FallBack] decides. After a fallback, calls start with the
//     new target for a minute ([WithFallbackCooldown]).
//   - The restart queue ([WithRestarter], [Queue]) takes calls that still fail
//     with a network error after all retries. A restart that the gate refuses is
//     not counted and is tried again later.
//
// Observers receive every step as an [Event] ([WithObserver], [WithLogger],
// [CountEvents], [Statuses], [WithAlert]).
//
// By default, and with a nil config, retries are off: the function is called once,
// and its answer and error are returned unchanged. [DefaultConfig] and
// [MaxRetryAfterWait] have the default numbers; docs/specifications.md has their
// sources.
package resilience
