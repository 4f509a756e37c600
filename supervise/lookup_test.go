package supervise_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/supervise"
)

// installed puts the test binary into a new directory under the given name, as a link or
// a copy. env sets the role of the binary.
func installed(t *testing.T, name, role, version string) (path string, env supervise.LookUpOption) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	path = filepath.Join(t.TempDir(), name)
	if os.Symlink(self, path) != nil { // on Windows, Symlink may need a privilege
		b, err := os.ReadFile(self)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, b, 0o700))
	}
	return path, supervise.WithLookUpEnv(append(os.Environ(), roleVariable+"="+role, "SUPERVISE_TEST_VERSION="+version, "GORACE=atexit_sleep_ms=0")...)
}

const hint = "npm install -g @openai/codex"

func TestLookUp(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, says, least, found string }{
		{"any", "codex-cli 0.34.0", "", "0.34.0"},
		{"newer", "codex-cli 0.34.0", "0.9", "0.34.0"},
		{"the same", "0.34.0", "0.34.0", "0.34.0"},
		{"Claude Code", "1.0.17 (Claude Code)", "1.0.16", "1.0.17"},
		{"Node.js", "v22.3.0", "v20", "22.3.0"},
		{"dates", "2025.10.02-bd871ac", "2025.9.1", "2025.10.02-bd871ac"},
		{"a candidate of a later one", "0.35.0-alpha.2", "0.34.0", "0.35.0-alpha.2"},
		{"Git", "git version 2.39.5 (Apple Git-154).", "2.30", "2.39.5"},
		{"after an address", "proxy 10.0.0.1:3128\ncodex-cli 0.34.0", "0.9", "0.34.0"},
		{"after a URL", "update: https://example.com/v9.9/notes\n0.34.0", "0.9", "0.34.0"},
		{"after a time", "12:30:00.123 INFO starting\n0.34.0", "0.9", "0.34.0"},
		{"after IPv6", "listening on [::ffff:192.0.2.1]:80\n0.34.0", "0.9", "0.34.0"},
		{"four numbers", "version 1.2.3.4", "1.2.3", "1.2.3.4"},
		{"four numbers of Chrome", "Google Chrome 120.0.6099.109", "119", "120.0.6099.109"},
		{"an address alone", "listening on 127.0.0.1", "", ""},
		{"none is asked for", "hello", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path, env := installed(t, "codex", "version", tt.says)
			got, err := supervise.LookUp(t.Context(), path, tt.least, hint, env)
			require.NoError(t, err)
			assert.Equal(t, supervise.Installed{Path: path, Version: tt.found}, got)
		})
	}
}

func TestLookUpProblems(t *testing.T) {
	t.Parallel()
	path := func(name, role, version string) func(t *testing.T) (string, supervise.LookUpOption) {
		return func(t *testing.T) (string, supervise.LookUpOption) { return installed(t, name, role, version) }
	}
	for _, tt := range []struct {
		name, least, text string
		problem           supervise.SetupProblem
		category          classify.Category
		program           func(t *testing.T) (string, supervise.LookUpOption)
	}{
		{"not found", "1.0", "Codex CLI not found. Run: " + hint, supervise.NotFound, classify.CategoryFatal,
			func(t *testing.T) (string, supervise.LookUpOption) { return filepath.Join(t.TempDir(), "codex"), nil }},
		{"old", "0.34.0", "Codex CLI needs update: 0.20.1 is installed, 0.34.0 or later is needed. Run: " + hint, supervise.NeedsUpdate, classify.CategoryFatal,
			path("codex", "version", "codex-cli 0.20.1")},
		{"a candidate of the needed one", "0.34.0", "Codex CLI needs update: 0.34.0-alpha.1 is installed, 0.34.0 or later is needed. Run: " + hint, supervise.NeedsUpdate, classify.CategoryFatal,
			path("codex", "version", "codex-cli 0.34.0-alpha.1")},
		{"crashes", "", "Codex CLI check failed: exit status 2: no such role: crashes", supervise.CheckFailed, classify.CategoryFatal,
			path("codex", "crashes", "")},
		{"hangs", "", "Codex CLI check failed: no answer to --version within 500ms", supervise.CheckFailed, classify.CategoryTimeout,
			path("codex", "wait", "")},
		{"says nothing", "1.0", "Codex CLI check failed: no version in the output of --version", supervise.CheckFailed, classify.CategoryFatal,
			path("codex", "version", "hello")},
		{"of another name", "1.0", "other needs update: 0.1 is installed, 1.0 or later is needed. Run: " + hint, supervise.NeedsUpdate, classify.CategoryFatal,
			path("other", "version", "0.1")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			program, env := tt.program(t)
			limit := time.Minute
			if tt.category == classify.CategoryTimeout {
				limit = 500 * time.Millisecond
			}
			_, err := supervise.LookUp(t.Context(), program, tt.least, hint, env, supervise.WithVersionTimeout(limit))
			var setup *supervise.SetupError
			require.ErrorAs(t, err, &setup)
			require.EqualError(t, err, tt.text)
			assert.Equal(t, tt.problem, setup.Problem)
			assert.Equal(t, tt.least, setup.MinVersion)
			res := classify.Error(err)
			assert.Equal(t, tt.category, res.Category, res.Rule)
			assert.Equal(t, string(res.Reason), setup.ErrorType())
			if tt.category == classify.CategoryFatal {
				assert.Equal(t, classify.ReasonSpawn, res.Reason, res.Rule)
			}
		})
	}
}

