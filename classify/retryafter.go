package classify

import "time"

// retryHint is what a provider says about when to call again.
type retryHint struct {
	explicit    time.Duration
	hasExplicit bool
	derived     time.Duration
	hasDerived  bool
}

// resolve gives the hint that counts for an error with the given reason.
func (h retryHint) resolve(r Reason) (wait time.Duration, ok, derived bool) {
	if h.hasExplicit {
		return h.explicit, true, false
	}
	if h.hasDerived && r == ReasonRateLimit {
		return h.derived, true, true
	}
	return 0, false, false
}
