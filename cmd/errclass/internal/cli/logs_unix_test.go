//go:build unix

package cli_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// program is a running errclass process.
type program struct {
	*exec.Cmd
	errs bytes.Buffer
}

func newProgram(t *testing.T, args ...string) *program {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	p := &program{Cmd: exec.Command(self, args...)}
	p.Env = append(os.Environ(), asProgram+"=1")
	p.Stderr = &p.errs
	return p
}

// signal returns the signal that ended the process, or 0.
func (p *program) signal() syscall.Signal {
	status, _ := p.ProcessState.Sys().(syscall.WaitStatus)
	if !status.Signaled() {
		return 0
	}
	return status.Signal()
}

const (
	errorIn  = `{"level":"error","msg":"HTTP 503 N"}`
	errorOut = `{"level":"error","msg":"HTTP 503 N","error.category":"retryable","error.reason":"transient"}`
)

func numbered(line string, n int) string { return strings.Replace(line, "N", fmt.Sprint(n), 1) + "\n" }

// TestLogsOfAProgramThatShutsDown checks that errclass reads the last lines that a
// program writes after a signal.
func TestLogsOfAProgramThatShutsDown(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		for _, command := range []string{"logs", "classify"} {
			t.Run(command+" "+sig.String(), func(t *testing.T) {
				t.Parallel()
				app := exec.Command("sh", "-c", `trap 'for i in 1 2 3 4 5; do sleep 0.02; echo "`+strings.Replace(strings.ReplaceAll(errorIn, `"`, `\"`), "N", "$i", 1)+`"; done; exit 0' INT TERM HUP QUIT
					echo '`+errorIn+`'; while :; do sleep 0.01; done`)
				app.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
				pr, pw, err := os.Pipe()
				require.NoError(t, err)
				defer pr.Close()
				app.Stdout = pw
				require.NoError(t, app.Start())
				require.NoError(t, pw.Close())

				p := newProgram(t, command, "--rules", "minimal")
				if command == "logs" {
					p.Args = append(p.Args, "--summary")
				}
				p.Stdin = pr
				p.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: app.Process.Pid}
				out, err := p.StdoutPipe()
				require.NoError(t, err)
				require.NoError(t, p.Start())
				r := bufio.NewReader(out)
				_, err = r.ReadString('\n')
				require.NoError(t, err)
				require.NoError(t, syscall.Kill(-app.Process.Pid, sig))
				rest, err := io.ReadAll(r)
				require.NoError(t, err)
				require.NoError(t, app.Wait())
				require.NoError(t, p.Wait(), p.errs.String())
				if command == "classify" {
					assert.Equal(t, strings.Repeat("retryable\ttransient\t000/503\n", 5), string(rest))
					return
				}
				want := ""
				for i := 1; i <= 5; i++ {
					want += numbered(errorOut, i)
				}
				assert.Equal(t, want, string(rest))
				assert.Contains(t, p.errs.String(), "of 6 lines", "the summary")
			})
		}
	}
}

// TestNamedPipe checks that a named pipe is read to its end after a signal, like a pipe
// on standard input.
func TestNamedPipe(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"logs", "triage"} {
		for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
			t.Run(command+" "+sig.String(), func(t *testing.T) {
				t.Parallel()
				name := filepath.Join(t.TempDir(), "pipe")
				require.NoError(t, syscall.Mkfifo(name, 0o600))
				p := newProgram(t, command, "--rules", "minimal", name)
				var out bytes.Buffer
				p.Stdout = &out
				require.NoError(t, p.Start())
				w, err := os.OpenFile(name, os.O_WRONLY, 0)
				require.NoError(t, err)
				defer w.Close()
				const lines = 5000 // more than a pipe holds
				for _, send := range []func() error{
					func() error { return p.Process.Signal(sig) }, w.Close,
				} {
					_, err = io.WriteString(w, strings.Repeat(numbered(errorIn, 1), lines))
					require.NoError(t, err)
					require.NoError(t, send())
				}
				require.NoError(t, p.Wait(), p.errs.String())
				if command == "logs" {
					assert.Equal(t, 2*lines, strings.Count(out.String(), numbered(errorOut, 1)))
				} else {
					assert.Contains(t, out.String(), fmt.Sprintf("%d errors in %d lines", 2*lines, 2*lines))
				}
			})
		}
	}
}

// TestLogsSecondTerm checks that a second SIGTERM ends reading without losing lines.
func TestLogsSecondTerm(t *testing.T) {
	t.Parallel()
	p := newProgram(t, "logs", "--rules", "minimal", "--summary")
	in, err := p.StdinPipe()
	require.NoError(t, err)
	out, err := p.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, p.Start())
	r := bufio.NewReader(out)
	for i := 1; i <= 3; i++ {
		_, err = io.WriteString(in, numbered(errorIn, i))
		require.NoError(t, err)
		line, err := r.ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, numbered(errorOut, i), line)
		if i < 3 {
			require.NoError(t, p.Process.Signal([]os.Signal{os.Interrupt, syscall.SIGTERM}[i-1]))
		}
	}
	_, err = io.WriteString(in, "{}")
	require.NoError(t, err)
	time.Sleep(1100 * time.Millisecond) // longer than secondTerm
	require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	rest, err := io.ReadAll(r)
	require.NoError(t, err)
	require.Error(t, p.Wait())
	assert.Equal(t, "{}", string(rest))
	assert.Equal(t, syscall.SIGTERM, p.signal())
	assert.Contains(t, p.errs.String(), "errclass logs: ended by a signal (terminated) after 4 lines; the rest was not read\n")
	assert.Contains(t, p.errs.String(), "of 4 lines")
}

