//go:build !unix

package cli

import "os"

// endBy returns the exit code with which the process ends after a signal.
func endBy(os.Signal) codeError { return ExitAborted }
