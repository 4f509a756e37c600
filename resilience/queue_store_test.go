package resilience_test

import (
	"context"
	"errors"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/resilience"
)

// The next process continues a task with all its data.
func TestQueueNextProcess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &memory{}
		first, _ := queueIn(t, nil, resilience.WithStore(store))
		first.Register("job", func(context.Context, []byte) error { return errNetwork })
		require.NoError(t, first.Offer(t.Context(), offer("a")))
		advance(90 * time.Second) // one restart has failed, the next is due in 90 s
		before, err := first.Shutdown(t.Context())
		require.NoError(t, err)

		second, rec := queueIn(t, nil, resilience.WithStore(store))
		after := second.Tasks()
		require.Len(t, after, 1)
		was, is := before[0], after[0]
		assert.Equal(t, was.ID, is.ID)
		assert.Equal(t, 1, is.Restarts)
		assert.True(t, was.Due.Equal(is.Due), "due %v, was %v", is.Due, was.Due)
		assert.Equal(t, was.Restart.Key, is.Restart.Key)
		assert.Equal(t, was.Restart.Targets, is.Restart.Targets)
		assert.Equal(t, was.Restart.Task, is.Restart.Task)
		assert.Equal(t, was.Restart.Result, is.Restart.Result)
		assert.EqualError(t, is.Restart.Err, errNetwork.Error())
		require.Len(t, is.Restart.History, 2)
		assert.Equal(t, 6, is.Restart.History[0].Number)
		assert.EqualError(t, is.Restart.History[0].Err, errNetwork.Error())

		advance(time.Hour)
		require.Len(t, rec.events, 1, "its kind is not registered")
		assert.Equal(t, resilience.RestartUnhandled, rec.last().To)
		assert.EqualError(t, rec.last().Err, `kind "job" is not registered: call Queue.Register`)
		start := time.Now()
		second.Register("job", func(_ context.Context, payload []byte) error {
			assert.Equal(t, "a", string(payload))
			return nil
		})
		advance(time.Second)
		assert.Equal(t, []string{"started 2 0s", "succeeded 2 0s"}, rec.lines(start)[1:])
		assert.Zero(t, store.len())
	})
}

// After the end of a process, an interrupted task runs again. The interrupted
// restart is no failure.
func TestQueueInterrupted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &memory{}
		first, _ := queueIn(t, nil, resilience.WithStore(store))
		killed := make(chan struct{})
		defer close(killed)
		first.Register("job", func(context.Context, []byte) error { <-killed; return nil })
		require.NoError(t, first.Offer(t.Context(), offer("a")))
		advance(61 * time.Second)
		records, err := store.All() // what is on disk when the process is killed
		require.NoError(t, err)

		start := time.Now()
		second, rec := queueIn(t, nil, resilience.WithStore(&memory{records: records}))
		runs := 0
		second.Register("job", func(context.Context, []byte) error { runs++; return errNetwork })
		advance(time.Hour)
		assert.Equal(t, []string{
			"interrupted 1 30s", "started 2 59s",
			"queued 3 59s", "started 3 4m59s", "queued 4 4m59s", "started 4 12m59s", "failed 4 12m59s",
		}, rec.lines(start))
		assert.Equal(t, 3, runs)
	})
}

var errDisk = errors.New("no space left on device")

