//go:build unix

package cli_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// startGrandchild is a shell command that starts a background process. It then prints
// the process ids of the shell and of the background process.
const startGrandchild = `sleep 1000 </dev/null >/dev/null 2>&1 & echo $$ $!; `

// runProgram starts errclass run in a separate process.
func runProgram(t *testing.T, errs io.Writer, args ...string) (*exec.Cmd, io.ReadCloser) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self, append([]string{"run"}, args...)...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	cmd.Stderr = errs
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // if the test fails
	return cmd, out
}

// pids reads the process ids that the command startGrandchild prints.
func pids(t *testing.T, out io.Reader) (ids []int) {
	t.Helper()
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	for _, field := range strings.Fields(line) {
		id, err := strconv.Atoi(field)
		require.NoError(t, err)
		ids = append(ids, id)
	}
	return ids
}

// assertEnded waits until the processes have ended. A zombie counts as ended.
func assertEnded(t *testing.T, ids []int) {
	t.Helper()
	for _, id := range ids {
		assert.Eventually(t, func() bool {
			if err := syscall.Kill(id, 0); errors.Is(err, syscall.ESRCH) {
				return true
			}
			stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(id), "stat"))
			_, rest, _ := strings.Cut(string(stat), ") ")
			return err == nil && strings.HasPrefix(rest, "Z")
		}, 30*time.Second, 10*time.Millisecond, "process %d is still running", id)
	}
}

// TestRunEndsItsGroup checks that a signal to errclass also ends the command and the
// command's background process.
func TestRunEndsItsGroup(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGHUP, syscall.SIGPIPE} {
		for name, flags := range map[string][]string{"once": nil, "silence": {"--silence", "1h"}, "retry": {"--retry"}} {
			t.Run(sig.String()+"/"+name, func(t *testing.T) {
				t.Parallel()
				cmd, out := runProgram(t, io.Discard, append(flags, "--", "sh", "-c", startGrandchild+"wait")...)
				ids := pids(t, out)
				require.Len(t, ids, 2)
				require.NoError(t, cmd.Process.Signal(sig))
				var exit *exec.ExitError
				require.ErrorAs(t, cmd.Wait(), &exit)
				want := 130
				if sig == syscall.SIGPIPE { // means a closed output
					want = 141
				}
				assert.Equal(t, want, exit.ExitCode())
				assertEnded(t, ids)
			})
		}
	}
}

// TestRunClosedOutput checks that a closed output also ends the command.
func TestRunClosedOutput(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"it goes on writing":  startGrandchild + `while echo x; do sleep 0.01; done`,
		"it ignores SIGPIPE":  `trap "" PIPE; ` + startGrandchild + `while :; do echo x; sleep 0.01; done`,
		"it writes once more": `trap "" PIPE; ` + startGrandchild + `sleep 0.2; echo x; wait`,
		"it fails by itself":  `trap "" PIPE; ` + startGrandchild + `trap "kill $!; exit 7" TERM; while :; do echo x; sleep 0.01; done`,
		"it ends at once":     `trap "" TERM PIPE; ` + startGrandchild + `sleep 0.2; echo x; kill $!; exit 7`,
		"it would be retried": `trap "" PIPE; ` + startGrandchild + `echo HTTP 503 >&2; trap "kill $!; exit 7" TERM; while :; do echo x; sleep 0.01; done`,
	} {
		for flags, args := range map[string][]string{
			"plain": nil, "retry": {"--retry"}, "category": {"--exit-code", "category"}, "silence": {"--silence", "1h"}, "timeout": {"--timeout", "1h"},
		} {
			t.Run(name+"/"+flags, func(t *testing.T) {
				t.Parallel()
				var errs bytes.Buffer
				cmd, out := runProgram(t, &errs, append(args, "--", "sh", "-c", script)...)
				ids := pids(t, out)
				require.NoError(t, out.Close())
				var exit *exec.ExitError
				require.ErrorAs(t, cmd.Wait(), &exit)
				assert.Equal(t, 141, exit.ExitCode(), errs.String())
				assert.Contains(t, errs.String(), "errclass run: sh: the output was closed: aborted aborted (context/canceled) after 1 run\n")
				assert.NotContains(t, errs.String(), "again in")
				assertEnded(t, ids)
			})
		}
	}
}

// TestRunUnreadInput checks that errclass goes on if the command closes its input.
func TestRunUnreadInput(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self, "run", "--retry", "--", "sh", "-c", "exec <&-; sleep 0.3; echo done")
	cmd.Env = append(os.Environ(), asProgram+"=1")
	cmd.Stdin = strings.NewReader(strings.Repeat("x", 1<<20))
	out, err := cmd.Output()
	require.NoError(t, err)
	assert.Equal(t, "done\n", string(out))
}

// TestRunEventNotWritten checks that an unwritable event file does not change the
// exit code.
func TestRunEventNotWritten(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"text", "json"} {
		r := run(t, "", child(t, []string{"--event", "/dev/full", "--format", format}, "err", "HTTP 503\n", "exit", "7")...)
		assert.Equal(t, 7, r.code)
		assert.Contains(t, r.err, "errclass run: --event: the event was not written: write /dev/full: no space left on device\n")
		assert.Equal(t, 75, run(t, "", child(t, []string{"--event", "/dev/full", "--exit-code", "category"}, "err", "HTTP 503\n", "exit", "7")...).code)
	}
	assert.Zero(t, run(t, "", child(t, []string{"--event", "/dev/full"}, "out", "fine")...).code, "there is no event to write")
}

// TestRunKeepsItsCodeWithoutStandardError makes standard error unwritable. The exit
// code must stay the same.
func TestRunKeepsItsCodeWithoutStandardError(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	require.NoError(t, err)
	defer full.Close()
	cmd, out := runProgram(t, full, "--format", "json", "--", "sh", "-c", "exit 7")
	_, err = io.Copy(io.Discard, out)
	require.NoError(t, err)
	var exit *exec.ExitError
	require.ErrorAs(t, cmd.Wait(), &exit)
	assert.Equal(t, 7, exit.ExitCode())
}

// TestRunEventFileIsPrivate checks that only the owner can read the event file.
func TestRunEventFileIsPrivate(t *testing.T) {
	t.Parallel()
	for name, mode := range map[string]os.FileMode{"new": 0, "readable": 0o644, "writable": 0o666} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "event.json")
			if mode != 0 {
				require.NoError(t, os.WriteFile(path, []byte("of an earlier run, and longer than the event that is written to it now"+strings.Repeat(".", 1000)), 0o600))
				require.NoError(t, os.Chmod(path, mode))
			}
			r := run(t, "", child(t, []string{"--event", path, "--request-id", "token=abc123def"}, "err", `{\"api_key\":\"q7Xw29LbTz81\"}`, "exit", "7")...)
			assert.Equal(t, 7, r.code)
			info, err := os.Stat(path)
			require.NoError(t, err)
			assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			event(t, string(text))
			assert.NotContains(t, string(text), "q7Xw29LbTz81")
			assert.NotContains(t, string(text), "abc123def")
		})
	}
}
