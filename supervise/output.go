package supervise

import (
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/errclass/errclass/internal/nonblock"
)

// activity records the time of a child's last output.
type activity struct {
	began   time.Time
	last    atomic.Int64 // time since began
	writing atomic.Int32 // running calls of the caller's writers
}

// idle returns the time since the child's last output. While a writer blocks, it
// returns 0.
func (a *activity) idle() time.Duration {
	if a.writing.Load() > 0 {
		return 0
	}
	return time.Since(a.began) - time.Duration(a.last.Load())
}

func (a *activity) record() { a.last.Store(int64(time.Since(a.began))) }

// output copies an output of a child to a writer. os/exec would stop copying after
// WaitDelay, so a slow writer would lose the rest of the output.
type output struct {
	name     string
	from     *os.File
	childEnd *os.File // open until the child has started or, of a terminal, has ended
	terminal bool
	to       io.Writer
	mu       *sync.Mutex // set if two outputs share a writer
	activity *activity
	done     chan struct{} // closed at the end of copy, when err is set
	err      error         // the writer's error
}

func newOutput(name string, to io.Writer, a *activity) (*output, error) {
	from, childEnd, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	return &output{name: name, from: from, childEnd: childEnd, to: to, activity: a, done: make(chan struct{})}, nil
}

// copy copies until the output ends or the writer returns an error. Then it closes
// the pipe.
func (o *output) copy() {
	defer close(o.done)
	defer o.close()
	buf := make([]byte, 32<<10)
	for {
		n, err := o.from.Read(buf)
		if n > 0 {
			if o.err = o.write(buf[:n]); o.err != nil {
				return
			}
		}
		if err != nil { // end of the output, or closeAll has closed the pipe
			return
		}
	}
}

func (o *output) write(p []byte) error {
	o.activity.writing.Add(1)
	defer o.activity.writing.Add(-1)
	defer o.activity.record()
	if o.mu != nil {
		o.mu.Lock()
		defer o.mu.Unlock()
	}
	n, err := o.to.Write(p)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	return err
}

// tee returns a writer that writes to the writer own and, if w is not nil, also to w.
func tee(own, w io.Writer) io.Writer {
	if w == nil {
		return own
	}
	return io.MultiWriter(own, nonblock.Writer{W: w})
}

// writeError returns the writer's error, or nil while copy is still running.
func (o *output) writeError() error {
	select {
	case <-o.done:
	default:
		return nil
	}
	if o.err == nil {
		return nil
	}
	return &writeError{o.name, o.err}
}

// writeError is the error of one of the caller's writers.
type writeError struct {
	output string // the name of the output
	err    error
}

func (e *writeError) Error() string { return e.output + ": " + e.err.Error() }

func (e *writeError) Unwrap() error { return e.err }

func (o *output) close() { _ = o.from.Close() } // may be closed already

// outputs holds the outputs of one child.
type outputs struct {
	activity activity
	all      []*output
}

// add adds an output that is copied to a writer. It returns the end of the pipe that
// the child writes to.
func (o *outputs) add(name string, to io.Writer) (*os.File, error) {
	one, err := newOutput(name, to, &o.activity)
	if err != nil {
		return nil, err
	}
	o.all = append(o.all, one)
	return one.childEnd, nil
}

// begin starts copying. If the child has not started, begin closes all files instead.
// For a running child, this program keeps the child's end of a terminal open. Otherwise
// the terminal would be hung up if the child redirected its own output.
func (o *outputs) begin(started bool) {
	o.activity.began = time.Now()
	for _, one := range o.all {
		if !started || !one.terminal {
			_ = one.childEnd.Close()
		}
		if started {
			go one.copy()
		} else {
			one.close()
		}
	}
}

// drain waits until all outputs of an ended child have ended. After the grace period, it
// closes the outputs. Time in which a writer blocks does not count. While a writer is
// busy but makes progress, the grace period is ten times as long. So a slow writer can
// take the rest of the output, but a process that never stops writing cannot make drain
// wait for ever.
func (o *outputs) drain(grace time.Duration) {
	for _, one := range o.all {
		if one.terminal {
			_ = one.childEnd.Close()
		}
	}
	all := make(chan struct{})
	go func() {
		defer close(all)
		for _, one := range o.all {
			<-one.done
		}
	}()
	const ticks, progressTicks = 10, 100 // in the grace period, and in ten times the grace period
	ticker := time.NewTicker(max(grace/ticks, time.Millisecond))
	defer ticker.Stop()
	last := o.activity.last.Load()
	for waited, progress := 0, 0; waited < ticks && progress < progressTicks; {
		select {
		case <-all:
			return
		case <-ticker.C:
		}
		before := last
		last = o.activity.last.Load()
		switch {
		case o.activity.writing.Load() == 0:
			waited++
		case last != before:
			progress++
		}
	}
	o.closeAll()
}

func (o *outputs) closeAll() {
	for _, one := range o.all {
		one.close()
	}
}

// writeError returns the joined errors of the writers.
func (o *outputs) writeError() error {
	var errs []error
	for _, one := range o.all {
		errs = append(errs, one.writeError())
	}
	return errors.Join(errs...)
}
