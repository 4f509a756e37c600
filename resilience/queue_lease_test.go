package resilience_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/resilience"
)

// partitioned is the connection of one process to a shared store. A test can cut it.
type partitioned struct {
	*memory
	cut atomic.Bool
}

var errCut = errors.New("the store cannot be reached")

func (p *partitioned) Swap(id string, old, record []byte) (bool, error) {
	if p.cut.Load() {
		return false, errCut
	}
	return p.memory.Swap(id, old, record)
}

func (p *partitioned) All() (map[string][]byte, error) {
	if p.cut.Load() {
		return nil, errCut
	}
	return p.memory.All()
}

// overlap counts the runs of each task. It also counts how many runs of one task
// happened at the same time.
type overlap struct {
	mu      sync.Mutex
	runs    map[string]int
	running map[string]int
	most    int
}

func (o *overlap) begin(task string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.runs == nil {
		o.runs, o.running = map[string]int{}, map[string]int{}
	}
	o.runs[task]++
	o.running[task]++
	o.most = max(o.most, o.running[task])
}

func (o *overlap) end(task string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.running[task]--
}

// Three queues share a store. Each task runs only once, although it runs for longer
// than a lease lasts.
func TestQueuesShareStore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const tasks = 100
		store := &memory{}
		seen := &overlap{}
		random := rand.New(rand.NewPCG(1, 2))
		var queues []*resilience.Queue
		var byQueue [3]atomic.Int32
		for i := range byQueue {
			q, _ := queueIn(t, nil, resilience.WithStore(store), resilience.WithQueueWorkers(20))
			q.Register("job", func(ctx context.Context, payload []byte) error {
				seen.begin(string(payload))
				defer seen.end(string(payload))
				byQueue[i].Add(1)
				assert.Equal(t, 1, resilience.RestartNumber(ctx))
				time.Sleep(5 * time.Minute)
				return nil
			})
			queues = append(queues, q)
		}
		for i := range tasks {
			require.NoError(t, queues[i%3].Offer(t.Context(), offer(fmt.Sprint(i))))
			time.Sleep(time.Duration(random.IntN(int(2 * time.Second))))
		}
		advance(24 * time.Hour)
		assert.Len(t, seen.runs, tasks)
		for task, runs := range seen.runs {
			assert.Equal(t, 1, runs, "runs of task %s", task)
		}
		assert.Equal(t, 1, seen.most)
		for i := range byQueue {
			assert.Positive(t, byQueue[i].Load(), "tasks that queue %d has run", i)
			assert.Empty(t, queues[i].Tasks())
		}
		assert.Zero(t, store.len())
	})
}

// If a lease cannot be renewed, another queue runs the task. The two queues never
// run the task at the same time.
func TestQueueLosesLease(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		shared := &memory{}
		store := &partitioned{memory: shared}
		seen := &overlap{}
		var cause error
		var canceled time.Duration
		first, _ := queueIn(t, nil, resilience.WithStore(store))
		second, rec := queueIn(t, nil, resilience.WithStore(shared))
		start := time.Now()
		first.Register("job", func(ctx context.Context, _ []byte) error {
			seen.begin("a")
			defer seen.end("a")
			<-ctx.Done()
			cause, canceled = context.Cause(ctx), time.Since(start)
			time.Sleep(5 * time.Second) // the function needs time to stop
			return cause
		})
		require.NoError(t, first.Offer(t.Context(), offer("a")))
		advance(time.Minute)
		second.Register("job", func(ctx context.Context, _ []byte) error {
			seen.begin("a")
			defer seen.end("a")
			assert.Equal(t, 2, resilience.RestartNumber(ctx))
			return nil
		})
		advance(4*time.Minute + time.Second)
		require.Len(t, second.Tasks(), 1)
		assert.True(t, second.Tasks()[0].Running, "in the other queue")
		assert.Empty(t, rec.events)

		store.cut.Store(true) // the last renewal was a second ago
		advance(10 * time.Minute)
		store.cut.Store(false)
		advance(time.Minute)
		require.ErrorIs(t, cause, resilience.ErrLeaseLost)
		assert.Equal(t, 5*time.Minute+20*time.Second, canceled)
		assert.Equal(t, 1, seen.most, "runs at a time")
		assert.Equal(t, 2, seen.runs["a"])
		assert.Equal(t, resilience.RestartInterrupted, rec.events[0].To)
		assert.GreaterOrEqual(t, rec.events[0].Time.Sub(start), 5*time.Minute+30*time.Second)
		assert.Equal(t, resilience.RestartSucceeded, rec.last().To)
		assert.Empty(t, first.Tasks())
		assert.Empty(t, second.Tasks())
	})
}

