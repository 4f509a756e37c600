//go:build unix && !aix

package chain

import "syscall"

// systemErrnoID returns "", because Unix error numbers have POSIX names. On Windows
// it returns an id: see errno_windows.go.
func systemErrnoID(syscall.Errno) string { return "" }
