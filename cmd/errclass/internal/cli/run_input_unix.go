//go:build unix

package cli

import (
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// terminalReader returns a reader of this program's terminal.
func terminalReader(f *os.File) io.Reader { return foregroundReader{f} }

// foregroundReader reads a terminal, but only while this program is in the foreground.
// The system stops a background process that reads its terminal, so --timeout would
// have no effect.
type foregroundReader struct{ terminal *os.File }

// foregroundInterval is the time between two checks whether this program is in the
// foreground again.
const foregroundInterval = 100 * time.Millisecond

func (r foregroundReader) Read(p []byte) (int, error) {
	for fd := int(r.terminal.Fd()); awaitInput(fd) && inBackground(fd); {
		time.Sleep(foregroundInterval)
	}
	return r.terminal.Read(p)
}

// awaitInput waits until a terminal has input. The system does not stop a background
// process for that. If it cannot wait, awaitInput returns false.
func awaitInput(fd int) bool {
	for {
		var set unix.FdSet
		set.Set(fd)
		if _, err := unix.Select(fd+1, &set, nil, nil, nil); !errors.Is(err, unix.EINTR) {
			return err == nil
		}
	}
}

// inBackground reports whether another process group is in the foreground of this
// program's terminal.
func inBackground(fd int) bool {
	group, err := foregroundGroup(fd)
	return err == nil && group != unix.Getpgrp() // there is an error if the terminal is another one
}
