// Package modelerrors tells what an error of a model provider means. It answers
// three questions:
//
//   - Should the same model be called again?
//   - Is the error a rate limit?
//   - Does the conversation exceed the model's context window?
//
// The names and rules are those of docker/cagent's package modelerrors
// (docs/specifications.md).
//
// [ClassifyModelError] is the entry point. It makes these checks, in this order:
//
//  1. If context.Canceled or context.DeadlineExceeded is in the chain, the error is
//     not retryable.
//  2. A context overflow, by type or by text, is not retryable, whatever the status.
//  3. A status comes from a [*StatusError], an SDK error or the text. 429 is a rate
//     limit. 408 and 5xx are retryable. Other statuses are not retryable, even if
//     the text mentions a timeout.
//  4. Otherwise, package classify decides by error numbers, error codes and the
//     text. If the reason is rate_limit, the error is a rate limit.
//
// New programs should use package classify, which also returns a reason, a policy
// and a rule.
//
// # Differences
//
// docker/cagent's tests pass with this package. The results differ as follows:
//
//   - A number in a text is a status only if the text presents it as one.
//     docker/cagent also reads a line number, a port and "took 503 ms" as statuses.
//   - Every 5xx is retryable, as docker/cagent's documentation says. docker/cagent's
//     code leaves out 520 to 524.
//   - If the text has a permanent cause, such as an expired certificate, a word such
//     as "timeout" does not make the error retryable.
//   - More errors are recognised: broken connections (EOF, EPIPE), locked databases,
//     rate limits without the number 429, and more overflows.
//   - A timeout while dialling and an http.Client.Timeout are retryable.
//     docker/cagent takes both for the caller's deadline.
//   - The pause of a rate limit may come from an SDK error or a text. docker/cagent
//     takes the pause only from a [*StatusError].
//   - "max_tokens must be greater than" is an overflow only if
//     "thinking.budget_tokens" follows.
//   - A limit of tokens per minute is not an overflow.
//   - [ExtractHTTPStatusCode] and [IsRetryableModelError] read a [*StatusError].
//   - [ParseRetryAfterHeader] accepts a number of seconds only if all characters are
//     digits (RFC 9110 10.2.3).
//   - If the context has ended before the call, [SleepWithContext] returns false.
//
// All functions are safe for concurrent use and never log. They also accept errors whose
// methods panic, and errors that wrap nil or themselves.
package modelerrors
