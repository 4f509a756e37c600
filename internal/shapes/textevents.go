package shapes

import "bytes"

// TextEvents joins the lines of each [Event] to one text. The zero value is ready
// for use. TextEvents is not safe for concurrent use.
//
// For each line, call [TextEvents.Starts]. If the result is true, the previous
// event is complete and can be read. Then call [TextEvents.Add].
type TextEvents struct {
	events Events
	starts bool   // the last result of Starts
	event  Event  // the current event, with the lines added so far
	text   []byte // the text of the current event, without the header of its first line
	lines  int64  // the number of lines of the current event
}

// Starts reports whether line starts a new event. The current event stays the same
// until the next call of [TextEvents.Add]. Before Starts, call r.Read for this line,
// or for a longer text that begins with this line. That call must have returned
// false.
func (t *TextEvents) Starts(r *Reader, line []byte) bool {
	t.starts = !t.events.AddRead(r, trimEnd(line))
	return t.starts
}

// Add adds a line to the current event, or starts a new event. Call
// [TextEvents.Starts] with the same line first.
func (t *TextEvents) Add(line []byte) {
	t.event = t.events.Event()
	line = trimEnd(line)
	if t.starts {
		t.text, t.lines = t.text[:0], 0
		line = line[min(t.event.Message, len(line)):]
	} else {
		line = line[t.events.prefix:]
	}
	t.lines++
	t.text = append(append(t.text, line[:min(len(line), max(MaxText-len(t.text), 0))]...), '\n')
}

// End ends the current event: the next line starts another one.
func (t *TextEvents) End() { t.events.End() }

// Event returns the current event.
func (t *TextEvents) Event() Event { return t.event }

// Text returns the text of the current event, without the header of the first line.
// If the text is longer than [MaxText] bytes, the rest is left out. The result is
// valid until the next call of [TextEvents.Add].
func (t *TextEvents) Text() []byte { return bytes.TrimSpace(t.text) }

// Lines returns the number of lines of the current event.
func (t *TextEvents) Lines() int64 { return t.lines }

func trimEnd(line []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
}
