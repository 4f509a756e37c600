//go:build linux || darwin

package cli_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/term"
)

// TestRunPTY runs commands in a terminal of their own. Their input is not a terminal.
func TestRunPTY(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, stdin, script string
		flags               []string
		code                int
		out, errs           string
	}{
		{name: "all three are terminals", script: "test -t 0 && test -t 1 && test -t 2 && echo yes", out: "yes\r\n"},
		{name: "its controlling terminal", script: "echo yes > /dev/tty", out: "yes\r\n"},
		{name: "output to a file", script: "exec </dev/null >/dev/null 2>&1; sleep 0.3; echo late > /dev/tty; exit 3", code: 3, out: "late\r\n"},
		{name: "the size without a terminal", script: "stty size", out: "24 80\r\n"},
		{name: "input and its end", stdin: "one\ntwo\n", script: "cat; echo end", out: "one\r\ntwo\r\nend\r\n"},
		{name: "an unfinished line", stdin: "one", script: "cat; echo; echo end", out: "one\r\nend\r\n"},
		{name: "control bytes in the input", stdin: "a\x03\x11\x13\x16\x1a\x1cb\n", script: "cat; echo end", out: "a\x03\x11\x13\x16\x1a\x1cb\r\nend\r\n"},
		{name: "no input", script: "cat; echo end", out: "end\r\n"},
		{name: "escape sequences", script: `printf '\033[31mred\033[0m\007'`, out: "\x1b[31mred\x1b[0m\a"},
		{
			name: "errors go to standard output and are classified", script: `printf '\033[31mHTTP 429: rate limit exceeded\033[0m\n' >&2; exit 3`,
			code: 3, out: "\x1b[31mHTTP 429: rate limit exceeded\x1b[0m\r\n", errs: "rate_limit",
		},
		{name: "the exit code of the category", flags: []string{"--exit-code", "category"}, script: "echo overloaded_error; exit 1", code: 75, out: "overloaded_error\r\n", errs: "retryable"},
		{name: "a signal", script: "kill -KILL $$", code: 137},
		{name: "a time limit", flags: []string{"--timeout", "100ms"}, script: "sleep 1000", code: 124, errs: "timeout"},
		{
			name: "a retry with the same input", flags: []string{"--retry", "--max", "2"}, stdin: "one\n",
			script: "cat; echo 'HTTP 429: rate limit exceeded, try again in 0.001s'; exit 1",
			code:   1, out: strings.Repeat("one\r\nHTTP 429: rate limit exceeded, try again in 0.001s\r\n", 2), errs: "again in 1ms",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			args := append(append([]string{"run", "--pty"}, tt.flags...), "--", "sh", "-c", tt.script)
			got := run(t, tt.stdin, args...)
			assert.Equal(t, tt.code, got.code, got.err)
			assert.Equal(t, tt.out, got.out)
			assert.Contains(t, got.err, tt.errs)
		})
	}
	t.Run("no such command", func(t *testing.T) {
		t.Parallel()
		assert.Equal(t, 127, run(t, "", "run", "--pty", "--", "no-such-command-here").code)
	})
}

// screen collects what a program draws on a terminal.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// await waits until the screen shows a text.
func (s *screen) await(t *testing.T, text string) {
	t.Helper()
	require.Eventually(t, func() bool { return strings.Contains(s.String(), text) }, 30*time.Second, 5*time.Millisecond, "%q: %q", text, s)
}

