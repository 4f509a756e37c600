package evidence

import (
	"cmp"
	"strconv"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/classify/fingerprint"
	"github.com/errclass/errclass/internal/bound"
	"github.com/errclass/errclass/internal/precedence"
)

// Decision is the result of classifying several sources about one error. A source is
// a [classify.Evidence]. The zero value has no source.
type Decision struct {
	classify.Result
	// SpanStatus is the HTTP status of the span that the sources belong to.
	SpanStatus int

	known  bool
	source classify.Evidence // the source that decided
}

// Decided returns a decision for a result that a span already has. The argument
// source is the evidence for that result.
func Decided(res classify.Result, source classify.Evidence) Decision {
	return Decision{Result: res, known: precedence.Known(&res), source: source}
}

// Known reports whether a rule has found the reason, so that no further source is
// needed.
func (d *Decision) Known() bool { return d.known }

// Add classifies a source. If a rule has already found the reason, Add does nothing.
func (d *Decision) Add(c *classify.Classifier, e classify.Evidence) {
	if d.known {
		return
	}
	r := c.Classify(e)
	if e.Err == nil && e.Status == 0 && d.SpanStatus != 0 && (r.Reason == classify.ReasonAborted || r.Reason == classify.ReasonTimeout) {
		// The status of the span might outrank the text, so classify both together.
		e.Status = d.SpanStatus
		r = c.Classify(e)
	}
	if precedence.Replaces(&r, &d.Result) {
		d.Result, d.source, d.known = r, e, precedence.Known(&r)
	}
}

// AddOutcome adds the attributes that say how a call ended, as one or two sources.
// The argument text is the description of a span's status, or the body of a record.
func (d *Decision) AddOutcome(c *classify.Classifier, f *Facts, text string) {
	e := f.outcome(text)
	d.Add(c, e)
	if f.ErrorType != "" && e.Code != f.ErrorType && e.Type == "" {
		d.Add(c, classify.Evidence{Code: f.ErrorType, Provider: f.Provider})
	}
}

// AddStack adds exception.stacktrace as a source. If another source was added before, or
// f has an exception type, AddStack does nothing.
func (d *Decision) AddStack(c *classify.Classifier, f *Facts, t *bound.Texts, n int) {
	if d.Category == "" && f.ExceptionType == "" {
		d.Add(c, classify.Evidence{Message: t.Cut(f.Stack, n), Provider: f.Provider})
	}
}

// Complete adds the status and the provider of f to the result and returns the
// result. Without any source, it classifies an empty message.
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

// Fingerprint returns the fingerprint of the source that decided. If the source has
// no text, status, type or code, it returns "".
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

// Existing returns the result for a category and a reason that a record or a span
// already has. If no classifier returns this pair, ok is false. Such a pair must not
// become a metric label.
func Existing(category, reason string, f *Facts) (res classify.Result, ok bool) {
	res = classify.Result{
		Category: classify.Category(category), Reason: classify.Reason(reason),
		Status: f.Status, Provider: f.Provider,
	}
	return res, KnownPair(res.Category, res.Reason)
}
