//go:build unix

package supervise

import (
	"os/exec"
	"syscall"
)

// group is a process group, which has the number of its first process for as
// long as one member lives. What makes a session of its own (setsid, a daemon)
// leaves it.
type group struct{ id int }

func startGroup(cmd *exec.Cmd) (*group, error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &group{cmd.Process.Pid}, nil
}

// terminate asks all to end. One that is stopped has to go on to hear it.
func (g *group) terminate() {
	_ = g.signal(syscall.SIGTERM) // there may be nobody left, here and below
	_ = g.signal(syscall.SIGCONT)
}

func (g *group) kill() { _ = g.signal(syscall.SIGKILL) }

// alive reports whether anybody is left. A process that has ended and that
// nobody waited for counts too: under an init that reaps no orphans the whole
// grace is waited.
func (g *group) alive() bool { return g.signal(0) == nil }

func (g *group) signal(s syscall.Signal) error { return syscall.Kill(-g.id, s) }

// release gives nothing back: the group is but a number.
func (g *group) release() {}
