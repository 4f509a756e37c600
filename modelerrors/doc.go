// Package modelerrors tells what an error of a model provider means: whether to
// call the same model again, whether the error is a rate limit, and whether the
// conversation exceeds the model's context window. It has the names and rules of
// docker/cagent's package modelerrors (docs/specifications.md). It uses package
// classify for the classification and package resilience for the backoff.
//
// [ClassifyModelError] is the entry point. It checks, in this order:
//
//   - context.Canceled or context.DeadlineExceeded in the chain: not retryable,
//     because the caller ended the call.
//   - A context overflow, by type or by text: not retryable, whatever the status.
//   - A status, from a [*StatusError], an SDK error or the text: 429 is a rate
//     limit. 408 and 5xx are retryable. All other statuses are not retryable, even
//     if the text mentions a timeout.
//   - Otherwise, the classification by package classify, from error numbers, error
//     codes and the text. If the reason is rate_limit, the error is a rate limit.
//
// New programs should use package classify, which also returns a reason, a
// policy and a rule.
//
// # Differences
//
// docker/cagent's tests pass with this package. The results of the functions differ
// from docker/cagent's as follows:
//
//   - A number in a text is a status only if the text presents it as one.
//     docker/cagent also reads a line number, a port and "took 503 ms" as statuses.
//   - Every 5xx is retryable, as docker/cagent's documentation says.
//     docker/cagent's code leaves out 520 to 524, which Cloudflare sends for an
//     origin that is down.
//   - A single word such as "timeout" does not make an error retryable if the text
//     has a permanent cause, such as an unknown command line flag or an expired
//     certificate.
//   - This package recognises more errors: broken connections (EOF, EPIPE), locked
//     databases, rate limits without the number 429, and further wordings of
//     overflows.
//   - A timeout while dialling and an http.Client.Timeout are retryable. docker/cagent
//     takes both for the caller's deadline, because the errors of packages net and
//     net/http claim to be context.DeadlineExceeded.
//   - The pause that a rate limit asks for may come from an SDK error or a text.
//     docker/cagent takes the pause only from a [*StatusError].
//   - "max_tokens must be greater than" is an overflow only if
//     "thinking.budget_tokens" follows. A limit of tokens per minute is not an
//     overflow, because a shorter conversation would not help.
//   - [ExtractHTTPStatusCode] and [IsRetryableModelError] read a [*StatusError],
//     so that all functions agree.
//   - [ParseRetryAfterHeader] accepts a number of seconds only if it consists of
//     digits (RFC 9110 10.2.3).
//   - [SleepWithContext] returns false if the context has ended before the call.
//
// All functions are safe for concurrent use and never log. They accept errors whose
// methods panic, and errors that wrap nil or themselves.
package modelerrors
