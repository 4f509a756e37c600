package chain

import "syscall"

// systemErrnoID gives the POSIX name of what Windows or Winsock reports.
func systemErrnoID(e syscall.Errno) string { return WindowsErrnoID(uintptr(e)) }
