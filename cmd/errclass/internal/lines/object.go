package lines

import (
	"bytes"
	"time"

	"github.com/errclass/errclass/internal/jsontop"
)

// These constants limit the time to wait for the rest of an object.
const (
	maxPause = 100 * time.Millisecond // for more bytes
	maxWait  = time.Second            // for the whole object
)

// JoinObjects makes Next return a JSON object of several lines as one [Line], if
//
//   - the first line begins with an opening brace,
//   - the first line does not end with a closing brace, and
//   - no other line begins with an opening brace.
//
// The function soon waits for input, at most for the given time. It reports whether
// there is input. If soon is nil, the reader waits without a limit.
//
// Next returns the lines of an object one by one in these cases:
//
//   - The object is not valid.
//   - The object is longer than the reader's limit.
//   - The function soon reports that there is no input.
//   - The reader has waited for one second in total.
func (r *Reader) JoinObjects(soon func(time.Duration) bool) {
	r.object.joins, r.object.soon = true, soon
}

// object is the state of a JSON object that is not complete yet.
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

// join adds a line to the open object. The line ends after the first n unread bytes.
// join returns the length of the next Line, or 0 if the reader must read on.
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

// endsInBrace reports whether a line ends with a closing brace and optional white
// space.
func endsInBrace(line []byte) bool {
	i := len(line) - 1
	for line[i] == ' ' || line[i] == '\t' || line[i] == '\r' || line[i] == '\n' {
		i-- // the line begins with an opening brace
	}
	return line[i] == '}'
}

// split returns the length of the open object's first line, so that Next returns this
// line alone. If no object is open, split returns n.
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

// endOfObject returns how many bytes Next returns if the object cannot be continued.
func (r *Reader) endOfObject() int {
	if r.err != nil && r.searched > r.object.size {
		if n := r.join(r.searched); n > 0 {
			return n
		}
	}
	return r.object.split(r.searched)
}
