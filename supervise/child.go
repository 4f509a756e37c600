package supervise

import (
	"os/exec"
	"time"
)

// child is a process that was started, with its group.
type child struct {
	cmd     *exec.Cmd
	group   *group
	grace   time.Duration
	outputs *outputs
	exited  chan struct{} // closed once err is set: the process has ended
	ended   chan struct{} // closed later: its output was read, too
	err     error         // what cmd.Wait said
}

// start starts cmd in a group of its own.
func start(cmd *exec.Cmd, o *outputs, grace time.Duration) (*child, error) {
	g, err := startGroup(cmd)
	o.begin(err == nil)
	if err != nil {
		return nil, err
	}
	c := &child{cmd: cmd, group: g, grace: grace, outputs: o, exited: make(chan struct{}), ended: make(chan struct{})}
	go func() {
		c.err = cmd.Wait()
		close(c.exited)
		o.drain(grace)
		close(c.ended)
	}()
	return c, nil
}

// groupPoll is how often a group is asked whether anybody is left, once its
// first process has ended: there is no event for that.
const groupPoll = 10 * time.Millisecond

// stop ends the whole group: politely, then, when grace is over, by force. It
// returns when the child has ended and its output was read, and reports false
// where that did not happen soon after: a process that waits for a device
// outlives SIGKILL until the device answers, and the caller's writer may wait for
// anything. Safe to call for a child that has ended, whose group may go on.
func (c *child) stop() bool {
	defer c.group.release()
	c.group.terminate()
	timer := time.NewTimer(c.grace)
	defer timer.Stop()
	select {
	case <-c.ended:
	case <-timer.C:
		c.group.kill()
		if !c.wait(max(c.grace, DefaultGrace)) {
			c.outputs.giveUp()
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
	case <-c.ended:
		return true
	case <-timer.C:
		return false
	}
}
