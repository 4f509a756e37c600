package cli

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"time"
)

// pollInterval is the time between two checks for more bytes in a followed file.
const pollInterval = 250 * time.Millisecond

// follower reads a file and waits for more bytes, like tail -F:
//
//   - If the file is replaced, it reads the rest of the old file and then the new file.
//   - If the file is truncated, it starts again at the beginning.
//   - If there is no file, it waits for one.
//   - A named pipe is read until ended is closed, whoever writes to it.
type follower struct {
	name  string
	ended <-chan struct{} // after it is closed, nothing more is read
	idle  func()          // called before each wait
	tick  <-chan time.Time
	stop  func()

	file   *os.File
	offset int64
	last   byte // the last byte that was read
	opened bool
}

// follow returns a reader of the named file. The file need not exist yet.
func follow(name string, ended <-chan struct{}, idle func()) (*follower, error) {
	ticker := time.NewTicker(pollInterval)
	f := &follower{name: name, ended: ended, idle: idle, tick: ticker.C, stop: ticker.Stop}
	if err := f.open(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		f.stop()
		return nil, err
	}
	return f, nil
}

func (f *follower) open() error {
	file, err := openUntil(f.ended, f.name)
	if err != nil {
		return err
	}
	f.file, f.offset = file, 0
	return nil
}

// Close closes the file.
func (f *follower) Close() error {
	f.stop()
	if f.file == nil {
		return nil
	}
	return f.file.Close()
}

// Read waits until the file has more bytes. After a signal it returns
// errInterrupted.
func (f *follower) Read(p []byte) (int, error) {
	for {
		if f.file != nil {
			// A read of a pipe blocks. Files return an error, but never block.
			_ = f.file.SetReadDeadline(time.Now().Add(pollInterval))
			n, err := f.file.Read(p)
			if n > 0 {
				f.offset += int64(n)
				f.last = p[n-1]
				f.opened = true
				return n, nil
			}
			if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, os.ErrDeadlineExceeded) {
				return 0, err
			}
		}
		switch replaced, err := f.replaced(); {
		case err != nil:
			return 0, err
		case replaced && f.last != '\n' && f.opened:
			// The old file ended within a line, so end that line.
			f.last = '\n'
			return copy(p, "\n"), nil
		case replaced:
			continue
		}
		f.idle()
		select {
		case <-f.ended:
			return 0, errInterrupted
		case <-f.tick:
		}
	}
}

// Wait waits for input, at most for the duration d. It reports whether Read would
// return at once.
func (f *follower) Wait(d time.Duration) bool {
	if f.more() {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-f.ended:
		return true
	case <-timer.C:
		return f.more()
	}
}

// more reports whether the file has grown.
func (f *follower) more() bool {
	if f.file == nil {
		return false
	}
	info, err := f.file.Stat()
	return err == nil && info.Size() > f.offset
}

// replaced reports whether the file was replaced or truncated. In both cases, reading
// goes on at the beginning of the new content.
func (f *follower) replaced() (bool, error) {
	now, err := os.Stat(f.name)
	if err != nil {
		return false, nil // the new file does not exist yet
	}
	if f.file == nil {
		return true, f.open()
	}
	old, err := f.file.Stat()
	if err != nil {
		return false, err
	}
	if os.SameFile(old, now) {
		if now.Size() >= f.offset || !now.Mode().IsRegular() {
			return false, nil
		}
		f.offset = 0
		_, err := f.file.Seek(0, io.SeekStart)
		return true, err
	}
	if old.Size() > f.offset { // bytes were written between the last read and the rename
		return false, nil
	}
	previous := f.file
	if err := f.open(); err != nil {
		f.file = previous
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return false, err
	}
	return true, previous.Close()
}
