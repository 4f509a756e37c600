//go:build unix

package compat_test

import (
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
)

// TestExecSignals ends children with signals.
func TestExecSignals(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		signal syscall.Signal
		want   want
	}{
		{syscall.SIGKILL, want{reason: classify.ReasonSpawn}},
		{syscall.SIGSEGV, want{reason: classify.ReasonSpawn}},
		{syscall.SIGABRT, want{reason: classify.ReasonSpawn}},
		{syscall.SIGTERM, want{reason: classify.ReasonSpawn}},
		{syscall.SIGINT, want{reason: classify.ReasonAborted}},
	} {
		t.Run(tt.signal.String(), func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command("/bin/sh", "-c", "read _")
			stdin, err := cmd.StdinPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			require.NoError(t, cmd.Process.Signal(tt.signal))
			err = cmd.Wait()
			_ = stdin.Close()
			check(t, err, tt.want)
		})
	}
}

// TestExecFormat checks the error for a file in an unknown executable format.
func TestExecFormat(t *testing.T) {
	t.Parallel()
	check(t, &exec.Error{Name: "tool", Err: syscall.ENOEXEC}, want{reason: classify.ReasonSpawn})
}
