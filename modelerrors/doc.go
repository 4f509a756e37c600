// Package modelerrors says whether an error of a model's provider is worth
// another call to the same model, whether it is a rate limit, and whether the
// conversation has outgrown the model. It has the names and the rules of the
// package of that name in docker/cagent (docs/specifications.md), decides with
// package classify and waits as package resilience does.
//
// [ClassifyModelError] is the entry point. What happens to an error, in this
// order:
//
//   - Where context.Canceled or context.DeadlineExceeded is in its chain, the
//     caller has ended the call: not retryable.
//   - A [*ContextOverflowError] in the chain: not retryable, whatever it wraps.
//   - A [*StatusError] in the chain: its code decides before any text. 429 is a
//     rate limit; 408 and 5xx are retryable; nothing else is.
//   - For all other errors package classify decides: fields of SDKs' errors,
//     errnos, codes and words. 429 and the reason rate_limit are a rate limit;
//     other client errors are never retried, as much as their text may speak of
//     timeouts; "context deadline exceeded" without its type is not either.
//
// Package classify has more to say about an error (a reason, a policy, a rule);
// this package is for programs that were written to the older names.
//
// All functions are safe for concurrent use and never log. They survive errors
// that panic, wrap nil or wrap themselves.
package modelerrors
