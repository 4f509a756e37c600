package logline

import "github.com/errclass/errclass/classify"

// Listen calls f with every answer that the classifier gives for a line, also
// those that do not decide.
func (a *Annotator) Listen(f func(classify.Result)) {
	ask := a.ask
	a.ask = func(e classify.Evidence) classify.Result {
		r := ask(e)
		f(r)
		return r
	}
}

// ListenEvidence calls f with everything that the classifier is asked.
func (a *Annotator) ListenEvidence(f func(classify.Evidence)) {
	ask := a.ask
	a.ask = func(e classify.Evidence) classify.Result {
		f(e)
		return ask(e)
	}
}

// ByteNumbers decodes an array of bytes of which it reads limit.
var ByteNumbers = byteNumbers
