package cli

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// KeepOnClosedPipe makes a write to a closed standard output return an error. Child
// processes still end with SIGPIPE.
func KeepOnClosedPipe() {
	ownProcess.Store(true)
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
}

// exitClosed is the exit code for a closed output. Shells report SIGPIPE with this
// code.
const exitClosed codeError = ExitSignal + 13

// ownProcess is true in the errclass program and false in tests that call Main.
var ownProcess atomic.Bool

// These are ERROR_BROKEN_PIPE and ERROR_NO_DATA, the EPIPE of Windows.
const (
	windowsBrokenPipe = syscall.Errno(109)
	windowsNoData     = syscall.Errno(232)
)

// outputClosed reports whether a write failed because a pipe has no reader.
func outputClosed(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) ||
		windowsPipes && (errors.Is(err, windowsBrokenPipe) || errors.Is(err, windowsNoData))
}
