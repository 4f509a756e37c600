//go:build unix

package classify_test

import (
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
)

func TestErrno(t *testing.T) {
	t.Parallel()
	dial := func(no syscall.Errno) error {
		return &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", no)}
	}
	listen := func(no syscall.Errno) error {
		return &net.OpError{Op: "listen", Net: "tcp", Err: os.NewSyscallError("bind", no)}
	}
	start := func(no syscall.Errno) error { return &fs.PathError{Op: "fork/exec", Path: "/x", Err: no} }
	runTyped(t, []typedCase{
		{name: "reset", err: syscall.ECONNRESET, reason: classify.ReasonNetwork, rule: "errno/ECONNRESET"},
		{name: "refused", err: dial(syscall.ECONNREFUSED), reason: classify.ReasonNetwork, rule: "errno/ECONNREFUSED"},
		{name: "timed out", err: dial(syscall.ETIMEDOUT), reason: classify.ReasonTimeout, category: classify.CategoryRetryable, rule: "errno/ETIMEDOUT"},
		{name: "aborted", err: syscall.ECONNABORTED, reason: classify.ReasonTimeout},
		{name: "again is no timeout", err: syscall.EAGAIN, reason: classify.ReasonTransient, rule: "errno/EAGAIN"},
		{name: "again, told by a wrapper", err: delegates{syscall.EAGAIN}, reason: classify.ReasonTransient, rule: "errno/EAGAIN"},
		{name: "disk full", err: &fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}, reason: classify.ReasonResource},
		{name: "i/o error", err: syscall.EIO, reason: classify.ReasonResource},
		{name: "files", err: syscall.EMFILE, reason: classify.ReasonResource},
		{name: "permission", err: &fs.PathError{Op: "open", Path: "x", Err: syscall.EACCES}, reason: classify.ReasonAuthentication},
		{name: "not permitted", err: &os.LinkError{Op: "rename", Err: syscall.EPERM}, reason: classify.ReasonAuthentication},
		{name: "no file", err: &fs.PathError{Op: "open", Path: "x", Err: syscall.ENOENT}, reason: classify.ReasonInvalidRequest},
		{name: "no socket", err: dial(syscall.ENOENT), reason: classify.ReasonNetwork},
		{name: "address in use", err: listen(syscall.EADDRINUSE), reason: classify.ReasonResource},
		{name: "no such address, outgoing", err: dial(syscall.EADDRNOTAVAIL), reason: classify.ReasonResource},
		{name: "no such address, listening", err: listen(syscall.EADDRNOTAVAIL), reason: classify.ReasonNetworkPermanent},
		{name: "exec: no file", err: start(syscall.ENOENT), reason: classify.ReasonSpawn, rule: "errno/ENOENT"},
		{name: "exec: permission", err: start(syscall.EACCES), reason: classify.ReasonSpawn},
		{name: "exec: format", err: start(syscall.ENOEXEC), reason: classify.ReasonSpawn},
		{name: "exec: no memory", err: start(syscall.ENOMEM), reason: classify.ReasonResource},
		{name: "exec: no more processes", err: start(syscall.EAGAIN), reason: classify.ReasonResource},
		{name: "a number without a name", err: start(syscall.Errno(9999)), reason: classify.ReasonSpawn},
	})
}

// delegates is a wrapper. Its method Timeout calls Timeout of the wrapped error.
type delegates struct{ error }

func (d delegates) Unwrap() error { return d.error }
func (d delegates) Timeout() bool {
	return d.error.(interface{ Timeout() bool }).Timeout()
}

// TestChildren runs real child processes.
func TestChildren(t *testing.T) {
	t.Parallel()
	sh := func(script string) error {
		_, err := exec.Command("/bin/sh", "-c", script).Output()
		return err
	}
	plain := filepath.Join(t.TempDir(), "plain")
	require.NoError(t, os.WriteFile(plain, []byte("x"), 0o600))
	for _, tt := range []struct {
		name string
		err  error
		want classify.Reason
		rule string
	}{
		{"exit status 3", sh("exit 3"), classify.ReasonSpawn, "exec/exit"},
		{"a line with a reason only", sh("echo 'agent: Rate limit.' >&2; exit 3"), classify.ReasonRateLimit, "exec/bare-line"},
		{"a line with more", sh("echo 'rate limit: 5000' >&2; exit 3"), classify.ReasonSpawn, "exec/exit"},
		{"no such command", sh("no-such-command-here 2>/dev/null"), classify.ReasonSpawn, "exec/not-started"},
		{"killed", sh("kill -KILL $$"), classify.ReasonSpawn, "exec/killed"},
		{"exit status 137", sh("exit 137"), classify.ReasonSpawn, "exec/killed"},
		{"segmentation fault", sh("kill -SEGV $$"), classify.ReasonSpawn, "exec/signal"},
		{"interrupted", sh("kill -INT $$"), classify.ReasonAborted, "exec/interrupt"},
		{"exit status 130", sh("exit 130"), classify.ReasonAborted, "exec/interrupt"},
		{"stderr tells", sh("echo 'HTTP 429' >&2; exit 1"), classify.ReasonRateLimit, "http/429"},
		{"not found", exec.Command("no-such-command-here").Run(), classify.ReasonSpawn, ""},
		{"not there", exec.Command("/no/such/command").Run(), classify.ReasonSpawn, ""},
		{"not executable", exec.Command(plain).Run(), classify.ReasonSpawn, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Error(t, tt.err)
			got := classify.Error(tt.err)
			assert.Equal(t, tt.want, got.Reason, got.Rule)
			if tt.rule != "" {
				assert.Equal(t, tt.rule, got.Rule)
			}
		})
	}
}
