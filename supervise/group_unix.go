//go:build unix

package supervise

import (
	"os/exec"
	"syscall"
)

// group is a process group. The id is the pid of the first process. It stays valid
// until the last member has ended. A process that calls setsid leaves the group.
type group struct {
	id      int
	running int // pid of a member that was running at the last check; 0 at first
}

func startGroup(cmd *exec.Cmd) (*group, error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = !cmd.SysProcAttr.Setsid // the first process of a session has a group of its own
	dieWithParent(cmd.SysProcAttr)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &group{id: cmd.Process.Pid}, nil
}

// terminate sends SIGTERM to all members. SIGCONT lets stopped members handle it.
func (g *group) terminate() {
	_ = g.signal(syscall.SIGTERM) // like the calls below, fails if no member is left
	_ = g.signal(syscall.SIGCONT)
}

func (g *group) kill() { _ = g.signal(syscall.SIGKILL) }

// alive reports whether a member is running. It also calls anyRunning, because a signal
// can reach a zombie too.
func (g *group) alive() bool { return g.signal(0) == nil && g.anyRunning() }

func (g *group) signal(s syscall.Signal) error { return syscall.Kill(-g.id, s) }

// release does nothing: a process group needs no clean-up.
func (g *group) release() {}

// useTerminal makes the child's standard input the controlling terminal of a new
// session.
func useTerminal(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0}
	return nil
}
