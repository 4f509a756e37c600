package cli

import (
	"context"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"
)

// endings are the signals that end the command, its group and this program. One
// that whoever started it wants to be ignored, as nohup does, stays ignored.
func endings() []os.Signal {
	return slices.DeleteFunc([]os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}, signal.Ignored)
}

// outputEnd is why a command ends when nobody reads its output any more. It is a
// cancellation, for the reader wanted no more, but not by a signal.
type outputEnd struct{}

func (outputEnd) Error() string { return "the output was closed" }

func (outputEnd) Unwrap() error { return context.Canceled }

// endOnBrokenPipe calls end when this program gets SIGPIPE, until stop is called.
// A command that does not read its input to the end is in its right: it raises
// SIGPIPE here too where this program copies the input, so the signal counts only
// as long as nothing was copied. Outputs that nobody reads are noticed without the
// signal: see endsWith.
func endOnBrokenPipe(in *runInput, end func()) (stop func()) {
	if !ownProcess.Load() || signal.Ignored(syscall.SIGPIPE) {
		return func() {}
	}
	broken, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(broken, syscall.SIGPIPE)
	go func() {
		for {
			select {
			case <-broken:
				if !in.copied() {
					end()
				}
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(broken)
		close(done)
	}
}

// closable is an output that ends the command when nobody reads it any more. A
// shell's pipeline ends the same way, but there each process finds out by itself:
// here the whole group is told, also those who write nothing.
type closable struct {
	w   io.Writer
	end func()
}

// endsWith makes w call end when its reader has gone. Files and terminals, which
// have no reader, stay what they are, for the command gets them itself.
func endsWith(w io.Writer, end func()) io.Writer {
	if f, ok := w.(*os.File); ok {
		info, err := f.Stat()
		if err != nil || info.Mode()&(os.ModeNamedPipe|os.ModeSocket) == 0 {
			return w
		}
	}
	if w == nil {
		return nil
	}
	return &closable{w, end}
}

func (c *closable) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	if err != nil && outputClosed(err) {
		c.end()
	}
	return n, err
}
