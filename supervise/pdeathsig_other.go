//go:build unix && !linux && !freebsd

package supervise

import "syscall"

// dieWithParent does nothing: the system cannot end a child with its parent.
func dieWithParent(*syscall.SysProcAttr) {}
