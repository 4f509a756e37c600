package triage

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/shapes"
)

// DefaultMaxGroups is the default of [Options.MaxGroups].
const DefaultMaxGroups = 10_000

// Options has the inputs of a triage and its settings.
type Options struct {
	// Inputs are names of files and directories. "-" means Stdin. Once the context
	// has ended, Stdin.Read must return an error.
	Inputs []string
	Stdin  io.Reader
	// Open opens a file to read. Once the context has ended, Open and Read must return an
	// error. nil means os.Open. Then no file may block, as a named pipe can.
	Open func(name string) (io.ReadCloser, error)
	// Classifier classifies the errors. nil means classify.Standard.
	Classifier *classify.Classifier
	// Keys are paths of additional fields, such as those of an unknown log format.
	Keys shapes.Keys
	// MaxGroups limits the number of groups. 0 or less means [DefaultMaxGroups].
	MaxGroups int
	// Progress is told how much of the input was read. Its methods must be safe for
	// concurrent use. Progress can be nil.
	Progress Progress
	// Now is used to find the year of times without a year. For a regular file, the time
	// of its last change is used instead. The zero time means time.Now().
	Now time.Time
}

// Progress is told how much of the input has been read.
type Progress interface {
	// Start is called once, before reading, with the size of all files. If an input
	// has no size, known is false.
	Start(bytes int64, known bool)
	// Read is called after n more bytes have been read.
	Read(n int)
}

// Run reads the inputs and returns the report. If an input fails, the report has the
// events before the failure, and a [Note]. If ctx ends, Run stops reading and reports
// what it has read.
func Run(ctx context.Context, o Options) *Report {
	r := newRun(ctx, o)
	inputs, problems := findInputs(o.Inputs)
	r.problems = problems
	r.begin(inputs)
	m := &merger{ctx: ctx, start: r.start, waiting: inputs, done: r.done}
	m.run(func(s *source, e *event) { r.groups.add(e, s.in.name) })
	return r.report()
}

// run has the state of one call of Run.
type run struct {
	Options
	ctx      context.Context
	shapes   *shapes.Set
	groups   *groups
	problems []Note
	files    []string
	lines    int64
	tooLong  int64
}

func newRun(ctx context.Context, o Options) *run {
	if o.Classifier == nil {
		o.Classifier = classify.Standard
	}
	if o.Open == nil {
		o.Open = func(name string) (io.ReadCloser, error) { return os.Open(name) }
	}
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	return &run{Options: o, ctx: ctx, shapes: shapes.NewSet(o.Keys), files: []string{}, groups: newGroups(cmp.Or(max(o.MaxGroups, 0), DefaultMaxGroups))}
}

// begin prepares the inputs. If there are several inputs, it finds the first timestamp
// in each regular file.
func (r *run) begin(inputs []*input) {
	size, known := int64(0), true
	for _, in := range inputs {
		size += in.size
		known = known && in.regular
		if in.written.IsZero() {
			in.written = r.Now
		}
		if len(inputs) > 1 && in.regular {
			r.peek(in)
		}
	}
	if r.Progress != nil {
		r.Progress.Start(size, known)
	}
}

// start begins to read an input.
func (r *run) start(in *input) *source {
	s := &source{in: in, events: make(chan []event, 1)}
	go func() {
		defer close(s.events)
		s.err = r.read(s)
	}()
	return s
}

// read reads an input to its end and sends its events.
func (r *run) read(s *source) error {
	file := r.Stdin
	if s.in.name != stdinName {
		f, err := r.Open(s.in.name)
		if err != nil {
			return err
		}
		defer f.Close()
		file = contextReader{r.ctx, f}
	}
	if r.Progress != nil && s.in.regular {
		file = &countingReader{file, r.Progress}
	}
	text, release, err := decompressed(file)
	defer release()
	if err != nil {
		return err
	}
	var events []event
	flush := func() {
		if len(events) == 0 {
			return
		}
		s.events <- events // the merger receives all events, even after ctx has ended
		events = make([]event, 0, batch)
	}
	reader := newEventReader(r.Classifier, r.shapes, s.in, func(e event) {
		if events = append(events, e); len(events) == batch {
			flush()
		}
	})
	err = reader.read(text)
	flush()
	s.stats = reader.stats
	return err
}

// contextReader returns an error from Read once ctx has ended.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

type countingReader struct {
	r        io.Reader
	progress Progress
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.progress.Read(n)
	return n, err
}

// done adds the line counts and the problems of an input to the run.
func (r *run) done(s *source) {
	st := &s.stats
	r.lines += st.lines
	r.tooLong += st.tooLong
	r.files = append(r.files, s.in.name)
	if s.err != nil && r.ctx.Err() == nil {
		problem := reasonOf(s.err)
		if st.lines > 0 {
			problem += fmt.Sprintf(" after line %d", st.lines)
		}
		r.problems = append(r.problems, Note{s.in.name, problem})
	}
	if st.broken > 0 {
		r.problems = append(r.problems, Note{s.in.name, fmt.Sprintf("lines of JSON that are cut off or not valid: %d, the first is line %d", st.broken, st.firstBroken)})
	}
	if st.tooLong > 0 {
		r.problems = append(r.problems, Note{s.in.name, fmt.Sprintf("lines longer than %d bytes, not read: %d", MaxLine, st.tooLong)})
	}
}

func (r *run) report() *Report {
	report := r.groups.report()
	report.Lines, report.TooLong = r.lines, r.tooLong
	byName := func(a, b Note) int { return cmp.Compare(a.File, b.File) }
	slices.SortStableFunc(r.problems, byName)
	report.Notes = r.problems
	slices.Sort(r.files)
	report.Files = r.files
	return report
}
