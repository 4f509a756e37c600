package logline

import (
	"bytes"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/shapes"
)

// textLog classifies text lines. A message with its stack trace is one event. An
// event is classified when the next event starts. It is not safe for concurrent
// use.
type textLog struct {
	classify classifyFunc
	all      bool
	events   shapes.Events
	event    shapes.Event // the current event, with the lines added so far
	text     []byte       // of the current event, without the header of its first line
	lines    int64        // of the current event
}

// maxEvent is how many bytes of an event are read.
const maxEvent = shapes.MaxText

// starts reports whether line starts a new event.
func (t *textLog) starts(line []byte) bool { return !t.events.Add(trimEnd(line)) }

// add adds a line to the current event. line must be the last line that was passed
// to starts.
func (t *textLog) add(line []byte, first bool) {
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

// result classifies the current event. ok is false if the event is not an error.
func (t *textLog) result() (result classify.Result, ok bool) {
	e := t.event
	if !t.all && e.Severity != shapes.Error && (!e.Stderr || e.Severity != shapes.Unknown) {
		return result, false
	}
	result = t.classify(classify.Evidence{Message: string(bytes.TrimSpace(t.text))})
	if result.Category == "" {
		result = classify.Result{Category: classify.CategoryFatal, Reason: classify.ReasonUnknown}
	}
	// A line of standard error without a level counts only if a rule finds its
	// reason.
	return result, t.all || e.Severity == shapes.Error || isKnown(&result)
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
