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

	got = run(t, "", "triage", "--html", filepath.Join(dir, "missing", "page.html"))
	assert.Equal(t, 1, got.code)
	assert.Contains(t, got.err, "missing")
}
