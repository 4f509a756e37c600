//go:build unix

package boltstore_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/resilience/boltstore"
)

// Only the owner can read a new or an existing file. The records are kept.
func TestFileIsPrivate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "restarts.db")
	for _, mode := range []os.FileMode{0, 0o644, 0o666, 0o640, 0o600} {
		if mode != 0 {
			require.NoError(t, os.Chmod(path, mode))
		}
		store, err := boltstore.Open(path)
		require.NoError(t, err)
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "it was %04o", mode)
		require.NoError(t, put(store, "id", []byte("record")))
		all, err := store.All()
		require.NoError(t, err)
		assert.Len(t, all, 1)
		require.NoError(t, store.Close())
	}
}
