package cli_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/cmd/errclass/internal/cli"
	"github.com/errclass/errclass/supervise"
)

// asChild is the name of an environment variable. If the variable is set, the test binary
// performs the actions that its arguments name. The arguments are pairs: a key of
// childActions and the argument of that action.
const asChild = "ERRCLASS_TEST_AS_CHILD"

// childActions has the actions that the test binary can perform if asChild is set.
var childActions = map[string]func(arg string){
	"out":   func(arg string) { fmt.Println(arg) },
	"err":   func(arg string) { fmt.Fprint(os.Stderr, arg) },
	"cat":   func(string) { _, _ = io.Copy(os.Stdout, os.Stdin) },
	"line":  func(string) { text, _ := bufio.NewReader(os.Stdin).ReadString('\n'); fmt.Print(text) },
	"exit":  func(arg string) { n, _ := strconv.Atoi(arg); os.Exit(n) },
	"wait":  func(string) { time.Sleep(time.Hour) },
	"count": func(arg string) { b, _ := os.ReadFile(arg); _ = os.WriteFile(arg, append(b, '.'), 0o600) },
	"until": func(arg string) {
		name, n, _ := strings.Cut(arg, ":")
		if b, _ := os.ReadFile(name); strconv.Itoa(len(b)) == n {
			os.Exit(0)
		}
	},
}

func runChild(args []string) {
	for len(args) > 1 {
		childActions[args[0]](args[1])
		args = args[2:]
	}
}

// child returns arguments that make "errclass run" run the test binary.
func child(t *testing.T, flags []string, words ...string) []string {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	return append(append(append([]string{"run"}, flags...), "--", program), words...)
}

// event decodes the event in the last line of text.
func event(t *testing.T, text string) supervise.Event {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	var e supervise.Event
	require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-1]), &e), text)
	assert.Equal(t, "error", e.Type)
	return e
}

// limited is a rate-limit message that asks for a very short delay.
const limited = "HTTP 429: rate limit exceeded, try again in 0.001s\n"

func TestRunExitCodes(t *testing.T) {
	t.Parallel()
	plain := file(t, "plain", "")
	for _, tt := range []struct {
		name  string
		flags []string
		words []string
		code  int
	}{
		{"success", nil, []string{"out", "hi"}, 0},
		{"success by category", []string{"--exit-code", "category"}, []string{"out", "hi"}, 0},
		{"the child's own", nil, []string{"exit", "3"}, 3},
		{"the child's own, whatever it means", nil, []string{"err", limited, "exit", "130"}, 130},
		{"retryable", []string{"--exit-code", "category"}, []string{"err", limited, "exit", "3"}, 75},
		{"context overflow", []string{"--exit-code", "category"}, []string{"err", "prompt is too long: 210000 tokens > 200000 maximum", "exit", "3"}, 65},
		{"fatal", []string{"--exit-code", "category"}, []string{"err", "Invalid API key", "exit", "3"}, 70},
		{"aborted by its message", []string{"--exit-code", "category"}, []string{"err", "context canceled", "exit", "3"}, 130},
		{"a peer's timeout is not this program's", nil, []string{"err", "context deadline exceeded", "exit", "3"}, 3},
		{"timeout", []string{"--timeout", "300ms"}, []string{"wait", ""}, 124},
		{"silence", []string{"--silence", "300ms"}, []string{"wait", ""}, 124},
		{"timeout by category", []string{"--timeout", "300ms", "--exit-code=category"}, []string{"wait", ""}, 124},
		{"minimal rules", []string{"--rules", "minimal", "--exit-code=category"}, []string{"err", "the network", "exit", "3"}, 75},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := run(t, "", child(t, tt.flags, tt.words...)...)
			assert.Equal(t, tt.code, r.code, r.err)
		})
	}
	assert.Equal(t, cli.ExitNotFound, run(t, "", "run", "--", "errclass-no-such-program").code)
	assert.Equal(t, cli.ExitNotFound, run(t, "", "run", filepath.Join(t.TempDir(), "nothing")).code)
	assert.Equal(t, cli.ExitNotExecutable, run(t, "", "run", "--exit-code", "category", "--", plain).code)
}

