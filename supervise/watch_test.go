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

// TestDefaults: the figures of seed 002, by a clock that does not tick.
func TestDefaults(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := running{command: &Command{Silence: -1}, began: time.Now()}
		err := r.watch(t.Context(), &child{ended: make(chan struct{})})
		require.EqualError(t, err, "still running after 10m0s")
		assert.Equal(t, 10*time.Minute, time.Since(r.began))
	})
	synctest.Test(t, func(t *testing.T) {
		r := running{command: &Command{Timeout: -1}, began: time.Now()}
		err := r.watch(t.Context(), &child{ended: make(chan struct{})})
		require.EqualError(t, err, "no output for 10m0s")
		assert.Equal(t, 10*time.Minute, time.Since(r.began))
	})
	assert.Equal(t, 5*time.Second, (&Command{}).grace())
	assert.Equal(t, 30*time.Second, serverDefaults().answer)
	assert.Equal(t, 1, serverDefaults().restarts)
}

// TestSilence: whoever writes in time goes on, up to the time in all.
func TestSilence(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := running{command: &Command{Silence: time.Minute, Timeout: time.Hour}, began: time.Now()}
		out := &noted{r: &r}
		go func() {
			for range 10 {
				time.Sleep(59 * time.Second)
				_, _ = out.Write([]byte("."))
			}
		}()
		err := r.watch(t.Context(), &child{ended: make(chan struct{})})
		require.EqualError(t, err, "no output for 1m0s")
		assert.Equal(t, 10*59*time.Second+time.Minute, time.Since(r.began), "counted from the last output")
	})
}

func TestNoLimits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 1000*time.Hour)
		defer cancel()
		r := running{command: &Command{Silence: -1, Timeout: -1}, began: time.Now()}
		require.ErrorIs(t, r.watch(ctx, &child{ended: make(chan struct{})}), context.DeadlineExceeded)
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
		r := running{command: &Command{}, began: time.Now()}
		require.NoError(t, r.watch(ctx, &child{ended: ended}))
	}
}

// TestSurvivor: a process that SIGKILL does not end within a grace is given up.
func TestSurvivor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &child{ended: make(chan struct{})}
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
