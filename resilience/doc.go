// Package resilience acts on what package classify says about an error: it
// repeats a call, waits, leaves an endpoint alone, asks another one, or gives
// up. [New] makes an [Executor], one for a program; [Do] makes a call:
//
//	x, err := resilience.New(&resilience.Config{Enabled: true})
//	...
//	call := resilience.Call{Targets: []resilience.Target{{Endpoint: "https://api.example.com"}}}
//	answer, err := resilience.Do(ctx, x, call, func(ctx context.Context, t resilience.Target) (Answer, error) {
//		return client.Ask(ctx, t.Endpoint, question)
//	})
//
// A program whose calls are HTTP requests needs no Do: [NewTransport] puts it
// into an [http.Client], and package resiliencegrpc into a gRPC connection.
//
// What happens to a call:
//
//	┌──▶ health ──▶ breaker ──▶ the function ──▶ success: its answer
//	│       │          │              │
//	│       │ ill      │ open         ▼ error
//	│       │          │          classify ──▶ the reason's policy
//	│       │          │              │
//	│       │          │              ├── calls left ──▶ wait ──▶ same target ─┐
//	│       └──────────┴──────────────┼── another target may ──▶ next target ──┤
//	│                                 ├── network, all in vain ──▶ restart queue
//	│                                 └── else ──▶ the error
//	└──────────────────────────────────────────────────────────────────────────┘
//
// Step by step:
//
//   - Health ([WithMonitor], [Health]): an endpoint that is ill is passed over,
//     or waited for where there is no other.
//   - Breaker ([Breakers]): 5 failures in a row close an endpoint to calls for 5
//     minutes; then a probe and one call show whether it is back. The call whose
//     failures opened it still gets all the calls that it is granted.
//   - The error is classified ([WithClassifier]). How often the target is called
//     in all is [classify.Policy.Calls]: 3 for rate limits, 5xx and timeouts, 6
//     for network errors, 1 for what is fatal. The count is one for each target;
//     where errors differ, the last one says how far it goes.
//   - Wait: the provider's Retry-After as it is, up to a minute; else the
//     schedule's pause with jitter ([RetryConfig]). Parsing errors are repeated
//     at once, once, and only after [Call.Correct].
//   - The next target starts with fresh calls and the shortest pause. The
//     policy's fallback column decides, and the caller ([Call.FallBack]) where
//     it says optional. For a minute, calls then go there first ([WithFallbackCooldown]).
//   - The restart queue ([WithRestarter], [Queue]) takes network failures that
//     outlast all this. A restart that meets an open breaker does not count and
//     comes again when the breaker lets a call through.
//
// All of it is told to observers ([WithObserver], [WithLogger], [CountEvents],
// [Statuses], [WithAlert]).
//
// Off, which is the default and what a nil config means, the function is called
// once and its answer and error are passed on. The figures stand in
// [DefaultConfig] and beside [MaxRetryAfterWait]; docs/specifications.md has
// their sources.
package resilience
