// Package logline adds a category and a reason to error lines of logs.
//
// [Processor.Process] reads lines and writes them. For each line it
//
//   - finds the records (see package shapes),
//   - classifies the error fields and the message of an error,
//   - inserts error.category and error.reason.
//
// All other bytes of a line stay unchanged. These lines are passed on unchanged:
//
//   - lines without an error,
//   - lines in an unknown log format,
//   - lines longer than [MaxLine].
package logline

import (
	"bytes"
	"time"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/cmd/errclass/internal/lines"
	"github.com/errclass/errclass/internal/precedence"
	"github.com/errclass/errclass/internal/shapes"
)

// These are the keys that [Annotator.Annotate] adds to a line.
const (
	CategoryKey = shapes.CategoryKey
	ReasonKey   = shapes.ReasonKey
)

// Annotator classifies single lines. It is not safe for concurrent use.
type Annotator struct {
	classify classifyFunc
	all      bool
	reader   *shapes.Reader
	visit    func(*shapes.Record)

	times   bool // read the times of classified records
	inserts []Insertion
	buf     []byte // holds the inserted bytes
}

// classifyFunc is the type of [classify.Classifier.Classify]. Tests use a function
// that wraps this method.
type classifyFunc func(classify.Evidence) classify.Result

// NewAnnotator returns an annotator that classifies errors. If all is true, it
// classifies every record. If c is nil, it uses [classify.Standard].
func NewAnnotator(c *classify.Classifier, all bool) *Annotator { return NewAnnotatorFor(nil, c, all) }

// NewAnnotatorFor is like [NewAnnotator], for the log formats in s. If s is nil, it
// uses [shapes.Standard].
func NewAnnotatorFor(s *shapes.Set, c *classify.Classifier, all bool) *Annotator {
	if c == nil {
		c = classify.Standard
	}
	a := &Annotator{classify: c.Classify, all: all, reader: shapes.NewReader(s), buf: make([]byte, 0, 128)}
	a.visit = a.record
	return a
}

// Kind says whether a line is an error, is blank, or has no known format.
type Kind uint8

// These are the values of [Kind].
const (
	Other      Kind = iota // a line of a known log format without an error
	Classified             // an error, or any record if all is true
	NotJSON                // neither a JSON object nor logfmt
	Blank                  // only white space
)

// Annotation describes how to annotate a line. The bytes of Insert go before the byte
// with the index At.
type Annotation struct {
	Kind   Kind
	At     int
	Insert []byte // valid until the next call; empty if the line has both keys
	// Category and Reason are the values in the annotated line. Values that the line
	// already had are kept. Unless Kind is Classified, both are empty.
	Category, Reason string
	// If a line has several classified records, More has the insertions for the second
	// and all later ones, in order. Only OTLP JSON has several records in a line.
	More []Insertion

	time time.Time
}

// Insertion is a text to insert into a line. The bytes of Insert go before the byte
// with the index At.
type Insertion struct {
	At               int
	Insert           []byte
	Category, Reason string
	time             time.Time
}

// Annotate returns the annotation of a line. The line end is optional.
func (a *Annotator) Annotate(line []byte) Annotation {
	a.inserts, a.buf = a.inserts[:0], a.buf[:0]
	if !a.reader.Read(line, a.visit) {
		if blank(line) {
			return Annotation{Kind: Blank}
		}
		return Annotation{Kind: NotJSON}
	}
	if len(a.inserts) == 0 {
		return Annotation{Kind: Other}
	}
	// Appending may have moved the buffer, so take each Insert from the final buffer.
	start := 0
	for i := range a.inserts {
		n := len(a.inserts[i].Insert)
		a.inserts[i].Insert = a.buf[start : start+n]
		start += n
	}
	first := a.inserts[0]
	return Annotation{Kind: Classified, At: first.At, Insert: first.Insert, Category: first.Category, Reason: first.Reason, More: a.inserts[1:], time: first.time}
}

// record classifies one record of a line.
func (a *Annotator) record(rec *shapes.Record) {
	if !a.all && !rec.IsError() && !rec.Stderr {
		return
	}
	found := Insertion{}
	if n := len(a.inserts); n > 0 {
		found.At = a.inserts[n-1].At
	}
	if rec.Category == nil || rec.Reason == nil {
		r, _ := Classify(a.classify, rec)
		if rec.Stderr && !a.all && !rec.IsError() && !precedence.Known(&r) {
			return // standard error without a level, and no rule matches
		}
		found.Category, found.Reason = string(r.Category), string(r.Reason)
	}
	if rec.Category != nil {
		found.Category = rec.Text(rec.Category, longestName)
	}
	if rec.Reason != nil {
		found.Reason = rec.Text(rec.Reason, longestName)
	}
	if a.times {
		found.time, _ = rec.Time()
	}
	// Insert no fields if rec.At is -1, or if it is less than the index of the previous
	// insertion: the insertions must be in order.
	before := len(a.buf)
	if rec.At >= found.At {
		found.At = rec.At
		a.buf = rec.Append(a.buf, found.Category, found.Reason)
	}
	found.Insert = a.buf[before:]
	a.inserts = append(a.inserts, found)
}

// longestName limits how many bytes are read of an existing category or reason.
const longestName = 64

// Classify classifies the texts of a record, such as its message. It returns the
// classification that package precedence chooses, and the first text.
//
// The code of a record becomes [classify.Evidence.Code]. A code never means that the
// logging program reached its own deadline or was canceled. The field exception.type
// becomes [classify.Evidence.Type]. A type can mean that the logging program reached its
// own deadline.
func Classify(c func(classify.Evidence) classify.Result, rec *shapes.Record) (best classify.Result, first string) {
	rec.Sources(func(s shapes.Source) (more bool) {
		if first == "" {
			first = s.Message
		}
		if s == (shapes.Source{}) {
			return true
		}
		r := c(classify.Evidence{Message: s.Message, Type: s.Type, Code: s.Code, Status: s.Status})
		if precedence.Replaces(&r, &best) {
			best = r
		}
		return !precedence.Known(&r)
	})
	if best.Category == "" { // nothing to read
		best = classify.Result{Category: classify.CategoryFatal, Reason: classify.ReasonUnknown}
	}
	return best, first
}

func blank(line []byte) bool {
	for _, c := range bytes.TrimPrefix(line, []byte(lines.BOM)) {
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return false
		}
	}
	return true
}