// offerRecord returns the encoded record of a waiting task. Before the encoding, the
// function change can edit the record.
func offerRecord(t *testing.T, change func(map[string]any)) []byte {
	t.Helper()
	r := map[string]any{"version": 1, "key": "key a", "task": map[string]any{"kind": "job"}, "due": time.Now().Add(time.Minute), "pause": time.Minute}
	change(r)
	encoded, err := json.Marshal(r)
	require.NoError(t, err)
	return encoded
}

// A lease has expired if the record is unchanged for the duration of the lease.
func TestQueueLeaseClocks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		expires time.Duration // time from now
		renewed time.Duration // how long the owner renews the lease
		want    []string
	}{
		{"the owner is gone", 10 * time.Second, 0, []string{"interrupted 1 30s", "started 2 1m0s", "succeeded 2 1m0s"}},
		{"the owner is gone and its clock was late", -24 * time.Hour, 0, []string{"interrupted 1 30s", "started 2 1m0s", "succeeded 2 1m0s"}},
		{"the owner is gone and its clock was early", 24 * time.Hour, 0, []string{"interrupted 1 30s", "started 2 1m0s", "succeeded 2 1m0s"}},
		{"the owner lives and its clock is late", -24 * time.Hour, 10 * time.Minute, []string{"interrupted 1 10m20s", "started 2 10m20s", "succeeded 2 10m20s"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				record := func() []byte {
					return offerRecord(t, func(r map[string]any) {
						r["restarts"], r["due"] = 1, start.Add(time.Minute)
						r["lease"] = map[string]any{"owner": "b", "expires": time.Now().Add(tt.expires), "duration": 30 * time.Second}
					})
				}
				store := &memory{records: map[string][]byte{"1": record()}}
				q, rec := queueIn(t, nil, resilience.WithStore(store))
				q.Register("job", func(context.Context, []byte) error { return nil })
				for time.Since(start) < tt.renewed {
					time.Sleep(9 * time.Second)
					store.mu.Lock()
					store.records["1"] = record()
					store.mu.Unlock()
				}
				advance(time.Hour)
				got := rec.lines(start)
				if tt.renewed == 0 {
					assert.Equal(t, tt.want, got)
					return
				}
				require.Len(t, got, 3)
				assert.GreaterOrEqual(t, rec.events[0].Time.Sub(start), tt.renewed+20*time.Second, "not while the lease is renewed")
				assert.LessOrEqual(t, rec.events[0].Time.Sub(start), tt.renewed+50*time.Second)
			})
		})
	}
}

// If the clock changes between the end of one process and the start of the next, a
// stored task waits for its stored pause at most.
func TestQueueClockJump(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		due   time.Duration
		pause time.Duration
		want  time.Duration
	}{
		{"no jump", time.Minute, 2 * time.Minute, time.Minute},
		{"back by a year", 365 * 24 * time.Hour, 4 * time.Minute, 4 * time.Minute},
		{"back, pause of hours", 365 * 24 * time.Hour, 5 * time.Hour, 5 * time.Hour},
		{"back, without a pause", 365 * 24 * time.Hour, 0, 24 * time.Hour},
		{"back, with a negative pause", 365 * 24 * time.Hour, -time.Hour, 24 * time.Hour},
		{"forward by a year", -365 * 24 * time.Hour, time.Minute, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				q, rec := queueIn(t, nil, resilience.WithStore(&memory{records: map[string][]byte{
					"1": offerRecord(t, func(r map[string]any) { r["due"], r["pause"] = start.Add(tt.due), tt.pause }),
				}}))
				q.Register("job", func(context.Context, []byte) error { return nil })
				advance(30 * 24 * time.Hour)
				assert.Equal(t, []string{fmt.Sprint("started 1 ", tt.want), fmt.Sprint("succeeded 1 ", tt.want)}, rec.lines(start))
			})
		})
	}
}

