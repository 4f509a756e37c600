package supervise_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/supervise"
)

// shortGrace limits the time between SIGTERM and SIGKILL.
const shortGrace = 50 * time.Millisecond

func TestRun(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	c := self(t, "both")
	c.Stdout, c.Stderr = &out, &errs
	o, err := supervise.Run(t.Context(), c)
	require.NoError(t, err)
	assert.Equal(t, classify.Result{}, o.Result)
	assert.Equal(t, 0, o.ExitCode)
	assert.Nil(t, o.Signal)
	assert.Equal(t, "err", o.Stderr)
	assert.Positive(t, o.Duration)
	assert.Equal(t, "out\n", out.String())
	assert.Equal(t, "err\n", errs.String())
}

func TestClassification(t *testing.T) {
	t.Parallel()
	trace := "Error: HTTP 429: rate limit exceeded\n" + strings.Repeat("    at Object.<anonymous> (/app/node_modules/x/index.js:10:20)\n", 40)
	for _, tt := range []struct {
		name, stderr string
		by           *classify.Classifier
		category     classify.Category
		reason       classify.Reason
	}{
		{"a limit", "429 rate limit", nil, classify.CategoryRetryable, classify.ReasonRateLimit},
		{"a key", "stderr: Incorrect API key provided: sk-abcdefgh12345678", nil, classify.CategoryFatal, classify.ReasonAuthentication},
		{"too long", "prompt is too long: 210000 tokens > 200000 maximum", nil, classify.CategoryContextOverflow, classify.ReasonContextOverflow},
		{"nothing", "", nil, classify.CategoryFatal, classify.ReasonSpawn},
		{"nothing known", "so long", nil, classify.CategoryFatal, classify.ReasonSpawn},
		{"a cause above a trace", trace, nil, classify.CategoryRetryable, classify.ReasonRateLimit},
		{"last words before others", "connect ECONNRESET, retrying\n" + strings.Repeat("working\n", 100) + "Invalid API key\n", nil, classify.CategoryFatal, classify.ReasonAuthentication},
		{"a timeout in text is a peer's", "context deadline exceeded", nil, classify.CategoryRetryable, classify.ReasonTimeout},
		{"a bare limit", "rate limit", nil, classify.CategoryRetryable, classify.ReasonRateLimit},
		{"a bare limit after a name", "starting\ncodex: Error: Rate limit.\n", nil, classify.CategoryRetryable, classify.ReasonRateLimit},
		{"a bare authentication", "[2026-01-02] ERROR authentication\nbye", nil, classify.CategoryFatal, classify.ReasonAuthentication},
		{"a cause beside a bare line", "rate limit\nerror: HTTP 401 Unauthorized", nil, classify.CategoryFatal, classify.ReasonAuthentication},
		{"a setting", "rate limit: 5000\nusing authentication by key", nil, classify.CategoryFatal, classify.ReasonSpawn},
		{"minimal", "network is 401", classify.Minimal, classify.CategoryRetryable, classify.ReasonNetwork},
		{"minimal, nothing", "", classify.Minimal, classify.CategoryFatal, classify.ReasonUnknown},
		{"minimal, aborted", "context canceled", classify.Minimal, classify.CategoryFatal, classify.ReasonUnknown},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := self(t, "say", "3", tt.stderr)
			c.Classifier, c.Provider = tt.by, "codex"
			o, err := supervise.Run(t.Context(), c)
			assert.Equal(t, tt.category, o.Result.Category, o.Result.Rule)
			assert.Equal(t, tt.reason, o.Result.Reason, o.Result.Rule)
			assert.Equal(t, "codex", o.Result.Provider)
			assert.Equal(t, 3, o.ExitCode)

			var run *supervise.Error
			require.ErrorAs(t, err, &run)
			assert.Equal(t, o, run.Outcome)
			assert.Equal(t, string(tt.reason), run.ErrorType())
			require.ErrorAs(t, err, new(*exec.ExitError))
			assert.Equal(t, "exit status 3", strings.TrimPrefix(err.Error(), run.Program+": "), "the text does not quote the child")
			if tt.by == nil {
				again := classify.Error(err)
				again.Provider = "codex"
				assert.Equal(t, o.Result, again, "classifying the error again gives the same result")
			}
		})
	}
}

