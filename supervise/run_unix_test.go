//go:build unix

package supervise_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/supervise"
)

func init() {
	// "stubborn" ignores SIGTERM.
	roles["stubborn"] = func([]string) {
		signal.Ignore(syscall.SIGTERM)
		dialLifeline()
		fmt.Println("ready")
		waitForever()
	}
	// "polite" exits with 0 after SIGTERM.
	roles["polite"] = func([]string) {
		asked := make(chan os.Signal, 1)
		signal.Notify(asked, syscall.SIGTERM)
		fmt.Println("ready")
		<-asked
		fmt.Fprintln(os.Stderr, "saved")
	}
	// "signal NUMBER" makes the child send the signal with this number to itself.
	roles["signal"] = func(args []string) {
		var n int
		_, _ = fmt.Sscan(args[0], &n)
		_ = syscall.Kill(os.Getpid(), syscall.Signal(n))
		waitForever()
	}
	// "stopped" makes the child stop itself, like a background job that reads a
	// terminal.
	roles["stopped"] = func([]string) {
		fmt.Println("ready")
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		waitForever()
	}
}

func TestSignals(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		signal   syscall.Signal
		category classify.Category
		reason   classify.Reason
	}{
		{syscall.SIGKILL, classify.CategoryFatal, classify.ReasonSpawn},
		{syscall.SIGTERM, classify.CategoryFatal, classify.ReasonSpawn},
		{syscall.SIGHUP, classify.CategoryFatal, classify.ReasonSpawn},
	} {
		t.Run(tt.signal.String(), func(t *testing.T) {
			t.Parallel()
			o, err := supervise.Run(t.Context(), self(t, "signal", fmt.Sprint(int(tt.signal))))
			require.Error(t, err)
			assert.Equal(t, -1, o.ExitCode)
			assert.Equal(t, tt.signal, o.Signal)
			assert.Equal(t, tt.category, o.Result.Category)
			assert.Equal(t, tt.reason, o.Result.Reason)
			assert.Contains(t, err.Error(), "signal: "+tt.signal.String())
		})
	}
}

// The error "signal: broken pipe" is not a network error and must not be retried.
func TestReaderGone(t *testing.T) {
	t.Parallel()
	o, err := supervise.Run(t.Context(), supervise.Command{Name: "sh", Args: []string{"-c", "kill -PIPE $$"}})
	require.Error(t, err)
	assert.Equal(t, syscall.SIGPIPE, o.Signal)
	assert.Equal(t, classify.ReasonSpawn, o.Result.Reason, o.Result.Rule)
	assert.False(t, o.Result.Retryable())
}

// If a child has ended by itself, no limit turns its success into a failure, even if
// a process that it started keeps the output open.
func TestLimitsAfterTheEnd(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]supervise.Command{
		"silence": {Silence: 300 * time.Millisecond, Grace: time.Second},
		"timeout": {Timeout: 300 * time.Millisecond},
		"context": {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			if name == "context" {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, 300*time.Millisecond)
				defer cancel()
			}
			c.Name, c.Args = "sh", []string{"-c", "sleep 25 & echo done"}
			var out bytes.Buffer
			c.Stdout = &out
			o, err := supervise.Run(ctx, c)
			require.NoError(t, err)
			assert.Zero(t, o.ExitCode)
			assert.Equal(t, "done\n", out.String())
		})
	}
}

// If a writer fails and the child then fails, the error wraps the writer's error. What
// the child writes to standard error does not change the Result.
func TestWriterFailsFirst(t *testing.T) {
	t.Parallel()
	full := errors.New("disk full")
	for _, tt := range []struct {
		name, script string
		code         int
		signal       os.Signal
	}{
		{"a signal ends it", "exec yes", -1, syscall.SIGPIPE},
		{"a signal ends its child", "yes; exit $?", 128 + int(syscall.SIGPIPE), nil},
		{"it sees the error", `trap "" PIPE; while echo x; do :; done 2>/dev/null; echo HTTP 503 >&2; exit 7`, 7, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o, err := supervise.Run(t.Context(), supervise.Command{Name: "sh", Args: []string{"-c", tt.script}, Stdout: &failing{err: full}})
			require.ErrorIs(t, err, full)
			require.ErrorAs(t, err, new(*exec.ExitError))
			assert.Equal(t, tt.code, o.ExitCode)
			assert.Equal(t, tt.signal, o.Signal)
			assert.False(t, o.Result.Retryable(), o.Result.Rule)
			assert.Equal(t, o.Result, classify.Error(err))
		})
	}
}

