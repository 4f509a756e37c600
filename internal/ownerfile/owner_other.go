//go:build !unix

package ownerfile

import (
	"os"
	"runtime"
)

// modes reports whether files have permission bits. On Windows, os.Chmod changes
// only the read-only attribute.
const modes = runtime.GOOS != "windows"

// nonBlock is 0, so it has no effect. It is not needed, because the file systems of
// these operating systems have no named pipes.
const nonBlock = 0

// owner does not find out the owner of a file, so known is false. For that, it would
// have to read access lists.
func owner(os.FileInfo) (uid, links uint64, known bool) { return 0, 0, false }