// The text contains "1429 rate". The last 500 characters begin with "429 rate", but
// this must not be read as status 429.
func TestCutNumber(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("x ", 300) + "1429 rate"
	text += strings.Repeat(" y", (500-len("429 rate"))/2)
	o, err := supervise.Run(t.Context(), self(t, "say", "1", text))
	require.Error(t, err)
	assert.True(t, strings.HasPrefix(o.Stderr, "429 rate"), o.Stderr)
	assert.Equal(t, classify.ReasonSpawn, o.Result.Reason, o.Result.Rule)
}

func TestStderrTail(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, write, want string }{
		{"short", "x\n", "x"},
		{"runes", strings.Repeat("ä", 700), strings.Repeat("ä", 500)},
		{"not UTF-8", strings.Repeat("\xff", 700), strings.Repeat("\xff", 500)},
		{"half a rune at the end", "ok \xe2\x82", "ok \xe2\x82"},
		{"a secret", "key sk-ant-REDACTED rejected", "key [masked] rejected"},
		{"a secret at the cut", "Bearer abc123def456" + strings.Repeat(" .", 246), supervise.Masked + strings.Repeat(" .", 246)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var all bytes.Buffer
			c := self(t, "say", "0", tt.write)
			c.Stderr = &all
			o, err := supervise.Run(t.Context(), c)
			require.NoError(t, err)
			assert.Equal(t, tt.want, o.Stderr)
			assert.Equal(t, tt.write, all.String(), "Command.Stderr gets the output unchanged")
		})
	}
}

