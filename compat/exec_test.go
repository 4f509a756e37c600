package compat_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
)

// childEnv is an environment variable. If it is set, the test binary acts as a child
// process. The value is "hang" or "exit N", followed by the lines for standard
// error.
const childEnv = "ERRCLASS_COMPAT_CHILD"

// actAsChild acts as the child process if childEnv is set. For "exit N", it ends the
// process. For "hang", it returns true when standard input ends. If childEnv is not
// set, actAsChild returns false.
func actAsChild() bool {
	script, ok := os.LookupEnv(childEnv)
	if !ok {
		return false
	}
	how, stderr, _ := strings.Cut(script, "\n")
	fmt.Fprint(os.Stderr, stderr)
	var code int
	if _, err := fmt.Sscanf(how, "exit %d", &code); err == nil {
		os.Exit(code)
	}
	_, _ = io.Copy(io.Discard, os.Stdin) // hang until the parent ends
	return true
}

// child returns a command that runs the test binary with childEnv.
func child(ctx context.Context, t *testing.T, script string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(ctx, self)
	cmd.Env = append(os.Environ(), childEnv+"="+script)
	return cmd
}

// output runs cmd.Output and returns the error. If the exit status is not 0, the field
// Stderr of the error has the text from the command's standard error.
func output(cmd *exec.Cmd) error {
	_, err := cmd.Output()
	return err
}

func TestExec(t *testing.T) {
	t.Parallel()
	file := func(t *testing.T, content string, mode os.FileMode) string {
		t.Helper()
		path := filepath.Join(t.TempDir(), "tool")
		require.NoError(t, os.WriteFile(path, []byte(content), mode))
		return path
	}
	for _, tt := range []struct {
		name string
		run  func(t *testing.T) error
		want want
	}{
		{"not in PATH", func(*testing.T) error { return exec.Command("errclass-no-such-tool").Run() },
			want{reason: classify.ReasonSpawn}},
		{"no such file", func(t *testing.T) error { return exec.Command(filepath.Join(t.TempDir(), "tool")).Run() },
			want{reason: classify.ReasonSpawn}},
		{"not executable", func(t *testing.T) error { return exec.Command(file(t, "#!/bin/sh\n", 0o600)).Run() },
			want{reason: classify.ReasonSpawn}},
		{"no such directory", func(t *testing.T) error {
			cmd := child(t.Context(), t, "exit 0")
			cmd.Dir = filepath.Join(t.TempDir(), "gone")
			return cmd.Run()
		}, want{reason: classify.ReasonInvalidRequest}}, // like os.Chdir
		{"exit 1", func(t *testing.T) error { return child(t.Context(), t, "exit 1").Run() },
			want{reason: classify.ReasonSpawn}},
		{"exit 126", func(t *testing.T) error { return child(t.Context(), t, "exit 126").Run() },
			want{reason: classify.ReasonSpawn}},
		{"exit 127", func(t *testing.T) error { return child(t.Context(), t, "exit 127").Run() },
			want{reason: classify.ReasonSpawn}},
		{"exit 130", func(t *testing.T) error { return child(t.Context(), t, "exit 130").Run() },
			want{reason: classify.ReasonAborted}},
		{"exit 137", func(t *testing.T) error { return child(t.Context(), t, "exit 137").Run() },
			want{reason: classify.ReasonSpawn}},
		// In the rows named "it says: ...", the error's text is only the exit status, as
		// in "exit status 1". The cause is in the field Stderr of the error.
		{"it says: rate limit", func(t *testing.T) error {
			return output(child(t.Context(), t, "exit 1\nAPI Error: 429 rate_limit_error: too many requests"))
		}, want{reason: classify.ReasonRateLimit, text: classify.ReasonSpawn}},
		{"it says: key", func(t *testing.T) error {
			return output(child(t.Context(), t, "exit 1\nInvalid API key · Please run /login"))
		}, want{reason: classify.ReasonAuthentication, text: classify.ReasonSpawn}},
		{"it says: disk", func(t *testing.T) error {
			return output(child(t.Context(), t, "exit 2\nwrite /var/lib/x: no space left on device"))
		}, want{reason: classify.ReasonResource, text: classify.ReasonSpawn}},
		{"it says: prompt", func(t *testing.T) error {
			return output(child(t.Context(), t, "exit 1\nprompt is too long: 208310 tokens > 200000 maximum"))
		}, want{reason: classify.ReasonContextOverflow, text: classify.ReasonSpawn}},
		{"the caller had cancelled", func(t *testing.T) error {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			return child(ctx, t, "hang").Run()
		}, want{reason: classify.ReasonAborted}},
		{"started twice", func(t *testing.T) error {
			cmd := child(t.Context(), t, "exit 0")
			require.NoError(t, cmd.Run())
			return cmd.Run()
		}, want{reason: classify.ReasonLogic}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			check(t, tt.run(t), tt.want)
		})
	}
}

// TestExecDeadline lets os/exec kill the child at a deadline. The error of os/exec
// does not name the deadline, so the test joins this error with the cause of the
// context.
func TestExecDeadline(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), shortDeadline)
	defer cancel()
	cmd := child(ctx, t, "hang")
	stdin, err := cmd.StdinPipe() // open, so that the child waits
	require.NoError(t, err)
	defer func() { _ = stdin.Close() }()
	err = cmd.Run()
	require.Error(t, err)
	check(t, errors.Join(err, context.Cause(ctx)), want{
		reason: classify.ReasonTimeout, category: classify.CategoryTimeout,
	})
}
