package logline

import (
	"bytes"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/precedence"
	"github.com/errclass/errclass/internal/shapes"
)

// TextEvents joins the lines of text events: a message with its stack trace is one
// event. The zero value is ready for use. It is not safe for concurrent use.
type TextEvents struct {
	events shapes.Events
	event  shapes.Event // the current event, with the lines added so far
	text   []byte       // of the current event, without the header of its first line
	lines  int64        // of the current event
}

// maxEvent is how many bytes of an event are read.
const maxEvent = shapes.MaxText

// Starts reports whether line starts a new event. Before [TextEvents.Add], the
// caller takes the last one.
func (t *TextEvents) Starts(line []byte) bool { return !t.events.Add(trimEnd(line)) }

// Add adds a line to the current event. The line must be the last argument of
// Starts, and first its result.
func (t *TextEvents) Add(line []byte, first bool) {
	t.event = t.events.Event()
	line = trimEnd(line)
	if first {
		t.text, t.lines = t.text[:0], 0
		line = line[min(t.event.Message, len(line)):]
	} else {
		line = line[shapes.PrefixLength(line):]
	}
	t.lines++
	t.text = append(append(t.text, line[:min(len(line), max(maxEvent-len(t.text), 0))]...), '\n')
}

// End ends the current event: the next line starts another one.
func (t *TextEvents) End() { t.events.End() }

// Event returns the current event.
func (t *TextEvents) Event() shapes.Event { return t.event }

// Text returns the text of the current event without the header of its first line.
// It is valid until the next call of Add.
func (t *TextEvents) Text() []byte { return bytes.TrimSpace(t.text) }

// Lines returns the number of lines of the current event.
func (t *TextEvents) Lines() int64 { return t.lines }

// textLog classifies text events.
type textLog struct {
	TextEvents
	classify classifyFunc
	all      bool
}

// result classifies the current event. ok is true if it is an error.
func (t *textLog) result() (result classify.Result, ok bool) {
	e := t.event
	if !t.all && e.Severity != shapes.Error && (!e.Stderr || e.Severity != shapes.Unknown) {
		return result, false
	}
	result = t.classify(classify.Evidence{Message: string(t.Text())})
	if result.Category == "" {
		result = classify.Result{Category: classify.CategoryFatal, Reason: classify.ReasonUnknown}
	}
	// A line of standard error without a level counts only if a rule knows its text.
	return result, t.all || e.Severity == shapes.Error || precedence.Known(&result)
}

func trimEnd(line []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
}

// appendPairs appends category and reason as logfmt, unless line already has them.
func appendPairs(b, line []byte, category, reason string) []byte {
	if bytes.Contains(line, []byte(" "+CategoryKey+"=")) {
		return b
	}
	return append(b, " "+CategoryKey+"="+category+" "+ReasonKey+"="+reason...)
}
