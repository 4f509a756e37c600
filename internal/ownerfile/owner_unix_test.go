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

// Open refuses a file of another user. With os.O_TRUNC, it also refuses a file with
// several hard links. A refused file must not change.
func TestOpenRefusesWithoutAChange(t *testing.T) {
	for _, tt := range []struct {
		name  string
		flag  int
		uid   int // added to this user's id
		link  bool
		fails string // "" if the file is opened
	}{
		{"another user's", os.O_WRONLY, 1, false, "belongs to another user"},
		{"another user's, truncated", os.O_WRONLY | os.O_CREATE | os.O_TRUNC, 1, false, "belongs to another user"},
		{"two links, truncated", os.O_WRONLY | os.O_TRUNC, 0, true, "has 2 hard links"},
		{"two links", os.O_RDWR, 0, true, ""},
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

// Open must not wait for the reader of a named pipe.
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
	assert.Equal(t, os.FileMode(0o644), info.Mode().Perm(), "the mode of a pipe is not changed")
}