// crash simulates a process that dies while it runs tasks. It returns the remaining
// records.
func crash(t *testing.T, records map[string][]byte, wait time.Duration) (after map[string][]byte, rec *recorder, numbers []int) {
	t.Helper()
	store := &memory{records: records}
	q, rec := queueIn(t, nil, resilience.WithStore(store))
	killed := make(chan struct{})
	t.Cleanup(func() { close(killed) })
	q.Register("job", func(ctx context.Context, _ []byte) error {
		numbers = append(numbers, resilience.RestartNumber(ctx))
		<-killed
		return nil
	})
	advance(wait)
	after, err := store.All()
	require.NoError(t, err)
	return after, rec, numbers
}

// A task is parked if the process ended during three restarts.
func TestQueueParks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		records := map[string][]byte{"1": offerRecord(t, func(map[string]any) {})}
		for number := 1; number <= 3; number++ {
			var numbers []int
			records, _, numbers = crash(t, records, time.Hour)
			assert.Equal(t, []int{number}, numbers)
		}
		runs := 0
		store := &memory{records: records}
		start := time.Now()
		q, rec := queueIn(t, nil, resilience.WithStore(store))
		run := func(ctx context.Context, _ []byte) error { runs = resilience.RestartNumber(ctx); return nil }
		q.Register("job", run)
		advance(48 * time.Hour)
		assert.Equal(t, []string{"parked 3 30s"}, rec.lines(start))
		require.ErrorIs(t, rec.last().Err, resilience.ErrParked)
		assert.EqualError(t, rec.last().Err, "the task is parked: the process ended during 3 restarts")
		assert.Equal(t, "key a", rec.last().Key)
		assert.Zero(t, runs)
		require.Len(t, q.Tasks(), 1)
		assert.True(t, q.Tasks()[0].Parked)
		require.Error(t, q.Resume("2"), "no such task")

		// In the next process the task is still parked.
		_, err := q.Shutdown(t.Context())
		require.NoError(t, err)
		require.ErrorIs(t, q.Resume("1"), resilience.ErrQueueClosed)
		q, rec = queueIn(t, nil, resilience.WithStore(store))
		q.Register("job", run)
		advance(48 * time.Hour)
		assert.Empty(t, rec.events)
		require.NoError(t, q.Resume("1"))
		require.Error(t, q.Discard("1"), "it is not parked any more")
		start = time.Now()
		advance(time.Hour)
		assert.Equal(t, []string{"queued 4 0s", "started 4 0s", "succeeded 4 0s"}, rec.lines(start))
		assert.Equal(t, 4, runs)
		assert.Zero(t, store.len())
	})
}

func TestQueueDiscard(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &memory{records: map[string][]byte{"1": offerRecord(t, func(r map[string]any) { r["parked"] = true })}}
		q, rec := queueIn(t, nil, resilience.WithStore(store))
		store.fail(nil, errDisk)
		require.ErrorIs(t, q.Discard("1"), errDisk)
		assert.Len(t, q.Tasks(), 1)
		store.fail(nil, nil)
		require.NoError(t, q.Discard("1"))
		assert.Equal(t, resilience.RestartFailed, rec.last().To)
		assert.Empty(t, q.Tasks())
		assert.Zero(t, store.len())
	})
}

