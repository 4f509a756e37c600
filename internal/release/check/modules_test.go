package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tree writes a repository with the go.mod files in mods, and reads it.
func tree(t *testing.T, mods map[string]string) (*repository, error) {
	t.Helper()
	dir := t.TempDir()
	work := "go 1.26.0\n"
	for name, text := range mods {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, name), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name, "go.mod"), []byte(text), 0o644))
		work += "use ./" + name + "\n"
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.work"), []byte(work), 0o644))
	return read(dir)
}

func TestProblems(t *testing.T) {
	t.Parallel()
	const head = "module " + root
	tests := []struct {
		name string
		mods map[string]string
		want string // part of the text of the only problem; "" if there must be no problem
	}{
		{"none", map[string]string{".": head, "a": head + "/a\nrequire " + root + " v0.1.0"}, ""},
		{"a replace", map[string]string{".": head, "a": head + "/a\nrequire " + root + " v0.1.0\nreplace " + root + " => ../"}, "a/go.mod: replace " + root},
		{"a replace in a module for development", map[string]string{".": head, "compat": head + "/compat\nreplace " + root + " => ../"}, ""},
		{"an exclude", map[string]string{".": head + "\nexclude example.com/x v1.0.0"}, "exclude example.com/x"},
		{"two versions", map[string]string{".": head, "a": head + "/a\nrequire " + root + " v0.1.0", "b": head + "/b\nrequire " + root + " v0.2.0"}, "a/go.mod: requires " + root + " at v0.1.0"},
		{"a requirement of development", map[string]string{".": head, "compat": head + "/compat", "a": head + "/a\nrequire " + root + "/compat v0.1.0"}, "never released"},
		{"another path than the directory's", map[string]string{".": head, "a": head + "/b"}, "call it " + root + "/a, like its directory"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			repo, err := tree(t, tt.mods)
			require.NoError(t, err)
			got := repo.problems()
			if tt.want == "" {
				assert.Empty(t, got)
				return
			}
			require.Len(t, got, 1)
			assert.ErrorContains(t, got[0], tt.want)
		})
	}
}

func TestOrderPutsRequirementsFirst(t *testing.T) {
	t.Parallel()
	const head = "module " + root
	repo, err := tree(t, map[string]string{
		".": head,
		"a": head + "/a\nrequire " + root + "/z v0.1.0",
		"z": head + "/z\nrequire " + root + " v0.1.0",
	})
	require.NoError(t, err)
	var got []string
	for _, m := range repo.released {
		got = append(got, m.Dir)
	}
	assert.Equal(t, []string{".", "z", "a"}, got)

	_, err = tree(t, map[string]string{
		".": head,
		"a": head + "/a\nrequire " + root + "/z v0.1.0",
		"z": head + "/z\nrequire " + root + "/a v0.1.0",
	})
	assert.ErrorContains(t, err, "in a circle")
}
