//go:build linux || freebsd

package supervise

import "syscall"

// dieWithParent makes the system kill the child when this program ends, even by
// SIGKILL. It does not apply to the child's own children, and a program with the
// setuid bit resets it.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
