// Package ownerfile opens files that hold what others must not read: events,
// restart records. [Open] is the entry point.
//
// On Unix a new file gets the mode 0600, and an existing one whose mode is wider
// is tightened to it before anything is read or written. A file of another user
// is refused, whatever its mode: root can open it, but its owner could read it.
// Windows has no such modes: there a file has the access list of its folder.
package ownerfile

import (
	"fmt"
	"os"
)

// Mode is what the files have on Unix.
const Mode os.FileMode = 0o600

// euid returns the user id that files must have. It is a variable for tests,
// which cannot change the owner of a file unless they run as root.
var euid = os.Geteuid

// Open is os.OpenFile with [Mode]. Devices, pipes and sockets, which keep nothing,
// stay as they are. With os.O_TRUNC a file is emptied only after its mode is right,
// and is refused if it has other names (hard links): those would be emptied with it.
//
// Open never waits for the reader of a named pipe: with os.O_WRONLY it fails with
// ENXIO if there is none.
func Open(path string, flag int) (*os.File, error) {
	if flag&(os.O_WRONLY|os.O_RDWR) == os.O_WRONLY {
		flag |= nonBlock
	}
	f, err := os.OpenFile(path, flag&^os.O_TRUNC, Mode)
	if err != nil {
		return nil, err
	}
	if err := secure(f, flag&os.O_TRUNC != 0); err != nil {
		_ = f.Close() // why it is refused is what matters
		return nil, err
	}
	return f, nil
}

// secure refuses a file that cannot be made its owner's alone. It changes nothing
// of a file that it refuses for its owner or its links.
func secure(f *os.File, truncate bool) error {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	if uid, names, known := owner(info); known {
		if self := euid(); uid != uint64(self) {
			return fmt.Errorf("%s belongs to another user (uid %d, not %d), who could read it: use a file of your own, or change its owner", f.Name(), uid, self)
		}
		if truncate && names > 1 {
			return fmt.Errorf("%s has %d names (hard links), and emptying it would empty them all: use another file, or remove it first", f.Name(), names)
		}
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
