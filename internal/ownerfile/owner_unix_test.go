//go:build unix

package ownerfile

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestOpenRefusesWithoutAChange: root opened another user's file of mode 0600,
// which its owner can read, and emptied all names of a file. What is refused
// keeps its content and its mode.
func TestOpenRefusesWithoutAChange(t *testing.T) {
	for _, tt := range []struct {
		name  string
		flag  int
		uid   int // added to this user's
		link  bool
		fails string // "" = it is opened
	}{
		{"another user's", os.O_WRONLY, 1, false, "belongs to another user"},
		{"another user's, to be emptied", os.O_WRONLY | os.O_CREATE | os.O_TRUNC, 1, false, "belongs to another user"},
		{"two names, to be emptied", os.O_WRONLY | os.O_TRUNC, 0, true, "has 2 names (hard links)"},
		{"two names", os.O_RDWR, 0, true, ""},
	} {
		for _, mode := range []os.FileMode{0o600, 0o644} {
			t.Run(tt.name+" "+mode.String(), func(t *testing.T) {
				euid = func() int { return os.Geteuid() + tt.uid }
				defer func() { euid = os.Geteuid }()
				path := filepath.Join(t.TempDir(), "file")
				require.NoError(t, os.WriteFile(path, []byte("text"), 0o600))
				require.NoError(t, os.Chmod(path, mode))
				if tt.link {
					require.NoError(t, os.Link(path, path+"2"))
				}
				want := mode
				f, err := Open(path, tt.flag)
				if tt.fails == "" {
					require.NoError(t, err)
					require.NoError(t, f.Close())
					want = Mode
				} else {
					require.ErrorContains(t, err, tt.fails)
				}
				info, err := os.Stat(path)
				require.NoError(t, err)
				assert.Equal(t, want, info.Mode().Perm())
				got, err := os.ReadFile(path)
				require.NoError(t, err)
				assert.Equal(t, "text", string(got))
			})
		}
	}
}

// TestOpenPipeWithoutReader: the open of a named pipe waited for its reader, for
// ever.
func TestOpenPipeWithoutReader(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(path, 0o644))
	_, err := Open(path, os.O_WRONLY|os.O_TRUNC)
	require.ErrorIs(t, err, syscall.ENXIO)
	r, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	require.NoError(t, err)
	defer r.Close()
	f, err := Open(path, os.O_WRONLY|os.O_TRUNC)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o644), info.Mode().Perm(), "a pipe keeps nothing, and its mode")
}
