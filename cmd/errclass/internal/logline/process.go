package logline

import (
	"bufio"
	"errors"
	"io"

	"github.com/errclass/errclass/cmd/errclass/internal/lines"
)

// MaxLine is the length of the longest line that is read. Longer lines pass
// unchanged.
const MaxLine = 16 << 20

// outputSize is the size of the output buffer.
const outputSize = 64 << 10

// Processor reads log lines from inputs and writes them, annotated, to one
// output. It is not safe for concurrent use.
type Processor struct {
	annotator  *Annotator
	out        *bufio.Writer
	summary    Summary
	unfinished bool // the last line written has no line end
}

// OutputError is a failure to write. Other errors are failures to read.
type OutputError struct{ Err error }

func (e *OutputError) Error() string { return "write: " + e.Err.Error() }

// Unwrap returns the writer's error.
func (e *OutputError) Unwrap() error { return e.Err }

// NewProcessor returns a processor that writes to w. If times is true, it reads
// the times of classified lines for the summary.
func NewProcessor(a *Annotator, w io.Writer, times bool) *Processor {
	a.times = times
	return &Processor{annotator: a, out: bufio.NewWriterSize(w, outputSize)}
}

// Process reads r to its end. It writes every line before it waits for the next
// one, so the lines of a slow pipe are not held back. If r ends without a line end
// and another input follows, it writes a line end between them. It holds at most
// [MaxLine] bytes in memory. It returns the error of r or an [*OutputError]. Lines
// that were read before an error of r are written.
func (p *Processor) Process(r io.Reader) error {
	in := lines.NewReader(r, MaxLine, p.flush)
	for {
		line, err := in.Next()
		if err != nil {
			if flushErr := p.flush(); flushErr != nil {
				return flushErr
			}
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		if err := p.line(line); err != nil {
			return err
		}
	}
}

// Summary returns the counts so far, sorted.
func (p *Processor) Summary() Summary {
	p.summary.Sort()
	return p.summary
}

func (p *Processor) flush() error { return p.outputError(p.out.Flush()) }

func (p *Processor) outputError(err error) error {
	if err == nil {
		return nil
	}
	return &OutputError{Err: err}
}

// line writes one line or one piece of a line. It checks the error of its last
// write only: once a bufio.Writer has failed, every later write returns the error.
func (p *Processor) line(l lines.Line) error {
	if p.unfinished && len(l.Bytes) > 0 {
		p.out.WriteByte('\n')
	}
	p.unfinished = false
	if l.Piece {
		if l.Last {
			p.summary.Lines++
			p.summary.TooLong++
			p.summary.FirstTooLong = firstLine(p.summary.FirstTooLong, p.summary.Lines)
			p.unfinished = !endsLine(l.Bytes)
		}
		_, err := p.out.Write(l.Bytes)
		return p.outputError(err)
	}
	p.summary.Lines++
	p.unfinished = !endsLine(l.Bytes)
	a := p.annotator.Annotate(l.Bytes)
	switch a.Kind {
	case NotJSON:
		p.summary.NotJSON++
		p.summary.FirstNotJSON = firstLine(p.summary.FirstNotJSON, p.summary.Lines)
	case Classified:
		p.summary.add(a.Category, a.Reason, a.time)
	}
	p.out.Write(l.Bytes[:a.At])
	p.out.Write(a.Insert)
	written := a.At
	for _, m := range a.More {
		p.summary.add(m.Category, m.Reason, m.time)
		p.out.Write(l.Bytes[written:m.At])
		p.out.Write(m.Insert)
		written = m.At
	}
	_, err := p.out.Write(l.Bytes[written:])
	return p.outputError(err)
}

func endsLine(b []byte) bool { return len(b) > 0 && b[len(b)-1] == '\n' }

// firstLine returns the number of the first line of a kind. known is the number
// found so far, or 0 if there was none. number is the current line, which is of
// that kind.
func firstLine(known, number int64) int64 {
	if known > 0 {
		return known
	}
	return number
}
