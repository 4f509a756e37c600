package classify

import "time"

// inquiry collects the signals of one failure; the strongest decides.
type inquiry struct {
	c        *Classifier
	set      *ruleSet
	best     signal
	refusal  signal // the strongest that refuses the caller
	status   int
	hint     retryHint
	provider string
	said     verdict   // what texts say of the status and the provider, where nothing better is known
	budget   budget    // what may still be read
	source   string    // the part of the evidence that is being read
	heard    *[]Signal // for explain only: all signals, also those that do not count; else nil
}

// The parts of the evidence, as [Signal.Source] names them.
const (
	fromType    = "type"
	fromCode    = "code"
	fromError   = "error"
	fromStatus  = "status"
	fromHeader  = "header"
	fromBody    = "body"
	fromMessage = "message"
)

// read reads all evidence, what is known before what is said. It reports
// whether the evidence shows a failure at all.
func (q *inquiry) read(e *Evidence) (failed bool) {
	named := e.Message != "" || e.Type != "" || e.Code != ""
	if e.Err == nil && !named && len(e.Body) == 0 && e.Status < 400 {
		return false
	}
	q.source = fromType
	q.budget.shareNames()
	q.readType(e.Type)
	q.source = fromCode
	q.budget.shareNames()
	q.readName(e.Code)
	q.source = fromError
	q.budget.shareChain()
	text := q.readChain(e.Err, e.Cause)
	if q.best.strength == ownStrength {
		return true
	}
	q.budget.shareNames()
	q.budget.shareBody()
	q.source = fromBody
	body := string(bodyOf(q, e.Body))
	if !q.readResponse(e.Status, e.Header, body) && e.Err == nil && !named {
		return false
	}
	q.source = fromError
	q.budget.shareText()
	q.readText(text)
	q.source = fromMessage
	q.budget.shareText()
	q.readText(e.Message)
	return true
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
	if q.heard != nil {
		q.hear(s)
	}
	if s.stronger(q.best) {
		q.best = s
	}
	if s.refusesCaller() && s.stronger(q.refusal) {
		q.refusal = s
	}
}

// settle takes a signal into account that decides whatever else is known.
func (q *inquiry) settle(s signal) {
	if q.heard != nil {
		q.hear(s)
	}
	q.best = s
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

// result fills r with what the signals come to. An end that a peer only claims
// gives way to a refusal, whatever was found between the two.
func (q *inquiry) result(r *Result) {
	if q.best.claimsEnd() && q.refusal.strength != noStrength {
		q.best = q.refusal
	}
	r.Reason, r.Category, r.Rule = q.best.reason, q.best.category, q.best.rule
	if r.Status = q.status; r.Status == 0 {
		r.Status = q.said.status
	}
	if r.Provider = q.provider; r.Provider == "" {
		r.Provider = providerNames[q.said.provider]
	}
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
