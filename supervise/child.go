package supervise

import (
	"os/exec"
	"runtime"
	"time"
)

// child is a started process and its process group.
type child struct {
	cmd     *exec.Cmd
	group   *group
	grace   time.Duration
	outputs *outputs
	exited  chan struct{} // closed when the process has ended and err is set
	drained chan struct{} // closed after exited, once the output has been read
	err     error         // error of cmd.Wait
}

// start starts a command in a group of its own.
func start(cmd *exec.Cmd, o *outputs, grace time.Duration) (*child, error) {
	c := &child{cmd: cmd, grace: grace, outputs: o, exited: make(chan struct{}), drained: make(chan struct{})}
	started := make(chan error, 1)
	go func() {
		// On Linux, a child with Pdeathsig dies with the thread that started it. So
		// keep this thread until the child has ended.
		runtime.LockOSThread()
		g, err := startGroup(cmd)
		o.begin(err == nil)
		c.group = g
		started <- err
		if err == nil {
			c.err = cmd.Wait()
			close(c.exited)
		}
		runtime.UnlockOSThread()
		if err == nil {
			o.drain(grace)
			close(c.drained)
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	if isReaper() {
		go c.group.reap(c.exited)
	}
	return c, nil
}

// hasExited reports whether the process has ended.
func (c *child) hasExited() bool {
	select {
	case <-c.exited:
		return true
	default:
		return false
	}
}

// groupPoll is the interval between checks for remaining members of a group.
const groupPoll = 10 * time.Millisecond

// stop ends the whole group with SIGTERM and, after c.grace, with SIGKILL. It
// returns whether the child has ended and its output was read. The result is false
// in two cases:
//
//   - The child survives SIGKILL, for example while waiting for a device.
//   - The caller's writer blocks for too long.
func (c *child) stop() bool {
	defer c.group.release()
	c.group.terminate()
	timer := time.NewTimer(c.grace)
	defer timer.Stop()
	select {
	case <-c.drained:
	case <-timer.C:
		c.group.kill()
		if !c.wait(max(c.grace, DefaultGrace)) {
			c.outputs.closeAll()
			return false
		}
		return true
	}
	poll := time.NewTicker(groupPoll)
	defer poll.Stop()
	for c.group.alive() {
		select {
		case <-poll.C:
		case <-timer.C:
			c.group.kill()
			return true
		}
	}
	return true
}

func (c *child) wait(limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-c.drained:
		return true
	case <-timer.C:
		return false
	}
}
