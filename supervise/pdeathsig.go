//go:build linux || freebsd

package supervise

import "syscall"

// dieWithParent makes the system kill the child when this program ends, even if
// this program is killed with SIGKILL. It has no effect on the processes that the
// child starts. A program with the setuid bit resets it.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
