//go:build unix

package cli

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// endBy ends the process with sig, so that Ctrl-C also stops a shell loop that runs
// errclass. For SIGQUIT, it returns an exit code instead.
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
		time.Sleep(time.Second) // wait until the signal ends the process: any thread may get it
	}
	return codeError(ExitSignal + int(n))
}
