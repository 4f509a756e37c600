package cli

import (
	"context"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"
)

// endSignals returns the signals on which errclass ends the command's process
// group and itself. Signals that were ignored when the program started, as under
// nohup, stay ignored.
func endSignals() []os.Signal {
	return slices.DeleteFunc([]os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}, signal.Ignored)
}

// closedOutputError is the cause if the command is ended because its output was
// closed. It counts as a cancellation by the reader of the output.
type closedOutputError struct{}

func (closedOutputError) Error() string { return "the output was closed" }

func (closedOutputError) Unwrap() error { return context.Canceled }

// endOnBrokenPipe calls end when this program gets SIGPIPE, until stop is called.
// After this program has copied input to the command, it ignores the signal: the
// command may have closed its input without reading all of it, and that is not an
// error. detectClosed finds a closed output without the signal.
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

// closeDetector calls end when a write to w fails because w was closed. Otherwise
// the command's processes would run on until their own next write.
type closeDetector struct {
	w   io.Writer
	end func()
}

// detectClosed returns a writer to w that calls end when w is closed. It returns
// files and terminals unchanged, because the command inherits them.
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
