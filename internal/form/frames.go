// Package form rewrites texts before the rules read them. It removes escape
// sequences, odd spaces and the frames of stack traces, joins wrapped lines, and
// divides a report of several attempts.
package form

import "strings"

// A stack trace shows the path of a failure, not its cause. Names such as
// timeout.go:88, TLSSocket.onConnectEnd and TokenExpiredFilter.java are no evidence.
// So the standard rules skip stack frames in the formats of Go, Java, .NET,
// JavaScript, Python, Ruby, PHP and Dart. They read the text between frames, such as
// "Caused by: ...".
//
// A frame is at the beginning of a line, or after the prefix that a log collector
// adds to each line. In JSON, the two bytes \n can separate lines.

// FrameReader finds the stack frames of a text, from its beginning to its end.
type FrameReader struct {
	text string
	real int // index of the next newline byte; len(text) = there is none
	stop int // index of the last line break that was found, a newline or an escaped one
	// marks[i] is true if collected[i] occurs after the first line of the text.
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

// Next returns the text between the index from and the next frame, and the index of
// that frame's end. Pass this index to the next call. If no frame follows, it is the
// length of the text.
func (r *FrameReader) Next(from int) (between string, end int) {
	before := from // start of the previous line
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

// FirstFrame returns the frame at the beginning of text, or "" if the first line is
// not a frame. For example, the tail of a long output can begin with a frame.
func FirstFrame(text string) string {
	r := NewFrameReader(text)
	stop, _ := r.lineBreak(0)
	start, end := r.frame(0, stop)
	return text[start:end]
}

// lineBreak returns the index of the first line break at or after the index from,
// and the index at which the next line begins.
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

// collected has the beginnings of frames that may follow the prefix of a log
// collector. The prefix has at most maxPrefix bytes.
var collected = [...]string{"  at ", "\tat ", `  File "`}

const maxPrefix = 160

// maxFrame limits how many bytes of a line frameAt searches for the end of a frame.
// Without a limit, the time for a line with thousands of frames would be quadratic.
const maxFrame = 1 << 10

// frame finds a frame in the line text[line:stop]. If the line has no frame, end
// is 0.
func (r *FrameReader) frame(line, stop int) (start, end int) {
	start = line + spacesAt(r.text[line:stop])
	content := r.text[start:stop]
	if n := frameAt(content, start > line); n > 0 {
		if content[0] == 'F' && start+n == stop {
			return start, r.pastSource(stop, start-line)
		}
		return start, start + n
	}
	for m, mark := range collected {
		if !r.marks[m] {
			continue
		}
		if i := strings.Index(content[:min(len(content), maxPrefix)], mark); i >= 0 {
			i += spacesAt(mark)
			if n := frameAt(content[i:], true); n > 0 {
				return start + i, start + i + n
			}
		}
	}
	return 0, 0
}

// frameAt is like frameLength, but reads only the first maxFrame bytes of line. If a
// frame is longer, frameAt returns 0. The exceptions are frames of PHP, Dart and
// Ruby. These extend to the end of the line, so frameAt returns the length of the
// line.
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

// pastSource returns the end of the source code that Python prints below a
// frame. The lines of the source code are indented more than the frame.
func (r *FrameReader) pastSource(stop, indent int) int {
	for stop < len(r.text) {
		here := *r
		_, line := r.lineBreak(stop)
		end, _ := r.lineBreak(line)
		if spacesAt(r.text[line:end]) <= indent {
			*r = here // lineBreak must find this line again
			break
		}
		stop = end
	}
	return stop
}

// spacesAt returns the length of the white space at the start of s. Escaped white
// space, such as \n, is included.
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

// TrimSpaces removes white space from the end of s, including escaped white space
// such as \n.
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
