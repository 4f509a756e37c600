//go:build !unix

package ownerfile

import (
	"os"
	"runtime"
)

// modes reports whether files have permission bits. On Windows, os.Chmod changes
// only the read-only attribute.
const modes = runtime.GOOS != "windows"

// nonBlock has no effect. It is not needed, because the file systems of these
// operating systems have no named pipes.
const nonBlock = 0

// owner always returns false for known, because it would have to read access lists
// to find the owner of a file.
func owner(os.FileInfo) (uid, links uint64, known bool) { return 0, 0, false }
