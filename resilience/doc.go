// Package resilience makes calls and acts on their errors. It retries a call,
// waits, opens a circuit breaker, calls another target, or gives up.
//
// [New] makes an [Executor]. A program needs only one. [Do] makes a call:
//
//	x, err := resilience.New(&resilience.Config{Enabled: true})
//	...
//	call := resilience.Call{Targets: []resilience.Target{{Endpoint: "https://api.example.com"}}}
//	answer, err := resilience.Do(ctx, x, call, func(ctx context.Context, t resilience.Target) (Answer, error) {
//		return client.Ask(ctx, t.Endpoint, question)
//	})
//
// HTTP and gRPC clients do not need Do. [NewTransport] wraps the transport of an
// [http.Client]. Package resiliencegrpc has an interceptor for gRPC.
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
//   - Gate ([Breakers]): all calls to an endpoint share a gate with a circuit
//     breaker. If the targets have a [Target.Key], each key has its own gate. After
//     a rate limit, calls wait until the limit ends. Then they are made one by one
//     at first. After 5 failures in a row that show an outage, the breaker opens.
//     Then one trial call at a time is made. Other calls wait or go to another
//     target. After 30 s of outage, new calls are refused.
//   - Classify ([WithClassifier]): the error's reason sets the number of calls to a
//     target ([classify.Policy.Calls]). It is 3 for rate limits, 5xx and timeouts,
//     6 for network errors, and 1 for fatal errors. Each target has its own count.
//     If the calls fail with different errors, the last error sets the limit.
//     [ReasonConfig] overrides the policy of a reason.
//   - Wait: the pause is the provider's Retry-After. If it is longer than a minute,
//     the call does not wait. Without a Retry-After, the pause is the schedule's
//     pause with jitter ([RetryConfig]). If the context's deadline is before the end
//     of the pause, the call does not wait either.
//   - Correct: if [Call.Correct] is set, a parsing error is retried once, without a
//     pause. If [Call.Shrink] is set, a context overflow is retried in the same way.
//   - Next target: the count of calls and the pauses begin again.
//     [classify.Policy] decides whether there is a fallback. If a fallback is
//     optional, [Call.FallBack] decides. After a fallback, calls begin at the new
//     target for a minute ([WithFallbackCooldown]).
//   - Restart queue ([WithRestarter], [Queue]): it takes calls that still fail with
//     a network error after all retries. If the gate refuses a restart, the restart
//     is not counted and is tried again later.
//
// Observers receive every step as an [Event] ([WithObserver], [WithLogger],
// [CountEvents], [Statuses], [WithAlert]).
//
// By default, and with a nil config, retries are off. The function is then called
// once, and its answer and error are returned unchanged. [DefaultConfig] and
// [MaxRetryAfterWait] have the default numbers. Their sources are in
// docs/specifications.md.
package resilience