func TestRunStreamsThrough(t *testing.T) {
	t.Parallel()
	r := run(t, "some input", child(t, nil, "cat", "", "err", "a warning\n", "exit", "3")...)
	assert.Equal(t, 3, r.code)
	assert.Equal(t, "some input", r.out)
	assert.Regexp(t, `^a warning\nerrclass run: .*: exit status 3: fatal spawn \(\S+\) after 1 run\n$`, r.err)

	r = run(t, "", child(t, nil, "err", "no line end")...)
	assert.Equal(t, result{0, "", "no line end"}, r, "success is not reported")
	r = run(t, "", child(t, []string{"--format", "json"}, "err", "no line end", "exit", "1")...)
	assert.True(t, strings.HasPrefix(r.err, "no line end\n{"), "the event has a line of its own")
}

// TestRunFlagsEnd checks that flags after the name of the command belong to the
// command.
func TestRunFlagsEnd(t *testing.T) {
	t.Parallel()
	with := child(t, nil, "out", "--retry")
	assert.Equal(t, "--retry\n", run(t, "", with...).out)
	without := append([]string{"run"}, with[2:]...)
	assert.Equal(t, "--retry\n", run(t, "", without...).out)
}

func TestRunRetries(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name        string
		flags       []string
		words       []string
		runs, code  int
		recoverable bool
	}{
		{"three times in all", []string{"--retry"}, []string{"err", limited, "exit", "3"}, 3, 3, true},
		{"not unless asked", nil, []string{"err", limited, "exit", "3"}, 1, 3, true},
		{"six times for the network", []string{"--retry"}, []string{"err", "ECONNRESET, retry after 0.001s\n", "exit", "3"}, 6, 3, true},
		{"no more than --max", []string{"--retry", "--max", "2"}, []string{"err", limited, "exit", "3"}, 2, 3, true},
		{"no more than the reason grants", []string{"--retry", "--max", "50"}, []string{"err", limited, "exit", "3"}, 3, 3, true},
		{"not a bad key", []string{"--retry"}, []string{"err", "Invalid API key", "exit", "3"}, 1, 3, true},
		{"not an unknown error", []string{"--retry"}, []string{"exit", "3"}, 1, 3, false},
		{"not after a long wait", []string{"--retry"}, []string{"err", "HTTP 503: try again in 120s", "exit", "3"}, 1, 3, true},
		{"silence too", []string{"--retry", "--max", "2", "--silence", "2s"}, []string{"err", "retry after 0s", "wait", ""}, 2, 124, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			counter := filepath.Join(t.TempDir(), "runs")
			r := run(t, "", child(t, append(tt.flags, "--format", "json"), append([]string{"count", counter}, tt.words...)...)...)
			runs, err := os.ReadFile(counter)
			require.NoError(t, err)
			assert.Len(t, runs, tt.runs, r.err)
			assert.Equal(t, tt.code, r.code)
			e := event(t, r.err)
			assert.Equal(t, tt.runs-1, e.Diagnostics.Retried)
			assert.Equal(t, tt.recoverable, e.Diagnostics.Recoverable)
		})
	}
}

func TestRunSucceedsAtSecondRun(t *testing.T) {
	t.Parallel()
	counter := filepath.Join(t.TempDir(), "runs")
	r := run(t, "", child(t, []string{"--retry"}, "count", counter, "until", counter+":2", "err", limited, "exit", "3")...)
	assert.Equal(t, 0, r.code)
	assert.Equal(t, limited+"errclass run: retryable rate_limit (http/429): again in 1ms\n", r.err)
}

// TestRunTimeoutEndsWaits checks that the limit of --timeout includes the pauses.
func TestRunTimeoutEndsWaits(t *testing.T) {
	t.Parallel()
	r := run(t, "", child(t, []string{"--retry", "--timeout", "5s", "--format", "json"}, "err", "HTTP 503: try again in 50s", "exit", "3")...)
	assert.Equal(t, 124, r.code)
	e := event(t, r.err)
	assert.Equal(t, "timeout", e.Diagnostics.ErrorType)
	assert.Equal(t, 0, e.Diagnostics.Retried)
	assert.Equal(t, "HTTP 503: try again in 50s", e.Diagnostics.Stderr)
}

