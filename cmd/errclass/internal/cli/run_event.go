package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"syscall"
	"time"

	"github.com/errclass/errclass/internal/nonblock"
	"github.com/errclass/errclass/internal/ownerfile"
)

// readerLimit is how long to wait for another program to open the named pipe of --event
// for reading.
const readerLimit = time.Second

// eventFile opens the file of --event before the command runs. If that file is also
// standard output or standard error, the event is appended to that stream.
func eventFile(s *Streams, errs *lineWriter, name string) (io.WriteCloser, error) {
	info, err := os.Stat(name)
	if err != nil { // openEvent creates the file or returns an error
		return openEvent(name)
	}
	if f, ok := sameStream(s.Err, info); ok {
		return &streamAppender{errs, f, name}, nil
	}
	if f, ok := sameStream(s.Out, info); ok {
		out := &lineWriter{w: f}
		if isPipe(info.Mode()) {
			s.Out = out // errclass copies the output of a pipe anyway
		}
		return &streamAppender{out, f, name}, nil
	}
	if f, ok := s.In.(*os.File); ok && readsBack(info.Mode()) {
		if in, err := f.Stat(); err == nil && os.SameFile(in, info) {
			return nil, fmt.Errorf("%s is the command's standard input: use another file", name)
		}
	}
	return openEvent(name)
}

// sameStream returns w as a file, and whether info describes that file.
func sameStream(w io.Writer, info os.FileInfo) (*os.File, bool) {
	f, ok := w.(*os.File)
	if !ok {
		return nil, false
	}
	stream, err := f.Stat()
	return f, err == nil && os.SameFile(stream, info)
}

func openEvent(name string) (io.WriteCloser, error) {
	if isDescriptor(name) {
		// On Linux, opening /dev/fd/3 opens the file of descriptor 3 again. Do not
		// truncate that file, because it may belong to another program.
		return os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	}
	for waited := time.Duration(0); ; waited += nonblock.Interval {
		f, err := ownerfile.Open(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
		switch {
		case err == nil:
			return f, nil
		case !errors.Is(err, syscall.ENXIO):
			return nil, err
		}
		if info, err := os.Stat(name); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
			return nil, fmt.Errorf("%s cannot be written like a file: use a file or a named pipe", name)
		}
		if waited >= readerLimit {
			return nil, fmt.Errorf("nobody reads the named pipe %s: start its reader first, or use a file", name)
		}
		time.Sleep(nonblock.Interval)
	}
}

// isDescriptor reports whether a file name stands for an open descriptor.
func isDescriptor(name string) bool {
	dir, _ := path.Split(path.Clean(name))
	return dir == "/dev/fd/" || strings.HasPrefix(dir, "/proc/") && strings.HasSuffix(dir, "/fd/")
}

// streamAppender appends whole lines to standard output or standard error.
type streamAppender struct {
	lines *lineWriter
	f     *os.File
	name  string // a name of f
}

func (a *streamAppender) Write(p []byte) (int, error) {
	if info, err := a.f.Stat(); err == nil && info.Mode().IsRegular() {
		// Another stream may have written to the same file, so check whether the last
		// line of the file is complete.
		if end, err := a.f.Seek(0, io.SeekEnd); err == nil {
			a.lines.setUnfinished(!endsLine(a.name, info, end))
		}
	}
	if err := a.lines.writeLines(p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close does nothing. The process owns the stream.
func (a *streamAppender) Close() error { return nil }

// endsLine reports whether a file of size end is empty or ends with a line end. If
// the file cannot be read, it returns true.
func endsLine(name string, info os.FileInfo, end int64) bool {
	if end == 0 {
		return true
	}
	f, err := os.Open(name)
	if err != nil {
		return true
	}
	defer f.Close()
	now, err := f.Stat()
	if err != nil || !os.SameFile(now, info) {
		return true
	}
	last := []byte{'\n'}
	_, _ = f.ReadAt(last, end-1) // if this fails, the last byte stays a line end
	return last[0] == '\n'
}
