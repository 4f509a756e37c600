// Package resilience acts on the classification of an error: it retries a call,
// waits, opens a circuit breaker, falls back to another target, or gives up.
// [New] makes an [Executor], one for a program. [Do] makes a call:
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
//	┌──▶ health ──▶ breaker ──▶ the function ──▶ success: its answer
//	│       │          │              │
//	│       │ down     │ open         ▼ error
//	│       │          │          classify ──▶ the reason's policy
//	│       │          │              │
//	│       │          │              ├── calls left ──▶ wait ──▶ same target ─┐
//	│       └──────────┴──────────────┼── fallback allowed ──▶ next target ────┤
//	│                                 ├── network, no calls left ──▶ restart queue
//	│                                 └── else ──▶ the error
//	└──────────────────────────────────────────────────────────────────────────┘
//
// Step by step:
//
//   - Health ([WithMonitor], [Health]): an unhealthy endpoint is skipped. If no
//     other target is available, the call waits for its recovery.
//   - Breaker ([Breakers]): 5 failures in a row open the endpoint's breaker for
//     5 minutes. Then a probe and one trial call decide whether it closes. The
//     call whose failures opened the breaker still gets all of its retries.
//   - Classify ([WithClassifier]): the error's reason sets the number of calls
//     to a target ([classify.Policy.Calls]): 3 for rate limits, 5xx and
//     timeouts, 6 for network errors, 1 for fatal errors. Each target has its
//     own count. If errors differ, the last one sets the limit.
//   - Wait: the provider's Retry-After, up to a minute; without one, the
//     schedule's pause with jitter ([RetryConfig]). A parsing error is retried
//     once, without a pause, and only if [Call.Correct] is set.
//   - The next target starts with a new count of calls and the shortest pause.
//     [classify.Policy] decides whether there is a fallback; where it is
//     optional, [Call.FallBack] decides. After a fallback, calls start with the
//     new target for a minute ([WithFallbackCooldown]).
//   - The restart queue ([WithRestarter], [Queue]) takes calls that still fail
//     with a network error after all retries. A restart that an open breaker
//     refuses is not counted. It is tried again when the breaker allows a call.
//
// Observers receive every step as an [Event] ([WithObserver], [WithLogger],
// [CountEvents], [Statuses], [WithAlert]).
//
// By default, and with a nil config, retries are off: the function is called
// once, and its answer and error are returned unchanged. [DefaultConfig] and
// [MaxRetryAfterWait] have the figures; docs/specifications.md has their
// sources.
package resilience
