//go:build unix

package cli

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// endBy ends the process by sig, so that a shell that loops over files sees
// that Ctrl-C was pressed. The result is the exit code where that fails, and for
// SIGQUIT: the Go runtime answers that with a stack dump and exit code 2, which
// means bad usage here.
func endBy(sig os.Signal) codeError {
	n, ok := sig.(syscall.Signal)
	if !ok {
		return ExitAborted
	}
	if n == syscall.SIGQUIT {
		return codeError(ExitSignal + int(n))
	}
	signal.Reset(sig)
	if syscall.Kill(syscall.Getpid(), n) == nil {
		time.Sleep(time.Second) // it arrives at any thread, and at once
	}
	return codeError(ExitSignal + int(n))
}
