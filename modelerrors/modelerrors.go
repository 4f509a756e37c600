package modelerrors

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/errclass/errclass/classify"
)

// ClassifyModelError decides about a model's error. The package documentation
// has the order of the checks.
//
//   - retryable: call the SAME model again after a pause (5xx, 408, timeouts,
//     broken connections).
//   - rateLimited: the error is a 429, or its text reports a rate limit. Then
//     retryable is false: the caller chooses between waiting and the next model.
//   - retryAfter: how long the provider asks to wait, for rate limits only; 0
//     if it names no wait. It has no upper limit: see [MaxRetryAfterWait].
func ClassifyModelError(err error) (retryable, rateLimited bool, retryAfter time.Duration) {
	if err == nil || contextEnded(err) || find[ContextOverflowError](err) != nil {
		return false, false, 0
	}
	if s := find[StatusError](err); s != nil {
		if s.StatusCode == http.StatusTooManyRequests {
			return false, true, s.RetryAfter
		}
		return IsRetryableStatusCode(s.StatusCode), false, 0
	}
	res := classify.Error(err)
	code := statusOf(err)
	if code == http.StatusTooManyRequests || res.Reason == classify.ReasonRateLimit {
		if res.Derived {
			res.RetryAfter = 0 // the reset of a limit is not a Retry-After
		}
		return false, true, res.RetryAfter
	}
	return retryableResult(err, res, code), false, 0
}

// retryableResult decides about an error without a StatusError.
func retryableResult(err error, res classify.Result, code int) bool {
	switch {
	case code != 0 && !IsRetryableStatusCode(code):
		return false
	case code == 0 && strings.Contains(text(err), context.DeadlineExceeded.Error()):
		return false // without the type it may be the caller's own deadline
	case res.Retryable():
		return true
	default:
		// Every 5xx is retryable, even 507 and 525, unless the text names a
		// permanent cause: an invalid key, an overflow.
		status := classify.Standard.Classify(classify.Evidence{Status: code})
		return code != 0 && (res.Reason == classify.ReasonUnknown || res.Reason == status.Reason)
	}
}

// IsRetryableModelError reports whether to call the SAME model again: the first
// result of [ClassifyModelError].
//
// It is true for timeouts and temporary errors of the network, for HTTP 408, and
// for HTTP 5xx including Anthropic's 529. It is false for the caller's
// cancellation and deadline, rate limits and quotas (HTTP 429), all other HTTP
// 4xx, authentication errors, invalid requests, context overflows, and unknown
// errors.
//
// A 429 is not retryable because the same model stays limited. Another model may
// answer.
func IsRetryableModelError(err error) bool {
	retryable, _, _ := ClassifyModelError(err)
	return retryable
}
