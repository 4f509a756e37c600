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

// readerLimit is how long the reader of a named pipe may take to open it: a shell
// starts it at the same time as this program.
const readerLimit = time.Second

// eventFile opens the file of --event, before the command runs: one that cannot be
// written would be noticed too late, and an event of an earlier run would be taken
// for this one's. line is standard error, where words and the event share lines.
//
// A file that is also standard output or standard error is not opened again: that
// would empty what was written to it. The result for it is that stream, and where
// it is standard output, s.Out becomes the writer that the command has to use.
func eventFile(s *Streams, line *lineEnd, name string) (io.WriteCloser, error) {
	info, err := os.Stat(name)
	if err != nil { // it is made, or the open says what is wrong
		return openEvent(name)
	}
	if f, ok := sameStream(s.Err, info); ok {
		return &streamEnd{line, f, name}, nil
	}
	if f, ok := sameStream(s.Out, info); ok {
		line := &lineEnd{w: f}
		if isPipe(info.Mode()) {
			s.Out = line // what the command writes goes through this program anyway
		}
		return &streamEnd{line, f, name}, nil
	}
	if f, ok := s.In.(*os.File); ok && readsBack(info.Mode()) {
		if in, err := f.Stat(); err == nil && os.SameFile(in, info) {
			return nil, fmt.Errorf("%s is the command's standard input: use another file", name)
		}
	}
	return openEvent(name)
}

// sameStream reports whether w is a file, and the one that info describes.
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
		// Linux opens the file behind it anew: whoever opened the descriptor has
		// decided about its mode and its content.
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

// isDescriptor reports whether name stands for an open file of this process.
func isDescriptor(name string) bool {
	dir, _ := path.Split(path.Clean(name))
	return dir == "/dev/fd/" || strings.HasPrefix(dir, "/proc/") && strings.HasSuffix(dir, "/fd/")
}

// streamEnd writes lines to the end of standard output or standard error, each on
// a line of its own.
type streamEnd struct {
	line *lineEnd
	f    *os.File
	name string // that the file was found by
}

func (e *streamEnd) Write(p []byte) (int, error) {
	if info, err := e.f.Stat(); err == nil && info.Mode().IsRegular() {
		// The offset is behind what this stream wrote. Another stream of the same
		// file may have written more.
		if end, err := e.f.Seek(0, io.SeekEnd); err == nil {
			e.line.setOpen(!endsLine(e.name, info, end))
		}
	}
	if err := e.line.write(p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close leaves the stream open, for it is the process's.
func (e *streamEnd) Close() error { return nil }

// endsLine reports whether a file of size end, which info describes, is empty or
// ends with a line end. So it does where it cannot be read. The stream itself may
// be open for nothing but writing.
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
	_, _ = f.ReadAt(last, end-1) // unread, it stays a line end
	return last[0] == '\n'
}
