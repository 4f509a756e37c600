//go:build !unix

package cli

import "os"

// endBy is the exit code of a process that sig ended.
func endBy(os.Signal) codeError { return ExitAborted }
