package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/errclass/errclass/internal/nonblock"
)

// errInterrupted is the error that Read returns after a signal has ended reading.
var errInterrupted = errors.New("interrupted")

const (
	// silenceLimit limits the wait for input after a signal. The default grace period
	// of Kubernetes is as long.
	silenceLimit = 30 * time.Second
	// secondTerm is the least time between the first signal and a second SIGTERM or
	// SIGQUIT that ends reading. An earlier second signal is ignored, because timeout(1),
	// for example, sends its signal twice.
	secondTerm = time.Second
	// writeLimit limits the time to write the remaining output after a signal.
	writeLimit = time.Second
)

// interrupts handles signals for a command that filters lines. It is safe for
// concurrent use.
//
// If no open input is a pipe, the first signal ends reading.
//
// If an open input is a pipe, SIGINT is ignored, as in tee -i. After SIGTERM, SIGHUP or
// SIGQUIT, the pipe is read until
//
//   - it ends,
//   - silenceLimit passes without input, or
//   - a second SIGTERM or SIGQUIT arrives.
type interrupts struct {
	signals chan os.Signal
	ctx     context.Context // ends when no more may be read
	cancel  context.CancelFunc
	stopped chan struct{} // closed by stop
	abort   func(os.Signal)

	stopOnce sync.Once

	mu         sync.Mutex
	pipe       bool      // the first input is a pipe, and no input is open yet
	pipes      int       // open inputs that are pipes
	finished   bool      // all inputs are read
	pending    os.Signal // the last signal that did not end reading
	endedBy    os.Signal // the signal that ended reading
	drainStart time.Time // time of the first SIGTERM, SIGHUP or SIGQUIT
	lastRead   time.Time
}

// notifyInterrupts starts to handle signals. Signals that are already ignored stay
// ignored.
func notifyInterrupts(command string, errs io.Writer, pipe bool) *interrupts {
	i := newInterrupts(func(sig os.Signal) {
		fmt.Fprintf(errs, "errclass %s: ended by a signal (%s) before all output was written; lines are missing\n", command, sig)
		os.Exit(int(endBy(sig)))
	})
	i.pipe = pipe
	wanted := slices.DeleteFunc([]os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}, signal.Ignored)
	if len(wanted) > 0 { // Notify without signals would relay all signals
		signal.Notify(i.signals, wanted...)
	}
	go i.watch()
	return i
}

// newInterrupts returns interrupts that call abort if writing takes too long after a
// signal.
func newInterrupts(abort func(os.Signal)) *interrupts {
	ctx, cancel := context.WithCancel(context.Background())
	return &interrupts{
		signals: make(chan os.Signal, 8), ctx: ctx, cancel: cancel, stopped: make(chan struct{}), abort: abort,
	}
}

// stop ends the handling of signals. It returns the signal that ended reading, or
// nil. It may be called more than once.
func (i *interrupts) stop() os.Signal {
	i.stopOnce.Do(func() {
		signal.Stop(i.signals)
		close(i.stopped)
	})
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.endedBy
}

func (i *interrupts) watch() {
	for {
		select {
		case <-i.stopped:
			return
		case sig := <-i.signals:
			i.received(sig)
		}
	}
}

func (i *interrupts) received(sig os.Signal) {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case i.endedBy != nil:
		i.abort(sig)
	case i.finished:
		i.abortUnlessDone(sig)
	case !i.pipe && i.pipes == 0:
		i.end(sig)
	case sig == os.Interrupt:
		i.pending = sig
	case i.drainStart.IsZero():
		i.pending, i.drainStart, i.lastRead = sig, time.Now(), time.Now()
		i.endAfterSilence(silenceLimit)
	case (sig == syscall.SIGTERM || sig == syscall.SIGQUIT) && time.Since(i.drainStart) >= secondTerm:
		i.end(sig)
	}
}

// end makes all reads return errInterrupted. The caller must have locked mu.
func (i *interrupts) end(sig os.Signal) {
	i.endedBy = sig
	i.cancel()
	i.abortUnlessDone(sig)
}

// abortUnlessDone calls abort after writeLimit, unless stop was called before.
func (i *interrupts) abortUnlessDone(sig os.Signal) {
	i.after(writeLimit, func() { i.abort(sig) })
}

// endAfterSilence ends reading after silenceLimit without input. d is the time until
// the first check.
func (i *interrupts) endAfterSilence(d time.Duration) {
	i.after(d, func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		quiet := time.Since(i.lastRead)
		switch {
		case i.endedBy != nil || i.finished:
		case quiet >= silenceLimit:
			i.end(i.pending)
		default:
			i.endAfterSilence(silenceLimit - quiet)
		}
	})
}

// after calls f after the duration d, unless stop was called before.
func (i *interrupts) after(d time.Duration, f func()) {
	go func() {
		select {
		case <-i.stopped:
		case <-time.After(d):
			f()
		}
	}()
}

