// Package modelerrors decides about the errors of model providers: whether to
// call the same model again, whether the error is a rate limit, and whether the
// conversation exceeds the model's context window. It has the names and rules of
// docker/cagent's package modelerrors (docs/specifications.md). Package classify
// does the classification, package resilience the backoff.
//
// [ClassifyModelError] is the entry point. It checks, in this order:
//
//   - context.Canceled or context.DeadlineExceeded in the chain: not retryable,
//     because the caller ended the call.
//   - A [*ContextOverflowError] in the chain: not retryable.
//   - A [*StatusError] in the chain: its status decides, whatever the text. 429
//     is a rate limit. 408 and 5xx are retryable. All others are not.
//   - Otherwise package classify decides by the fields of SDK errors, errnos,
//     codes and words. 429 and the reason rate_limit are a rate limit. Other
//     client errors are not retryable, even if their text mentions a timeout.
//     The text "context deadline exceeded" without its type is not either.
//
// New programs should use package classify, which also returns a reason, a
// policy and a rule.
//
// All functions are safe for concurrent use and never log. They survive errors
// that panic, wrap nil or wrap themselves.
package modelerrors