// TestLogsSecondQuit checks that a second SIGQUIT ends reading with exit code 131.
func TestLogsSecondQuit(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"logs", "classify"} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			p := newProgram(t, command, "--rules", "minimal")
			in, err := p.StdinPipe()
			require.NoError(t, err)
			defer in.Close()
			out, err := p.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, p.Start())
			r := bufio.NewReader(out)
			for i := 1; i <= 2; i++ {
				_, err = io.WriteString(in, numbered(errorIn, i))
				require.NoError(t, err)
				_, err = r.ReadString('\n')
				require.NoError(t, err, "the first signal does not end it")
				if i == 1 {
					require.NoError(t, p.Process.Signal(syscall.SIGQUIT))
				}
			}
			time.Sleep(1100 * time.Millisecond) // longer than secondTerm
			require.NoError(t, p.Process.Signal(syscall.SIGQUIT))
			_, err = io.ReadAll(r)
			require.NoError(t, err)
			require.Error(t, p.Wait())
			assert.Equal(t, 131, p.ProcessState.ExitCode())
			assert.Contains(t, p.errs.String(), "ended by a signal (quit)")
			assert.NotContains(t, p.errs.String(), "goroutine")
		})
	}
}

// TestLogsInterruptedFile checks that a signal ends errclass even if nobody reads its
// output.
func TestLogsInterruptedFile(t *testing.T) {
	t.Parallel()
	const lines = 2_000_000
	long := file(t, "app.jsonl", strings.Repeat("{\"level\":\"info\"}\n", lines))
	for name, sig := range map[string]syscall.Signal{"read": syscall.SIGINT, "stuck": syscall.SIGTERM} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProgram(t, "logs", "--summary", long)
			out, w, err := os.Pipe() // not StdoutPipe: Wait would close it before the test has read it
			require.NoError(t, err)
			defer out.Close()
			p.Stdout = w
			require.NoError(t, p.Start())
			require.NoError(t, w.Close())
			r := bufio.NewReader(out)
			_, err = r.ReadString('\n')
			require.NoError(t, err)
			require.NoError(t, p.Process.Signal(sig))
			if name == "read" {
				rest, err := io.ReadAll(r)
				require.NoError(t, err)
				assert.Less(t, bytes.Count(rest, []byte("\n")), lines-1)
				assert.Contains(t, p.wait(t), "errclass logs: ended by a signal (interrupt) after ")
				assert.Contains(t, p.errs.String(), "COUNT", "the summary")
			} else {
				assert.Contains(t, p.wait(t), "before all output was written; lines are missing\n")
			}
			assert.Equal(t, sig, p.signal())
		})
	}
}

// wait waits until the process has failed. It returns the standard error.
func (p *program) wait(t *testing.T) string {
	t.Helper()
	require.Error(t, p.Wait())
	return p.errs.String()
}

// TestLogsIntoItsInput checks that errclass refuses an input that is also the output.
func TestLogsIntoItsInput(t *testing.T) {
	t.Parallel()
	const content = "{\"level\":\"error\",\"msg\":\"HTTP 503\"}\n"
	for name, tt := range map[string]struct {
		shell string
		empty bool // the redirection empties the file
	}{
		"append":             {`"$0" logs app.log >> app.log`, false},
		"overwrite":          {`"$0" logs app.log > app.log`, true},
		"read and write":     {`"$0" logs app.log 1<> app.log`, false},
		"standard input":     {`"$0" logs < app.log >> app.log`, false},
		"emptied input":      {`"$0" logs < app.log > app.log`, true},
		"dash":               {`"$0" logs other.log - < app.log >> app.log`, false},
		"second file":        {`"$0" logs other.log app.log >> app.log`, false},
		"symbolic link":      {`ln -s app.log link; "$0" logs link >> app.log`, false},
		"hard link":          {`ln app.log link; "$0" logs app.log >> link`, false},
		"another path":       {`"$0" logs ../*/app.log >> app.log`, false},
		"device":             {`"$0" logs /dev/stdin < app.log >> app.log`, false},
		"classify":           {`"$0" classify < app.log >> app.log`, false},
		"classify over link": {`ln -s app.log link; "$0" classify < link >> app.log`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			self, err := os.Executable()
			require.NoError(t, err)
			path := file(t, "app.log", content)
			require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(path), "other.log"), []byte("{}\n"), 0o600))
			cmd := exec.Command("sh", "-c", tt.shell, self)
			cmd.Dir = filepath.Dir(path)
			cmd.Env = append(os.Environ(), asProgram+"=1")
			output, err := cmd.CombinedOutput()
			require.Error(t, err)
			assert.Equal(t, 2, cmd.ProcessState.ExitCode())
			assert.Contains(t, string(output), "input and output are the same file; write to another one\n")
			got, err := os.ReadFile(path)
			require.NoError(t, err)
			if tt.empty {
				assert.Empty(t, got)
			} else {
				assert.Equal(t, content, string(got), "nothing was written")
			}
		})
	}
	t.Run("pipe", func(t *testing.T) {
		t.Parallel()
		r, w, err := os.Pipe()
		require.NoError(t, err)
		defer r.Close()
		defer w.Close()
		p := newProgram(t, "logs")
		p.Stdin, p.Stdout = r, w
		require.Error(t, p.Run())
		assert.Contains(t, p.errs.String(), "standard input: input and output are the same file")
	})
	t.Run("two directions", func(t *testing.T) {
		t.Parallel()
		null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
		require.NoError(t, err)
		defer null.Close()
		p := newProgram(t, "logs")
		p.Stdin, p.Stdout = null, null
		require.NoError(t, p.Run(), "bytes written to this device cannot be read from it")
	})
}

