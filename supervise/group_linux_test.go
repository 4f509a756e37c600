package supervise_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/errclass/errclass/supervise"
)

func init() {
	// "supervisor ROLE" runs a child with the role ROLE and copies its output.
	roles["supervisor"] = func(args []string) {
		c := self(nil, args[0])
		c.Stdout, c.Stderr = os.Stdout, os.Stderr
		_, _ = supervise.Run(context.Background(), c)
	}
	// "zombie" starts a process with the role "hoarder" in a new group. The hoarder
	// leaves a zombie in the process group of its parent.
	roles["zombie"] = func([]string) {
		startInGroup("hoarder", 0, strconv.Itoa(os.Getpid()))
		fmt.Println("ready")
		waitForever()
	}
	// "hoarder GROUP" starts a process in the group GROUP and does not reap it.
	roles["hoarder"] = func(args []string) {
		group, _ := strconv.Atoi(args[0])
		startInGroup("both", group)
		var info unix.Siginfo
		if err := unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WNOWAIT, nil); err != nil {
			fmt.Println(err)
		}
		fmt.Println("ready")
		dialLifeline()
		waitForever()
	}
	// "reaper" becomes a subreaper. It runs a child and waits until the child's
	// orphan is reaped.
	roles["reaper"] = func([]string) {
		if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
			fmt.Println(err)
			return
		}
		c := self(nil, "leave")
		c.Grace = shortGrace
		if _, err := supervise.Run(context.Background(), c); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("left")
		for {
			var info unix.Siginfo
			if err := unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WNOWAIT, nil); errors.Is(err, unix.ECHILD) {
				fmt.Println("reaped")
				return
			}
		}
	}
}

// startInGroup starts a child in a group and waits for its first line. If group is
// 0, the group is new.
func startInGroup(role string, group int, args ...string) {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: group}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(3)
	}
	_, _ = bufio.NewReader(out).ReadString('\n')
}

// If the supervising program is killed, its child ends too.
func TestSupervisorKilled(t *testing.T) {
	t.Parallel()
	for _, role := range []string{"wait", "stubborn"} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			c := self(t, "supervisor", role)
			gone, _ := withLifeline(t, &c)
			cmd := exec.Command(c.Name, c.Args...)
			cmd.Env = c.Env
			out, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			line, err := bufio.NewReader(out).ReadString('\n')
			require.NoError(t, err)
			require.Equal(t, "ready\n", line)
			require.NoError(t, cmd.Process.Kill())
			require.Error(t, cmd.Wait())
			waitClosed(t, gone, "the end of the child")
		})
	}
}

// Run does not wait for a zombie in the process group.
func TestZombie(t *testing.T) {
	t.Parallel()
	c := self(t, "zombie")
	c.Grace = 10 * time.Minute
	_, hangUp := withLifeline(t, &c)
	defer hangUp()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, err := runUntilReady(t, c)
		assert.ErrorIs(t, err, context.Canceled)
	}()
	waitClosed(t, done, "the end of the group")
}

// A subreaper reaps the orphans of the child's group.
func TestReaper(t *testing.T) {
	t.Parallel()
	c := self(t, "reaper")
	_, hangUp := withLifeline(t, &c)
	cmd := exec.Command(c.Name, c.Args...)
	cmd.Env = c.Env
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	timer := time.AfterFunc(30*time.Second, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	lines := bufio.NewScanner(out)
	require.True(t, lines.Scan())
	require.Equal(t, "left", lines.Text())
	hangUp()
	lines.Scan()
	assert.Equal(t, "reaped", lines.Text())
	require.NoError(t, cmd.Wait())
}
