package logline

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"time"

	"github.com/errclass/errclass/cmd/errclass/internal/lines"
)

// MaxLine is the maximum length of a line, in bytes. Longer lines are passed on
// unchanged.
const MaxLine = 16 << 20

// outputSize is the size of the output buffer.
const outputSize = 64 << 10

// Processor annotates log lines from one or more inputs. It writes them to one
// output. A Processor is not safe for concurrent use.
type Processor struct {
	annotator  *Annotator
	out        *bufio.Writer
	summary    Summary
	unfinished bool // the last line written has no line end

	text     *textLog // nil if text lines are not read
	annotate bool     // text events are annotated
	waits    bool     // reading can block
	insert   []byte
	held     []byte // lines of the current text event (an entry of a text log)
	pending  bool   // the current text event is not classified yet
	first    int64  // line number of the event's first line
}

// OutputError is a failure to write. Other errors are failures to read.
type OutputError struct{ Err error }

func (e *OutputError) Error() string { return "write: " + e.Err.Error() }

// Unwrap returns the writer's error.
func (e *OutputError) Unwrap() error { return e.Err }

// NewProcessor returns a processor that writes to w. If times is true, the summary
// has the times of classified lines.
func NewProcessor(a *Annotator, w io.Writer, times bool) *Processor {
	a.times = times
	return &Processor{annotator: a, out: bufio.NewWriterSize(w, outputSize), waits: true}
}

// ReadTexts makes the processor count the errors in text lines too. If annotate is
// true, the first line of each error is annotated. Call ReadTexts before Process.
func (p *Processor) ReadTexts(annotate bool) {
	p.text = &textLog{classify: p.annotator.classify, all: p.annotator.all}
	p.annotate = annotate
}

// A Waiter is a reader that can tell whether input comes soon.
type Waiter interface {
	// Wait waits for input, at most for the duration d. It reports whether Read would
	// return at once.
	Wait(d time.Duration) bool
}

// eventHold limits how long the processor waits for more lines of a text event.
const eventHold = 100 * time.Millisecond

// Waits sets whether reading the input can block, as with a pipe. The default is
// true.
//
// Before a read that can block, the processor writes what it has read. If the input is
// a [Waiter], the processor first waits up to a tenth of a second for the rest of an
// event or object. If the rest comes later, its lines are passed on unchanged.
func (p *Processor) Waits(waits bool) { p.waits = waits }

// Process reads r to its end. A JSON object that spans lines is one record. Process
// holds at most [MaxLine] bytes in memory. Before a read that can block, Process writes
// the lines that it has read: see [Processor.Waits]. If the last line of r has no line
// end, the next input starts on a new line.
//
// Process returns the error of r or an [*OutputError]. If r fails, the lines before
// the failure are still written.
func (p *Processor) Process(r io.Reader) error {
	waiter, _ := r.(Waiter)
	in := lines.NewReader(r, MaxLine, func() error { return p.idle(waiter) })
	in.JoinObjects(func(d time.Duration) bool { return p.mayContinue(waiter, d) })
	for {
		line, err := in.Next()
		if err != nil {
			p.endEvent()
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

// Summary returns the counts so far, in the order of [Summary.Sort].
func (p *Processor) Summary() Summary {
	p.summary.Sort()
	return p.summary
}

// idle writes all finished lines before the processor waits for input.
func (p *Processor) idle(input Waiter) error {
	if !p.annotate || !p.pending || !p.waits {
		return p.flush()
	}
	if input != nil {
		if err := p.flush(); err != nil {
			return err
		}
		if input.Wait(eventHold) {
			return nil
		}
	}
	p.release()
	return p.flush()
}

// mayContinue reports whether to read more of an object that spans lines.
func (p *Processor) mayContinue(input Waiter, d time.Duration) bool {
	switch {
	case !p.waits:
		return true
	case input == nil:
		return false
	}
	_ = p.out.Flush() // the next write returns its error
	return input.Wait(d)
}

func (p *Processor) flush() error { return p.outputError(p.out.Flush()) }

func (p *Processor) outputError(err error) error {
	if err == nil {
		return nil
	}
	return &OutputError{Err: err}
}

// line writes one line or one piece of a line.
func (p *Processor) line(l lines.Line) error {
	if p.unfinished && len(l.Bytes) > 0 {
		p.out.WriteByte('\n')
	}
	p.unfinished = false
	p.summary.Lines += int64(l.Count)
	if l.Piece {
		if l.Last {
			p.summary.TooLong++
			p.summary.FirstTooLong = firstLine(p.summary.FirstTooLong, p.summary.Lines)
			p.unfinished = !endsLine(l.Bytes)
		}
		p.endEvent()
		_, err := p.out.Write(l.Bytes)
		return p.outputError(err)
	}
	p.unfinished = !endsLine(l.Bytes)
	a := p.annotator.Annotate(l.Bytes)
	if p.text != nil && (a.Kind == NotJSON || a.Kind == Blank) {
		return p.textLine(l.Bytes, a.Kind)
	}
	p.endEvent()
	switch a.Kind {
	case NotJSON:
		p.notJSON(p.summary.Lines, 1)
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

// maxHeld limits how many bytes of a text event are kept in memory before the event is
// classified.
const maxHeld = 1 << 20

// textLine reads a line of text. If text logs are annotated, textLine keeps the lines
// of an event in p.held until the method release writes them.
func (p *Processor) textLine(line []byte, kind Kind) error {
	starts := p.text.Starts(p.annotator.reader, line)
	if starts {
		p.release()
		p.first, p.pending = p.summary.Lines, true
	}
	if p.pending {
		p.text.Add(line)
	}
	if !p.annotate && kind == NotJSON {
		p.notJSON(p.summary.Lines, 1)
	}
	if p.annotate && p.pending {
		p.held = append(p.held, line...)
		if len(p.held) > maxHeld {
			p.release()
		}
		return nil
	}
	_, err := p.out.Write(line)
	return p.outputError(err)
}

// endEvent ends the current text event.
func (p *Processor) endEvent() {
	if p.text != nil {
		p.release()
		p.text.End()
	}
}

// release classifies the text event and writes the lines in p.held. If writing fails,
// the next write or flush returns the error.
func (p *Processor) release() {
	if p.text == nil || !p.pending {
		return
	}
	p.pending = false
	event := p.text.Event()
	result, found := p.text.result()
	if found {
		p.summary.Text++
		p.summary.add(string(result.Category), string(result.Reason), event.Time)
	}
	if !p.annotate {
		return
	}
	held := p.held
	if found {
		first, _, _ := bytes.Cut(held, []byte("\n"))
		first = bytes.TrimSuffix(first, []byte("\r"))
		p.out.Write(first)
		p.insert = appendPairs(p.insert[:0], first, string(result.Category), string(result.Reason))
		p.out.Write(p.insert)
		held = held[len(first):]
	} else if !event.IsEvent() && len(bytes.TrimSpace(held)) > 0 {
		p.notJSON(p.first, p.text.Lines())
	}
	p.out.Write(held)
	p.held = p.held[:0]
}

// notJSON counts n lines that are not JSON. The parameter first is the number of the
// first of these lines.
func (p *Processor) notJSON(first, n int64) {
	p.summary.NotJSON += n
	p.summary.FirstNotJSON = firstLine(p.summary.FirstNotJSON, first)
}

func endsLine(b []byte) bool { return len(b) > 0 && b[len(b)-1] == '\n' }

// firstLine returns the old line number or, if there is none, the new one.
func firstLine(old, number int64) int64 {
	if old > 0 {
		return old
	}
	return number
}
