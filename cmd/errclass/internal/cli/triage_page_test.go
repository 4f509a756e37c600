package cli_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTriageHTML checks that --html writes the page in addition to the table.
func TestTriageHTML(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	page := filepath.Join(dir, "page.html")
	got := run(t, `{"level":"ERROR","msg":"call failed","err":"HTTP 503 </script>"}`+"\n", "triage", "--html", page)
	assert.Zero(t, got.code)
	assert.Contains(t, got.out, "transient")
	assert.Contains(t, got.err, "wrote "+page+": 1 groups")
	data, err := os.ReadFile(page)
	require.NoError(t, err)
	assert.Contains(t, string(data), `HTTP 503 \u003c/script\u003e`)

	require.NoError(t, os.Chmod(page, 0o640))
	link := filepath.Join(dir, "link.html")
	require.NoError(t, os.Symlink(page, link))
	for _, name := range []string{page, link} {
		assert.Zero(t, run(t, "", "triage", "--html", name).code)
		info, err := os.Stat(page)
		require.NoError(t, err)
		assert.EqualValues(t, 0o640, info.Mode(), "the file keeps its mode")
		data, err := os.ReadFile(page)
		require.NoError(t, err)
		assert.NotContains(t, string(data), "HTTP 503")
		require.NoError(t, os.WriteFile(page, []byte("HTTP 503"), 0o600))
	}
	info, err := os.Lstat(link)
	require.NoError(t, err)
	assert.Equal(t, os.ModeSymlink, info.Mode().Type(), "a link stays a link")

	got = run(t, "", "triage", "--html", filepath.Join(dir, "missing", "page.html"))
	assert.Equal(t, 1, got.code)
	assert.Contains(t, got.err, "missing")
}
