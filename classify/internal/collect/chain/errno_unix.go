//go:build unix && !aix

package chain

import "syscall"

// systemErrnoID is for numbers that have no POSIX name; here all have one.
func systemErrnoID(syscall.Errno) string { return "" }
