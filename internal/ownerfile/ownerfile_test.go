//go:build unix

package ownerfile_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/internal/ownerfile"
)

func TestOpen(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		was  os.FileMode // 0 if there is no file
		flag int
		want string
	}{
		{"new", 0, os.O_RDWR | os.O_CREATE, ""},
		{"readable", 0o644, os.O_RDWR, "text"},
		{"writable", 0o666, os.O_RDWR, "text"},
		{"the group's", 0o660, os.O_WRONLY | os.O_TRUNC, ""},
		{"right", 0o600, os.O_RDWR, "text"},
		{"narrower", 0o400, os.O_RDONLY, "text"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "file")
			if tt.was != 0 {
				require.NoError(t, os.WriteFile(path, []byte("text"), 0o600))
				require.NoError(t, os.Chmod(path, tt.was))
			}
			f, err := ownerfile.Open(path, tt.flag)
			require.NoError(t, err)
			require.NoError(t, f.Close())
			info, err := os.Stat(path)
			require.NoError(t, err)
			assert.Zero(t, info.Mode().Perm()&^ownerfile.Mode, info.Mode())
			got, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, tt.want, string(got))
		})
	}
	f, err := ownerfile.Open(os.DevNull, os.O_WRONLY|os.O_TRUNC)
	require.NoError(t, err, "a device is not changed")
	require.NoError(t, f.Close())
}
