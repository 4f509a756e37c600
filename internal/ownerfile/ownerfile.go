// Package ownerfile opens files that other users must not read. [Open] is the entry
// point.
//
// On Unix a new file gets mode 0600. An existing file loses all permissions beyond
// 0600. Open refuses a file of another user, even if the process runs as root. On
// Windows, a file has the access list of its directory.
package ownerfile

import (
	"fmt"
	"os"
)

// Mode is the mode of the opened files on Unix.
const Mode os.FileMode = 0o600

// euid returns the user id that must own a file. Tests replace it.
var euid = os.Geteuid

// Open opens a file like os.OpenFile with [Mode]. If an existing file has more
// permissions, its mode is changed first. Devices, pipes and sockets keep their
// mode. With os.O_TRUNC, a file with several hard links is refused.
//
// If a named pipe has no reader, opening it with os.O_WRONLY fails at once with ENXIO.
func Open(path string, flag int) (*os.File, error) {
	if flag&(os.O_WRONLY|os.O_RDWR) == os.O_WRONLY {
		flag |= nonBlock
	}
	f, err := os.OpenFile(path, flag&^os.O_TRUNC, Mode)
	if err != nil {
		return nil, err
	}
	if err := secure(f, flag&os.O_TRUNC != 0); err != nil {
		_ = f.Close() // err is more important
		return nil, err
	}
	return f, nil
}

// secure restricts f to its owner, and truncates f if truncate is true. If f belongs to
// another user, or has several hard links and would be truncated, secure returns an
// error and leaves f unchanged.
func secure(f *os.File, truncate bool) error {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	if uid, links, known := owner(info); known {
		if self := euid(); uid != uint64(self) {
			return fmt.Errorf("%s belongs to another user (uid %d, not %d), who could read it: use a file of your own, or change its owner", f.Name(), uid, self)
		}
		if truncate && links > 1 {
			return fmt.Errorf("%s has %d hard links, and truncating it would truncate all of them: use another file, or remove it first", f.Name(), links)
		}
	}
	if modes && info.Mode().Perm()&^Mode != 0 {
		if err := f.Chmod(info.Mode().Perm() & Mode); err != nil {
			return fmt.Errorf("other users may read or write %s (mode %04o), and setting mode %04o failed: change its mode or its owner, or use another file: %w",
				f.Name(), info.Mode().Perm(), Mode, err)
		}
	}
	if !truncate {
		return nil
	}
	return f.Truncate(0)
}
