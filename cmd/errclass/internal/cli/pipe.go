package cli

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// KeepOnClosedPipe makes a write to a closed standard output return an error.
// Without it, the Go runtime would end the process with SIGPIPE. Child processes
// still end with SIGPIPE.
func KeepOnClosedPipe() {
	ownProcess.Store(true)
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
}

// exitClosed is the exit code for a closed output. A shell reports the same code
// for a program that SIGPIPE has ended.
const exitClosed codeError = ExitSignal + 13

// ownProcess is true in the errclass program and false in tests that call Main. In
// a test, code other than errclass may cause a SIGPIPE.
var ownProcess atomic.Bool

// These error codes of Windows are equivalent to EPIPE: ERROR_BROKEN_PIPE and
// ERROR_NO_DATA.
const (
	windowsBrokenPipe = syscall.Errno(109)
	windowsNoData     = syscall.Errno(232)
)

// outputClosed reports whether err is the error of a write to a pipe without a
// reader.
func outputClosed(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) ||
		windowsPipes && (errors.Is(err, windowsBrokenPipe) || errors.Is(err, windowsNoData))
}
