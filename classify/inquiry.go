package classify

import (
	"time"

	"github.com/errclass/errclass/classify/internal/resolve"
	"github.com/errclass/errclass/classify/internal/signal"
	"github.com/errclass/errclass/classify/internal/standard"
)

// inquiry collects the signals of one failure.
type inquiry struct {
	c        *Classifier
	set      *ruleSet
	list     signal.List
	status   int // the first HTTP status that is known
	hint     retryHint
	provider string
	said     utterance     // what texts say of the status and the provider, where nothing better is known
	budget   budget        // what may still be read
	source   signal.Source // the part of the evidence that is being read
	parts    uint16        // texts that were read
	ended    bool          // by this program itself: nothing else is looked for
	texts    *[]readText   // for explain only; else nil
}

// utterance is what a text says beside its signals; its fields are 0 where it says
// nothing.
type utterance struct {
	status   int // the first HTTP status that it names
	provider int // number of the provider that it names, in standard.Providers
}

// read reads all evidence. It reports whether the evidence shows a failure at
// all.
func (q *inquiry) read(e *Evidence) (failed bool) {
	named := e.Message != "" || e.Type != "" || e.Code != ""
	if e.Err == nil && !named && len(e.Body) == 0 && e.Status < 400 {
		return false
	}
	q.source = signal.FromType
	q.budget.shareNames()
	q.readType(e.Type)
	q.source = signal.FromCode
	q.budget.shareNames()
	q.readName(e.Code)
	q.source = signal.FromError
	q.budget.shareChain()
	text := q.readChain(e.Err, e.Cause)
	if q.ended {
		return true
	}
	q.budget.shareNames()
	q.budget.shareBody()
	q.source = signal.FromBody
	body := string(bodyOf(q, e.Body))
	if !q.readResponse(e.Status, e.Header, body) && e.Err == nil && !named {
		return false
	}
	q.source = signal.FromError
	q.budget.shareText()
	q.readText(text)
	q.source = signal.FromMessage
	q.budget.shareText()
	q.readText(e.Message)
	return true
}

// time returns the present. Only hints about when to retry need it.
func (q *inquiry) time() time.Time {
	if q.c.now == nil {
		return time.Now()
	}
	return q.c.now()
}

// add appends a signal to the list.
func (q *inquiry) add(s signal.Signal) {
	s.Source = q.source
	if s.Strength == signal.Own {
		q.ended = true
	}
	q.list.Add(&s)
}

// addStatus adds an HTTP status. The first one that is known is kept for the
// Result.
func (q *inquiry) addStatus(status int) {
	if status < 400 || status > 599 {
		return
	}
	if q.status == 0 {
		q.status = status
	}
	q.add(httpSignal(status))
}

// result fills r with what the signals come to, and returns the one that decides;
// nil where none does.
func (q *inquiry) result(r *Result) (won *signal.Signal) {
	list := q.list.All()
	i := resolve.Resolve(list)
	r.Provider, r.Status = q.provider, q.status
	if r.Provider == "" {
		r.Provider = standard.Providers[q.said.provider]
	}
	if i < 0 {
		if r.Status == 0 {
			r.Status = q.said.status
		}
		r.Category, r.Reason, r.Rule = CategoryFatal, ReasonUnknown, q.c.fallback
		r.RetryAfter, r.HasRetryAfter, r.Derived = q.hint.resolve(signal.ReasonUnknown)
		return nil
	}
	won = &list[i]
	if r.Status == 0 {
		if r.Status = int(won.Status); r.Status == 0 {
			r.Status = q.said.status
		}
	}
	reason, category, rule := won.Reason, won.Category, won.Rule
	// A limit that stays shut for longer than an hour is a spent quota, not a
	// rate that a retry outlives. A user's rule is taken at its word.
	if reason == signal.ReasonRateLimit && won.Strength < signal.User && q.hint.exhausted() {
		reason, rule = signal.ReasonBudgetExceeded, rule+longWaitSuffix
		category = reason.Category()
	}
	r.Reason, r.Category, r.Rule = Reason(reason.String()), Category(category.String()), rule
	r.RetryAfter, r.HasRetryAfter, r.Derived = q.hint.resolve(reason)
	return won
}

// longWaitSuffix marks the rule of a rate limit whose provider says that it
// opens again in more than an hour: "http/429+long-wait".
const longWaitSuffix = "+long-wait"
