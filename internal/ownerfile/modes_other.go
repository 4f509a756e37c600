//go:build !windows

package ownerfile

// modes says that permissions are bits of a file's mode.
const modes = true
