package resilience_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/resilience"
)

// Shutdown returns waiting tasks at once. After that, Offer returns an error.
func TestQueueShutdown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q, rec := queueIn(t, nil)
		runs := 0
		q.Register("job", func(context.Context, []byte) error { runs++; return nil })
		require.NoError(t, q.Offer(t.Context(), offer("a")))
		advance(time.Second)
		require.NoError(t, q.Offer(t.Context(), offer("b")))

		start := time.Now()
		left, err := q.Shutdown(t.Context())
		require.NoError(t, err)
		require.Len(t, left, 2)
		assert.Equal(t, offer("a"), left[0].Restart)
		assert.Equal(t, offer("b"), left[1].Restart)
		assert.Zero(t, time.Since(start))
		assert.Equal(t, []string{"queued 1 -1s", "queued 1 0s", "returned 1 0s", "returned 1 0s"}, rec.lines(start))
		assert.Equal(t, "key b", rec.last().Key)

		err = q.Offer(t.Context(), offer("c"))
		require.ErrorIs(t, err, resilience.ErrQueueClosed)
		assert.EqualError(t, err, `restart "job": the restart queue is shut down`)
		q.Register("job", func(context.Context, []byte) error { runs++; return nil })
		advance(time.Hour)
		assert.Zero(t, runs)

		again, err := q.Shutdown(t.Context())
		assert.NoError(t, err)
		assert.Equal(t, left, again, "shutting down again")
	})
}

// Shutdown waits for running tasks. It returns the tasks that fail again.
func TestQueueShutdownWaits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		outcome error
		left    int
		to      string
	}{
		{"and succeeds", nil, 0, resilience.RestartSucceeded},
		{"and fails again", errNetwork, 1, resilience.RestartReturned},
		{"and fails for good", errors.New("401 unauthorized"), 0, resilience.RestartFailed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				q, rec := queueIn(t, nil)
				q.Register("job", func(context.Context, []byte) error {
					time.Sleep(10 * time.Second)
					return tt.outcome
				})
				require.NoError(t, q.Offer(t.Context(), offer("a")))
				advance(65 * time.Second)
				assert.True(t, q.Tasks()[0].Running)

				start := time.Now()
				left, err := q.Shutdown(t.Context())
				require.NoError(t, err)
				assert.Equal(t, 5*time.Second, time.Since(start))
				require.Len(t, left, tt.left)
				assert.Equal(t, tt.to, rec.last().To)
				if tt.left > 0 {
					assert.Equal(t, 1, left[0].Restarts)
					assert.Equal(t, 2, rec.last().Attempt, "the restart that it would have had next")
					assert.Len(t, left[0].Restart.History, 2)
				}
			})
		})
	}
}

// When its context ends, Shutdown cancels the running tasks and returns them.
func TestQueueShutdownGivesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &memory{}
		q, rec := queueIn(t, nil, resilience.WithStore(store))
		var cause error
		q.Register("job", func(ctx context.Context, _ []byte) error {
			<-ctx.Done()
			cause = context.Cause(ctx)
			return ctx.Err()
		})
		require.NoError(t, q.Offer(t.Context(), offer("a")))
		advance(65 * time.Second)

		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		left, err := q.Shutdown(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.EqualError(t, err, "shut down the restart queue: 1 tasks still run or are being stored: context deadline exceeded")
		require.Len(t, left, 1)
		assert.True(t, left[0].Running)
		assert.True(t, left[0].Stored)
		assert.Equal(t, resilience.RestartReturned, rec.last().To)

		left, err = q.Shutdown(t.Context()) // waits for the function to return
		require.NoError(t, err)
		require.ErrorIs(t, cause, resilience.ErrQueueClosed)
		require.Len(t, left, 1)
		assert.Equal(t, 1, left[0].Restarts, "the next run has the next number")
		assert.Equal(t, 1, store.len(), "the next process runs it")
		assert.Equal(t, resilience.RestartReturned, rec.last().To, "no further event")
	})
}

// Shutdown waits until a concurrent offer is stored, and returns that task too.
func TestQueueShutdownWhileStoring(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &memory{hold: make(chan struct{})}
		q, _ := queueIn(t, nil, resilience.WithStore(store))
		q.Register("job", func(context.Context, []byte) error { return nil })
		taken := make(chan error)
		go func() { taken <- q.Offer(t.Context(), offer("a")) }()
		synctest.Wait()
		assert.False(t, q.Tasks()[0].Stored)
		time.AfterFunc(time.Second, func() { close(store.hold) })

		handed := make(chan []resilience.QueuedTask)
		go func() {
			left, err := q.Shutdown(t.Context())
			assert.NoError(t, err)
			handed <- left
		}()
		require.NoError(t, <-taken)
		left := <-handed
		require.Len(t, left, 1)
		assert.True(t, left[0].Stored)
	})
}
