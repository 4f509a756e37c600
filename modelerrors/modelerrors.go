package modelerrors

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/errclass/errclass/classify"
)

// rules is a classifier without the statistical model, because docker/cagent's
// functions use only statuses and patterns of text.
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
//   - retryable: call the SAME model again after a pause (5xx, 408, timeouts,
//     broken connections).
//   - rateLimited: the status is 429, or the error has no status and its text
//     reports a rate limit. Then retryable is false: the caller chooses between
//     waiting and the next model.
//   - retryAfter: for a rate limit, the pause that the provider asks for, or 0 if
//     it asks for none; otherwise 0. It has no upper limit: see [MaxRetryAfterWait].
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

// retryPhrase matches texts that are retryable here, but not in package classify.
// There, the first four phrases match no rule, and "no such host" is permanent.
var retryPhrase = regexp.MustCompile(`(?i)reset before headers|upstream connect|\binternal_error\b|temporary failure|no such host`)

// retryableResult decides whether an error without a status is retryable. The
// argument res is the result of package classify.
func retryableResult(err error, res classify.Result) bool {
	s := strings.ToLower(head(text(err)))
	switch {
	case strings.Contains(s, context.DeadlineExceeded.Error()) && !strings.Contains(s, "timeout"):
		return false // a text alone does not tell whether this was the caller's own deadline
	case strings.Contains(s, "capacity") && !strings.Contains(s, "overload"):
		return false // the next model may have capacity, as after a rate limit
	case res.Reason == classify.ReasonUnknown, res.Reason == classify.ReasonNetworkPermanent:
		return retryPhrase.MatchString(s)
	default:
		// ClassifyModelError has already excluded the deadline of the caller's
		// context. So this timeout comes from a connection or a client.
		return res.Retryable() || res.Category == classify.CategoryTimeout
	}
}

// IsRetryableModelError reports whether to call the SAME model again. It returns
// the first result of [ClassifyModelError].
//
// It is true for timeouts and temporary errors of the network, for HTTP 408, and
// for HTTP 5xx including Anthropic's 529. It is false for the caller's cancellation
// and deadline, rate limits and quotas (HTTP 429), all other HTTP 4xx,
// authentication errors, invalid requests, context overflows, and unknown errors.
//
// A 429 is not retryable because the same model stays limited. Another model may
// answer.
func IsRetryableModelError(err error) bool {
	retryable, _, _ := ClassifyModelError(err)
	return retryable
}
