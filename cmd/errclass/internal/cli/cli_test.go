package cli_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/cmd/errclass/internal/cli"
)

// asProgram is an environment variable. If it is set, the test binary runs errclass.
const asProgram = "ERRCLASS_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asChild) != "" && len(os.Args) > 1 && childActions[os.Args[1]] != nil {
		runChild(os.Args[1:])
		os.Exit(0)
	}
	// Child processes inherit these variables. Without GORACE, each would exit a
	// second later.
	if err := errors.Join(os.Setenv(asChild, "1"), os.Setenv("GORACE", "atexit_sleep_ms=0")); err != nil {
		panic(err)
	}
	if os.Getenv(asProgram) != "" {
		cli.KeepOnClosedPipe()
		os.Exit(cli.Main(os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
	}
	os.Exit(m.Run())
}

func ExampleMain() {
	in := strings.NewReader("HTTP 503\n\n")
	code := cli.Main([]string{"classify", "--rules", "minimal"}, cli.Streams{In: in, Out: os.Stdout, Err: os.Stderr})
	fmt.Println(code == cli.ExitOK)
	// Output:
	// retryable	transient	000/503
	// fatal	unknown	000/default
	// true
}

// result has the exit code and the output of an errclass command.
type result struct {
	code     int
	out, err string
}

func run(t *testing.T, stdin string, args ...string) result {
	t.Helper()
	var out, errOut bytes.Buffer
	code := cli.Main(args, cli.Streams{In: strings.NewReader(stdin), Out: &out, Err: &errOut})
	return result{code, out.String(), errOut.String()}
}

// file writes a temporary file and returns its path.
func file(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// folder writes files to a temporary directory and returns its path.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	}
	return dir
}

func TestUsage(t *testing.T) {
	t.Parallel()
	faulty := file(t, "faulty.yaml", "rules:\n  - id: quota-x\n    pattern: '(abc'\n    reason: policy\n")
	for _, tt := range []struct {
		name, want string
		args       []string
	}{
		{"no command", "no command given", nil},
		{"unknown command", `unknown command "clasify" for "errclass"`, []string{"clasify"}},
		{"unknown flag", "unknown flag: --fast\nRun 'errclass logs --help' for usage.", []string{"logs", "--fast"}},
		{"format", `"--format" flag: use text or json`, []string{"classify", "--format", "xml"}},
		{"both rules", "--rules and --rules-only exclude each other: leave one out", []string{"classify", "--rules", "minimal", "--rules-only", faulty}},
		{"no rules file", `rules "nowhere.yaml": no such file; --rules takes standard, minimal or a file`, []string{"classify", "--rules", "nowhere.yaml", "x"}},
		{"rules folder", "is a directory", []string{"rules", "--rules", os.TempDir()}},
		{"faulty rules", `faulty.yaml: line 3: rule "quota-x": pattern "(abc": missing closing )`, []string{"explain", "--rules-only", faulty, "x"}},
		{"rules with arguments", `unknown command "x" for "errclass rules"`, []string{"rules", "x"}},
		{"no corpus", "no corpus; name a file or a folder", []string{"eval"}},
		{"split", "use K/N with K from 0", []string{"eval", "--split", "2/2", "x"}},
		{"split of words", "use K/N with K from 0", []string{"eval", "--split", "a", "x"}},
		{"threshold", "use a share from 0 to 1", []string{"eval", "--min-category", "950", "x"}},
		{"threshold of words", "use a share from 0 to 1", []string{"eval", "--min-f1", "NaN", "x"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := run(t, "", tt.args...)
			assert.Equal(t, cli.ExitUsage, r.code)
			assert.Contains(t, r.err, tt.want)
			assert.Empty(t, r.out)
		})
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"classify", "logs", "triage", "explain", "rules", "eval", "run"} {
		r := run(t, "", command, "--help")
		assert.Equal(t, cli.ExitOK, r.code)
		assert.Contains(t, r.out, "Examples:\n  ", command)
		assert.Contains(t, r.out, "--rules-only", command)
		assert.Contains(t, r.out, "--format text|json", command)
		assert.Empty(t, r.err)
	}
	r := run(t, "", "--version")
	assert.Equal(t, cli.ExitOK, r.code)
	assert.Regexp(t, `^errclass \S+ \(.*commit.*, go1\.\d+.*\)\n$`, r.out)
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		r := run(t, "", "completion", shell)
		assert.Equal(t, cli.ExitOK, r.code)
		assert.Contains(t, r.out, "errclass", shell)
	}
	assert.Contains(t, run(t, "", "__complete", "classify", "--format", "j").out, "json\n:4")
	assert.Contains(t, run(t, "", "__complete", "rules", "--rules", "").out, "standard\nminimal\n:0")
}

