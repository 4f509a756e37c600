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

	"github.com/errclass/errclass/internal/ownerfile"
)

// readerLimit is how long to wait until another program opens the named pipe for
// reading. A shell might start both programs at the same time.
const readerLimit = time.Second

// eventFile opens the file of --event. It is called before the command runs, to
// report errors early and to remove the event of an earlier run. The argument errs
// writes to standard error.
//
// If the file is also standard output or standard error, the returned writer appends
// to that stream, because opening the file again would truncate it. If the stream is
// standard output and a pipe, eventFile replaces s.Out with a writer that tracks
// line ends.
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
			s.Out = out // costs nothing: errclass copies output for a pipe anyway
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

// sameStream reports whether w is the file that info describes, and returns that
// file.
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
		// On Linux this opens the descriptor's file again. Do not truncate the file
		// or change its mode, because it belongs to another program.
		return os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	}
	for waited := time.Duration(0); ; waited += retryInterval {
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
		time.Sleep(retryInterval)
	}
}

// isDescriptor reports whether name is the name of an open file descriptor.
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
		// Another stream may have appended to the same file, so go to its end.
		if end, err := a.f.Seek(0, io.SeekEnd); err == nil {
			a.lines.setUnfinished(!endsLine(a.name, info, end))
		}
	}
	if err := a.lines.writeLines(p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close does nothing: the process owns the stream.
func (a *streamAppender) Close() error { return nil }

// endsLine reports whether the last byte of a file of size end is a line end. It
// returns true if the file is empty or cannot be read. It opens the file by name,
// because the stream might be open only for writing. info identifies the file.
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
	_, _ = f.ReadAt(last, end-1) // if the read fails, the buffer keeps its initial line end
	return last[0] == '\n'
}
