package evidence

import (
	"cmp"
	"strconv"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/classify/fingerprint"
	"github.com/errclass/errclass/internal/bound"
)

// Decision is the result of several sources, tried in order of importance. The
// first source that a rule knows decides. If there is none, the first source that
// the model knows decides, and then the first source. The zero value has no source.
type Decision struct {
	classify.Result
	// SpanStatus is the HTTP status of the span that the sources belong to.
	SpanStatus int

	known  bool
	source classify.Evidence // what decided
}

// Decided returns a decision for a result that is on a span already. source is what
// it was made from.
func Decided(res classify.Result, source classify.Evidence) Decision {
	return Decision{Result: res, known: isKnown(&res), source: source}
}

// isKnown reports whether a rule knows the reason.
func isKnown(r *classify.Result) bool {
	return r.Category != "" && r.Reason != classify.ReasonUnknown && r.Rule != classify.RuleModel
}

// Known reports whether a rule knows the reason. If so, further sources are not
// read.
func (d *Decision) Known() bool { return d.known }

// Add classifies a source, unless an earlier one has decided.
func (d *Decision) Add(c *classify.Classifier, e classify.Evidence) {
	if d.known {
		return
	}
	r := c.Classify(e)
	if e.Err == nil && e.Status == 0 && d.SpanStatus != 0 && (r.Reason == classify.ReasonAborted || r.Reason == classify.ReasonTimeout) {
		// The abort or the timeout is known only from a text. The span's status
		// may outrank it, so classify the text again together with the status.
		e.Status = d.SpanStatus
		r = c.Classify(e)
	}
	d.known = isKnown(&r)
	if d.known || d.Category == "" || d.Reason == classify.ReasonUnknown && r.Rule == classify.RuleModel {
		d.Result, d.source = r, e
	}
}

// AddOutcome adds the attributes that say how a call ended, with the description of
// a span's status or the body of a record.
func (d *Decision) AddOutcome(c *classify.Classifier, f *Facts, text string) {
	e := f.outcome(text)
	d.Add(c, e)
	if f.ErrorType != "" && e.Code != f.ErrorType && e.Type == "" {
		d.Add(c, classify.Evidence{Code: f.ErrorType, Provider: f.Provider})
	}
}

// AddStack adds exception.stacktrace if there is no other evidence. Its function
// names describe the program more than the error.
func (d *Decision) AddStack(c *classify.Classifier, f *Facts, t *bound.Texts, n int) {
	if d.Category == "" && f.ExceptionType == "" {
		d.Add(c, classify.Evidence{Message: t.Cut(f.Stack, n), Provider: f.Provider})
	}
}

// Complete completes the result and returns it. An error without evidence is
// classified as an empty message.
func (d *Decision) Complete(c *classify.Classifier, f *Facts) classify.Result {
	if d.Category == "" {
		d.Result = c.Message("")
	}
	if d.Provider == "" {
		d.Provider = f.Provider
	}
	if d.Status == 0 {
		d.Status = f.Status
	}
	return d.Result
}

// Fingerprint returns the fingerprint of the source that decided, or "" if it has
// neither a text nor a type nor a status.
func (d *Decision) Fingerprint() string {
	e := &d.source
	text := e.Message
	if e.Err != nil {
		text = e.Err.Error() // an error of this package
	}
	if text == "" && e.Status != 0 {
		text = "HTTP " + strconv.Itoa(e.Status)
	}
	if text = cmp.Or(text, e.Type, e.Code); text == "" {
		return ""
	}
	return fingerprint.Sum(text).String()
}

// Existing returns the result for a category and a reason that are set already. ok
// is false if no classifier returns the pair. Such values must not become metric
// labels.
func Existing(category, reason string, f *Facts) (res classify.Result, ok bool) {
	res = classify.Result{
		Category: classify.Category(category), Reason: classify.Reason(reason),
		Status: f.Status, Provider: f.Provider,
	}
	return res, KnownPair(res.Category, res.Reason)
}
