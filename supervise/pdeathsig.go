//go:build linux || freebsd

package supervise

import "syscall"

// dieWithParent makes the system kill the child when this program ends. A setuid
// program loses this setting. Processes that the child starts are not killed.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
