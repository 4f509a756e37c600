package modelerrors

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/errclass/errclass/classify"
)

// ClassifyModelError says what to do about an error of a model. The order of
// the evidence is in the documentation of the package.
//
//   - retryable: call the SAME model again after a pause (5xx, 408, timeouts,
//     broken connections).
//   - rateLimited: it is a 429, or says so in words. Whether to call again or
//     to fall back to the next model is for the caller to decide, so retryable
//     is false then.
//   - retryAfter: how long the provider asks to wait; of rate limits only, 0
//     without a hint. It is not capped: see [MaxRetryAfterWait].
func ClassifyModelError(err error) (retryable, rateLimited bool, retryAfter time.Duration) {
	if err == nil || ended(err) || find[ContextOverflowError](err) != nil {
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
	return worthAnotherCall(err, res, code), false, 0
}

// worthAnotherCall decides about an error without a StatusError.
func worthAnotherCall(err error, res classify.Result, code int) bool {
	switch {
	case code != 0 && !IsRetryableStatusCode(code):
		return false
	case code == 0 && strings.Contains(text(err), context.DeadlineExceeded.Error()):
		return false // the type was lost on the way; whose deadline it was, nobody knows
	case res.Retryable():
		return true
	default:
		// Every 5xx is worth a call, 507 and 525 too, unless words beside it
		// name a cause that stays: an invalid key, an overflow.
		status := classify.Standard.Classify(classify.Evidence{Status: code})
		return code != 0 && (res.Reason == classify.ReasonUnknown || res.Reason == status.Reason)
	}
}

// IsRetryableModelError reports whether err is worth another call to the SAME
// model: the first result of [ClassifyModelError].
//
// Retryable are timeouts and temporary errors of the network, HTTP 408, and
// HTTP 5xx with Anthropic's 529. Not retryable are the caller's cancellation and
// deadline, HTTP 429 and what else speaks of a rate limit or a quota, all other
// HTTP 4xx, errors of authentication, invalid requests, context overflows, and
// whatever is not recognised.
//
// A 429 says "you call too fast": another model may have room, this one has
// not.
func IsRetryableModelError(err error) bool {
	retryable, _, _ := ClassifyModelError(err)
	return retryable
}