func TestRunInput(t *testing.T) {
	t.Parallel()
	again := []string{"err", limited, "exit", "3"}
	for _, tt := range []struct {
		name  string
		in    func(t *testing.T) io.Reader
		words []string
		want  string
	}{
		{"a pipe is replayed", func(*testing.T) io.Reader { return strings.NewReader("a\nb\n") }, []string{"cat", ""}, "a\nb\na\nb\na\nb\n"},
		{"a file is read again from where it was", func(t *testing.T) io.Reader {
			f, err := os.Open(file(t, "in", "x\na\nb\n"))
			require.NoError(t, err)
			t.Cleanup(func() { _ = f.Close() })
			_, err = f.Seek(2, io.SeekStart)
			require.NoError(t, err)
			return f
		}, []string{"cat", ""}, "a\nb\na\nb\na\nb\n"},
		{"a pipe that stays open", func(t *testing.T) io.Reader {
			r, w := io.Pipe()
			go func() { _, _ = w.Write([]byte("a\n")) }()
			t.Cleanup(func() { _ = w.Close() })
			return r
		}, []string{"line", ""}, "a\na\na\n"},
		{"none", func(*testing.T) io.Reader { return nil }, []string{"cat", ""}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var out, errs bytes.Buffer
			code := cli.Main(child(t, []string{"--retry"}, append(tt.words, again...)...), cli.Streams{In: tt.in(t), Out: &out, Err: &errs})
			assert.Equal(t, 3, code)
			assert.Equal(t, tt.want, out.String())
		})
	}
}

// busy is a non-blocking pipe. Every second call finds the pipe full or empty. If the
// field fails is not nil, each Write returns that error.
type busy struct {
	io.Reader
	bytes.Buffer
	calls int
	fails error
}

func (b *busy) full() bool {
	b.calls++
	return b.calls%2 > 0
}

func (b *busy) Read(p []byte) (int, error) {
	if b.full() {
		return 0, syscall.EAGAIN
	}
	return b.Reader.Read(p[:1])
}

func (b *busy) Write(p []byte) (int, error) {
	switch {
	case b.fails != nil:
		return 0, b.fails
	case b.full():
		return 0, syscall.EAGAIN
	}
	return b.Buffer.Write(p)
}

// TestRunNonBlocking checks that a command that succeeds is not run again, even if
// another program made the pipes non-blocking, or if the output cannot be written.
func TestRunNonBlocking(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		action    string
		fails     error
		code      int
		out, errs string
	}{
		"busy":  {"cat", nil, 0, "a\nb\n", "a warning\n"},
		"fails": {"out", syscall.ECONNRESET, 1, "", "a warning\nerrclass run: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			counter := filepath.Join(t.TempDir(), "runs")
			in, out, errs := &busy{Reader: strings.NewReader("a\nb\n")}, &busy{fails: tt.fails}, &busy{}
			code := cli.Main(child(t, []string{"--retry"}, "count", counter, "err", "a warning\n", tt.action, ""), cli.Streams{In: in, Out: out, Err: errs})
			assert.Equal(t, tt.code, code, errs.String())
			runs, err := os.ReadFile(counter)
			require.NoError(t, err)
			assert.Len(t, runs, 1)
			assert.Equal(t, tt.out, out.String())
			assert.True(t, strings.HasPrefix(errs.String(), tt.errs), errs.String())
		})
	}
}

