package cli

import (
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

// errInterrupted ends the reading of an input after a signal.
var errInterrupted = errors.New("interrupted")

const (
	// silenceLimit is how long nothing may come after a SIGTERM, until reading
	// ends. Kubernetes kills after the same time.
	silenceLimit = 30 * time.Second
	// secondTerm is how long after the first SIGTERM another one counts:
	// timeout(1) sends it to a process and again to its group.
	secondTerm = time.Second
	// endWithin is how long the rest may take to be written. After that the
	// signal ends the program as if it had no handler.
	endWithin = time.Second
)

// interrupts decides what signals do to a program that reads a pipe and passes
// on what it reads.
//
// A terminal sends SIGINT, and a supervisor SIGTERM, to every program of a
// pipeline, and the one that writes logs has its last lines still to write. So
// while a pipe is read, SIGINT does nothing, as with tee -i. After SIGTERM, SIGHUP
// or SIGQUIT the pipe is read on until it ends, until nothing has come for
// silenceLimit, or until a second SIGTERM or SIGQUIT. The first signal ends the reading of
// any other input. It is safe for concurrent use.
type interrupts struct {
	signals chan os.Signal
	ended   chan struct{} // closed when reading has to end
	stopped chan struct{} // closed when signals are no longer received
	die     func(os.Signal)

	stopOnce sync.Once

	mu       sync.Mutex
	pipe     bool      // the input that is being read is one
	finished bool      // all inputs were read
	noted    os.Signal // the last signal that did not end the reading
	by       os.Signal // the one that did
	draining time.Time // when the first SIGTERM, SIGHUP or SIGQUIT came
	lastRead time.Time
}

// notifyInterrupts begins to decide about the signals of this process, for the
// command of that name. pipe says that the first input is one. Signals that
// were ignored when the program started, as under nohup, stay ignored.
func notifyInterrupts(command string, errs io.Writer, pipe bool) *interrupts {
	i := newInterrupts(func(sig os.Signal) {
		fmt.Fprintf(errs, "errclass %s: ended by a signal (%s) while the output could not be written; lines are missing\n", command, sig)
		os.Exit(int(endBy(sig)))
	})
	i.pipe = pipe
	wanted := slices.DeleteFunc([]os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}, signal.Ignored)
	if len(wanted) > 0 { // Notify takes none for all
		signal.Notify(i.signals, wanted...)
	}
	go i.watch()
	return i
}

func newInterrupts(die func(os.Signal)) *interrupts {
	return &interrupts{
		signals: make(chan os.Signal, 8), ended: make(chan struct{}), stopped: make(chan struct{}), die: die,
	}
}

// stop gives the signals back and returns the one that ended the reading, or
// nil. It may be called again.
func (i *interrupts) stop() os.Signal {
	i.stopOnce.Do(func() {
		signal.Stop(i.signals)
		close(i.stopped)
	})
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.by
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
	case i.by != nil:
		i.die(sig)
	case i.finished:
		i.dieUnlessDone(sig)
	case !i.pipe:
		i.end(sig)
	case sig == os.Interrupt:
		i.noted = sig
	case i.draining.IsZero():
		i.noted, i.draining, i.lastRead = sig, time.Now(), time.Now()
		i.endAfterSilence(silenceLimit)
	case (sig == syscall.SIGTERM || sig == syscall.SIGQUIT) && time.Since(i.draining) >= secondTerm:
		i.end(sig)
	}
}

// end ends the reading. The caller holds mu.
func (i *interrupts) end(sig os.Signal) {
	i.by = sig
	close(i.ended)
	i.dieUnlessDone(sig)
}

func (i *interrupts) dieUnlessDone(sig os.Signal) {
	i.after(endWithin, func() { i.die(sig) })
}

// endAfterSilence ends the reading when nothing has come for silenceLimit; it
// looks after d.
func (i *interrupts) endAfterSilence(d time.Duration) {
	i.after(d, func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		quiet := time.Since(i.lastRead)
		switch {
		case i.by != nil || i.finished:
		case quiet >= silenceLimit:
			i.end(i.noted)
		default:
			i.endAfterSilence(silenceLimit - quiet)
		}
	})
}

// after calls f after d, unless stop came before.
func (i *interrupts) after(d time.Duration, f func()) {
	go func() {
		select {
		case <-i.stopped:
		case <-time.After(d):
			f()
		}
	}()
}

// reader returns a reader of in that ends with errInterrupted when a signal
// says so. release is to be called after the last read.
func (i *interrupts) reader(in io.Reader) (r io.Reader, release func()) {
	f, isFile := in.(*os.File)
	pipe, waits := false, false
	if isFile {
		if info, err := f.Stat(); err == nil {
			pipe = isPipe(info.Mode())
			waits = pipe || info.Mode()&os.ModeCharDevice != 0
		}
	}
	i.mu.Lock()
	i.pipe = pipe
	if !pipe && i.noted != nil && i.by == nil { // it was meant for this input too
		i.end(i.noted)
	}
	i.mu.Unlock()
	if !waits {
		return &endingReader{in, i.ended}, func() {}
	}
	w := newWaitingReader(in, i.ended, i.read)
	return w, func() {
		w.release()
		i.mu.Lock()
		i.pipe = false // the next one may be waited for before it is open
		i.mu.Unlock()
	}
}

// read notes that something came.
func (i *interrupts) read() {
	i.mu.Lock()
	i.lastRead = time.Now()
	i.mu.Unlock()
}

// finish says that all inputs were read: what is left to do takes no time, and
// a signal only ends it where the output is stuck.
func (i *interrupts) finish() {
	i.mu.Lock()
	i.finished = true
	i.mu.Unlock()
}

// isPipe reports whether another program writes what is read.
func isPipe(m os.FileMode) bool { return m&(os.ModeNamedPipe|os.ModeSocket) != 0 }

// endingReader reads what does not let itself be waited for.
type endingReader struct {
	r     io.Reader
	ended <-chan struct{}
}

func (e *endingReader) Read(p []byte) (int, error) {
	select {
	case <-e.ended:
		return 0, errInterrupted
	default:
		return e.r.Read(p)
	}
}

// waitingReader reads in a goroutine, so that a read that waits can be given
// up. What was read then is still handed out.
type waitingReader struct {
	chunks   chan chunk
	ended    <-chan struct{}
	released chan struct{}
	came     func()
	rest     chunk
}

type chunk struct {
	data []byte
	err  error
}

// chunkSize is what a pipe holds on Linux.
const chunkSize = 64 << 10

func newWaitingReader(r io.Reader, ended <-chan struct{}, came func()) *waitingReader {
	w := &waitingReader{chunks: make(chan chunk), ended: ended, released: make(chan struct{}), came: came}
	go func() {
		// While one buffer is handed out the other one is filled.
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

func (w *waitingReader) Read(p []byte) (int, error) {
	if len(w.rest.data) == 0 && w.rest.err == nil {
		select {
		case w.rest = <-w.chunks:
			w.came()
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

// release ends the goroutine, at the latest after its next read.
func (w *waitingReader) release() { close(w.released) }