// TestRunPTYTerminal checks that the command's terminal has the size of errclass's own
// terminal and gets the keys that are pressed there.
func TestRunPTYTerminal(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	for _, tt := range []struct {
		name          string
		begin, script string // begin runs before any key is pressed
		flags         []string
		keys, shows   string
		signal        syscall.Signal
		code          int
	}{
		{name: "a line", script: "read x; echo got $x", keys: "abc\r", shows: "got abc"},
		{name: "a raw key", begin: "stty raw -echo;", script: "dd bs=1 count=1 2>/dev/null | od -c; stty sane", keys: "\x03", shows: "003"},
		{name: "Ctrl-C", begin: "trap 'echo caught; exit 9' INT;", script: "while :; do sleep 0.01; done", keys: "\x03", shows: "caught", code: 9},
		{name: "a failure", script: "read x; echo HTTP 401: invalid api key; exit 4", keys: "\r", shows: "authentication", code: 4},
		{name: "SIGTERM", script: "sleep 1000", signal: syscall.SIGTERM, code: 130},
		{name: "SIGHUP", script: "sleep 1000", signal: syscall.SIGHUP, code: 130},
		{name: "a time limit", flags: []string{"--timeout", "3s"}, script: "sleep 1000", code: 124},
		{
			name: "a retry reads new keys", flags: []string{"--retry", "--max", "2"},
			script: "read x; echo got $x; echo HTTP 429: rate limit exceeded, try again in 0.001s; exit 1", keys: "a\rb\r", shows: "got b", code: 1,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			master, tty, err := pty.Open()
			require.NoError(t, err)
			defer master.Close()
			defer tty.Close()
			require.NoError(t, pty.Setsize(master, &pty.Winsize{Rows: 33, Cols: 111}))
			before, err := term.GetState(int(tty.Fd()))
			require.NoError(t, err)
			shown := new(screen)
			go func() { _, _ = io.Copy(shown, master) }()

			args := append(append([]string{"run", "--pty"}, tt.flags...), "--", "sh", "-c", "echo size $(stty size);"+tt.begin+"echo ready;"+tt.script)
			program := exec.Command(self, args...)
			program.Env = append(os.Environ(), asProgram+"=1")
			program.Stdin, program.Stdout, program.Stderr = tty, tty, tty
			program.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
			require.NoError(t, program.Start())
			shown.await(t, "ready")
			during, err := term.GetState(int(tty.Fd()))
			require.NoError(t, err)
			if tt.name == "a line" {
				assert.NotEqual(t, before, during, "raw mode")
			}
			for key := range strings.SplitAfterSeq(tt.keys, "\r") {
				_, err = io.WriteString(master, key)
				require.NoError(t, err)
				if strings.Count(tt.keys, "\r") > 1 && key == "a\r" {
					require.Eventually(t, func() bool { return strings.Count(shown.String(), "size") > 1 }, 30*time.Second, 5*time.Millisecond)
				}
			}
			if tt.signal != 0 {
				require.NoError(t, program.Process.Signal(tt.signal))
			}
			err = program.Wait()
			assert.Equal(t, tt.code, program.ProcessState.ExitCode(), "%v %q", err, shown)
			if tt.shows != "" {
				shown.await(t, tt.shows)
			}
			assert.Contains(t, shown.String(), "size 33 111")
			after, err := term.GetState(int(tty.Fd()))
			require.NoError(t, err)
			assert.Equal(t, before, after, "the mode is restored")
		})
	}
}

// TestRunPTYResize checks that a change of the terminal's size reaches the command.
func TestRunPTYResize(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	master, tty, err := pty.Open()
	require.NoError(t, err)
	defer master.Close()
	defer tty.Close()
	shown := new(screen)
	go func() { _, _ = io.Copy(shown, master) }()
	program := exec.Command(self, "run", "--pty", "--", "sh", "-c", "trap 'stty size; exit' WINCH; echo ready; while :; do sleep 0.01; done")
	program.Env = append(os.Environ(), asProgram+"=1")
	program.Stdin, program.Stdout, program.Stderr = tty, tty, tty
	program.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	require.NoError(t, program.Start())
	shown.await(t, "ready")
	require.NoError(t, pty.Setsize(master, &pty.Winsize{Rows: 44, Cols: 133}))
	require.NoError(t, program.Wait())
	shown.await(t, "44 133")
}

// TestRunBackground runs errclass without --pty from a shell with job control, in the
// background and in the foreground. The standard input of errclass is the shell's
// terminal.
func TestRunBackground(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	for _, tt := range []struct{ name, script, shows string }{
		{"a command that reads nothing", `"$0" run -- echo fine & wait $!; echo code $?`, "fine\r\ncode 0\r\n"},
		{"a time limit", `"$0" run --retry --timeout 1s -- sleep 1000 & wait $!; echo code $?`, "code 124\r\n"},
		{"the foreground", `"$0" run -- head -n 1; echo code $?`, "keys\r\ncode 0\r\n"},
		{"the foreground again", `"$0" run --retry -- head -n 1 & sleep 0.3; fg; echo code $?`, "keys\r\ncode 0\r\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			master, tty, err := pty.Open()
			require.NoError(t, err)
			defer master.Close()
			defer tty.Close()
			shown := new(screen)
			go func() { _, _ = io.Copy(shown, master) }()
			shell := exec.Command("sh", "-c", "set -m; stty -echo; echo ready; "+tt.script, self)
			shell.Env = append(os.Environ(), asProgram+"=1")
			shell.Stdin, shell.Stdout, shell.Stderr = tty, tty, tty
			shell.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
			require.NoError(t, shell.Start())
			shown.await(t, "ready")
			_, err = io.WriteString(master, "keys\r")
			require.NoError(t, err)
			shown.await(t, tt.shows)
			require.NoError(t, shell.Wait())
		})
	}
}
