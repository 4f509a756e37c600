package logline

import (
	"bytes"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/precedence"
	"github.com/errclass/errclass/internal/shapes"
)

// textLog classifies text events. A text event is one message of a log that is plain
// text, including the lines of a stack trace.
type textLog struct {
	shapes.TextEvents
	classify classifyFunc
	all      bool
}

// result classifies the current event. If ok is false, the event is neither counted nor
// annotated.
func (t *textLog) result() (result classify.Result, ok bool) {
	e := t.Event()
	if !t.all && e.Severity != shapes.Error && (!e.Stderr || e.Severity != shapes.Unknown) {
		return result, false
	}
	result = t.classify(classify.Evidence{Message: string(t.Text())})
	if result.Category == "" {
		result = classify.Result{Category: classify.CategoryFatal, Reason: classify.ReasonUnknown}
	}
	// If an event without a level comes from standard error, it is an error only if a
	// rule matches.
	return result, t.all || e.Severity == shapes.Error || precedence.Known(&result)
}

// appendPairs appends the category and the reason as logfmt, unless line already has
// them.
func appendPairs(b, line []byte, category, reason string) []byte {
	if bytes.Contains(line, []byte(" "+CategoryKey+"=")) {
		return b
	}
	return append(b, " "+CategoryKey+"="+category+" "+ReasonKey+"="+reason...)
}
