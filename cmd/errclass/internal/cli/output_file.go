package cli

import (
	"errors"
	"io"
	"os"
	"syscall"
	"time"
)

// retryInterval is the time between two attempts to read, write or open a
// non-blocking file.
const retryInterval = 5 * time.Millisecond

// blockingWriter blocks while w is full, even if w is non-blocking. Another process
// may have made a shared terminal or pipe non-blocking, as some runtimes do. Then a
// write to w can fail with EAGAIN in the middle of a line.
type blockingWriter struct{ w io.Writer }

func (p blockingWriter) Write(b []byte) (written int, err error) {
	for {
		n, err := p.w.Write(b[written:])
		written += max(n, 0)
		if written == len(b) || !errors.Is(err, syscall.EAGAIN) {
			return written, err
		}
		time.Sleep(retryInterval)
	}
}

// refuseOwnOutput returns an error if an input is also the output. Otherwise the
// program would read its own output and write it again, until the disk is full. It
// ignores missing files, because [Streams.open] reports them.
func refuseOwnOutput(s Streams, names []string) error {
	f, ok := s.Out.(*os.File)
	if !ok {
		return nil
	}
	out, err := f.Stat()
	if err != nil || !readsBack(out.Mode()) {
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

// readsBack reports whether bytes that were written to a file of mode m can be read
// back. For a terminal or a socket it returns false.
func readsBack(m os.FileMode) bool {
	return m.IsRegular() || m&os.ModeNamedPipe != 0 || m&os.ModeDevice != 0 && m&os.ModeCharDevice == 0
}

// stat returns the FileInfo of a file. If name is "-", the file is standard input.
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