// Restarts that Shutdown interrupts do not count as crashes, even if the process ends
// after Shutdown.
func TestQueueShutdownIsNoCrash(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		records := map[string][]byte{"1": offerRecord(t, func(map[string]any) {})}
		for number := 1; number <= 5; number++ {
			store := &memory{records: records}
			q, err := resilience.NewQueue(nil, resilience.WithStore(store))
			require.NoError(t, err)
			killed := make(chan struct{})
			defer close(killed)
			q.Register("job", func(ctx context.Context, _ []byte) error {
				assert.Equal(t, number, resilience.RestartNumber(ctx))
				<-killed
				return nil
			})
			advance(time.Hour)
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			_, err = q.Shutdown(ctx)
			require.Error(t, err, "its function has not returned")
			records, err = store.All()
			require.NoError(t, err)
		}
		q, rec := queueIn(t, nil, resilience.WithStore(&memory{records: records}))
		q.Register("job", func(context.Context, []byte) error { return nil })
		start := time.Now()
		advance(time.Hour)
		assert.Equal(t, []string{"interrupted 5 30s", "started 6 30s", "succeeded 6 30s"}, rec.lines(start))
	})
}

// Offers with the same kind, key and payload make one task, even if they are made to
// several queues.
func TestQueueEqualOffers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &memory{}
		var runs atomic.Int32
		job := func(context.Context, []byte) error { runs.Add(1); return nil }
		first, rec := queueIn(t, nil, resilience.WithStore(store))
		second, rec2 := queueIn(t, nil, resilience.WithStore(store))
		for _, q := range []*resilience.Queue{first, second} {
			q.Register("job", job)
			q.Register("other", job)
		}
		require.NoError(t, first.Offer(t.Context(), offer("a")))
		require.NoError(t, first.Offer(t.Context(), offer("a")))
		assert.Equal(t, resilience.RestartMerged, rec.last().To)
		require.NoError(t, second.Offer(t.Context(), offer("a")), "it has not read the store since")
		assert.Equal(t, resilience.RestartMerged, rec2.last().To)
		assert.Len(t, first.Tasks(), 1)
		assert.Len(t, second.Tasks(), 1)
		assert.Equal(t, 1, store.len())

		changed := offer("a")
		changed.Task.Payload = []byte("b")
		require.ErrorIs(t, first.Offer(t.Context(), changed), resilience.ErrDuplicateTask)
		other := offer("a")
		other.Task.Kind = "other"
		require.NoError(t, first.Offer(t.Context(), other), "another kind")
		for range 2 {
			none := offer("a")
			none.Key = ""
			require.NoError(t, first.Offer(t.Context(), none), "without a key")
		}
		assert.Len(t, first.Tasks(), 4)
		advance(time.Hour)
		assert.EqualValues(t, 4, runs.Load())
		require.NoError(t, first.Offer(t.Context(), offer("a")), "the first one is done")
		assert.Equal(t, resilience.RestartQueued, rec.last().To)
	})
}

// If the same call is offered several times at once, one task is stored. If the store
// fails for one offer, the queue tries to store the next offer.
func TestQueueEqualOffersAtOnce(t *testing.T) {
	t.Parallel()
	for _, fails := range []bool{false, true} {
		t.Run(fmt.Sprint("the store fails ", fails), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				store := &memory{hold: make(chan struct{})}
				if fails {
					store.put = errDisk
				}
				q, _ := queueIn(t, nil, resilience.WithStore(store))
				q.Register("job", func(context.Context, []byte) error { return nil })
				errs := make(chan error, 10)
				for range cap(errs) {
					go func() { errs <- q.Offer(t.Context(), offer("a")) }()
				}
				synctest.Wait()
				assert.Empty(t, errs, "offers that are accepted before the task is stored")
				close(store.hold)
				for range cap(errs) {
					if err := <-errs; fails {
						assert.ErrorIs(t, err, errDisk)
					} else {
						assert.NoError(t, err)
					}
				}
				if !fails {
					assert.Equal(t, 1, store.puts)
				}
			})
		})
	}
}

