//go:build unix

package cli

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// namedPipe returns the name of a new named pipe.
func namedPipe(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(name, 0o600))
	return name
}

// TestOpenWithoutWriter checks that a signal ends the wait for a program that writes to
// a named pipe.
func TestOpenWithoutWriter(t *testing.T) {
	t.Parallel()
	i := newInterrupts(func(os.Signal) {})
	i.received(syscall.SIGTERM)
	_, err := i.open(namedPipe(t))
	require.ErrorIs(t, err, errInterrupted)
	_, err = follow(namedPipe(t), i.ctx.Done(), func() {})
	require.ErrorIs(t, err, errInterrupted)
	assert.Equal(t, syscall.SIGTERM, i.stop())
}

// TestOpenPipes checks that Ctrl-C is ignored as long as a named pipe is open.
func TestOpenPipes(t *testing.T) {
	t.Parallel()
	i := newInterrupts(func(os.Signal) {})
	var pipes [2]io.Closer
	for n := range pipes {
		name := namedPipe(t)
		w, err := os.OpenFile(name, os.O_RDWR, 0)
		require.NoError(t, err)
		defer w.Close()
		pipes[n], err = i.open(name)
		require.NoError(t, err)
	}
	f, err := i.open(os.Args[0])
	require.NoError(t, err)
	require.NoError(t, f.Close())
	for _, p := range pipes {
		i.received(os.Interrupt)
		require.NoError(t, i.ctx.Err())
		require.NoError(t, p.Close())
	}
	i.received(os.Interrupt)
	require.Error(t, i.ctx.Err())
	assert.Equal(t, os.Interrupt, i.stop())
}

// TestFollowPipe checks that a followed pipe is read until a signal, also if its writer
// is silent.
func TestFollowPipe(t *testing.T) {
	t.Parallel()
	name := namedPipe(t)
	w, err := os.OpenFile(name, os.O_RDWR, 0)
	require.NoError(t, err)
	defer w.Close()
	ended := make(chan struct{})
	f, err := follow(name, ended, func() {})
	require.NoError(t, err)
	defer f.Close()
	for _, text := range []string{"a\n", "b\n"} {
		_, err = io.WriteString(w, text)
		require.NoError(t, err)
		got := make([]byte, 9)
		n, err := f.Read(got)
		require.NoError(t, err)
		require.Equal(t, text, string(got[:n]))
	}
	close(ended)
	_, err = f.Read(make([]byte, 1))
	require.ErrorIs(t, err, errInterrupted)
}
