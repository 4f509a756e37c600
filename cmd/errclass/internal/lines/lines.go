// Package lines reads lines of any length in bounded memory and without
// waiting for more than it was asked for.
package lines

import (
	"bytes"
	"io"
)

// BOM is the mark that some tools, most of them on Windows, put before the first
// line of a file. It is no part of what the line says.
const BOM = "\ufeff"

// A Line is one line of the input with its line end, or a piece of one.
type Line struct {
	Bytes []byte // valid until the next call of Next
	// Piece: the line is longer than the reader's limit. It comes in several
	// pieces; Last is set on the last one. A line that fits is not a piece.
	Piece, Last bool
}

// Text is the line without its line end: "\n", or "\r\n".
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
	idle  func() error // called before every read, which may block
	limit int

	buf        []byte
	start, end int   // what is read and not yet handed out
	searched   int   // how much of that is known to hold no newline
	inPiece    bool  // the last line handed out was a piece, and not the last
	err        error // from r, once everything before it is handed out
}

// NewReader returns a reader of lines of up to limit bytes, which is also what
// it holds in memory at most. idle is called whenever all that was read has
// been handed out and r is asked for more: that is when to flush. A nil idle
// does nothing.
func NewReader(r io.Reader, limit int, idle func() error) *Reader {
	if idle == nil {
		idle = func() error { return nil }
	}
	limit = max(limit, 1)
	return &Reader{r: r, idle: idle, limit: limit, buf: make([]byte, min(firstSize, limit))}
}

// Next returns the next line. A last line without a line end is a line, an
// empty one after the last line end is not. The error is io.EOF, that of idle
// or that of the underlying reader, once all that came before it is handed out.
func (r *Reader) Next() (Line, error) {
	for {
		if i := bytes.IndexByte(r.buf[r.start+r.searched:r.end], '\n'); i >= 0 {
			return r.take(r.searched+i+1, true), nil
		}
		r.searched = r.end - r.start
		switch {
		case r.err != nil && r.searched > 0:
			return r.take(r.searched, true), nil
		case r.err != nil:
			if r.inPiece { // the input ended right after a piece
				r.inPiece = false
				return Line{Piece: true, Last: true}, nil
			}
			return Line{}, r.err
		case r.searched >= r.limit:
			return r.take(r.searched, false), nil
		}
		r.fill()
	}
}

// take hands out the next n bytes; ends says that they end a line.
func (r *Reader) take(n int, ends bool) Line {
	piece := r.inPiece || !ends
	l := Line{Bytes: r.buf[r.start : r.start+n], Piece: piece, Last: piece && ends}
	r.inPiece = !ends
	r.start += n
	r.searched = 0
	return l
}

// fill reads once more into the buffer, or sets err.
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
