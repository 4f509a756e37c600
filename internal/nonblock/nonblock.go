// Package nonblock reads and writes files that another program may have made
// non-blocking. Programs that share a pipe also share this setting.
package nonblock

import (
	"errors"
	"io"
	"syscall"
	"time"
)

// Interval is the time between two tries to use a file.
const Interval = 5 * time.Millisecond

// Writer waits while W is full.
type Writer struct{ W io.Writer }

func (w Writer) Write(b []byte) (written int, err error) {
	for {
		n, err := w.W.Write(b[written:])
		written += max(n, 0)
		if written == len(b) || !errors.Is(err, syscall.EAGAIN) {
			return written, err
		}
		time.Sleep(Interval)
	}
}

// Reader waits while R is empty.
type Reader struct{ R io.Reader }

func (r Reader) Read(p []byte) (int, error) {
	for {
		n, err := r.R.Read(p)
		if n > 0 || !errors.Is(err, syscall.EAGAIN) {
			return n, err
		}
		time.Sleep(Interval)
	}
}