// TestLogsToAFullDisk checks that the summary is printed after a failed write.
func TestLogsToAFullDisk(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil { // no such device on this system: use a file open for reading
		full, err = os.Open(os.DevNull)
	}
	require.NoError(t, err)
	defer full.Close()
	for _, args := range [][]string{{"logs", "--summary"}, {"classify"}} {
		p := newProgram(t, args...)
		p.Stdin, p.Stdout = strings.NewReader("{}\n"), full
		require.Error(t, p.Run())
		assert.Equal(t, 1, p.ProcessState.ExitCode())
		assert.Contains(t, p.errs.String(), "errclass: write")
		if args[0] == "logs" {
			assert.Contains(t, p.errs.String(), "of 1 lines", "the summary")
		}
	}
}

// TestLogsToANonBlockingOutput checks that no line is cut if the output is
// non-blocking.
func TestLogsToANonBlockingOutput(t *testing.T) {
	t.Parallel()
	var fds [2]int
	require.NoError(t, syscall.Pipe(fds[:]))
	r, w := os.NewFile(uintptr(fds[0]), "r"), os.NewFile(uintptr(fds[1]), "w")
	defer r.Close()
	p := newProgram(t, "logs")
	content := strings.Repeat("{\"level\":\"info\"}\n", 100_000)
	p.Stdin, p.Stdout = strings.NewReader(content), w
	require.NoError(t, p.Start())
	require.NoError(t, syscall.SetNonblock(fds[1], true)) // also affects the process, which shares this open file
	require.NoError(t, w.Close())
	time.Sleep(50 * time.Millisecond) // until the pipe is full
	got, err := io.ReadAll(r)
	require.NoError(t, err)
	require.NoError(t, p.Wait(), p.errs.String())
	same := content == string(got) // assert.Equal would print megabytes
	assert.True(t, same, "%d of %d bytes", len(got), len(content))
}

// TestLogsFollow follows a log file through a rotation, and ends with Ctrl-C.
func TestLogsFollow(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "app.log")
	require.NoError(t, os.WriteFile(name, []byte(numbered(errorIn, 1)), 0o600))
	p := newProgram(t, "logs", "--rules", "minimal", "--follow", "--summary", name)
	out, err := p.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, p.Start())
	r := bufio.NewReader(out)
	next := func(n int) {
		line, err := r.ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, numbered(errorOut, n), line)
	}
	next(1)
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString(numbered(errorIn, 2))
	require.NoError(t, err)
	require.NoError(t, f.Close())
	next(2)
	require.NoError(t, os.Rename(name, name+".1"))
	require.NoError(t, os.WriteFile(name, []byte(numbered(errorIn, 3)), 0o600))
	next(3)
	require.NoError(t, p.Process.Signal(os.Interrupt))
	require.Error(t, p.Wait())
	assert.Equal(t, syscall.SIGINT, p.signal())
	assert.Contains(t, p.errs.String(), "of 3 lines")
	assert.NotContains(t, p.errs.String(), "not read")
}

func TestLogsFollowWaitsForFile(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "app.log")
	p := newProgram(t, "logs", "--rules", "minimal", "--follow", name)
	out, err := p.StdoutPipe()
	require.NoError(t, err)
	p.Stderr = nil
	errs, err := p.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, p.Start())
	said, err := bufio.NewReader(errs).ReadString('\n')
	require.NoError(t, err)
	assert.Equal(t, "errclass logs: "+name+" does not exist yet; waiting for it\n", said)
	require.NoError(t, os.WriteFile(name, []byte(numbered(errorIn, 1)), 0o600))
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	assert.Equal(t, numbered(errorOut, 1), line)
	require.NoError(t, p.Process.Signal(os.Interrupt))
	require.Error(t, p.Wait())
}
