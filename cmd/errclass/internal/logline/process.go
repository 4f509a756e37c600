package logline

import (
	"bufio"
	"errors"
	"io"
	"time"

	"github.com/errclass/errclass/cmd/errclass/internal/lines"
)

// MaxLine is how long a line may be to be looked at; longer ones pass through.
const MaxLine = 16 << 20

// outputSize is how much is written at once while there is more to read.
const outputSize = 64 << 10

// Processor reads log lines from inputs and writes them, annotated, to one
// output. It is not safe for concurrent use.
type Processor struct {
	annotator *Annotator
	out       *bufio.Writer
	times     bool
	summary   Summary
	unended   bool // the last line written has no line end
}

// OutputError is a failure to write; all others are failures to read.
type OutputError struct{ Err error }

func (e *OutputError) Error() string { return "write: " + e.Err.Error() }

// Unwrap returns the writer's error.
func (e *OutputError) Unwrap() error { return e.Err }

// NewProcessor returns a processor that writes to w. times says that the
// summary should know when things were seen, which costs the reading of times.
func NewProcessor(a *Annotator, w io.Writer, times bool) *Processor {
	return &Processor{annotator: a, out: bufio.NewWriterSize(w, outputSize), times: times}
}

// Process reads r to its end. What it makes of a line is written at the latest
// before it waits for the next one, so that a slow pipe shows every line as it
// comes. An input that ends without a line end gets one if another follows. At
// most [MaxLine] bytes are held in memory. The error is that of r or an
// [*OutputError]; all that was read before it is written.
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

// Summary returns what was counted so far, sorted.
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

// line writes one line or piece of a line. A writer that failed once fails
// from then on, so the last error tells all.
func (p *Processor) line(l lines.Line) error {
	if p.unended && len(l.Bytes) > 0 {
		p.out.WriteByte('\n')
	}
	p.unended = false
	if l.Piece {
		if l.Last {
			p.summary.Lines++
			p.summary.TooLong++
			p.summary.FirstTooLong = firstLine(p.summary.FirstTooLong, p.summary.Lines)
			p.unended = !endsLine(l.Bytes)
		}
		_, err := p.out.Write(l.Bytes)
		return p.outputError(err)
	}
	p.summary.Lines++
	p.unended = !endsLine(l.Bytes)
	a := p.annotator.Annotate(l.Bytes)
	switch a.Kind {
	case NotJSON:
		p.summary.NotJSON++
		p.summary.FirstNotJSON = firstLine(p.summary.FirstNotJSON, p.summary.Lines)
	case Classified:
		var at time.Time
		if p.times {
			at, _ = p.annotator.members.when()
		}
		p.summary.add(a, at)
	}
	p.out.Write(l.Bytes[:a.At])
	p.out.Write(a.Insert)
	_, err := p.out.Write(l.Bytes[a.At:])
	return p.outputError(err)
}

func endsLine(b []byte) bool { return len(b) > 0 && b[len(b)-1] == '\n' }

// firstLine keeps the first line number that it is given.
func firstLine(known, number int64) int64 {
	if known > 0 {
		return known
	}
	return number
}
