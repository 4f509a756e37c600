package cli

import (
	"context"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"
)

// endSignals returns the signals that end errclass and the command's process group.
// Signals that are already ignored are left out.
func endSignals() []os.Signal {
	return slices.DeleteFunc([]os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}, signal.Ignored)
}

// closedOutputError is the [context.Cause] of a run that ended because the output was
// closed.
type closedOutputError struct{}

func (closedOutputError) Error() string { return "the output was closed" }

func (closedOutputError) Unwrap() error { return context.Canceled }

// endOnBrokenPipe calls the function end when a SIGPIPE arrives. If errclass may have
// copied input to the command, endOnBrokenPipe ignores the signal.
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

// closeDetector calls the function end when w turns out to be closed.
type closeDetector struct {
	w   io.Writer
	end func()
}

// detectClosed returns a writer to w that calls the function end if w turns out to be
// closed. If w is a regular file or a terminal, detectClosed returns w unchanged.
func detectClosed(w io.Writer, end func()) io.Writer {
	if f, ok := w.(*os.File); ok {
		info, err := f.Stat()
		if err != nil || info.Mode()&(os.ModeNamedPipe|os.ModeSocket) == 0 {
			return w
		}
	}
	if w == nil {
		return nil
	}
	return &closeDetector{w, end}
}

func (c *closeDetector) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	if err != nil && outputClosed(err) {
		c.end()
	}
	return n, err
}
