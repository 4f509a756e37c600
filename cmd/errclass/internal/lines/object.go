package lines

import (
	"bytes"
	"time"

	"github.com/errclass/errclass/internal/jsontop"
)

// These constants limit how long a [Reader] waits for the rest of an object.
const (
	maxPause = 100 * time.Millisecond // for more bytes
	maxWait  = time.Second            // for the whole object
)

// JoinObjects makes Next return a JSON object that spans lines as one Line.
//
// The first line of the object must begin with an opening brace and must not end
// with a closing one. Its other lines must not begin with an opening brace. So if an
// object was cut off, a log line after it that is a JSON object of its own is not
// joined with it. An object that is not valid, or longer than the limit of the
// reader, is returned line by line.
//
// If soon is not nil, the reader calls it to wait for the rest of an object. The
// function soon waits for input for at most the given time, and reports whether
// there is input. If there is none, or after one second in total, the reader returns
// the lines of the object one by one.
func (r *Reader) JoinObjects(soon func(time.Duration) bool) {
	r.object.joins, r.object.soon = true, soon
}

// object is the open object: a JSON object whose last line has not been read.
type object struct {
	joins bool
	soon  func(time.Duration) bool

	scanner jsontop.Scanner
	size    int       // bytes of the object's lines so far; 0 if no object is open
	first   int       // bytes of the object's first line
	count   int       // number of the object's lines so far
	since   time.Time // when the reader first waited for the rest of the object
}

func (o *object) forget() { o.size, o.first, o.count, o.since = 0, 0, 0, time.Time{} }

// join adds a line to the open object. The line is the last one in the first n
// unread bytes of the buffer. join returns how many bytes Next must return as one
// Line, or 0 if the object needs more lines.
func (r *Reader) join(n int) int {
	o := &r.object
	if !o.joins || r.inPiece {
		return n
	}
	switch o.add(r.buf[r.start+o.size : r.start+n]) {
	case jsontop.Open:
		if o.size == 0 {
			o.first = n
		}
		o.count++
		o.size, r.searched = n, n
		return 0
	case jsontop.Complete:
		o.count++
		return n
	default:
		return o.split(n)
	}
}

// add adds a line to the open object, or begins an object with it.
func (o *object) add(line []byte) jsontop.Progress {
	if o.size > 0 {
		if line[0] == '{' {
			return jsontop.Broken
		}
		return o.scanner.Add(line)
	}
	line = bytes.TrimPrefix(line, []byte(BOM))
	if line[0] != '{' || endsInBrace(line) {
		return jsontop.Broken
	}
	o.scanner.Reset()
	return o.scanner.Add(line)
}

// endsInBrace reports whether a line ends with a closing brace, apart from white
// space.
func endsInBrace(line []byte) bool {
	i := len(line) - 1
	for line[i] == ' ' || line[i] == '\t' || line[i] == '\r' || line[i] == '\n' {
		i-- // the line begins with an opening brace
	}
	return line[i] == '}'
}

// split returns the number of bytes in the first line of the open object, which Next
// returns as a line of its own. If no object is open, split returns n. Next then
// returns the other lines one by one too, because none of them begins with an
// opening brace.
func (o *object) split(n int) int {
	if o.size == 0 {
		return n
	}
	o.count = 0
	return o.first
}

// mayContinue reports whether the reader should read the rest of the open object.
func (o *object) mayContinue() bool {
	if o.soon == nil {
		return true
	}
	if o.since.IsZero() {
		o.since = time.Now()
	}
	rest := maxWait - time.Since(o.since)
	return rest > 0 && o.soon(min(rest, maxPause))
}

// endOfObject returns how many bytes Next must return if no more bytes of the open
// object can be read. At the end of the input, text without a line end might
// complete the object.
func (r *Reader) endOfObject() int {
	if r.err != nil && r.searched > r.object.size {
		if n := r.join(r.searched); n > 0 {
			return n
		}
	}
	return r.object.split(r.searched)
}
