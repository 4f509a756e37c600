package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/mod/sumdb/dirhash"
)

var day = time.Date(2026, 11, 22, 23, 0, 0, 0, time.UTC)

// files is a repository with three released modules and two for development.
var files = map[string]string{
	"LICENSE":              "licence\n",
	"CHANGELOG.md":         "# Changelog\n\n## [Unreleased]\n\n- `a`: is new.\n",
	"go.work":              "go 1.26.0\n\nuse (\n\t.\n\t./cmd/c\n\t./internal/tool\n\t./b\n\t./b/test\n)\n",
	"go.mod":               "module example.com/a\n\ngo 1.26.0\n",
	"a.go":                 "package a\n",
	"b/go.mod":             "module example.com/a/b\n\ngo 1.26.0\n\nrequire example.com/a v0.0.0\n",
	"b/b.go":               "package b\n",
	"b/test/go.mod":        "module example.com/a/b/test\n\ngo 1.26.0\n\nrequire example.com/a/b v0.0.0\n\nreplace example.com/a/b => ..\n",
	"cmd/c/go.mod":         "module example.com/a/cmd/c\n\ngo 1.26.0\n\nrequire (\n\texample.com/a v0.0.0\n\texample.com/a/b v0.0.0\n\texample.org/other v1.0.0\n)\n",
	"cmd/c/go.sum":         "example.com/a v0.0.0 h1:old\nexample.org/other v1.0.0 h1:kept\n",
	"cmd/c/main.go":        "package main\n",
	"cmd/c/commit.txt":     "",
	"internal/tool/go.mod": "module example.com/a/internal/tool\n\ngo 1.26.0\n",
}

// newRepository makes a repository and commits the files of two maps, the variable files
// and the parameter changes. If a file name is in both maps, the text in changes is used.
func newRepository(t *testing.T, changes map[string]string) repository {
	t.Helper()
	r := repository(t.TempDir())
	for _, all := range []map[string]string{files, changes} {
		for name, text := range all {
			require.NoError(t, os.MkdirAll(filepath.Dir(r.path(name)), 0o755))
			require.NoError(t, os.WriteFile(r.path(name), []byte(text), 0o644))
		}
	}
	git(t, r, "init", "--quiet", "--initial-branch", branch)
	git(t, r, "config", "user.name", "somebody")
	git(t, r, "config", "user.email", "somebody@example.com")
	git(t, r, "config", "commit.gpgSign", "false")
	git(t, r, "config", "tag.gpgSign", "false")
	git(t, r, "add", ".")
	git(t, r, "commit", "--quiet", "--message", "first")
	return r
}

func git(t *testing.T, r repository, args ...string) string {
	t.Helper()
	out, err := r.git(args...)
	require.NoError(t, err)
	return out
}

func read(t *testing.T, r repository, name string) string {
	t.Helper()
	data, err := os.ReadFile(r.path(name))
	require.NoError(t, err)
	return string(data)
}

