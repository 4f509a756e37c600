package supervise

import (
	"os/exec"
	"time"
)

// child is a process that was started, with its group.
type child struct {
	cmd   *exec.Cmd
	group *group
	grace time.Duration
	ended chan struct{} // closed once err is set: the process has ended and its output was read
	err   error         // what cmd.Wait said
}

// leastDrain is how long the output of a process that has ended is waited for at
// least; os/exec takes 0 for ever. Somebody that it left behind may hold the
// pipes open.
const leastDrain = 10 * time.Millisecond

// start starts cmd in a group of its own.
func start(cmd *exec.Cmd, grace time.Duration) (*child, error) {
	cmd.WaitDelay = max(grace, leastDrain)
	g, err := startGroup(cmd)
	if err != nil {
		return nil, err
	}
	c := &child{cmd: cmd, group: g, grace: grace, ended: make(chan struct{})}
	go func() {
		defer close(c.ended)
		c.err = cmd.Wait()
	}()
	return c, nil
}

// groupPoll is how often a group is asked whether anybody is left, once its
// first process has ended: there is no event for that.
const groupPoll = 10 * time.Millisecond

// stop ends the whole group: politely, then, when grace is over, by force. It
// returns when the process has ended, and reports false where that did not
// happen within another grace: a process that waits for a device outlives
// SIGKILL until the device answers. Safe to call for a child that has ended,
// whose group may go on.
func (c *child) stop() bool {
	defer c.group.release()
	c.group.terminate()
	timer := time.NewTimer(c.grace)
	defer timer.Stop()
	select {
	case <-c.ended:
	case <-timer.C:
		c.group.kill()
		return c.wait(max(c.grace, DefaultGrace))
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
