//go:build !unix

package ownerfile

import (
	"os"
	"runtime"
)

// modes reports whether files have permission bits. On Windows os.Chmod changes
// only the read-only attribute.
const modes = runtime.GOOS != "windows"

// nonBlock has no effect on these systems, because their file systems have no
// named pipes.
const nonBlock = 0

// owner always returns false for known. It would have to read access lists to find
// the owner.
func owner(os.FileInfo) (uid, links uint64, known bool) { return 0, 0, false }
