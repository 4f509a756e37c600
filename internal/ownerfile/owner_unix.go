//go:build unix

package ownerfile

import (
	"os"
	"syscall"
)

// modes says that permissions are bits of a file's mode.
const modes = true

// nonBlock keeps an open from waiting for the reader of a named pipe. Regular
// files ignore it.
const nonBlock = syscall.O_NONBLOCK

// owner returns the user id of a file's owner and the number of the file's names.
func owner(info os.FileInfo) (uid, names uint64, known bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, false
	}
	return uint64(stat.Uid), uint64(stat.Nlink), true //nolint:unconvert // its type differs by platform
}
