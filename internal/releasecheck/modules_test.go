package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tree writes go.mod files below a temporary folder, and loads them.
func tree(t *testing.T, mods map[string]string) (*repository, error) {
	t.Helper()
	repo := &repository{dir: t.TempDir()}
	byPath := map[string]*module{}
	for dir, text := range mods {
		require.NoError(t, os.MkdirAll(filepath.Join(repo.dir, dir), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(repo.dir, dir, "go.mod"), []byte(text), 0o644))
		m, err := repo.module(dir)
		require.NoError(t, err)
		byPath[m.path] = m
	}
	err := repo.order(byPath)
	return repo, err
}

func TestProblems(t *testing.T) {
	t.Parallel()
	const head = "module " + root
	tests := []struct {
		name string
		mods map[string]string
		want string // part of the only problem; "" = none
	}{
		{"none", map[string]string{".": head, "a": head + "/a\nrequire " + root + " v0.1.0"}, ""},
		{"a replace", map[string]string{".": head, "a": head + "/a\nrequire " + root + " v0.1.0\nreplace " + root + " => ../"}, "a/go.mod: replace " + root},
		{"a replace in a module of development", map[string]string{".": head, "compat": head + "/compat\nreplace " + root + " => ../"}, ""},
		{"an exclude", map[string]string{".": head + "\nexclude example.com/x v1.0.0"}, "exclude example.com/x"},
		{"two versions", map[string]string{".": head, "a": head + "/a\nrequire " + root + " v0.1.0", "b": head + "/b\nrequire " + root + " v0.2.0"}, "a/go.mod: requires " + root + " at v0.1.0"},
		{"a requirement of development", map[string]string{".": head, "compat": head + "/compat", "a": head + "/a\nrequire " + root + "/compat v0.1.0"}, "never released"},
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
		got = append(got, m.dir)
	}
	assert.Equal(t, []string{".", "z", "a"}, got)

	_, err = tree(t, map[string]string{
		"a": head + "/a\nrequire " + root + "/z v0.1.0",
		"z": head + "/z\nrequire " + root + "/a v0.1.0",
	})
	assert.ErrorContains(t, err, "in a circle")
}

func TestSums(t *testing.T) {
	t.Parallel()
	lines := thirdParty("example.com/x v1.0.0 h1:a=\n" + root + " v0.1.0 h1:b=\n" + root + "/a v0.1.0/go.mod h1:c=\n")
	assert.Equal(t, []string{"example.com/x v1.0.0 h1:a="}, lines)
	lines = append(lines, "example.com/x v1.0.0/go.mod h1:d=", "example.com/a v1.10.0 h1:e=", "example.com/a v1.9.0 h1:f=")
	assert.Equal(t, "example.com/a v1.9.0 h1:f=\nexample.com/a v1.10.0 h1:e=\nexample.com/x v1.0.0 h1:a=\nexample.com/x v1.0.0/go.mod h1:d=\n", formatSums(lines))
}