// Offer returns an error for the kind and key of a parked task.
func TestQueueOfferParked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &memory{}
		first, _ := queueIn(t, nil, resilience.WithStore(store))
		first.Register("job", func(context.Context, []byte) error { return nil })
		require.NoError(t, first.Offer(t.Context(), offer("a")))
		for id, encoded := range store.records {
			var r map[string]any
			require.NoError(t, json.Unmarshal(encoded, &r))
			r["parked"] = true
			store.records[id], _ = json.Marshal(r)
		}
		second, rec := queueIn(t, nil, resilience.WithStore(store))
		second.Register("job", func(context.Context, []byte) error { return nil })
		require.ErrorIs(t, second.Offer(t.Context(), offer("a")), resilience.ErrParked)
		assert.Equal(t, resilience.RestartRefused, rec.last().To)
		advance(time.Hour)
		assert.True(t, first.Tasks()[0].Parked, "the first queue has read it too")
	})
}

// A record of a newer version stays in the store. Offers with the key of this record
// fail.
func TestQueueOfferUnread(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &memory{}
		first, _ := queueIn(t, nil, resilience.WithStore(store))
		first.Register("job", func(context.Context, []byte) error { return nil })
		require.NoError(t, first.Offer(t.Context(), offer("a")))
		_, err := first.Shutdown(t.Context())
		require.NoError(t, err)
		for id := range store.records {
			store.records[id] = []byte(`{"version":2}`)
		}
		second, rec := queueIn(t, nil, resilience.WithStore(store))
		second.Register("job", func(context.Context, []byte) error { return nil })
		require.EqualError(t, second.Offer(t.Context(), offer("a")),
			`restart "job": another queue has stored a task with this kind and key`)
		assert.Equal(t, resilience.RestartRefused, rec.last().To)
		advance(time.Hour)
		assert.Len(t, rec.events, 2, "that the record cannot be read is reported once")
		assert.Equal(t, 1, store.len())
	})
}

// unsure is a store that returns an error for the first five records of running tasks,
// although it has stored these records.
type unsure struct {
	*memory
	starts int
}

func (u *unsure) Swap(id string, old, record []byte) (bool, error) {
	swapped, err := u.memory.Swap(id, old, record)
	if swapped && bytes.Contains(record, []byte(`"lease"`)) {
		if u.starts++; u.starts <= 5 {
			return false, errCut
		}
	}
	return swapped, err
}

// If the store returns an error when the queue stores the start of a restart, this does
// not count as a crash. So the task is not parked.
func TestQueueStoreUnsure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &unsure{memory: &memory{records: map[string][]byte{"1": offerRecord(t, func(map[string]any) {})}}}
		q, rec := queueIn(t, nil, resilience.WithStore(store))
		var numbers []int
		q.Register("job", func(ctx context.Context, _ []byte) error {
			numbers = append(numbers, resilience.RestartNumber(ctx))
			return nil
		})
		advance(24 * time.Hour)
		assert.Equal(t, []int{6}, numbers)
		assert.Equal(t, resilience.RestartSucceeded, rec.last().To)
		assert.Zero(t, store.len())
	})
}

// The queue reports an unregistered kind once, unless another queue handles the
// kind.
func TestQueueUnhandled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &memory{}
		first, _ := queueIn(t, nil, resilience.WithStore(store))
		second, rec2 := queueIn(t, nil, resilience.WithStore(store))
		first.Register("job", func(context.Context, []byte) error { return nil })
		require.NoError(t, first.Offer(t.Context(), offer("a")))
		lost := offer("b")
		lost.Task.Kind = "lost"
		first.Register("lost", func(context.Context, []byte) error { return nil })
		require.NoError(t, first.Offer(t.Context(), lost))
		_, err := first.Shutdown(t.Context())
		require.NoError(t, err)
		second.Register("job", func(context.Context, []byte) error { return nil })
		_, rec3 := queueIn(t, nil, resilience.WithStore(store))

		advance(24 * time.Hour)
		count := func(rec *recorder) (unhandled []string) {
			for _, e := range rec.events {
				if e.To == resilience.RestartUnhandled {
					unhandled = append(unhandled, e.Key)
				}
			}
			return unhandled
		}
		assert.Equal(t, []string{"key b"}, count(rec2))
		assert.Equal(t, []string{"key b"}, count(rec3), "the third queue handles no kind, but the second has run key a")
		assert.Equal(t, 1, store.len())
	})
}
