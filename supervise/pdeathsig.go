//go:build linux || freebsd

package supervise

import "syscall"

// dieWithParent makes the system kill the child when this program ends, even if
// this program is killed with SIGKILL. The system does not kill the processes that
// the child starts. If the child executes a program with the setuid bit, the
// setting is lost.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
