// Package form rewrites texts before the rules read them. It removes escape
// sequences, unusual spaces and stack frames. It joins wrapped lines. It divides a
// report of several attempts.
package form

import "strings"

// Names in stack frames, such as timeout.go:88, do not tell the cause of a failure.
// So the standard rules skip stack frames of these languages:
//   - Go, Java, .NET and JavaScript,
//   - Python, Ruby, PHP and Dart.
//
// The text between frames is read, such as "Caused by: ...".
//
// A frame begins a line, or follows the prefix of a log collector. In JSON, the two
// bytes \n can separate lines.

// FrameReader finds the stack frames of a text, from its beginning to its end.
type FrameReader struct {
	text string
	real int // index of the next newline byte, or len(text)
	stop int // index of the line break that was found last: a newline, or the two bytes \n
	// marks[i] is true if collected[i] occurs after the first line.
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

// Next returns the text from index start to the next frame. Next also returns the
// end of this frame. Pass this end to the next call. If no frame follows, the end
// is the length of the text.
func (r *FrameReader) Next(start int) (between string, after int) {
	before := start // start of the previous line
	for line := start; line < len(r.text); {
		stop, next := r.lineBreak(line)
		if first, end := r.frame(line, stop); end > 0 {
			if isGoFile(r.text[first:end]) && isGoFunc(r.text[before:line]) {
				first = before
			}
			return TrimSpaces(r.text[start:first]), end
		}
		before, line = line, next
	}
	return r.text[start:], len(r.text)
}

// FirstFrame returns the frame at the beginning of text. If the first line is not a
// frame, FirstFrame returns "".
func FirstFrame(text string) string {
	r := NewFrameReader(text)
	stop, _ := r.lineBreak(0)
	start, end := r.frame(0, stop)
	return text[start:end]
}

// lineBreak returns the index of the first line break at or after start, and the
// index of the next line.
func (r *FrameReader) lineBreak(start int) (at, next int) {
	if start > r.real {
		r.real = len(r.text)
		if i := strings.IndexByte(r.text[start:], '\n'); i >= 0 {
			r.real = start + i
		}
	}
	if start > r.stop {
		r.stop = r.real
		if i := strings.Index(r.text[start:r.real], `\n`); i >= 0 {
			r.stop = start + i
		}
	}
	if r.stop < r.real {
		return r.stop, r.stop + 2
	}
	return r.stop, min(r.stop+1, len(r.text))
}

// collected has the beginnings of frames that can follow the prefix of a log
// collector.
var collected = [...]string{"  at ", "\tat ", `  File "`}

// maxPrefix is the maximum length, in bytes, of a log collector's prefix together
// with the beginning of the frame.
const maxPrefix = 160

// maxFrame is how many bytes of a line are searched for the end of a frame. Without
// this limit, the time could be quadratic in the length of the text.
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

// frameAt is like frameLength, but reads only the first maxFrame bytes. For a longer
// frame, it returns
//   - the length of the line, if the frame is of PHP, Dart or Ruby,
//   - otherwise 0.
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

// pastSource returns the end of the source code that Python prints below a frame.
// Source code is indented more than the frame.
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
// space, such as \n, counts.
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
