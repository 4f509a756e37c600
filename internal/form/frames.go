// Package form has the forms in which rules see a text: without escape sequences
// and odd spaces, without the frames of stack traces, with its wrapped lines
// joined, and divided into the attempts that it reports.
package form

import "strings"

// What a stack trace lists is the way that a failure took, not what it was:
// timeout.go:88, TLSSocket.onConnectEnd and TokenExpiredFilter.java vote for
// nothing. The standard rules therefore never see the frames of traces in the
// shapes of Go, Java, .NET, JavaScript, Python, Ruby, PHP and Dart; what stands
// between them ("Caused by: ...") they do. A frame begins a line, or stands
// behind what a log collector puts before each line; in JSON the lines may be
// divided by the two bytes \n.

// FrameReader finds the frames of a text, from its start to its end.
type FrameReader struct {
	text string
	real int // where the line break is that is no escape; len(text) = there is none
	stop int // where the line break is that was found last
	// marks are those of collected that a text of several lines has at all.
	marks [len(collected)]bool
}

// NewFrameReader returns a reader of a text.
func NewFrameReader(text string) FrameReader {
	r := FrameReader{text: text, real: -1, stop: -1}
	if stop, _ := r.lineBreak(0); stop < len(text) {
		for i, mark := range collected {
			r.marks[i] = strings.Contains(text[stop:], mark)
		}
	}
	return r
}

// Next returns what the failure says from a position on, up to the next frame,
// and where that frame ends: the position to go on from. It is the length of
// the text where no frame comes any more.
func (r *FrameReader) Next(from int) (said string, end int) {
	before := from // where the line before began
	for line := from; line < len(r.text); {
		stop, next := r.lineBreak(line)
		if start, end := r.frame(line, stop); end > 0 {
			if isGoFile(r.text[start:end]) && isGoFunc(r.text[before:line]) {
				start = before
			}
			return TrimSpaces(r.text[from:start]), end
		}
		before, line = line, next
	}
	return r.text[from:], len(r.text)
}

// FirstFrame is the frame that text begins with, as the last bytes of a longer
// output do; "" where its first line is none.
func FirstFrame(text string) string {
	r := NewFrameReader(text)
	stop, _ := r.lineBreak(0)
	start, end := r.frame(0, stop)
	return text[start:end]
}

// lineBreak finds the first line break from a position on, and where the next
// line begins.
func (r *FrameReader) lineBreak(from int) (at, next int) {
	if from > r.real {
		r.real = len(r.text)
		if i := strings.IndexByte(r.text[from:], '\n'); i >= 0 {
			r.real = from + i
		}
	}
	if from > r.stop {
		r.stop = r.real
		if i := strings.Index(r.text[from:r.real], `\n`); i >= 0 {
			r.stop = from + i
		}
	}
	if r.stop < r.real {
		return r.stop, r.stop + 2
	}
	return r.stop, min(r.stop+1, len(r.text))
}

// collected is how frames look behind the prefix of a log collector, which is
// not longer than maxPrefix.
var collected = [...]string{"  at ", "\tat ", `  File "`}

const maxPrefix = 160

// maxFrame is how many bytes of a line are searched for the end of a frame. One
// line may hold thousands of frames: to search all of it for each would take
// time that grows with the square of its length.
const maxFrame = 1 << 10

// frame finds a frame in the line from start to stop. end is 0 where it has
// none.
func (r *FrameReader) frame(line, stop int) (start, end int) {
	start = line + spacesAt(r.text[line:stop])
	said := r.text[start:stop]
	if n := frameAt(said, start > line); n > 0 {
		if said[0] == 'F' && start+n == stop {
			return start, r.pastSource(stop, start-line)
		}
		return start, start + n
	}
	for m, mark := range collected {
		if !r.marks[m] {
			continue
		}
		if i := strings.Index(said[:min(len(said), maxPrefix)], mark); i >= 0 {
			i += spacesAt(mark)
			if n := frameAt(said[i:], true); n > 0 {
				return start + i, start + i + n
			}
		}
	}
	return 0, 0
}

// frameAt is frameLength of the first maxFrame bytes of a line. A frame that
// does not end there is none, unless its kind fills the line.
func frameAt(line string, indented bool) int {
	s := line[:min(len(line), maxFrame)]
	n := frameLength(s, indented)
	if n < len(s) || len(s) == len(line) {
		return n
	}
	if s[0] == '#' || s[0] == 'f' {
		return len(line)
	}
	return 0
}

// pastSource is where the lines of source code end that Python shows below a
// frame: all that are indented further.
func (r *FrameReader) pastSource(stop, indent int) int {
	for stop < len(r.text) {
		here := *r
		_, line := r.lineBreak(stop)
		end, _ := r.lineBreak(line)
		if spacesAt(r.text[line:end]) <= indent {
			*r = here // this line is still to be read
			break
		}
		stop = end
	}
	return stop
}

// spacesAt counts the bytes at the start of s that are white space, also the
// escapes of it.
func spacesAt(s string) (n int) {
	for n < len(s) {
		switch {
		case s[n] == ' ', s[n] == '\t', s[n] == '\r', s[n] == '\n':
			n++
		case s[n] == '\\' && n+1 < len(s) && strings.IndexByte("ntr", s[n+1]) >= 0:
			n += 2
		default:
			return n
		}
	}
	return n
}

// TrimSpaces cuts off the white space that s ends with, also the escapes of it.
func TrimSpaces(s string) string {
	for {
		cut := strings.TrimRight(s, " \t\r\n")
		if n := len(cut); n > 1 && cut[n-2] == '\\' && strings.IndexByte("ntr", cut[n-1]) >= 0 {
			s = cut[:n-2]
			continue
		}
		return cut
	}
}
