//go:build unix

package rulesfile_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/classify/rulesfile"
)

// TestWatchConfigMap replaces the rules as Kubernetes does, by renaming a symbolic
// link.
func TestWatchConfigMap(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w := &watch{t: t, path: filepath.Join(dir, "rules.yaml")}
		publish := func(version string, reason classify.Reason) {
			require.NoError(t, os.Mkdir(filepath.Join(dir, version), 0o700))
			w.writeTo(filepath.Join(dir, version, "rules.yaml"), document(reason))
			require.NoError(t, os.Symlink(version, filepath.Join(dir, "..data_tmp")))
			require.NoError(t, os.Rename(filepath.Join(dir, "..data_tmp"), filepath.Join(dir, "..data")))
		}
		publish("..1", classify.ReasonTransient)
		require.NoError(t, os.Symlink(filepath.Join("..data", "rules.yaml"), w.path))
		w.start()

		publish("..2", classify.ReasonResource)
		require.NoError(t, os.RemoveAll(filepath.Join(dir, "..1")))
		w.waitChecks(2)
		w.assertReason(classify.ReasonResource)
		publish("..3", classify.ReasonLogic)
		w.waitChecks(2)
		w.assertReason(classify.ReasonLogic)
		_, errs := w.recorded()
		assert.Empty(t, errs)
	})
}

// Watch must detect a new file of the same size and modification time.
func TestWatchSameSizeAndTime(t *testing.T) {
	t.Parallel()
	withWatch(t, func(w *watch) {
		old := time.Now().Add(-time.Hour)
		require.NoError(w.t, os.Chtimes(w.path, time.Time{}, old))
		w.waitChecks(2)
		w.writeTo(w.path+".new", document(classify.ReasonSpawn+"    ")) // the new file must have the same size
		require.NoError(w.t, os.Chtimes(w.path+".new", time.Time{}, old))
		require.NoError(w.t, os.Rename(w.path+".new", w.path))
		w.waitChecks(2)
		w.assertReason(classify.ReasonSpawn)
	})
}

// Watch must return an error for a named pipe, without blocking.
func TestWatchPipe(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	_, err := rulesfile.Watch(t.Context(), path)
	assert.ErrorContains(t, err, "not a regular file")
}