// SIGXCPU is not a timeout, because no deadline has passed. The Go runtime ignores
// SIGXCPU, so the child is a shell.
func TestCPULimit(t *testing.T) {
	t.Parallel()
	o, err := supervise.Run(t.Context(), supervise.Command{Name: "sh", Args: []string{"-c", "ulimit -c 0; kill -XCPU $$"}})
	require.Error(t, err)
	assert.Equal(t, syscall.SIGXCPU, o.Signal)
	assert.Equal(t, classify.CategoryFatal, o.Result.Category)
	assert.Equal(t, classify.ReasonResource, o.Result.Reason, o.Result.Rule)
	assert.Equal(t, o.Result, classify.Error(err))
}

// runUntilReady runs a command and cancels the context when the child is ready.
func runUntilReady(t *testing.T, c supervise.Command) (supervise.Outcome, error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ready := newSignal()
	c.Stdout = ready
	go func() {
		select {
		case <-ready.ready:
			cancel()
		case <-ctx.Done():
		}
	}()
	return supervise.Run(ctx, c)
}

func TestEndings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, role string
		grace      time.Duration
		signal     os.Signal
		code       int
	}{
		{"a child is asked to end", "wait", time.Minute, syscall.SIGTERM, -1},
		{"a child ends well when it is asked", "polite", time.Minute, nil, 0},
		{"a child that does not listen is killed", "stubborn", shortGrace, syscall.SIGKILL, -1},
		{"without grace all are killed", "stubborn", -1, syscall.SIGKILL, -1},
		{"a child that is stopped goes on and ends", "stopped", time.Minute, syscall.SIGTERM, -1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := self(t, tt.role)
			c.Grace = tt.grace
			o, err := runUntilReady(t, c)
			require.ErrorIs(t, err, context.Canceled, "how it ends does not matter: it was ended")
			assert.Equal(t, classify.CategoryAborted, o.Result.Category)
			assert.Equal(t, tt.signal, o.Signal)
			assert.Equal(t, tt.code, o.ExitCode)
		})
	}
}

func TestGroups(t *testing.T) {
	t.Parallel()
	for _, role := range []string{"wait", "stubborn"} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			c := self(t, "parent", role)
			c.Grace = shortGrace
			gone, _ := withLifeline(t, &c)
			_, err := runUntilReady(t, c)
			require.ErrorIs(t, err, context.Canceled)
			waitClosed(t, gone, "the end of the child's child")
		})
	}
}

// If the context of Stop ends before the server does, Stop returns the context's error.
// The server still ends, and the observers are told of its end.
func TestStopInHaste(t *testing.T) {
	t.Parallel()
	c := self(t, "stubborn")
	c.Grace = shortGrace
	gone, _ := withLifeline(t, &c)
	seen := newStatuses()
	s := supervise.NewServer("stubborn", c, func(_ context.Context, conn ioConn) (struct{}, error) {
		_, err := conn.Read(make([]byte, len("ready\n")))
		return struct{}{}, err
	}, supervise.WithObserver(seen.observe))
	require.NoError(t, s.Start(t.Context()))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, s.Stop(ctx), context.Canceled)
	waitClosed(t, gone, "its end")
	seen.until(t, supervise.ServerStopped)
	assert.Equal(t, supervise.ServerStopped, s.Status().State)
	require.NoError(t, s.Stop(t.Context()))
	assert.Equal(t, []supervise.ServerState{supervise.ServerRunning, supervise.ServerStopped}, seen.states())
}
