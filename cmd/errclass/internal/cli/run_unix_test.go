//go:build unix

package cli_test

import (
	"bufio"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func init() {
	childActions["signal"] = func(string) { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL) }
}

func TestRunSignal(t *testing.T) {
	t.Parallel()
	assert.Equal(t, 137, run(t, "", child(t, nil, "signal", "", "wait", "")...).code)
}

// TestRunInterrupted checks that a signal ends the command and that the event reports
// the cancellation.
func TestRunInterrupted(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			self, err := os.Executable()
			require.NoError(t, err)
			cmd := exec.Command(self, "run", "--format", "json", "--", "sh", "-c", "echo ready; sleep 1000 & wait")
			cmd.Env = append(os.Environ(), asProgram+"=1")
			out, err := cmd.StdoutPipe()
			require.NoError(t, err)
			errs, err := os.CreateTemp(t.TempDir(), "stderr")
			require.NoError(t, err)
			defer errs.Close()
			cmd.Stderr = errs
			require.NoError(t, cmd.Start())
			_, err = bufio.NewReader(out).ReadString('\n')
			require.NoError(t, err)
			require.NoError(t, cmd.Process.Signal(sig))
			var exit *exec.ExitError
			require.ErrorAs(t, cmd.Wait(), &exit)
			assert.Equal(t, 130, exit.ExitCode())
			text, err := os.ReadFile(errs.Name())
			require.NoError(t, err)
			e := event(t, string(text))
			assert.Equal(t, "unknown", e.Diagnostics.ErrorType)
			assert.Equal(t, "The request was cancelled", e.Error)
			assert.False(t, e.Diagnostics.Recoverable)
		})
	}
}

// TestRunSilenceWhileStopped checks that --silence does not count the time in which
// errclass itself was stopped.
func TestRunSilenceWhileStopped(t *testing.T) {
	t.Parallel()
	p := newProgram(t, "run", "--silence", "2s", "--", "sh", "-c", "kill -STOP $PPID; sleep 2.5; kill -CONT $PPID; sleep 0.5; echo done")
	out, err := p.Output()
	require.NoError(t, err, p.errs.String())
	assert.Equal(t, "done\n", string(out))
}
