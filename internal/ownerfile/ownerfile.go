// Package ownerfile opens files that hold what others must not read: events,
// restart records. [Open] is the entry point.
//
// On Unix a new file gets the mode 0600, and an existing one whose mode is wider
// is tightened to it before anything is read or written. Where that is refused,
// for the file is another user's, so is the file. Windows has no such modes: there
// a file has the access list of its folder.
package ownerfile

import (
	"fmt"
	"os"
)

// Mode is what the files have on Unix.
const Mode os.FileMode = 0o600

// Open is os.OpenFile with [Mode]. Devices, pipes and sockets, which keep nothing,
// stay as they are. With os.O_TRUNC a file is emptied only after its mode is right.
func Open(path string, flag int) (*os.File, error) {
	f, err := os.OpenFile(path, flag&^os.O_TRUNC, Mode)
	if err != nil {
		return nil, err
	}
	if err := tighten(f, flag&os.O_TRUNC != 0); err != nil {
		_ = f.Close() // why it is refused is what matters
		return nil, err
	}
	return f, nil
}

func tighten(f *os.File, truncate bool) error {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	if modes && info.Mode().Perm()&^Mode != 0 {
		if err := f.Chmod(info.Mode().Perm() & Mode); err != nil {
			return fmt.Errorf("others may read or write %s (mode %04o), and it cannot be made %04o: change its mode or its owner, or use another file: %w",
				f.Name(), info.Mode().Perm(), Mode, err)
		}
	}
	if !truncate {
		return nil
	}
	return f.Truncate(0)
}
