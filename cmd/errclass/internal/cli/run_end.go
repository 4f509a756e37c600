package cli

import (
	"context"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"
)

// endSignals returns the signals after which errclass ends the command's process
// group and itself. Signals that were ignored when errclass started, for example by
// nohup, stay ignored.
func endSignals() []os.Signal {
	return slices.DeleteFunc([]os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}, signal.Ignored)
}

// closedOutputError is the cause of the context if errclass ends the command because
// the output was closed. It wraps context.Canceled, because the program that reads
// the output has in effect canceled the command.
type closedOutputError struct{}

func (closedOutputError) Error() string { return "the output was closed" }

func (closedOutputError) Unwrap() error { return context.Canceled }

// endOnBrokenPipe calls the function end when this program gets SIGPIPE, until the
// caller calls stop. It ignores SIGPIPE if this program has copied input to the
// command: then the command might only have closed its input early, which is not an
// error.
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

// closeDetector calls the function end when a write to w fails because w was closed.
// So the command ends at once and not only when its own next write fails.
type closeDetector struct {
	w   io.Writer
	end func()
}

// detectClosed returns a writer to w that calls the function end when a write fails
// because w is closed. It returns files and terminals unchanged, because the command
// inherits them and writes to them directly.
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
