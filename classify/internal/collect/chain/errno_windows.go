package chain

import "syscall"

// systemErrnoID returns the rule id for an error code of Windows or Winsock.
func systemErrnoID(e syscall.Errno) string { return WindowsErrnoID(uintptr(e)) }
