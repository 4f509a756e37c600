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

// newExecution returns an execution for a child that has just started.
func newExecution(c *Command) *execution {
	r := &execution{command: c}
	r.outputs.begin(true)
	return r
}

// running returns a child that has not ended.
func running() *child {
	return &child{exited: make(chan struct{}), drained: make(chan struct{})}
}

// The default limits are part of the specification in docs/specifications.md.
func TestDefaults(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newExecution(&Command{Silence: -1})
		err := r.watch(t.Context(), running())
		require.EqualError(t, err, "still running after 10m0s")
		assert.Equal(t, 10*time.Minute, time.Since(r.outputs.activity.began))
	})
	synctest.Test(t, func(t *testing.T) {
		r := newExecution(&Command{Timeout: -1})
		err := r.watch(t.Context(), running())
		require.EqualError(t, err, "no output for 10m0s")
		assert.Equal(t, 10*time.Minute, time.Since(r.outputs.activity.began))
	})
	assert.Equal(t, 5*time.Second, (&Command{}).grace())
	assert.Equal(t, 30*time.Second, serverDefaults().answer)
	assert.Equal(t, 1, serverDefaults().restarts)
}

// The silence limit is counted from the last output.
func TestSilence(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newExecution(&Command{Silence: time.Minute, Timeout: time.Hour})
		go func() {
			for range 10 {
				time.Sleep(59 * time.Second)
				r.outputs.activity.record()
			}
		}()
		err := r.watch(t.Context(), running())
		require.EqualError(t, err, "no output for 1m0s")
		assert.Equal(t, 10*59*time.Second+time.Minute, time.Since(r.outputs.activity.began), "counted from the last output")
	})
}

// After the child has ended, the silence limit does not apply.
func TestSilenceAfterTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newExecution(&Command{Silence: time.Minute, Timeout: time.Hour})
		ch := running()
		time.AfterFunc(30*time.Second, func() { close(ch.exited) })
		time.AfterFunc(10*time.Minute, func() { close(ch.drained) })
		require.NoError(t, r.watch(t.Context(), ch))
		assert.Equal(t, 10*time.Minute, time.Since(r.outputs.activity.began))
	})
}

// A child does not count as silent while the caller's writer blocks.
func TestSlowWriter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newExecution(&Command{Silence: time.Minute, Timeout: time.Hour})
		o := output{to: slow(30 * time.Minute), activity: &r.outputs.activity}
		go func() { assert.NoError(t, o.write([]byte("."))) }()
		err := r.watch(t.Context(), running())
		require.EqualError(t, err, "no output for 1m0s")
		assert.Equal(t, 31*time.Minute, time.Since(r.outputs.activity.began))
	})
}

// slow is a writer that blocks at each write, like a pager.
type slow time.Duration

func (s slow) Write(p []byte) (int, error) {
	time.Sleep(time.Duration(s))
	return len(p), nil
}

// drain waits for a slow writer, but not for a process left behind.
func TestDrain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var o outputs
		o.activity.began = time.Now()
		one := &output{to: slow(time.Hour), activity: &o.activity, done: make(chan struct{})}
		o.all = []*output{one}
		go func() {
			defer close(one.done)
			assert.NoError(t, one.write([]byte("the rest")))
		}()
		synctest.Wait()
		o.drain(time.Second)
		assert.GreaterOrEqual(t, time.Since(o.activity.began), time.Hour)
	})
	synctest.Test(t, func(t *testing.T) {
		var o outputs
		o.activity.began = time.Now()
		one := &output{to: slow(0), activity: &o.activity, done: make(chan struct{})}
		o.all = []*output{one}
		go func() { // a daemon that keeps writing
			defer close(one.done)
			for range 100 {
				time.Sleep(77 * time.Millisecond)
				assert.NoError(t, one.write([]byte("still here")))
			}
		}()
		o.drain(time.Second)
		assert.Less(t, time.Since(o.activity.began), 2*time.Second)
		<-one.done
		synctest.Wait()
	})
	synctest.Test(t, func(t *testing.T) {
		var o outputs
		o.activity.began = time.Now()
		one := &output{to: slow(30 * time.Millisecond), activity: &o.activity, done: make(chan struct{})}
		o.all = []*output{one}
		go func() { // a daemon that writes without a pause
			defer close(one.done)
			for range 1000 {
				assert.NoError(t, one.write([]byte("y")))
			}
		}()
		o.drain(time.Second)
		assert.Less(t, time.Since(o.activity.began), 11*time.Second)
		<-one.done
		synctest.Wait()
	})
}

func TestNoLimits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 1000*time.Hour)
		defer cancel()
		r := newExecution(&Command{Silence: -1, Timeout: -1})
		require.ErrorIs(t, r.watch(ctx, running()), context.DeadlineExceeded)
	})
}

// If a child ends at the same moment as a limit is reached, Run ignores the limit.
func TestEndAndLimitAtOnce(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ended := running()
	close(ended.exited)
	close(ended.drained)
	for range 100 {
		r := newExecution(&Command{})
		require.NoError(t, r.watch(ctx, ended))
	}
}

// If a process survives SIGKILL, child.wait returns false.
func TestSurvivor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &child{drained: make(chan struct{})} // never closed
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
	assert.LessOrEqual(t, cap(x.buf), 4*tailBytes, "memory is bounded")
	assert.Regexp(t, `^( 0123456789)+$`, x.text(), "no partial words")
	assert.Greater(t, len(x.text()), tailBytes-12)

	var big tail
	n, err := big.Write([]byte(strings.Repeat("x", 3*tailBytes)))
	require.NoError(t, err)
	assert.Equal(t, 3*tailBytes, n)
	assert.Empty(t, big.text(), "a partial word may be a part of a secret")
	_, err = big.Write([]byte("\nand this\n\n"))
	require.NoError(t, err)
	assert.Equal(t, "and this", big.text())
}

// After the child's exit, a session waits until the client has read the output. It
// waits at most exitWait.
func TestAwaitEnd(t *testing.T) {
	t.Parallel()
	for _, read := range []time.Duration{exitWait / 2, 2 * exitWait} {
		synctest.Test(t, func(t *testing.T) {
			c := &session[int]{child: running(), conn: &stdio{ended: make(chan struct{})}}
			close(c.child.drained)
			time.AfterFunc(read, c.conn.setEnded)
			began := time.Now()
			c.awaitEnd(t.Context())
			assert.Equal(t, min(read, exitWait), time.Since(began))
			<-c.conn.ended
		})
	}
}

// A broken connection keeps the first error that broke it.
func TestBrokenConnection(t *testing.T) {
	t.Parallel()
	cmd := (&Command{Name: "x"}).cmd()
	s, err := connectStdio(cmd)
	require.NoError(t, err)
	assert.NoError(t, s.cause())
	s.closeChildEnds()
	_, err = s.Read(make([]byte, 1))
	require.Error(t, err)
	s.fail(errors.New("later"))
	assert.Equal(t, errOutputClosed, s.cause())
	assert.True(t, s.brokenByChild())
	require.NoError(t, s.Close())
}
