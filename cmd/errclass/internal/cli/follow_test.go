package cli

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/cmd/errclass/internal/logline"
)

// TestFollow changes a followed file in steps. Each step begins after everything was
// read.
func TestFollow(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "app.log")
	write := func(flags int, text string) {
		f, err := os.OpenFile(name, os.O_WRONLY|flags, 0o600)
		require.NoError(t, err)
		_, err = f.WriteString(text)
		require.NoError(t, err)
		require.NoError(t, f.Close())
	}
	var old *os.File
	var ended chan struct{}
	steps := []func(){
		func() {}, // no file yet
		func() { write(os.O_CREATE, "a\nb") },
		func() { write(os.O_APPEND, "c\n") },
		func() { // rotated, and the program still writes to the old file
			var err error
			old, err = os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
			require.NoError(t, err)
			require.NoError(t, os.Rename(name, name+".1"))
		},
		func() {
			_, err := old.WriteString("late\nunfinished")
			require.NoError(t, err)
			require.NoError(t, old.Close())
			write(os.O_CREATE, "long\n")
		},
		func() { write(os.O_TRUNC, "e\n") },
		func() { require.NoError(t, os.Remove(name)) },
		func() { write(os.O_CREATE|os.O_EXCL, "f\n") },
		func() { close(ended) },
	}
	ended = make(chan struct{})
	tick := make(chan time.Time, 1)
	f := &follower{name: name, ended: ended, tick: tick, stop: func() {}}
	f.idle = func() {
		step := steps[0]
		steps = steps[1:]
		step()
		if len(steps) > 0 {
			tick <- time.Time{}
		}
	}
	got, err := io.ReadAll(f)
	require.ErrorIs(t, err, errInterrupted)
	require.NoError(t, f.Close())
	assert.Equal(t, "a\nbc\nlate\nunfinished\nlong\ne\nf\n", string(got))
}

func TestFollowErrors(t *testing.T) {
	t.Parallel()
	f, err := follow(t.TempDir(), make(chan struct{}), func() {})
	require.NoError(t, err)
	_, err = f.Read(make([]byte, 1))
	require.Error(t, err, "a directory")
	require.NoError(t, f.Close())
	_, err = follow(filepath.Join(t.TempDir(), strings.Repeat("x", 300)), nil, func() {})
	require.Error(t, err, "a name that is too long")
}

func TestStatusText(t *testing.T) {
	t.Parallel()
	s := logline.Summary{Lines: 1204, Classified: 17, Counts: []logline.Count{
		{Reason: "network", Count: 12, Last: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}, {Reason: "unknown", Count: 5},
	}}
	assert.Equal(t, "app.log: 1204 lines, 17 errors: 12 network, 5 unknown; last 03:04:05", statusText("app.log", s, 80, false))
	assert.Equal(t, "app.log: 1204 lines…", statusText("app.log", s, 21, false))
	assert.Equal(t, "\x1b[31mapp.log: 1204 lines…\x1b[0m", statusText("app.log", s, 21, true))
	assert.Equal(t, "a: 0 lines, 0 errors", statusText("a", logline.Summary{}, 80, true))
	env := func(pairs ...string) func(string) string {
		return func(k string) string {
			if len(pairs) == 2 && pairs[0] == k {
				return pairs[1]
			}
			return ""
		}
	}
	assert.True(t, useColour(env()))
	assert.False(t, useColour(env("NO_COLOR", "1")))
	assert.False(t, useColour(env("TERM", "dumb")))
}

// TestStatusLineMakesRoom checks that log lines do not overwrite the status line.
func TestStatusLineMakesRoom(t *testing.T) {
	t.Parallel()
	var screen strings.Builder
	l := &statusLine{err: &screen, width: func() int { return 80 }}
	w := l.writer(&screen)
	l.draw("a", logline.Summary{Lines: 1})
	l.draw("a", logline.Summary{Lines: 1})
	_, err := io.WriteString(w, "x\n")
	require.NoError(t, err)
	l.draw("a", logline.Summary{Lines: 2})
	l.clear()
	assert.Equal(t, "a: 1 lines, 0 errors\r\x1b[Kx\na: 2 lines, 0 errors\r\x1b[K", screen.String())
	var none *statusLine
	none.draw("a", logline.Summary{})
	none.clear()
	assert.Equal(t, &screen, none.writer(&screen))
}

// TestWait checks the method Wait of follower and asyncReader.
func TestWait(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "a")
	require.NoError(t, os.WriteFile(name, []byte("ab"), 0o600))
	ended := make(chan struct{})
	f, err := follow(name, ended, func() {})
	require.NoError(t, err)
	defer f.Close()
	assert.True(t, f.Wait(0))
	_, err = io.ReadFull(f, make([]byte, 2))
	require.NoError(t, err)
	assert.False(t, f.Wait(time.Nanosecond))

	pr, pw := io.Pipe()
	r := newAsyncReader(pr, ended, func() {})
	defer r.release()
	assert.False(t, r.Wait(time.Nanosecond))
	go func() {
		_, _ = pw.Write([]byte("ab"))
		pw.CloseWithError(io.EOF)
	}()
	assert.True(t, r.Wait(time.Minute))
	assert.True(t, r.Wait(0), "the bytes are kept for Read")
	got, err := io.ReadAll(r)
	require.NoError(t, err)
	assert.Equal(t, "ab", string(got))
	close(ended)
	assert.True(t, f.Wait(time.Minute))
}
