package modelerrors

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/errclass/errclass/classify"
)

// rules is a classifier without the statistical model.
var rules = func() *classify.Classifier {
	c, err := classify.New(classify.WithModel(false))
	if err != nil {
		panic(err) // without the user's own rules, New returns no error
	}
	return c
}()

// ClassifyModelError says how to react to a model's error. The package documentation
// has the order of the checks.
//
// retryable is true if the SAME model may be called again after a pause. Examples
// are 5xx, 408, timeouts and broken connections.
//
// rateLimited is true in two cases:
//
//   - The status is 429.
//   - There is no status, and the text reports a rate limit.
//
// If rateLimited is true, retryable is false.
//
// retryAfter is the pause that the provider asks for after a rate limit. If there is
// no such pause, retryAfter is 0. It has no upper limit: see [MaxRetryAfterWait].
func ClassifyModelError(err error) (retryable, rateLimited bool, retryAfter time.Duration) {
	if err == nil || contextEnded(err) || IsContextOverflowError(err) {
		return false, false, 0
	}
	if s := find[StatusError](err); s != nil {
		if s.StatusCode == http.StatusTooManyRequests {
			return false, true, s.RetryAfter
		}
		return IsRetryableStatusCode(s.StatusCode), false, 0
	}
	res := rules.Error(err)
	code := statusOf(err)
	switch {
	case code == http.StatusTooManyRequests, code == 0 && res.Reason == classify.ReasonRateLimit:
		if res.Derived {
			res.RetryAfter = 0 // a wait until a limit resets is not a Retry-After
		}
		return false, true, res.RetryAfter
	case code != 0:
		return IsRetryableStatusCode(code), false, 0
	default:
		return retryableResult(err, res), false, 0
	}
}

// retryPhrase matches texts of errors that are retryable in this package, but not in
// package classify.
var retryPhrase = regexp.MustCompile(`(?i)reset before headers|upstream connect|\binternal_error\b|temporary failure|no such host`)

// retryableResult decides whether an error without a status is retryable. res is the
// result of package classify.
func retryableResult(err error, res classify.Result) bool {
	s := strings.ToLower(head(text(err)))
	switch {
	case strings.Contains(s, context.DeadlineExceeded.Error()) && !strings.Contains(s, "timeout"):
		return false // may be the caller's own deadline
	case strings.Contains(s, "capacity") && !strings.Contains(s, "overload"):
		return false // the next model may have capacity, as after a rate limit
	case res.Reason == classify.ReasonUnknown, res.Reason == classify.ReasonNetworkPermanent:
		return retryPhrase.MatchString(s)
	default:
		// The caller's deadline is already excluded, so this timeout comes from a
		// connection or a client.
		return res.Retryable() || res.Category == classify.CategoryTimeout
	}
}

// IsRetryableModelError reports whether to call the SAME model again. It returns the
// first result of [ClassifyModelError].
//
// The result is true for these errors:
//
//   - Timeouts and temporary errors of the network.
//   - HTTP 408.
//   - HTTP 5xx, including Anthropic's 529.
//
// The result is false for these errors:
//
//   - The caller's cancellation and deadline.
//   - Rate limits and quotas (HTTP 429). Another model may answer.
//   - All other HTTP 4xx, authentication errors and invalid requests.
//   - Context overflows.
//   - Unknown errors.
func IsRetryableModelError(err error) bool {
	retryable, _, _ := ClassifyModelError(err)
	return retryable
}