// If a known agent is missing or outdated, the error of Run wraps a SetupError.
func TestRunSetup(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path, _ := installed(t, "codex", "", "")
	says := func(name, stderr string) supervise.Command {
		c := self(t, "say", "1", stderr)
		path, _ := installed(t, name, "", "")
		c.Name = path
		return c
	}
	for _, tt := range []struct {
		name    string
		c       supervise.Command
		problem supervise.SetupProblem
		text    string // of the event
	}{
		{"not there", supervise.Command{Name: filepath.Join(folder, "codex")}, supervise.NotFound, "Codex CLI not installed"},
		{"not in PATH", supervise.Command{Name: "cursor-agent"}, supervise.NotFound, "Cursor CLI not installed"},
		{"no directory", supervise.Command{Name: path, Dir: filepath.Join(folder, "nowhere")}, "", "The program for OpenAI did not run to completion"},
		{"not an agent", supervise.Command{Name: "errclass-no-such-program"}, "", "The program for OpenAI did not run to completion"},
		{"outdated", says("claude", "Your version of Claude Code (1.0.1) needs an update."), supervise.NeedsUpdate, "Claude Code needs update"},
		{"another version", says("codex", "error: version mismatch"), supervise.NeedsUpdate, "Codex CLI needs update"},
		{"another failure", says("codex", "crashed"), "", "The program for OpenAI did not run to completion"},
		{"another program", says("other", "version mismatch"), "", "The program for OpenAI did not run to completion"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o, err := supervise.Run(t.Context(), tt.c)
			require.Error(t, err)
			assert.Equal(t, classify.ReasonSpawn, o.Result.Reason, o.Result.Rule)
			assert.Equal(t, tt.text, supervise.NewEvent("", "codex", 1, o).Error)
			var setup *supervise.SetupError
			if tt.problem == "" {
				assert.NotErrorAs(t, err, &setup)
				assert.Nil(t, o.Setup)
				return
			}
			require.ErrorAs(t, err, &setup)
			assert.Equal(t, tt.problem, setup.Problem)
			assert.Same(t, setup, o.Setup)
			again := classify.Error(err)
			assert.Equal(t, o.Result.Reason, again.Reason, again.Rule)
			assert.Equal(t, o.Result.Category, again.Category)
		})
	}
}

func TestLookUpCaller(t *testing.T) {
	t.Parallel()
	path, env := installed(t, "codex", "version", "1.0")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := supervise.LookUp(ctx, path, "", "", env)
	require.ErrorIs(t, err, context.Canceled)
	_, err = supervise.LookUp(t.Context(), path, "one", "", env)
	require.ErrorContains(t, err, `minimum version "one" of Codex CLI: `)
	_, err = supervise.LookUp(t.Context(), "errclass-no-such-program", "", "", supervise.WithProduct("The Program"), nil)
	require.EqualError(t, err, "The Program not found", "without a hint none is given")
}

// A file without execute permission is found but cannot be run.
func TestLookUpNotExecutable(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "codex"), nil, 0o600))
	_, err := supervise.LookUp(t.Context(), filepath.Join(folder, "codex"), "", "")
	if runtime.GOOS == "windows" { // Windows finds only files with an extension such as .exe
		require.EqualError(t, err, "Codex CLI not found")
		return
	}
	require.ErrorContains(t, err, "Codex CLI check failed: ")
	assert.ErrorContains(t, err, "permission denied")
}