func TestQueueStoreFails(t *testing.T) {
	t.Parallel()
	t.Run("to load", func(t *testing.T) {
		t.Parallel()
		_, err := resilience.NewQueue(nil, resilience.WithStore(&memory{all: errDisk}))
		require.ErrorIs(t, err, errDisk)
		assert.EqualError(t, err, "restart queue: load its store: no space left on device")
	})
	t.Run("to take a task", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			q, rec := queueIn(t, nil, resilience.WithStore(&memory{put: errDisk}))
			q.Register("job", func(context.Context, []byte) error { return nil })
			err := q.Offer(t.Context(), offer("a"))
			require.ErrorIs(t, err, errDisk)
			assert.EqualError(t, err, `restart "job": store it: no space left on device`)
			assert.Equal(t, resilience.RestartRefused, rec.last().To)
			assert.Len(t, rec.events, 1)
			assert.Empty(t, q.Tasks())
		})
	})
	t.Run("to take a task again", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			store := &memory{}
			q, rec := queueIn(t, nil, resilience.WithStore(store))
			q.Register("job", func(context.Context, []byte) error { store.fail(errDisk, errDisk); return errNetwork })
			require.NoError(t, q.Offer(t.Context(), offer("a")))
			advance(time.Hour)
			last := rec.last()
			assert.Equal(t, resilience.RestartFailed, last.To)
			require.ErrorIs(t, last.Err, errDisk)
			assert.ErrorIs(t, last.Err, syscall.ECONNRESET)
			assert.ErrorContains(t, last.Err, "the next process will run it again")
			assert.Equal(t, 1, store.len())
			store.fail(nil, nil)
			advance(time.Minute)
			assert.Zero(t, store.len(), "the queue removes it later")
			assert.Equal(t, last, rec.last(), "and does not run it again")
		})
	})
	t.Run("to note that a restart begins", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			store := &memory{}
			q, rec := queueIn(t, nil, resilience.WithStore(store))
			status := &resilience.Statuses{}
			runs := 0
			q.Register("job", func(context.Context, []byte) error { runs++; return nil })
			start := time.Now()
			require.NoError(t, q.Offer(t.Context(), offer("a")))
			store.fail(errDisk, nil)
			advance(2*time.Minute + time.Second)
			assert.Zero(t, runs, "a start that is not stored would not count")
			require.ErrorIs(t, rec.last().Err, errDisk)
			store.fail(nil, nil)
			advance(time.Hour)
			assert.Equal(t, []string{
				"queued 1 0s", "postponed 1 1m0s", "postponed 1 2m0s", "started 1 3m0s", "succeeded 1 3m0s",
			}, rec.lines(start))
			assert.Zero(t, store.len())
			for _, e := range rec.events {
				status.Observe(t.Context(), e)
			}
			st, _ := status.Status("key a")
			assert.Equal(t, 1, st.Restarts)
		})
	})
	t.Run("to remove what is done", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			q, rec := queueIn(t, nil, resilience.WithStore(&memory{remove: errDisk}))
			q.Register("job", func(context.Context, []byte) error { return nil })
			require.NoError(t, q.Offer(t.Context(), offer("a")))
			advance(time.Hour)
			assert.Equal(t, resilience.RestartSucceeded, rec.last().To)
			assert.EqualError(t, rec.last().Err, "the store still has the task, so the next process will run it again: store it: no space left on device")
		})
	})
	t.Run("to keep a record in shape", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			store := &memory{records: map[string][]byte{
				"cut":   []byte(`{"version":1,"task":{"ki`),
				"newer": []byte(`{"version":2,"work":"x"}`),
				"good":  []byte(`{"version":1,"task":{"kind":"job"},"due":"2000-01-01T00:00:00Z"}`),
			}}
			q, rec := queueIn(t, nil, resilience.WithStore(store))
			require.Len(t, rec.events, 2)
			for _, e := range rec.events {
				assert.Equal(t, resilience.RestartFailed, e.To)
				assert.ErrorContains(t, e.Err, `record "`+e.Key+`" stays in the store`)
			}
			runs := 0
			q.Register("job", func(context.Context, []byte) error { runs++; return nil })
			advance(time.Second)
			assert.Equal(t, 1, runs)
			assert.Equal(t, 2, store.len(), "records that cannot be read are kept")
		})
	})
}

// panickingError is an error whose Error method panics.
type panickingError struct{}

func (panickingError) Error() string { panic("no text") }

// A task that cannot be encoded is refused. Strange errors and payloads are stored.
func TestQueueOddRecords(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &memory{}
		q, _ := queueIn(t, nil, resilience.WithStore(store))
		q.Register("job", func(context.Context, []byte) error { return nil })
		odd := offer("a")
		odd.History[0].Start = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
		require.ErrorContains(t, q.Offer(t.Context(), odd), "year")
		assert.Empty(t, q.Tasks())

		require.NoError(t, q.Offer(t.Context(), resilience.Restart{Task: resilience.Task{Kind: "job"}, Err: panickingError{}, Result: classify.Result{}}))
		require.NoError(t, q.Offer(t.Context(), resilience.Restart{Task: resilience.Task{Kind: "job", Payload: []byte("\xff\x00")}}))
		_, err := q.Shutdown(t.Context())
		require.NoError(t, err)
		next, _ := queueIn(t, nil, resilience.WithStore(store))
		var payloads []string
		for _, task := range next.Tasks() {
			payloads = append(payloads, string(task.Restart.Task.Payload))
		}
		assert.ElementsMatch(t, []string{"", "\xff\x00"}, payloads)
	})
}