// If a line is longer than the text that Run keeps, the end of the line is classified.
func TestLongLine(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, end, want string }{
		{"words", " HTTP 429: rate limit exceeded", " HTTP 429: rate limit exceeded"},
		{"JSON", `","error":{"type":"rate_limit_error","message":"slow"}}`, `","error":{"type":"rate_limit_error","message":"slow"}}`},
		{"a secret", "-secret-tail\",\"status\":429,\"error\":\"Too_Many_Requests\"", `","status":429,"error":"Too_Many_Requests"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o, err := supervise.Run(t.Context(), self(t, "long", "1", "40000", tt.end))
			require.Error(t, err)
			assert.Equal(t, tt.want, o.Stderr)
			assert.Equal(t, classify.ReasonRateLimit, o.Result.Reason, o.Result.Rule)
		})
	}
}

func TestOwnMask(t *testing.T) {
	t.Parallel()
	c := self(t, "say", "1", "sk-abcdefgh12345678")
	c.Mask = strings.ToUpper
	o, err := supervise.Run(t.Context(), c)
	require.Error(t, err)
	assert.Equal(t, "SK-ABCDEFGH12345678", o.Stderr)
}

func TestNotStarted(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	plain := filepath.Join(folder, "plain.txt")
	require.NoError(t, os.WriteFile(plain, nil, 0o600))
	for _, tt := range []struct {
		name string
		c    supervise.Command
	}{
		{"not found", supervise.Command{Name: "errclass-no-such-program"}},
		{"no such path", supervise.Command{Name: filepath.Join(folder, "nothing")}},
		{"a file that is no program", supervise.Command{Name: plain}},
		{"a folder", supervise.Command{Name: folder}},
		{"no name", supervise.Command{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.c.Stdin = strings.NewReader("x")
			o, err := supervise.Run(t.Context(), tt.c)
			require.Error(t, err)
			assert.Equal(t, -1, o.ExitCode)
			assert.Equal(t, classify.CategoryFatal, o.Result.Category)
			assert.Equal(t, classify.ReasonSpawn, o.Result.Reason, o.Result.Rule)
			assert.Equal(t, o.Result, classify.Error(err))
		})
	}
}

func TestWatchdogs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, rule, text string
		set              func(*supervise.Command)
	}{
		{"in all", "watchdog/timeout", "still running after 100ms", func(c *supervise.Command) { c.Timeout = 100 * time.Millisecond }},
		{"silence", "watchdog/silence", "no output for 100ms", func(c *supervise.Command) { c.Silence = 100 * time.Millisecond }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := self(t, "wait")
			c.Grace, c.Provider = 10*time.Second, "codex"
			tt.set(&c)
			o, err := supervise.Run(t.Context(), c)
			require.ErrorIs(t, err, supervise.ErrWatchdog)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			assert.ErrorContains(t, err, tt.text)
			assert.Equal(t, classify.Result{Category: classify.CategoryTimeout, Reason: classify.ReasonTimeout, Rule: tt.rule, Provider: "codex"}, o.Result)
			again := classify.Error(err)
			assert.Equal(t, classify.CategoryTimeout, again.Category)
			assert.Equal(t, classify.ReasonTimeout, again.Reason)
		})
	}
}

func TestCaller(t *testing.T) {
	t.Parallel()
	gone := errors.New("the window was closed")
	for _, tt := range []struct {
		name     string
		end      func(context.Context) (context.Context, context.CancelCauseFunc)
		cause    error
		category classify.Category
		reason   classify.Reason
	}{
		{"cancels", context.WithCancelCause, nil, classify.CategoryAborted, classify.ReasonAborted},
		{"cancels for a cause", context.WithCancelCause, gone, classify.CategoryAborted, classify.ReasonAborted},
		{"has no more money", context.WithCancelCause, classify.ErrBudgetExceeded, classify.CategoryFatal, classify.ReasonBudgetExceeded},
		{"had a deadline", func(ctx context.Context) (context.Context, context.CancelCauseFunc) {
			ctx, cancel := context.WithDeadline(ctx, time.Now().Add(200*time.Millisecond))
			return ctx, func(error) { <-ctx.Done(); cancel() }
		}, context.DeadlineExceeded, classify.CategoryTimeout, classify.ReasonTimeout},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx, end := tt.end(t.Context())
			ready := newSignal()
			c := self(t, "wait")
			c.Stdout = ready
			go func() {
				select {
				case <-ready.ready:
				case <-ctx.Done(): // the deadline may come before the child is ready
				}
				end(tt.cause)
			}()
			o, err := supervise.Run(ctx, c)
			end(nil)
			require.ErrorIs(t, err, ctx.Err())
			if tt.cause != nil {
				require.ErrorIs(t, err, tt.cause)
			}
			assert.NotErrorIs(t, err, supervise.ErrWatchdog)
			assert.Equal(t, tt.category, o.Result.Category, o.Result.Rule)
			assert.Equal(t, tt.reason, o.Result.Reason)

			o, err = supervise.Run(ctx, supervise.Command{Name: "errclass-no-such-program"})
			require.ErrorIs(t, err, ctx.Err(), "no child is started after the context has ended")
			assert.Equal(t, tt.category, o.Result.Category)
			assert.Equal(t, -1, o.ExitCode)
		})
	}
}

func TestStdin(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "in")
	require.NoError(t, os.WriteFile(path, []byte("a file"), 0o600))
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	for _, tt := range []struct {
		name string
		in   io.Reader
		want string
	}{
		{"none", nil, ""},
		{"a reader", strings.NewReader("text"), "text"},
		{"a file", f, "a file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			c := self(t, "cat")
			c.Stdin, c.Stdout = tt.in, &out
			_, err := supervise.Run(t.Context(), c)
			require.NoError(t, err)
			assert.Equal(t, tt.want, out.String())
		})
	}
}

// zeros is an endless reader.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestStdinIsNotRead(t *testing.T) {
	t.Parallel()
	c := self(t, "both")
	c.Stdin = zeros{}
	_, err := supervise.Run(t.Context(), c)
	require.NoError(t, err, "a child need not read its input")
}

// Run returns when the child has ended, even if a Read of Command.Stdin still blocks.
func TestStdinBlocks(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	defer w.Close()
	c := self(t, "both")
	c.Stdin = r
	_, err := supervise.Run(t.Context(), c)
	require.NoError(t, err)
}

func TestStdinFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("disk on fire")
	c := self(t, "cat")
	c.Stdin = io.MultiReader(strings.NewReader("half"), &failing{err: broken})
	_, err := supervise.Run(t.Context(), c)
	require.ErrorIs(t, err, broken, "the child read only a part of its input")
	assert.ErrorContains(t, err, "standard input: disk on fire")
}

type failing struct{ err error }

func (f *failing) Read([]byte) (int, error)  { return 0, f.err }
func (f *failing) Write([]byte) (int, error) { return 0, f.err }

func TestOutputFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("no space left on device")
	c := self(t, "both")
	c.Stdout = &failing{err: broken}
	o, err := supervise.Run(t.Context(), c)
	require.ErrorIs(t, err, broken)
	assert.ErrorContains(t, err, "standard output: no space left on device")
	assert.Equal(t, classify.ReasonResource, o.Result.Reason)
}

// busy is a non-blocking pipe that has room for one byte at a time.
type busy struct{ bytes.Buffer }

func (b *busy) Write(p []byte) (int, error) {
	n, _ := b.Buffer.Write(p[:1])
	if n == len(p) {
		return n, nil
	}
	return n, &os.PathError{Op: "write", Path: "|1", Err: syscall.EAGAIN}
}

// If another program makes a shared pipe non-blocking, no output is lost or counted
// twice.
func TestNonBlockingOutput(t *testing.T) {
	t.Parallel()
	const event = `{"type":"error","status":429}`
	var out, errs busy
	c := self(t, "events", "3", "so long", event)
	c.Stdout, c.Stderr = &out, &errs
	o, err := supervise.Run(t.Context(), c)
	require.Error(t, err)
	assert.NotErrorIs(t, err, syscall.EAGAIN)
	assert.Equal(t, event+"\n", out.String())
	assert.Equal(t, "so long", errs.String())
	assert.Equal(t, "so long", o.Stderr)
	assert.Equal(t, classify.ReasonRateLimit, o.Result.Reason)
}

// unsynchronised is a writer without a lock. The race detector reports concurrent
// writes.
type unsynchronised struct{ n int }

func (u *unsynchronised) Write(p []byte) (int, error) { u.n += len(p); return len(p), nil }

func TestOneWriterForBoth(t *testing.T) {
	t.Parallel()
	var w unsynchronised
	c := self(t, "both")
	c.Stdout, c.Stderr = &w, &w
	_, err := supervise.Run(t.Context(), c)
	require.NoError(t, err)
	assert.Equal(t, len("out\nerr\n"), w.n)
}

// uncomparable is a writer. If it is compared with ==, the program panics.
type uncomparable []int

func (uncomparable) Write(p []byte) (int, error) { return len(p), nil }

func TestUncomparableWriters(t *testing.T) {
	t.Parallel()
	c := self(t, "both")
	c.Stdout, c.Stderr = uncomparable{}, uncomparable{}
	_, err := supervise.Run(t.Context(), c)
	require.NoError(t, err)
}

// Without a limit on silence, the child writes directly to the *os.File.
func TestFileOutput(t *testing.T) {
	t.Parallel()
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	require.NoError(t, err)
	defer f.Close()
	c := self(t, "both")
	c.Stdout, c.Silence, c.Timeout, c.Grace = f, -1, -1, -1
	_, err = supervise.Run(t.Context(), c)
	require.NoError(t, err)
	got, err := os.ReadFile(f.Name())
	require.NoError(t, err)
	assert.Equal(t, "out\n", string(got))
}

// Run does not wait for a process that a successful child left behind.
func TestLeftBehind(t *testing.T) {
	t.Parallel()
	c := self(t, "leave")
	c.Grace = shortGrace
	gone, hangUp := withLifeline(t, &c)
	o, err := supervise.Run(t.Context(), c)
	require.NoError(t, err)
	assert.Equal(t, 0, o.ExitCode)
	select {
	case <-gone:
		require.Fail(t, "it was ended")
	default:
	}
	hangUp()
	waitClosed(t, gone, "the connection's end")
}

func TestRunConcurrentSafe(t *testing.T) {
	t.Parallel()
	c := self(t, "say", "1", "429 rate limit")
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			o, err := supervise.Run(t.Context(), c)
			assert.Error(t, err)
			assert.Equal(t, classify.ReasonRateLimit, o.Result.Reason)
			assert.Equal(t, "429 rate limit", o.Stderr)
		})
	}
	wg.Wait()
}
