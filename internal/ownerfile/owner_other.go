//go:build !unix

package ownerfile

import (
	"os"
	"runtime"
)

// modes reports whether files have permission bits. Files on Windows have none.
const modes = runtime.GOOS != "windows"

// nonBlock is 0, because opening a named pipe waits for a reader only on Unix.
const nonBlock = 0

// owner always returns false: finding the owner would need access lists.
func owner(os.FileInfo) (uid, links uint64, known bool) { return 0, 0, false }
