//go:build !unix

package cli

import (
	"io"
	"os"
)

// terminalReader returns a reader of this program's terminal.
func terminalReader(f *os.File) io.Reader { return f }
