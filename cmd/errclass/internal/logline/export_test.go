package logline

import "github.com/errclass/errclass/classify"

// OnResult calls f with every result of the classifier. A line can have several
// results.
func (a *Annotator) OnResult(f func(classify.Result)) {
	wrapped := a.classify
	a.classify = func(e classify.Evidence) classify.Result {
		r := wrapped(e)
		f(r)
		return r
	}
}

// OnEvidence calls f with the [classify.Evidence] of every classification.
func (a *Annotator) OnEvidence(f func(classify.Evidence)) {
	wrapped := a.classify
	a.classify = func(e classify.Evidence) classify.Result {
		f(e)
		return wrapped(e)
	}
}
