// Package logline adds a category and a reason to error lines of JSON logs.
//
// [Processor.Process] reads lines and writes them. For each line it
//
//   - finds the top-level keys, without decoding the values,
//   - passes the line on unchanged if it is not an error, not a JSON object, or
//     longer than [MaxLine],
//   - classifies the error fields and the message of an error,
//   - inserts error.category and error.reason before the closing brace.
//
// All other bytes stay as they are and where they are.
package logline

import (
	"bytes"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/jsontop"
	"github.com/errclass/errclass/cmd/errclass/internal/lines"
)

// Annotator classifies single lines. It is not safe for concurrent use: the
// memory for one line is reused for the next.
type Annotator struct {
	classify classifyFunc
	all      bool
	members  members
	insert   []byte
}

// classifyFunc is [classify.Classifier.Classify]. Tests wrap it.
type classifyFunc func(classify.Evidence) classify.Result

// NewAnnotator returns an annotator. If all is true, it classifies every JSON
// object, otherwise only errors. A nil classifier is [classify.Standard].
func NewAnnotator(c *classify.Classifier, all bool) *Annotator {
	if c == nil {
		c = classify.Standard
	}
	return &Annotator{classify: c.Classify, all: all, insert: make([]byte, 0, 128)}
}

// Kind is the kind of a line.
type Kind uint8

// The kinds of lines.
const (
	Other      Kind = iota // a JSON object that is not an error
	Classified             // an error, or any JSON object if all is true
	NotJSON                // not a JSON object
	Blank                  // only white space
)

// Annotation describes how to annotate a line: write the bytes of Insert into the
// line before the byte with index At.
type Annotation struct {
	Kind   Kind
	At     int
	Insert []byte // valid until the next call; empty if the line has both keys
	// Category and Reason are the values on the annotated line. Values that the
	// line already had are kept. Both are empty unless Kind is Classified.
	Category, Reason string
}

// Annotate returns the annotation of line. line may include its line end.
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
		isError, known := m.level()
		if !isError && (known || !m.hasError()) {
			return Annotation{Kind: Other}
		}
	}
	result := Annotation{Kind: Classified, At: skip + m.end}
	has := [2][]byte{m.values[keyCategory], m.values[keyReason]}
	if has[0] == nil || has[1] == nil {
		r := m.result(a.classify)
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

// longestName limits how much is read of a category or a reason that the line
// already has. It is longer than any valid one.
const longestName = 64

func blank(line []byte) bool {
	for _, c := range line {
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return false
		}
	}
	return true
}
