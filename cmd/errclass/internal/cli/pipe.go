package cli

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// KeepOnClosedPipe lets writes to a closed standard output fail with an error,
// which commands report or take as their end, where Go would end the process
// without a word. Children do not inherit it.
func KeepOnClosedPipe() {
	ownProcess.Store(true)
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
}

// exitClosed is the exit code of a filter, or of a command, whose output was closed: that of a
// program which SIGPIPE ended, in a shell. Scripts that allow for head know it.
const exitClosed codeError = ExitSignal + 13

// ownProcess says that this package has the process to itself: SIGPIPE, which is
// the process's, is then about its one command.
var ownProcess atomic.Bool

// The ways Windows says EPIPE: ERROR_BROKEN_PIPE and ERROR_NO_DATA. The numbers
// mean other things elsewhere.
const (
	windowsBrokenPipe = syscall.Errno(109)
	windowsNoData     = syscall.Errno(232)
)

// outputClosed reports whether err is a write to a pipe that nobody reads.
func outputClosed(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) ||
		windowsPipes && (errors.Is(err, windowsBrokenPipe) || errors.Is(err, windowsNoData))
}
