package classify

import (
	"github.com/errclass/errclass/classify/internal/collect"
	"github.com/errclass/errclass/classify/internal/collect/chain"
	"github.com/errclass/errclass/classify/internal/collect/response"
	"github.com/errclass/errclass/classify/internal/collect/text"
	"github.com/errclass/errclass/classify/internal/memory"
	"github.com/errclass/errclass/classify/internal/resolve"
	"github.com/errclass/errclass/classify/internal/signal"
	"github.com/errclass/errclass/classify/internal/standard"
)

// read adds the signals (matches in the evidence) to q. failed reports whether e
// describes a failure.
func read(q *collect.Inquiry, e *Evidence) (failed bool) {
	named := e.Message != "" || e.Type != "" || e.Code != ""
	if e.Err == nil && !named && len(e.Body) == 0 && e.Status < 400 {
		return false
	}
	q.Source = signal.FromType
	q.Budget.ShareNames()
	response.ReadType(q, e.Type)
	q.Source = signal.FromCode
	q.Budget.ShareNames()
	response.ReadName(q, e.Code)
	q.Source = signal.FromError
	q.Budget.ShareChain()
	errText := chain.ReadChain(q, e.Err, e.Cause)
	if q.Ended {
		return true
	}
	q.Budget.ShareNames()
	q.Budget.ShareBody()
	q.Source = signal.FromBody
	body := string(collect.BodyOf(q, e.Body))
	if !response.ReadResponse(q, e.Status, e.Header, body) && e.Err == nil && !named {
		return false
	}
	q.Source = signal.FromError
	q.Budget.ShareText()
	text.ReadText(q, errText)
	q.Source = signal.FromMessage
	q.Budget.ShareText()
	text.ReadText(q, e.Message)
	return true
}

// result sets *r from the signal that decides. It returns that signal, or nil if there
// is none. If the model decides instead, g is its prediction.
func (c *Classifier) result(q *collect.Inquiry, r *Result) (won *signal.Signal, g guess) {
	list := q.List.All()
	if i := resolve.Resolve(list); i >= 0 {
		won = &list[i]
	}
	r.Provider, r.Status = q.Provider, q.Status
	if r.Provider == "" {
		r.Provider = standard.Providers[q.Mentioned.Provider]
	}
	if r.Status == 0 && won != nil {
		r.Status = int(won.Status)
	}
	if r.Status == 0 {
		r.Status = q.Mentioned.Status
	}
	reason := signal.ReasonUnknown
	if g = c.guess(q, won); g.reason != signal.NoReason {
		reason = g.reason
		g.answer(r)
	} else if won == nil {
		r.Category, r.Reason, r.Rule = CategoryFatal, ReasonUnknown, c.fallback
		r.Confidence = c.confidence(signal.NoStrength)
	} else {
		category, rule := won.Category, won.Rule
		reason = won.Reason
		// A long wait means that the quota is used up, so the reason changes. The
		// reason of a user's rule does not change.
		if reason == signal.ReasonRateLimit && won.Strength < signal.User && q.Hint.Exhausted() {
			reason, rule = signal.ReasonBudgetExceeded, rule+longWaitSuffix
			category = reason.Category()
		}
		r.Reason, r.Category, r.Rule = Reason(reason.String()), Category(category.String()), rule
		r.Confidence = c.confidence(won.Strength)
	}
	r.RetryAfter, r.HasRetryAfter, r.Derived = q.Hint.Resolve(reason)
	return won, g
}

// longWaitSuffix marks a rate limit with a wait of more than an hour:
// "http/429+long-wait".
const longWaitSuffix = "+long-wait"

// textAlone returns the text of e and its source. If c also reads other evidence of
// e, alone is false.
func (c *Classifier) textAlone(e *Evidence) (text string, source signal.Source, alone bool) {
	switch {
	case c.textOnly && e.Err != nil:
		return chain.SafeText(e.Err), signal.FromError, true
	case c.textOnly:
		return e.Message, signal.FromMessage, true
	case e.Cause != nil || e.Status != 0 || e.Type != "" || e.Code != "" || len(e.Header) > 0 || len(e.Body) > 0:
		return "", 0, false
	case e.Err == nil:
		return e.Message, signal.FromMessage, e.Message != ""
	case e.Message != "":
		return "", 0, false
	default:
		text, alone = chain.OnlyText(e.Err)
		return text, signal.FromError, alone
	}
}

// providerOf returns e.Provider. It returns "" if c reads only texts.
func (c *Classifier) providerOf(e *Evidence) string {
	if c.textOnly {
		return ""
	}
	return e.Provider
}

// recalled sets *r to the cached result for text. If there is none, it returns
// false. The text must be the only evidence in e, and *r must be zero.
func (c *Classifier) recalled(text string, e *Evidence, r *Result) bool {
	if c.maxBytes > 0 && len(text) > c.maxBytes {
		return false
	}
	v, ok := memory.Recall(c.seen.VerdictOf(text))
	if !ok {
		return false
	}
	rules := c.rules().Rules
	switch {
	case v.Rule < 0:
		*r = c.unknown()
	case v.Rule >= len(rules):
		guessAt(v.Rule, len(rules)).answer(r)
	default:
		rule := &rules[v.Rule]
		r.Category, r.Reason, r.Rule = Category(rule.Meaning().String()), Reason(rule.Reason.String()), rule.ID
		r.Confidence = c.confidence(rule.Strength)
	}
	r.Status = v.Status
	if r.Provider = c.providerOf(e); r.Provider == "" {
		r.Provider = standard.Providers[v.Provider]
	}
	return true
}

// readAlone classifies a text that is the only evidence. It caches the result, except
// in two cases:
//
//   - The text is longer than the limit. Hashing it may take long.
//   - The text names a waiting time. The result may depend on the clock.
func (c *Classifier) readAlone(q *collect.Inquiry, message string, r *Result) {
	q.Budget.ShareText()
	head, tail := collect.Cut(q, message)
	timed, _, _ := text.ReadParts(q, head, tail, len(message))
	won, g := c.result(q, r)
	if tail != "" || timed {
		return
	}
	v := memory.Verdict{Rule: -1, Status: r.Status, Provider: q.Mentioned.Provider}
	switch {
	case g.reason != signal.NoReason:
		v.Rule = g.place(len(c.rules().Rules))
	case won != nil:
		v.Rule = int(won.Place)
	}
	set, hash := q.Seen.VerdictOf(message)
	memory.Remember(set, hash, v)
}
