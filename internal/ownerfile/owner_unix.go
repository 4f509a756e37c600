//go:build unix

package ownerfile

import (
	"os"
	"syscall"
)

// modes reports whether files have permission bits.
const modes = true

// nonBlock makes opening a named pipe for writing fail if no process reads the pipe.
const nonBlock = syscall.O_NONBLOCK

// owner returns the user id of a file's owner, and the number of the file's
// hard links.
func owner(info os.FileInfo) (uid, links uint64, known bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, false
	}
	return uint64(stat.Uid), uint64(stat.Nlink), true //nolint:unconvert // its type differs by platform
}