func TestRelease(t *testing.T) {
	t.Parallel()
	r := newRepository(t, nil)
	before := git(t, r, "rev-parse", "HEAD")
	var out strings.Builder
	require.NoError(t, run(string(r), "v0.1.0", true, day, &out))

	assert.Equal(t, "b/v0.1.0\ncmd/c/v0.1.0\nv0.1.0", git(t, r, "tag", "--list"))
	assert.Equal(t, before, git(t, r, "rev-parse", "v0.1.0^{commit}~"), "the tagged commit is the child of the former HEAD")
	assert.Empty(t, git(t, r, "status", "--porcelain"))
	assert.Contains(t, out.String(), "git push --atomic origin main b/v0.1.0 cmd/c/v0.1.0\n\tgit push origin v0.1.0\n")
	assert.Contains(t, out.String(), "b/test (its go.mod has a replace)\n\tinternal/tool (its path is internal)\n")

	assert.Contains(t, read(t, r, "CHANGELOG.md"), "## [Unreleased]\n\n## [0.1.0] - 2026-11-22\n\n- `a`: is new.\n")
	assert.Equal(t, "v0.1.0 "+before+"\n", read(t, r, "cmd/c/commit.txt"))
	assert.Contains(t, read(t, r, "b/go.mod"), "require example.com/a v0.1.0\n")
	assert.Contains(t, read(t, r, "b/test/go.mod"), "require example.com/a/b v0.1.0\n", "modules for development follow")
	command := read(t, r, "cmd/c/go.mod")
	assert.Contains(t, command, "\texample.com/a v0.1.0\n\texample.com/a/b v0.1.0\n\texample.org/other v1.0.0\n")

	// The h1 sum of module b covers its files and a copy of the root's licence.
	var names []string
	texts := map[string]string{}
	for inside, name := range map[string]string{"LICENSE": "LICENSE", "b.go": "b/b.go", "go.mod": "b/go.mod", "go.sum": "b/go.sum"} {
		names = append(names, "example.com/a/b@v0.1.0/"+inside)
		texts["example.com/a/b@v0.1.0/"+inside] = read(t, r, name)
	}
	sum, err := dirhash.Hash1(names, func(name string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(texts[name])), nil
	})
	require.NoError(t, err)
	sums := strings.Split(read(t, r, "cmd/c/go.sum"), "\n")
	require.Len(t, sums, 6, "two lines each for the root and b, one for the other module, and the empty end")
	assert.Equal(t, "example.com/a/b v0.1.0 "+sum, sums[2])
	assert.Equal(t, "example.org/other v1.0.0 h1:kept", sums[4])
	for i, begin := range []string{"example.com/a v0.1.0 h1:", "example.com/a v0.1.0/go.mod h1:", "example.com/a/b v0.1.0 h1:", "example.com/a/b v0.1.0/go.mod h1:"} {
		assert.True(t, strings.HasPrefix(sums[i], begin), "got %q, want it to begin with %q", sums[i], begin)
	}
}

func TestReleaseIsDryByDefault(t *testing.T) {
	t.Parallel()
	r := newRepository(t, nil)
	before := git(t, r, "rev-parse", "HEAD")
	var out strings.Builder
	require.NoError(t, run(string(r), "v0.1.0", false, day, &out))
	assert.Equal(t, before, git(t, r, "rev-parse", "HEAD"))
	assert.Empty(t, git(t, r, "tag", "--list"))
	assert.Empty(t, git(t, r, "status", "--porcelain"))
	assert.Contains(t, out.String(), "\tcmd/c/v0.1.0\n")
	assert.Contains(t, out.String(), "Nothing was changed.")
}

// TestReleaseAgain checks that a second release replaces the sums and the commit
// record of the first one.
func TestReleaseAgain(t *testing.T) {
	t.Parallel()
	r := newRepository(t, nil)
	require.NoError(t, run(string(r), "v0.1.0", true, day, io.Discard))
	assert.ErrorContains(t, run(string(r), "v0.2.0", true, day, io.Discard), "the section Unreleased has no entry")
	text := strings.Replace(read(t, r, "CHANGELOG.md"), "## [Unreleased]\n", "## [Unreleased]\n\n- `b`: more.\n", 1)
	require.NoError(t, os.WriteFile(r.path("CHANGELOG.md"), []byte(text), 0o644))
	require.NoError(t, r.commit("second"))
	require.NoError(t, run(string(r), "v0.2.0", true, day, io.Discard))
	sums := read(t, r, "cmd/c/go.sum")
	assert.Equal(t, 4, strings.Count(sums, " v0.2.0"), "got %s", sums)
	assert.NotContains(t, sums, "v0.1.0")
	assert.True(t, strings.HasPrefix(read(t, r, "cmd/c/commit.txt"), "v0.2.0 "))
}

func TestReleaseRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		version string
		changes map[string]string
		git     [][]string
		want    string
	}{
		{name: "a version without v", version: "0.1.0", want: "is not of the form v1.2.3"},
		{name: "a version with two numbers", version: "v0.1", want: "is not of the form v1.2.3"},
		{name: "a version with build data", version: "v0.1.0+linux", want: "is not of the form v1.2.3"},
		{name: "a pseudo-version", version: "v0.0.0-20261122230000-0123456789ab", want: "pseudo-version"},
		{name: "a major version that the path lacks", version: "v2.0.0", want: "does not fit the module path"},
		{name: "a version that exists", version: "v0.1.0", git: [][]string{{"tag", "v0.1.0"}}, want: "version v0.1.0 already exists: tag v0.1.0"},
		{name: "a version that one module has", version: "v0.1.0", git: [][]string{{"tag", "b/v0.1.0"}}, want: "tag b/v0.1.0"},
		{name: "an older version", version: "v0.1.1", git: [][]string{{"tag", "cmd/c/v0.1.2"}}, want: "is older than tag cmd/c/v0.1.2"},
		{name: "another branch", version: "v0.1.0", git: [][]string{{"switch", "--quiet", "--create", "other"}}, want: `the branch is "other"`},
		{name: "no branch", version: "v0.1.0", git: [][]string{{"switch", "--quiet", "--detach"}}, want: `the branch is ""`},
		{name: "a file that was removed", version: "v0.1.0", git: [][]string{{"rm", "--quiet", "a.go"}}, want: "the work tree has changes"},
		{name: "a file that is not committed", version: "v0.1.0", git: [][]string{{"rm", "--quiet", "--cached", "a.go"}, {"commit", "--quiet", "--message", "second"}}, want: "?? a.go"},
		{name: "no heading", version: "v0.1.0", changes: map[string]string{"CHANGELOG.md": "# Changelog\n"}, want: "got 0"},
		{name: "no entry", version: "v0.1.0", changes: map[string]string{"CHANGELOG.md": "## [Unreleased]\n\n## [0.0.1]\n\n- `a`: old.\n"}, want: "has no entry"},
		{name: "a section that exists", version: "v0.1.0", changes: map[string]string{"CHANGELOG.md": "## [Unreleased]\n\n- x\n\n## [0.1.0] - 2026-01-01\n"}, want: "already has a section for v0.1.0"},
		{name: "a requirement of a module for development", version: "v0.1.0", changes: map[string]string{"b/go.mod": "module example.com/a/b\n\nrequire example.com/a v0.0.0\n\nreplace example.com/a => ../\n"}, want: "which would not be released"},
		{name: "a replace in a module that was released", version: "v0.2.0", git: [][]string{{"tag", "cmd/c/v0.1.0"}},
			changes: map[string]string{"cmd/c/go.mod": "module example.com/a/cmd/c\n\nreplace example.com/a => ../..\n"}, want: "would not be released now"},
		{name: "a circle", version: "v0.1.0", changes: map[string]string{"go.mod": "module example.com/a\n\nrequire example.com/a/b v0.0.0\n"}, want: "in a circle"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newRepository(t, test.changes)
			for _, args := range test.git {
				git(t, r, args...)
			}
			head, tags := git(t, r, "rev-parse", "HEAD"), git(t, r, "tag", "--list")
			err := run(string(r), test.version, true, day, io.Discard)
			require.ErrorContains(t, err, test.want)
			assert.Equal(t, head, git(t, r, "rev-parse", "HEAD"))
			assert.Equal(t, tags, git(t, r, "tag", "--list"))
		})
	}
}

// TestReleaseUndoesATagThatFails lets a git hook reject one of the release's tags.
// Afterwards, the repository must have neither the release's commit nor any tag.
func TestReleaseUndoesATagThatFails(t *testing.T) {
	t.Parallel()
	r := newRepository(t, nil)
	hook := "#!/bin/sh\n[ \"$1\" = prepared ] && grep -q refs/tags/cmd/c/ && exit 1\nexit 0\n"
	require.NoError(t, os.WriteFile(r.path(".git/hooks/reference-transaction"), []byte(hook), 0o755))
	before := git(t, r, "rev-parse", "HEAD")
	require.ErrorContains(t, run(string(r), "v0.1.0", true, day, io.Discard), "git tag")
	assert.Equal(t, before, git(t, r, "rev-parse", "HEAD"))
	assert.Empty(t, git(t, r, "tag", "--list"))
	assert.Empty(t, git(t, r, "status", "--porcelain"))
}

func TestArguments(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		args    []string
		version string
		really  bool
		want    string
	}{
		{name: "dry", args: []string{"v1.0.0"}, version: "v1.0.0"},
		{name: "really", args: []string{"v1.0.0", "--really"}, version: "v1.0.0", really: true},
		{name: "flag first", args: []string{"--really", "v1.0.0"}, version: "v1.0.0", really: true},
		{name: "nothing", want: "no version given"},
		{name: "unknown flag", args: []string{"v1.0.0", "--dry"}, want: `unknown argument "--dry"`},
		{name: "two versions", args: []string{"v1.0.0", "v1.0.1"}, want: `unknown argument "v1.0.1"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			version, really, err := arguments(test.args)
			if test.want != "" {
				require.ErrorContains(t, err, test.want)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, test.version, version)
			assert.Equal(t, test.really, really)
		})
	}
}
