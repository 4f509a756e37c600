//go:build unix

package cli_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shell runs a script in a directory. In the script, "$0" is errclass.
func shell(t *testing.T, dir, script string) (output string, code int) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command("sh", "-c", script, self)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), asProgram+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		require.ErrorAs(t, err, new(*exec.ExitError))
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// TestRunEventIntoItsOutput checks that --event appends to the command's own output
// file.
func TestRunEventIntoItsOutput(t *testing.T) {
	t.Parallel()
	const command = `-- sh -c 'echo child; exit 7' `
	for _, tt := range []struct{ name, script, want string }{
		{"/dev/stdout", `"$0" run --event /dev/stdout ` + command + `>> oo`, "before\nchild\nEVENT\n"},
		{"/dev/stderr", `"$0" run --format json --event /dev/stderr ` + command + `2>> oo`, "before\nEVENT\n"},
		{"/dev/stderr in words", `"$0" run --event /dev/stderr ` + command + `2>> oo`, "before\nEVENT\nWORDS\n"},
		{"/dev/fd/1", `"$0" run --event /dev/fd/1 ` + command + `>> oo`, "before\nchild\nEVENT\n"},
		{"another descriptor", `"$0" run --event /dev/fd/3 ` + command + `3>> oo`, "before\nEVENT\n"},
		{"its name", `"$0" run --event oo ` + command + `>> oo`, "before\nchild\nEVENT\n"},
		{"its name, standard error", `"$0" run --format json --event oo ` + command + `2>> oo`, "before\nEVENT\n"},
		{"both", `"$0" run --format json --event oo ` + command + `>> oo 2>&1`, "before\nchild\nEVENT\n"},
		{"both, opened twice", `"$0" run --event oo -- sh -c 'echo child; echo oops >&2; exit 7' >> oo 2>> oo`, "before\nchild\noops\nEVENT\nWORDS\n"},
		{"a symbolic link", `ln -s oo link; "$0" run --event link ` + command + `>> oo`, "before\nchild\nEVENT\n"},
		{"a hard link", `ln oo link; "$0" run --event oo ` + command + `>> link`, "before\nchild\nEVENT\n"},
		{"another path", `"$0" run --event ../*/oo ` + command + `>> oo`, "before\nchild\nEVENT\n"},
		{"watched", `"$0" run --silence 1h --event oo ` + command + `>> oo`, "before\nchild\nEVENT\n"},
		{"not at its end", `"$0" run --event oo ` + command + `1<> oo`, "child\n\nEVENT\n"},
		{"a line without an end", `"$0" run --event oo -- sh -c 'printf child; exit 7' >> oo`, "before\nchild\nEVENT\n"},
		{"the same on standard error", `"$0" run --format json --event oo -- sh -c 'printf child >&2; exit 7' 2>> oo`, "before\nchild\nEVENT\n"},
		{"overwritten", `"$0" run --event oo ` + command + `> oo`, "child\nEVENT\n"},
		{"a pipe", `{ "$0" run --event /dev/stdout -- sh -c 'printf child; exit 7'; echo $? > code; } | cat >> oo; exit $(cat code)`, "before\nchild\nEVENT\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := file(t, "oo", "before\n")
			require.NoError(t, os.Chmod(path, 0o644))
			output, code := shell(t, filepath.Dir(path), tt.script)
			assert.Equal(t, 7, code, output)
			got, err := os.ReadFile(path)
			require.NoError(t, err)
			lines := strings.SplitAfter(string(got), "\n")
			for i, line := range lines {
				switch {
				case strings.HasPrefix(line, "{"):
					event(t, line)
					lines[i] = "EVENT\n"
				case strings.HasPrefix(line, "errclass run: sh: exit status 7: "):
					lines[i] = "WORDS\n"
				}
			}
			assert.Equal(t, tt.want, strings.Join(lines, ""))
			info, err := os.Stat(path)
			require.NoError(t, err)
			assert.Equal(t, os.FileMode(0o644), info.Mode().Perm())
		})
	}
}

// TestRunEventIntoItsInput checks that --event does not overwrite the input.
func TestRunEventIntoItsInput(t *testing.T) {
	t.Parallel()
	path := file(t, "data.csv", "a,b\n")
	output, code := shell(t, filepath.Dir(path), `"$0" run --event data.csv -- cat < data.csv`)
	assert.Equal(t, 2, code)
	assert.Equal(t, "errclass: --event: data.csv is the command's standard input: use another file\n", output)
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "a,b\n", string(got))
}

// TestRunEventPipeWithoutReader checks that errclass gives up after a short wait if no
// program reads the named pipe of --event.
func TestRunEventPipeWithoutReader(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	r := run(t, "", child(t, []string{"--event", path}, "out", "started", "exit", "7")...)
	assert.Equal(t, 2, r.code)
	assert.Empty(t, r.out, "the command")
	assert.Equal(t, "errclass: --event: nobody reads the named pipe "+path+": start its reader first, or use a file\n", r.err)
	for words, want := range map[string]int{"7": 7, "0": 0} {
		got := make(chan string)
		go func() {
			defer close(got)
			if f, err := os.Open(path); err == nil {
				defer f.Close()
				text, _ := io.ReadAll(f)
				got <- string(text)
			}
		}()
		assert.Equal(t, want, run(t, "", child(t, []string{"--event", path}, "exit", words)...).code)
		if text := <-got; want == 0 {
			assert.Empty(t, text)
		} else {
			event(t, text)
		}
	}
}

// TestRunProgramNamedLikeASecret runs programs with names such as "token". It checks
// that the error text after the program's name is not masked.
func TestRunProgramNamedLikeASecret(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"passwd", "token", "api_key", "secret"} {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, nil, 0o600))
		for _, tt := range []struct{ arg, begin, end string }{ // the text between begin and end may be masked
			{path, name + ": fork/exec /", "/" + name + ": permission denied: "},
			{path + ".missing", name + ".missing: fork/exec /", "/" + name + ".missing: no such file or directory: "},
			{name + "-none", name + `-none: exec: "` + name + `-none": `, "executable file not found in $PATH: "},
		} {
			message := run(t, "", "run", "--", tt.arg).err
			assert.True(t, strings.HasPrefix(message, "errclass run: "+tt.begin), message)
			assert.Contains(t, message, tt.end)
		}
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "token"), []byte("#!/bin/sh\nexit 7\n"), 0o600))
	require.NoError(t, os.Chmod(filepath.Join(dir, "token"), 0o700))
	assert.Contains(t, run(t, "", "run", "--", filepath.Join(dir, "token")).err, "errclass run: token: exit status 7: ")
	const key = "sk-proj-Zk3Jq8Wv5Nx2Rt7Yb4Lm9Pc6"
	message := run(t, "", "run", "--", filepath.Join(dir, key)).err
	assert.NotContains(t, message, key)
	assert.Contains(t, message, ": no such file or directory: ")
}
