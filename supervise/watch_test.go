package supervise

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// watching is a run whose child was started just now.
func watching(c *Command) *running {
	r := &running{command: c}
	r.outputs.begin(true)
	return r
}

// TestDefaults: the figures of seed 002, by a clock that does not tick.
func TestDefaults(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := watching(&Command{Silence: -1})
		err := r.watch(t.Context(), make(chan struct{}))
		require.EqualError(t, err, "still running after 10m0s")
		assert.Equal(t, 10*time.Minute, time.Since(r.outputs.at.began))
	})
	synctest.Test(t, func(t *testing.T) {
		r := watching(&Command{Timeout: -1})
		err := r.watch(t.Context(), make(chan struct{}))
		require.EqualError(t, err, "no output for 10m0s")
		assert.Equal(t, 10*time.Minute, time.Since(r.outputs.at.began))
	})
	assert.Equal(t, 5*time.Second, (&Command{}).grace())
	assert.Equal(t, 30*time.Second, serverDefaults().answer)
	assert.Equal(t, 1, serverDefaults().restarts)
}

// TestSilence: whoever writes in time goes on, up to the time in all.
func TestSilence(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := watching(&Command{Silence: time.Minute, Timeout: time.Hour})
		go func() {
			for range 10 {
				time.Sleep(59 * time.Second)
				r.outputs.at.note()
			}
		}()
		err := r.watch(t.Context(), make(chan struct{}))
		require.EqualError(t, err, "no output for 1m0s")
		assert.Equal(t, 10*59*time.Second+time.Minute, time.Since(r.outputs.at.began), "counted from the last output")
	})
}

// TestSlowWriter: a child that waits for the caller's writer is not silent.
func TestSlowWriter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := watching(&Command{Silence: time.Minute, Timeout: time.Hour})
		o := output{to: slow(30 * time.Minute), at: &r.outputs.at}
		go func() { assert.NoError(t, o.write([]byte("."))) }()
		err := r.watch(t.Context(), make(chan struct{}))
		require.EqualError(t, err, "no output for 1m0s")
		assert.Equal(t, 31*time.Minute, time.Since(r.outputs.at.began))
	})
}

// slow is a writer that takes its time, as a pager does.
type slow time.Duration

func (s slow) Write(p []byte) (int, error) {
	time.Sleep(time.Duration(s))
	return len(p), nil
}

// TestDrain: what a slow writer has not taken is waited for; what nobody writes
// any more, but somebody holds open, is given up.
func TestDrain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var o outputs
		o.at.began = time.Now()
		one := &output{to: slow(time.Hour), at: &o.at, done: make(chan struct{})}
		o.all = []*output{one}
		go func() {
			defer close(one.done)
			assert.NoError(t, one.write([]byte("the rest")))
		}()
		synctest.Wait()
		o.drain(time.Second)
		assert.GreaterOrEqual(t, time.Since(o.at.began), time.Hour)
	})
	synctest.Test(t, func(t *testing.T) {
		var o outputs
		o.at.began = time.Now()
		one := &output{to: slow(0), at: &o.at, done: make(chan struct{})}
		o.all = []*output{one}
		go func() { // a daemon that writes now and then, and for long
			defer close(one.done)
			for range 100 {
				time.Sleep(77 * time.Millisecond)
				assert.NoError(t, one.write([]byte("still here")))
			}
		}()
		o.drain(time.Second)
		assert.Less(t, time.Since(o.at.began), 2*time.Second)
		<-one.done
		synctest.Wait()
	})
}

func TestNoLimits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 1000*time.Hour)
		defer cancel()
		r := watching(&Command{Silence: -1, Timeout: -1})
		require.ErrorIs(t, r.watch(ctx, make(chan struct{})), context.DeadlineExceeded)
	})
}

// TestEndAndLimitAtOnce: a child that has ended has not been too slow.
func TestEndAndLimitAtOnce(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ended := make(chan struct{})
	close(ended)
	for range 100 {
		r := watching(&Command{})
		require.NoError(t, r.watch(ctx, ended))
	}
}

// TestSurvivor: a process that SIGKILL does not end within a grace is given up.
func TestSurvivor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &child{ended: make(chan struct{})} // never closed
		began := time.Now()
		assert.False(t, c.wait(DefaultGrace))
		assert.Equal(t, DefaultGrace, time.Since(began))
	})
}

func TestTail(t *testing.T) {
	t.Parallel()
	var x tail
	for range 10_000 {
		n, err := x.Write([]byte("0123456789 "))
		require.NoError(t, err)
		require.Equal(t, 11, n)
	}
	assert.LessOrEqual(t, cap(x.buf), 4*tailBytes, "of a long output little is kept")
	assert.Regexp(t, `^( 0123456789)+$`, x.text(), "and no half words")
	assert.Greater(t, len(x.text()), tailBytes-12)

	var big tail
	n, err := big.Write([]byte(strings.Repeat("x", 3*tailBytes)))
	require.NoError(t, err)
	assert.Equal(t, 3*tailBytes, n)
	assert.Empty(t, big.text(), "a word without an end may be a secret's second half")
	_, err = big.Write([]byte("\nand this\n\n"))
	require.NoError(t, err)
	assert.Equal(t, "and this", big.text())
}

// TestBrokenConnection: the first reason stays.
func TestBrokenConnection(t *testing.T) {
	t.Parallel()
	cmd := (&Command{Name: "x"}).cmd()
	s, err := connectStdio(cmd)
	require.NoError(t, err)
	assert.NoError(t, s.why())
	s.started()
	_, err = s.Read(make([]byte, 1))
	require.Error(t, err)
	s.fail(errors.New("later"))
	assert.Equal(t, errOutputClosed, s.why())
	assert.True(t, s.byChild())
	require.NoError(t, s.Close())
}