// TestClosedPipe closes the output before errclass ends, as head can do.
func TestClosedPipe(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	long := file(t, "app.jsonl", strings.Repeat("{\"level\":\"error\",\"msg\":\"HTTP 503\"}\n", 100_000))
	for name, tt := range map[string]struct {
		args      []string
		errs      string
		stdinFile string
	}{
		"logs":     {[]string{"logs", "--summary", long}, "the output was closed after about", ""},
		"classify": {[]string{"classify"}, "the output was closed; the rest of the input was not read", long},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(self, tt.args...)
			cmd.Env = append(os.Environ(), asProgram+"=1")
			var errOut bytes.Buffer
			cmd.Stderr = &errOut
			if tt.stdinFile != "" {
				f, err := os.Open(tt.stdinFile)
				require.NoError(t, err)
				defer f.Close()
				cmd.Stdin = f
			}
			out, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			_, err = io.ReadFull(out, make([]byte, 100))
			require.NoError(t, err)
			require.NoError(t, out.Close())
			var exit *exec.ExitError
			require.ErrorAs(t, cmd.Wait(), &exit, errOut.String())
			assert.Equal(t, 141, exit.ExitCode(), "the code of a program that SIGPIPE ended")
			assert.Contains(t, errOut.String(), tt.errs)
			if tt.errs == "" {
				assert.Empty(t, errOut.String())
			}
		})
	}
}

// TestSlowPipe checks that each answer is written before the next line is read.
func TestSlowPipe(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, want string }{
		{"classify", "HTTP 503\n", "retryable\ttransient\t000/503\n"},
		{"logs", "{\"error\":\"HTTP 503\"}\n", "{\"error\":\"HTTP 503\",\"error.category\":\"retryable\",\"error.reason\":\"transient\"}\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			inR, inW := io.Pipe()
			outR, outW := io.Pipe()
			code := make(chan int, 1)
			go func() {
				code <- cli.Main([]string{tt.name, "--rules", "minimal"}, cli.Streams{In: inR, Out: outW, Err: io.Discard})
			}()
			buf := make([]byte, 1<<10)
			for range 2 {
				_, err := inW.Write([]byte(tt.in))
				require.NoError(t, err)
				n, err := outR.Read(buf)
				require.NoError(t, err)
				require.Equal(t, tt.want, string(buf[:n]))
			}
			require.NoError(t, inW.Close())
			select {
			case c := <-code:
				assert.Equal(t, cli.ExitOK, c)
			case <-time.After(10 * time.Second):
				t.Fatal("still running after the end of its input")
			}
		})
	}
}

// full is a writer that fails at every write, like a full disk.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestUnwritableOutput(t *testing.T) {
	t.Parallel()
	corpus := file(t, "c.jsonl", `{"id":"a","message":"x","category":"fatal","reason":"unknown"}`)
	for _, args := range [][]string{{"classify", "x"}, {"classify"}, {"logs"}, {"explain", "x"}, {"explain", "--format=json", "x"}, {"rules"}, {"rules", "--format=json"}, {"eval", corpus}, {"eval", "--format=json", corpus}} {
		var errOut bytes.Buffer
		code := cli.Main(args, cli.Streams{In: strings.NewReader("x\n"), Out: full{}, Err: &errOut})
		assert.Equal(t, cli.ExitFailed, code, args)
		assert.Contains(t, errOut.String(), "short write", args)
	}
}
