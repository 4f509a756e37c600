//go:build unix && !aix

package chain

import "syscall"

// systemErrnoID returns "" on Unix. For Windows, see errno_windows.go.
func systemErrnoID(syscall.Errno) string { return "" }
