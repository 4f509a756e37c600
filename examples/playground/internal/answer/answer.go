// Package answer classifies a pasted text, which is one error or a log. The errors
// of a log are put into groups.
package answer

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/classify/fingerprint"
	"github.com/errclass/errclass/internal/precedence"
	"github.com/errclass/errclass/internal/shapes"
)

// As says how to read a text.
type As string

// These are the ways to read a text.
const (
	Auto  As = "auto"  // a log if a line has a level or several lines are records, otherwise one error
	Error As = "error" // one error, whatever its lines look like
	Log   As = "log"   // one event a line; text lines without a level are errors
)

// MaxText is the maximum length of a text, in bytes. Further bytes are not read.
const MaxText = 8 << 20

// maxGroups is the maximum number of groups of an answer. Further errors are counted
// in [Answer.Rest].
const maxGroups = 500

// Answer is the result for one pasted text.
type Answer struct {
	As     As      `json:"as"`     // Error or Log
	Lines  int     `json:"lines"`  // number of lines that were read
	Errors int     `json:"errors"` // number of errors that were found
	Unread int     `json:"unread"` // bytes beyond MaxText
	Groups []Group `json:"groups"` // the largest first; at most one if As is Error
	Rest   int     `json:"rest"`   // errors that are in no group: the number of groups is limited to 500
}

// Group has the errors with the same category, reason and template.
type Group struct {
	ID         string            `json:"id"` // the fingerprint of the errors
	Template   string            `json:"template"`
	Category   classify.Category `json:"category"`
	Reason     classify.Reason   `json:"reason"`
	Count      int               `json:"count"`
	FirstLine  int               `json:"first_line"`
	LastLine   int               `json:"last_line"`
	First      time.Time         `json:"first,omitzero"` // the earliest and the latest time that the lines name
	Last       time.Time         `json:"last,omitzero"`
	Example    Evidence          `json:"example"`    // the first error
	Confidence float64           `json:"confidence"` // of the example
}

// Evidence is the part of a log record that determined its category and reason.
type Evidence struct {
	Message string `json:"message"`
	Type    string `json:"type,omitempty"`
	Code    string `json:"code,omitempty"`
	Status  int    `json:"status,omitempty"`
}

func (e Evidence) classify() classify.Evidence {
	return classify.Evidence{Message: e.Message, Type: e.Type, Code: e.Code, Status: e.Status}
}

func (e Evidence) result() classify.Result { return classify.Standard.Classify(e.classify()) }

// Of classifies a text. With [Error], the text is read as one error. With [Log], it
// is read as a log. With [Auto], the lines of the text decide whether it is a log.
func Of(text string, as As) Answer {
	unread := max(len(text)-MaxText, 0)
	text = strings.ToValidUTF8(text[:len(text)-unread], "")
	a := Answer{As: Error, Unread: unread, Groups: []Group{}}
	if as != Error {
		r := newReader(as == Log)
		r.read(text)
		if as == Log || r.levels > 0 || r.records > 1 {
			a.As, a.Lines, a.Errors, a.Rest = Log, r.lines, r.errors, r.rest
			a.Groups = r.sorted()
			return a
		}
	}
	if strings.TrimSpace(text) == "" {
		return a
	}
	r := newReader(true)
	e := Evidence{Message: strings.TrimSpace(text)}
	r.group(e, e.result(), 1, time.Time{})
	a.Lines = 1 + strings.Count(strings.TrimRight(text, "\r\n"), "\n")
	a.Errors, a.Groups = r.errors, r.sorted()
	return a
}

// reader groups the errors of a log.
type reader struct {
	all     bool // lines without a level are errors too
	lines   int
	records int // JSON objects and logfmt with a level or an error, and text lines with a level
	levels  int // records with a level
	errors  int
	rest    int
	groups  map[key]*Group

	shapes *shapes.Reader
	text   shapes.TextEvents
	start  int // the first line of the current text event
	open   bool
}

// key identifies a group.
type key struct {
	id       fingerprint.ID
	category classify.Category
	reason   classify.Reason
}

func newReader(all bool) *reader {
	return &reader{all: all, groups: map[key]*Group{}, shapes: shapes.NewReader(nil)}
}

func (r *reader) read(text string) {
	for line := range strings.Lines(text) {
		r.lines++
		b := bytes.TrimRight([]byte(line), "\r\n")
		if r.shapes.Read(b, r.record) {
			r.endEvent()
			r.text.End()
			continue
		}
		if r.text.Starts(r.shapes, b) {
			r.endEvent()
			r.open, r.start = true, r.lines
		}
		r.text.Add(b)
	}
	r.endEvent()
}

// record adds a record that was read from a line of JSON or logfmt.
func (r *reader) record(rec *shapes.Record) {
	levelled := rec.Severity != shapes.Unknown
	if levelled || rec.HasError() {
		r.records++
	}
	if levelled {
		r.levels++
	}
	if !rec.IsError() && !rec.Stderr {
		return
	}
	e, result := deciding(rec)
	if rec.Stderr && !rec.IsError() && !precedence.Known(&result) {
		return // a line of standard error is an error if a rule recognises its text
	}
	t, _ := rec.Time()
	r.group(e, result, r.lines, t)
}

// deciding returns the fields of a record that determine its category and reason,
// and the result for these fields.
func deciding(rec *shapes.Record) (e Evidence, best classify.Result) {
	rec.Sources(func(s shapes.Source) bool {
		if s == (shapes.Source{}) {
			return true
		}
		this := Evidence{s.Message, s.Type, s.Code, s.Status}
		result := this.result()
		if precedence.Replaces(&result, &best) {
			e, best = this, result
		}
		return !precedence.Known(&result)
	})
	if best.Category == "" { // nothing to read
		best = classify.Message("")
	}
	return e, best
}

// endEvent adds the current text event: a line of plain text with the lines that
// continue it.
func (r *reader) endEvent() {
	if !r.open {
		return
	}
	r.open = false
	event, message := r.text.Event(), string(r.text.Text())
	if event.Shape != nil && event.Severity != shapes.Unknown {
		r.records++
		r.levels++
	}
	if event.Severity == shapes.Below || message == "" {
		return
	}
	e := Evidence{Message: message}
	result := e.result()
	if event.Severity == shapes.Error || r.all || event.Stderr && precedence.Known(&result) {
		r.group(e, result, r.start, event.Time)
	}
}

// group adds an error to its group.
func (r *reader) group(e Evidence, result classify.Result, line int, t time.Time) {
	r.errors++
	k := key{fingerprint.Sum(e.Message), result.Category, result.Reason}
	g := r.groups[k]
	if g == nil {
		if len(r.groups) == maxGroups {
			r.rest++
			return
		}
		id, template := fingerprint.Of(e.Message)
		g = &Group{
			ID: id, Template: template, Category: result.Category, Reason: result.Reason,
			FirstLine: line, Example: e, Confidence: result.Confidence,
		}
		r.groups[k] = g
	}
	g.Count++
	g.LastLine = line
	if t.IsZero() {
		return
	}
	t = t.UTC()
	if g.First.IsZero() || t.Before(g.First) {
		g.First = t
	}
	if t.After(g.Last) {
		g.Last = t
	}
}

// sorted returns the groups, the largest first. Groups of equal size are in the
// order of their first lines.
func (r *reader) sorted() []Group {
	groups := make([]Group, 0, len(r.groups))
	for _, g := range r.groups {
		groups = append(groups, *g)
	}
	slices.SortFunc(groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.FirstLine, b.FirstLine), cmp.Compare(a.ID, b.ID))
	})
	return groups
}
