// Package lines reads lines of any length in bounded memory. A complete line is
// returned without waiting for more input. The only exception is a line that might begin
// a JSON object: see [Reader.JoinObjects].
package lines

import (
	"bytes"
	"io"
)

// BOM is the UTF-8 byte order mark. Some Windows tools write it at the beginning of a
// file.
const BOM = "\ufeff"

// A Line is a line of the input with its line end. If a line is too long, a Line is
// one piece of that line. If objects are joined, a Line can be a JSON object of
// several lines.
type Line struct {
	Bytes []byte // valid until the next call of Next
	// Count is the number of input lines in an object, and 1 for other lines. For the
	// last piece of a long line, Count is 1. For the other pieces, Count is 0.
	Count int
	// Piece is true for a piece of a line longer than the limit. Last is true for the
	// last piece.
	Piece, Last bool
}

// Text returns the line without its line end, "\n" or "\r\n".
func (l Line) Text() []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(l.Bytes, []byte("\n")), []byte("\r"))
}

const (
	firstSize     = 256 << 10
	maxEmptyReads = 100
)

// Reader reads lines. It is not safe for concurrent use.
type Reader struct {
	r     io.Reader
	idle  func() error // called before every read, since a read may block
	limit int

	buf        []byte
	start, end int   // buf[start:end] is read and not yet returned
	searched   int   // buf[start:start+searched] has no newline
	inPiece    bool  // Next returned a piece, but not yet the last one
	err        error // error of r; Next returns it after all bytes that were read
	object     object
}

// NewReader returns a reader of lines of at most limit bytes. The reader's buffer
// never has more than limit bytes. The reader calls the function idle before each
// read from r. By then, Next has returned every complete line in the buffer. A nil
// idle does nothing.
func NewReader(r io.Reader, limit int, idle func() error) *Reader {
	if idle == nil {
		idle = func() error { return nil }
	}
	limit = max(limit, 1)
	return &Reader{r: r, idle: idle, limit: limit, buf: make([]byte, min(firstSize, limit))}
}

// Next returns the next line. Text after the last line end is a line too, unless it
// is empty. After the last line, Next returns io.EOF. If idle or the underlying
// reader fails, Next returns that error.
func (r *Reader) Next() (Line, error) {
	for {
		if i := bytes.IndexByte(r.buf[r.start+r.searched:r.end], '\n'); i >= 0 {
			n := r.join(r.searched + i + 1)
			if n == 0 {
				continue
			}
			return r.take(n, true), nil
		}
		r.searched = r.end - r.start
		switch {
		case r.object.size > 0 && (r.err != nil || r.searched >= r.limit || !r.object.mayContinue()):
			return r.take(r.endOfObject(), true), nil
		case r.err != nil && r.searched > 0:
			return r.take(r.searched, true), nil
		case r.err != nil:
			if r.inPiece { // the input ended right after a piece
				r.inPiece = false
				return Line{Piece: true, Last: true, Count: 1}, nil
			}
			return Line{}, r.err
		case r.searched >= r.limit:
			return r.take(r.searched, false), nil
		}
		r.fill()
	}
}

// take returns the next n bytes. The argument complete says whether they end a line.
func (r *Reader) take(n int, complete bool) Line {
	piece := r.inPiece || !complete
	l := Line{Bytes: r.buf[r.start : r.start+n], Piece: piece, Last: piece && complete}
	if complete {
		l.Count = max(r.object.count, 1)
	}
	r.object.forget()
	r.inPiece = !complete
	r.start += n
	r.searched = 0
	return l
}

// fill calls idle and then reads more bytes into the buffer. If idle or the read
// fails, it sets r.err.
func (r *Reader) fill() {
	if r.err = r.idle(); r.err != nil {
		return
	}
	if r.start > 0 {
		copy(r.buf, r.buf[r.start:r.end])
		r.start, r.end = 0, r.end-r.start
	}
	if r.end == len(r.buf) {
		r.buf = append(make([]byte, 0, min(2*len(r.buf), r.limit)), r.buf...)
		r.buf = r.buf[:cap(r.buf)]
	}
	for range maxEmptyReads {
		n, err := r.r.Read(r.buf[r.end:])
		r.end += n
		r.err = err
		if n > 0 || err != nil {
			return
		}
	}
	r.err = io.ErrNoProgress
}