// TestRunLongInput checks that a command is not run again if its input is too long.
func TestRunLongInput(t *testing.T) {
	t.Parallel()
	const long = 17 << 20
	var errs bytes.Buffer
	out := &counting{}
	code := cli.Main(child(t, []string{"--retry"}, "cat", "", "err", limited, "exit", "3"),
		cli.Streams{In: io.LimitReader(zeros{}, long), Out: out, Err: &errs})
	assert.Equal(t, 3, code)
	assert.Equal(t, long, out.n, "one run, with all of its input")
	assert.Contains(t, errs.String(), "not retried: more than 16777216 bytes of standard input were read")
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

type counting struct{ n int }

func (c *counting) Write(p []byte) (int, error) { c.n += len(p); return len(p), nil }

func TestRunEvent(t *testing.T) {
	t.Parallel()
	name := file(t, "event.json", "of an earlier run")
	flags := []string{"--event", name, "--provider", "codex", "--request-id", "r-1", "--format", "json"}
	r := run(t, "", child(t, flags, "err", "Incorrect API key provided: sk-abcdefgh12345678", "exit", "3")...)
	assert.Equal(t, 3, r.code)
	assert.Equal(t, "Incorrect API key provided: sk-abcdefgh12345678", r.err, "the event is only in the file")
	got, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, `{"type":"error","requestId":"r-1","error":"auth_failed","authError":true,`+
		`"diagnostics":{"provider":"codex","errorType":"auth","recoverable":true,"retried":0,"stderr":"Incorrect API key provided: [masked]"}}`+"\n", string(got))

	r = run(t, "", child(t, flags, "out", "fine")...)
	assert.Equal(t, 0, r.code)
	got, err = os.ReadFile(name)
	require.NoError(t, err)
	assert.Empty(t, got, "the event of the earlier run is gone")
}

func TestRunExplain(t *testing.T) {
	t.Parallel()
	r := run(t, "", child(t, []string{"--explain"}, "err", "HTTP 429: insufficient_quota", "exit", "3")...)
	assert.Contains(t, r.err, "fatal / budget_exceeded, decided by code/insufficient-quota, confidence 0.98\n")
	assert.Contains(t, r.err, "HTTP 429: »insufficient_quota«")
	assert.Contains(t, r.err, "beaten by code/insufficient-quota")

	r = run(t, "", child(t, []string{"--explain", "--format", "json", "--silence", "3s"}, "err", "HTTP 429", "wait", "")...)
	lines := strings.Split(r.err, "\n")
	var x struct {
		Category, Rule string
		Signals        []struct {
			Rule, BeatenBy string
			Decided        bool
		}
	}
	require.NoError(t, json.Unmarshal([]byte(lines[1]), &x), r.err)
	assert.Equal(t, "timeout", x.Category)
	assert.Equal(t, "watchdog/silence", x.Rule)
	require.NotEmpty(t, x.Signals)
	assert.True(t, x.Signals[0].Decided)
	assert.Equal(t, "watchdog/silence", x.Signals[0].Rule)
	event(t, r.err)
}

func TestRunUsage(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, want string
		args       []string
	}{
		{"no command", "no command given: errclass run [flags] -- COMMAND", []string{"run", "--retry"}},
		{"exit code", `--exit-code "x": use child or category`, []string{"run", "--exit-code", "x", "--", "true"}},
		{"max alone", "--max needs --retry", []string{"run", "--max", "2", "--", "true"}},
		{"negative", "must not be negative", []string{"run", "--max", "-1", "--", "true"}},
		{"event", "--event: ", []string{"run", "--event", filepath.Join(t.TempDir(), "no", "such"), "--", "true"}},
		{"duration", `invalid argument "5" for "--timeout"`, []string{"run", "--timeout", "5", "--", "true"}},
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

// TestRunReportsTimeout checks that the message names the limit of --timeout.
func TestRunReportsTimeout(t *testing.T) {
	t.Parallel()
	r := run(t, "", child(t, []string{"--timeout", "300ms"}, "wait", "")...)
	assert.Contains(t, r.err, ": not done within 300ms: timeout timeout (context/deadline-exceeded) after 1 run\n")
	r = run(t, "", child(t, []string{"--retry", "--timeout", "900ms"}, "err", "HTTP 503: try again in 50s", "exit", "3")...)
	assert.Contains(t, r.err, "errclass run: not done within 900ms: timeout timeout (context/deadline-exceeded) after 1 run\n")
}
