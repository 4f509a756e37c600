package classify

// inquiry collects the signals of one failure; the strongest decides.
type inquiry struct {
	set      *ruleSet
	limit    int // bytes of a text to read; 0 = all
	best     signal
	status   int
	hint     retryHint
	provider string
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

// result is what the signals come to.
func (q *inquiry) result(fallback string) Result {
	r := Result{
		Reason: q.best.reason, Category: q.best.category, Rule: q.best.rule,
		Status: q.status, Provider: q.provider,
	}
	if q.best.strength == noStrength {
		r.Reason, r.Rule = ReasonUnknown, fallback
	}
	if r.Category == "" {
		r.Category = r.Reason.Policy().Category
	}
	r.RetryAfter, r.HasRetryAfter, r.Derived = q.hint.resolve(r.Reason)
	return r
}
