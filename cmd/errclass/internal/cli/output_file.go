package cli

import (
	"errors"
	"io"
	"os"
	"syscall"
	"time"
)

// againAfter is how long to wait before a file that another process has made
// non-blocking is tried again.
const againAfter = 5 * time.Millisecond

// patientWriter writes to a file that another process may have made
// non-blocking, as some runtimes do with a terminal that they share: a full one
// is waited for, where Go gives up in the middle of a line.
type patientWriter struct{ w io.Writer }

func (p patientWriter) Write(b []byte) (written int, err error) {
	for {
		n, err := p.w.Write(b[written:])
		written += max(n, 0)
		if written == len(b) || !errors.Is(err, syscall.EAGAIN) {
			return written, err
		}
		time.Sleep(againAfter)
	}
}

// refuseOwnOutput refuses inputs that are the output: what is written would be
// read again, for as long as there is space. Names are as [Streams.open] takes
// them; those that are not there are left to it.
func refuseOwnOutput(s Streams, names []string) error {
	f, ok := s.Out.(*os.File)
	if !ok {
		return nil
	}
	out, err := f.Stat()
	if err != nil || !keepsWhatIsWritten(out.Mode()) {
		return nil
	}
	for _, name := range names {
		in, err := s.stat(name)
		if err != nil || !os.SameFile(in, out) {
			continue
		}
		if name == "-" {
			name = "standard input"
		}
		return usagef("%s: input and output are the same file; write to another one", name)
	}
	return nil
}

// keepsWhatIsWritten reports whether what is written to such a file can be read
// from it. A terminal and a socket have two directions.
func keepsWhatIsWritten(m os.FileMode) bool {
	return m.IsRegular() || m&os.ModeNamedPipe != 0 || m&os.ModeDevice != 0 && m&os.ModeCharDevice == 0
}

// stat says what a file is; "-" is standard input.
func (s Streams) stat(name string) (os.FileInfo, error) {
	if name != "-" {
		return os.Stat(name)
	}
	f, ok := s.In.(*os.File)
	if !ok {
		return nil, os.ErrNotExist
	}
	return f.Stat()
}
