package cli

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestInterrupts sends signals while a file or a pipe is read.
func TestInterrupts(t *testing.T) {
	t.Parallel()
	type step struct {
		wait time.Duration
		sig  os.Signal // nil: input arrives
	}
	const s = time.Second
	hup, term, quit := os.Signal(syscall.SIGHUP), os.Signal(syscall.SIGTERM), os.Signal(syscall.SIGQUIT)
	for _, tt := range []struct {
		name  string
		pipe  bool
		steps []step
		ended os.Signal // the signal that ended reading
		abort os.Signal // the signal that ended the program before all output was written
	}{
		{"file, Ctrl-C", false, []step{{0, os.Interrupt}}, os.Interrupt, nil},
		{"file, SIGTERM", false, []step{{0, term}}, term, nil},
		{"file, twice", false, []step{{0, os.Interrupt}, {0, term}}, os.Interrupt, term},
		{"file, stuck output", false, []step{{0, os.Interrupt}, {s + 1, nil}}, os.Interrupt, os.Interrupt},
		{"pipe, Ctrl-C", true, []step{{0, os.Interrupt}, {s, os.Interrupt}, {99 * s, os.Interrupt}}, nil, nil},
		{"pipe, SIGTERM", true, []step{{0, term}, {29 * s, nil}}, nil, nil},
		{"pipe, SIGTERM, silence", true, []step{{0, term}, {30*s + 1, nil}}, term, nil},
		{"pipe, SIGHUP, silence", true, []step{{0, hup}, {30*s + 1, nil}}, hup, nil},
		{"pipe, SIGTERM, late silence", true, []step{{5 * s, nil}, {99 * s, term}, {29 * s, nil}, {29 * s, nil}}, nil, nil},
		{"pipe, SIGTERM, silence after a line", true, []step{{0, term}, {29 * s, nil}, {30*s + 1, nil}}, term, nil},
		{"pipe, SIGTERM and its copy", true, []step{{0, term}, {s / 2, term}}, nil, nil},
		{"pipe, second SIGTERM", true, []step{{0, term}, {s, term}}, term, nil},
		{"pipe, third SIGTERM", true, []step{{0, term}, {s, term}, {s / 2, term}}, term, term},
		{"pipe, SIGHUP and SIGTERM", true, []step{{0, hup}, {s / 2, term}}, nil, nil},
		{"pipe, SIGTERM and SIGHUP", true, []step{{0, term}, {9 * s, hup}}, nil, nil},
		{"file, SIGQUIT", false, []step{{0, quit}}, quit, nil},
		{"pipe, SIGQUIT", true, []step{{0, quit}, {29 * s, nil}}, nil, nil},
		{"pipe, SIGQUIT, silence", true, []step{{0, quit}, {30*s + 1, nil}}, quit, nil},
		{"pipe, SIGQUIT and its copy", true, []step{{0, quit}, {s / 2, quit}}, nil, nil},
		{"pipe, second SIGQUIT", true, []step{{0, quit}, {s, quit}}, quit, nil},
		{"pipe, SIGTERM and SIGQUIT", true, []step{{0, term}, {s, quit}}, quit, nil},
		{"pipe, Ctrl-C and SIGQUIT", true, []step{{0, os.Interrupt}, {s, quit}, {29 * s, nil}}, nil, nil},
		{"pipe, SIGTERM and Ctrl-C", true, []step{{0, term}, {9 * s, os.Interrupt}}, nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var aborted os.Signal
				i := newInterrupts(func(sig os.Signal) { aborted = sig })
				i.pipe = tt.pipe
				go i.watch()
				for _, step := range tt.steps {
					time.Sleep(step.wait)
					if step.sig == nil {
						i.noteRead()
					} else {
						i.signals <- step.sig
					}
					synctest.Wait()
				}
				assert.Equal(t, tt.ended, i.stop())
				assert.Equal(t, tt.abort, aborted)
				select {
				case <-i.ctx.Done():
					assert.NotNil(t, tt.ended)
				default:
					assert.Nil(t, tt.ended)
				}
				time.Sleep(time.Hour)
				assert.Equal(t, tt.abort, aborted, "no abort after stop")
			})
		})
	}
}

// TestInterruptAfterTheLastLine checks that a signal is not reported if it arrives after
// the end of the input.
func TestInterruptAfterTheLastLine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var aborted os.Signal
		i := newInterrupts(func(sig os.Signal) { aborted = sig })
		go i.watch()
		i.finish()
		i.signals <- syscall.SIGTERM
		synctest.Wait()
		assert.Nil(t, i.stop())
		assert.Nil(t, aborted)
	})
}

// TestInterruptEndsTheFilesAfterAPipe checks that files after an interrupted pipe are
// not read.
func TestInterruptEndsTheFilesAfterAPipe(t *testing.T) {
	t.Parallel()
	i := newInterrupts(func(os.Signal) {})
	i.pipe = true
	i.received(os.Interrupt)
	pr, pw, err := os.Pipe()
	require.NoError(t, err)
	defer pr.Close()
	_, err = pw.WriteString("last words")
	require.NoError(t, err)
	require.NoError(t, pw.Close())
	r, release := i.reader(pr)
	got, err := io.ReadAll(r)
	require.NoError(t, err)
	assert.Equal(t, "last words", string(got))
	release()
	r, release = i.reader(strings.NewReader("a file"))
	defer release()
	_, err = r.Read(make([]byte, 1))
	require.ErrorIs(t, err, errInterrupted)
	assert.Equal(t, os.Interrupt, i.stop())
}

func TestAsyncReader(t *testing.T) {
	t.Parallel()
	content := bytes.Repeat([]byte("0123456789abcdef\n"), 20_000)
	for name, in := range map[string]io.Reader{
		"whole": bytes.NewReader(content), "halves": iotest.HalfReader(bytes.NewReader(content)), "end with data": iotest.DataErrReader(bytes.NewReader(content)),
	} {
		w := newAsyncReader(in, nil, func() {})
		require.NoError(t, iotest.TestReader(struct{ io.Reader }{w}, content), name)
		w.release()
	}
	boom := errors.New("boom")
	w := newAsyncReader(io.MultiReader(strings.NewReader("a"), iotest.ErrReader(boom)), nil, func() {})
	got, err := io.ReadAll(w)
	require.ErrorIs(t, err, boom)
	assert.Equal(t, "a", string(got))
}

// TestAsyncReaderInterrupted checks that a signal ends a blocked read.
func TestAsyncReaderInterrupted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		pr, pw := io.Pipe()
		ended := make(chan struct{})
		w := newAsyncReader(pr, ended, func() {})
		go func() { _, _ = pw.Write([]byte("read before the end")) }()
		synctest.Wait()
		close(ended)
		got, err := io.ReadAll(w)
		require.ErrorIs(t, err, errInterrupted)
		assert.Contains(t, []string{"", "read before the end"}, string(got))
		_, err = w.Read(make([]byte, 1))
		require.ErrorIs(t, err, errInterrupted, "every later read returns it too")
		w.release()
		pw.Close()
	})
}
