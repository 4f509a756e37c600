// Package logline adds what an error means to lines of JSON logs.
//
// [Processor.Process] reads lines and writes them again. What happens to a
// line: its top-level keys are found without decoding it; where it is an error,
// its error fields and its message are classified and error.category and
// error.reason are put in before the closing brace. All other bytes of it, and
// all bytes of all other lines, stay as they are and where they are: what is
// no error, no JSON object, or longer than [MaxLine] passes through.
package logline

import (
	"bytes"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/cmd/errclass/internal/jsontop"
	"github.com/errclass/errclass/cmd/errclass/internal/lines"
)

// Annotator classifies single lines. It is not safe for concurrent use: the
// memory for one line is reused for the next.
type Annotator struct {
	ask     askFunc
	all     bool
	members members
	insert  []byte
}

// askFunc classifies; tests listen to its answers.
type askFunc func(classify.Evidence) classify.Result

// NewAnnotator returns an annotator; all says that every JSON object is
// classified, not only those that say they are errors. A nil classifier is
// [classify.Standard].
func NewAnnotator(c *classify.Classifier, all bool) *Annotator {
	if c == nil {
		c = classify.Standard
	}
	return &Annotator{ask: c.Classify, all: all, insert: make([]byte, 0, 128)}
}

// Kind says what was made of a line.
type Kind uint8

// The kinds of lines.
const (
	Other      Kind = iota // a JSON object, but no error
	Classified             // an error
	NotJSON                // no JSON object
	Blank                  // nothing but white space
)

// Annotation is what becomes of one line: Insert is to be put in at byte At.
type Annotation struct {
	Kind   Kind
	At     int
	Insert []byte // valid until the next call; empty where the line has both keys
	// Category and Reason are those that the line has in the end: its own
	// where it had them. They are empty unless Kind is Classified.
	Category, Reason string
}

// Annotate says what to add to line, which may have its line end.
func (a *Annotator) Annotate(line []byte) Annotation {
	skip := 0
	if bytes.HasPrefix(line, []byte(lines.BOM)) {
		skip = len(lines.BOM)
	}
	m := &a.members
	if !m.read(line[skip:]) {
		if blank(line[skip:]) {
			return Annotation{Kind: Blank}
		}
		return Annotation{Kind: NotJSON}
	}
	if !a.all {
		isError, known := m.atError()
		if !isError && (known || !m.hasError()) {
			return Annotation{Kind: Other}
		}
	}
	result := Annotation{Kind: Classified, At: skip + m.end}
	has := [2][]byte{m.values[keyCategory], m.values[keyReason]}
	if has[0] == nil || has[1] == nil {
		r := m.classify(a.ask)
		result.Category, result.Reason = string(r.Category), string(r.Reason)
	}
	a.insert = a.insert[:0]
	for i, field := range [2]struct {
		name  string
		value *string
	}{{CategoryKey, &result.Category}, {ReasonKey, &result.Reason}} {
		if has[i] != nil {
			*field.value, _ = jsontop.Ends(has[i], longestName)
			continue
		}
		if !m.empty || len(a.insert) > 0 {
			a.insert = append(a.insert, ',')
		}
		// Categories and reasons need no escapes.
		a.insert = append(a.insert, '"')
		a.insert = append(a.insert, field.name...)
		a.insert = append(a.insert, `":"`...)
		a.insert = append(a.insert, *field.value...)
		a.insert = append(a.insert, '"')
	}
	result.Insert = a.insert
	return result
}

// longestName is how much is read of a category or a reason that came with the
// line: more than any of ours has.
const longestName = 64

func blank(line []byte) bool {
	for _, c := range line {
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return false
		}
	}
	return true
}