// reader returns a reader of an input. After a signal has ended reading, Read returns
// errInterrupted. Call release after reading.
func (i *interrupts) reader(in io.Reader) (r io.Reader, release func()) {
	f, isFile := in.(*os.File)
	pipe, mayBlock := false, false
	if isFile {
		if info, err := f.Stat(); err == nil {
			pipe = isPipe(info.Mode())
			mayBlock = pipe || info.Mode()&os.ModeCharDevice != 0
		}
	}
	i.mu.Lock()
	i.pipe = false
	if pipe {
		i.pipes++
	}
	if i.pipes == 0 && i.pending != nil && i.endedBy == nil { // a signal came while a pipe was read
		i.end(i.pending)
	}
	i.mu.Unlock()
	if !mayBlock {
		return &checkedReader{in, i.ctx.Done()}, func() {}
	}
	w := newAsyncReader(in, i.ctx.Done(), i.noteRead)
	return w, func() {
		w.release()
		if pipe {
			i.mu.Lock()
			i.pipes--
			i.mu.Unlock()
		}
	}
}

// open opens a named file, which is read as by reader.
func (i *interrupts) open(name string) (io.ReadCloser, error) {
	f, err := openUntil(i.ctx.Done(), name)
	if err != nil {
		return nil, err
	}
	r, release := i.reader(f)
	return &interruptedFile{r, f, release}, nil
}

// interruptedFile is a file that is read until a signal ends reading.
type interruptedFile struct {
	io.Reader
	file    *os.File
	release func()
}

func (f *interruptedFile) Close() error {
	f.release()
	return f.file.Close()
}

// openUntil opens a file. Opening a named pipe waits for a program that writes to it.
// After ended is closed, openUntil returns errInterrupted instead.
func openUntil(ended <-chan struct{}, name string) (*os.File, error) {
	type opened struct {
		file *os.File
		err  error
	}
	result := make(chan opened, 1)
	go func() {
		f, err := os.Open(name)
		result <- opened{f, err}
	}()
	select {
	case r := <-result:
		return r.file, r.err
	case <-ended:
		return nil, errInterrupted
	}
}

// noteRead records the time of the last input.
func (i *interrupts) noteRead() {
	i.mu.Lock()
	i.lastRead = time.Now()
	i.mu.Unlock()
}

// finish records that all inputs were read. From then on, a signal only limits the
// time to write the remaining output.
func (i *interrupts) finish() {
	i.mu.Lock()
	i.finished = true
	i.mu.Unlock()
}

// isPipe reports whether m is the mode of a pipe or a socket.
func isPipe(m os.FileMode) bool { return m&(os.ModeNamedPipe|os.ModeSocket) != 0 }

// checkedReader reads inputs that never block, such as files.
type checkedReader struct {
	r     io.Reader
	ended <-chan struct{}
}

func (c *checkedReader) Read(p []byte) (int, error) {
	select {
	case <-c.ended:
		return 0, errInterrupted
	default:
		return c.r.Read(p)
	}
}

// asyncReader reads in a goroutine, so that a signal can end a blocked Read.
type asyncReader struct {
	chunks   chan chunk
	ended    <-chan struct{}
	released chan struct{}
	noteRead func()
	rest     chunk
}

type chunk struct {
	data []byte
	err  error
}

// chunkSize is how many bytes are read at once, as many as Linux pipes hold.
const chunkSize = 64 << 10

func newAsyncReader(r io.Reader, ended <-chan struct{}, noteRead func()) *asyncReader {
	w := &asyncReader{chunks: make(chan chunk), ended: ended, released: make(chan struct{}), noteRead: noteRead}
	go func() {
		// One buffer is filled while Read copies from the other.
		for buf, next := make([]byte, chunkSize), make([]byte, chunkSize); ; buf, next = next, buf {
			n, err := r.Read(buf)
			for errors.Is(err, syscall.EAGAIN) && n == 0 {
				time.Sleep(nonblock.Interval)
				n, err = r.Read(buf)
			}
			select {
			case w.chunks <- chunk{buf[:n], err}:
			case <-w.released:
				return
			}
			if err != nil {
				return
			}
		}
	}()
	return w
}

// Wait waits for input, at most for the duration d. It reports whether Read would
// return at once.
func (w *asyncReader) Wait(d time.Duration) bool {
	if len(w.rest.data) > 0 || w.rest.err != nil {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case w.rest = <-w.chunks:
		w.noteRead()
		return true
	case <-w.ended:
		return true
	case <-timer.C:
		return false
	}
}

func (w *asyncReader) Read(p []byte) (int, error) {
	if len(w.rest.data) == 0 && w.rest.err == nil {
		select {
		case w.rest = <-w.chunks:
			w.noteRead()
		case <-w.ended:
			select {
			case w.rest = <-w.chunks: // read before the end
				w.rest.err = errInterrupted
			default:
				w.rest = chunk{err: errInterrupted}
			}
		}
	}
	n := copy(p, w.rest.data)
	w.rest.data = w.rest.data[n:]
	if len(w.rest.data) > 0 {
		return n, nil
	}
	return n, w.rest.err
}

// release ends the goroutine, after its current Read.
func (w *asyncReader) release() { close(w.released) }
