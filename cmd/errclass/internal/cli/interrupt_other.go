//go:build !unix

package cli

import "os"

// endBy returns the exit code after a signal.
func endBy(os.Signal) codeError { return ExitAborted }
