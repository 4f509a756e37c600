package classify

import "time"

// inquiry collects the signals of one failure; the strongest decides.
type inquiry struct {
	c        *Classifier
	set      *ruleSet
	best     signal
	status   int
	hint     retryHint
	provider string
}

// time is the present; only hints about when to retry need it.
func (q *inquiry) time() time.Time {
	if q.c.now == nil {
		return time.Now()
	}
	return q.c.now()
}

// add takes a signal into account.
func (q *inquiry) add(s signal) {
	if s.stronger(q.best) {
		q.best = s
	}
}

// addStatus takes an HTTP status into account. The first one that is known is
// kept for the Result.
func (q *inquiry) addStatus(status int) {
	if status < 400 || status > 599 {
		return
	}
	if q.status == 0 {
		q.status = status
	}
	q.add(httpSignal(status))
}

// result fills r with what the signals come to.
func (q *inquiry) result(r *Result) {
	r.Reason, r.Category, r.Rule = q.best.reason, q.best.category, q.best.rule
	r.Status, r.Provider = q.status, q.provider
	if q.best.strength == noStrength {
		r.Reason, r.Rule = ReasonUnknown, q.c.fallback
	}
	// A limit that stays shut for longer than an hour is a spent quota, not a
	// rate that a retry outlives. A user's rule is taken at its word.
	if r.Reason == ReasonRateLimit && q.best.strength < userStrength && q.hint.exhausted() {
		r.Reason, r.Category, r.Rule = ReasonBudgetExceeded, "", r.Rule+longWaitSuffix
	}
	if r.Category == "" {
		r.Category = r.Reason.Policy().Category
	}
	r.RetryAfter, r.HasRetryAfter, r.Derived = q.hint.resolve(r.Reason)
}

// longWaitSuffix marks the rule of a rate limit whose provider says that it
// opens again in more than an hour: "http/429+long-wait".
const longWaitSuffix = "+long-wait"
