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
)

// errInterrupted is the error that Read returns after a signal has ended reading.
var errInterrupted = errors.New("interrupted")

const (
	// silenceLimit is how long the program waits for input after a SIGTERM, SIGHUP
	// or SIGQUIT. Then it stops reading. The value is the default grace period of
	// Kubernetes.
	silenceLimit = 30 * time.Second
	// A second SIGTERM or SIGQUIT ends reading if it comes at least secondTerm after
	// the first signal. If it comes earlier, it might be a copy of the first:
	// timeout(1), for example, sends its signal to the process and to the process's
	// group.
	secondTerm = time.Second
	// writeLimit is how long the program can write its remaining output after a
	// signal. Then the program ends, even if lines are missing.
	writeLimit = time.Second
)

// interrupts handles signals for a filter: a command that turns lines of input into
// lines of output. It is safe for concurrent use.
//
// If the input is not a pipe, the first signal ends reading.
//
// If the input is a pipe, other programs of the pipeline get the same signals. They
// might still write their last lines, so the filter reads on:
//   - It ignores SIGINT, like tee -i.
//   - After SIGTERM, SIGHUP or SIGQUIT, it reads until the pipe ends, until
//     silenceLimit passes without input, or until a second SIGTERM or SIGQUIT.
type interrupts struct {
	signals chan os.Signal
	ctx     context.Context // ends when reading must end
	cancel  context.CancelFunc
	stopped chan struct{} // closed by stop
	abort   func(os.Signal)

	stopOnce sync.Once

	mu         sync.Mutex
	pipe       bool      // the current input is a pipe
	finished   bool      // all inputs are read
	pending    os.Signal // the last signal that did not end reading
	endedBy    os.Signal // the signal that ended reading
	drainStart time.Time // time of the first SIGTERM, SIGHUP or SIGQUIT
	lastRead   time.Time
}

// notifyInterrupts starts to handle the signals of this process. The argument
// command is the name of the errclass command, for messages. The argument pipe says
// whether the first input is a pipe. If a signal was ignored when the program
// started, for example by nohup, it stays ignored.
func notifyInterrupts(command string, errs io.Writer, pipe bool) *interrupts {
	i := newInterrupts(func(sig os.Signal) {
		fmt.Fprintf(errs, "errclass %s: ended by a signal (%s) while the output could not be written; lines are missing\n", command, sig)
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

// newInterrupts returns an interrupts that calls abort if writing the rest of the
// output takes longer than writeLimit after a signal.
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
	case !i.pipe:
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

// abortUnlessDone calls abort after writeLimit, unless stop has been called by
// then.
func (i *interrupts) abortUnlessDone(sig os.Signal) {
	i.after(writeLimit, func() { i.abort(sig) })
}

// endAfterSilence ends reading after silenceLimit without input. It checks for this
// after the time d, and again later if there was input.
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

// after calls f after the time d, unless stop has been called by then.
func (i *interrupts) after(d time.Duration, f func()) {
	go func() {
		select {
		case <-i.stopped:
		case <-time.After(d):
			f()
		}
	}()
}

// reader returns a reader of the input in. After a signal has ended reading, its
// Read returns errInterrupted. Call release after the last Read.
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
	i.pipe = pipe
	if !pipe && i.pending != nil && i.endedBy == nil { // a signal came while a pipe was read: do not read the files after the pipe
		i.end(i.pending)
	}
	i.mu.Unlock()
	if !mayBlock {
		return &checkedReader{in, i.ctx.Done()}, func() {}
	}
	w := newAsyncReader(in, i.ctx.Done(), i.noteRead)
	return w, func() {
		w.release()
		i.mu.Lock()
		i.pipe = false // opening the next input may block; meanwhile a signal takes effect at once
		i.mu.Unlock()
	}
}

// noteRead records the time of the last input.
func (i *interrupts) noteRead() {
	i.mu.Lock()
	i.lastRead = time.Now()
	i.mu.Unlock()
}

// finish records that all inputs have been read. From then on, a signal ends the
// program only if writing the output takes longer than writeLimit.
func (i *interrupts) finish() {
	i.mu.Lock()
	i.finished = true
	i.mu.Unlock()
}

// isPipe reports whether m is the mode of a pipe or a socket.
func isPipe(m os.FileMode) bool { return m&(os.ModeNamedPipe|os.ModeSocket) != 0 }

// checkedReader checks before each Read whether reading must end. It is for inputs
// that never block, such as files.
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

// asyncReader reads in a goroutine. So Read can return after a signal while the
// goroutine is blocked. Read first returns the bytes that were already read.
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

// chunkSize is how many bytes are read at once: the capacity of a pipe on Linux.
const chunkSize = 64 << 10

func newAsyncReader(r io.Reader, ended <-chan struct{}, noteRead func()) *asyncReader {
	w := &asyncReader{chunks: make(chan chunk), ended: ended, released: make(chan struct{}), noteRead: noteRead}
	go func() {
		// The goroutine fills one buffer while Read copies from the other.
		for buf, next := make([]byte, chunkSize), make([]byte, chunkSize); ; buf, next = next, buf {
			n, err := r.Read(buf)
			for errors.Is(err, syscall.EAGAIN) && n == 0 {
				time.Sleep(retryInterval)
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

// Wait waits for input, but not longer than d. It reports whether Read would return
// at once.
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

// release ends the goroutine that reads. If that goroutine is blocked in a Read, it
// ends after the Read.
func (w *asyncReader) release() { close(w.released) }
