package resilience_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/errclass/errclass/resilience"
)

// queueOf returns a new queue. It panics if NewQueue returns an error.
func queueOf(cfg *resilience.Config, opts ...resilience.QueueOption) *resilience.Queue {
	q, err := resilience.NewQueue(cfg, opts...)
	if err != nil {
		panic(err)
	}
	return q
}

// failedCall returns a failed call whose connection was lost in every attempt.
func failedCall(payload string) resilience.Restart {
	return resilience.Restart{Task: resilience.Task{Kind: "summarize", Payload: []byte(payload)}, Err: syscall.ECONNRESET}
}

// shortPauses sets pauses of 1, 2 and 4 milliseconds instead of minutes.
var shortPauses = resilience.RestartConfig{RestartBackoffBaseMs: 1}

// The queue restarts a call after a network failure, with the same function.
func ExampleQueue() {
	cfg := &resilience.Config{Enabled: true, Retry: resilience.RetryConfig{MaxNetworkRetries: new(0)}, TaskRestart: shortPauses}
	q := queueOf(cfg)
	x := must(cfg, resilience.WithRestarter(q))

	var calls atomic.Int32
	answered := make(chan string)
	summarize := func(ctx context.Context, chapter []byte) error {
		call := resilience.Call{
			Key:     "summary of " + string(chapter),
			Targets: []resilience.Target{endpoint},
			Restart: resilience.Task{Kind: "summarize", Payload: chapter},
		}
		text, err := resilience.Do(ctx, x, call, func(context.Context, resilience.Target) (string, error) {
			if calls.Add(1) == 1 {
				return "", syscall.ECONNRESET
			}
			return "the hero wins", nil
		})
		if err == nil {
			answered <- text
		}
		return err
	}
	q.Register("summarize", summarize)

	err := summarize(context.Background(), []byte("chapter 7"))
	var failed *resilience.Error
	fmt.Println(err, errors.As(err, &failed) && failed.Queued)
	fmt.Println(<-answered)
	left, err := q.Shutdown(context.Background())
	fmt.Println(len(left), err)
	// Output:
	// connection reset by peer true
	// the hero wins
	// 0 <nil>
}

// Shutdown returns the tasks that are not done.
func ExampleQueue_Shutdown() {
	q := queueOf(nil)
	q.Register("summarize", func(context.Context, []byte) error { return nil })
	fmt.Println(q.Offer(context.Background(), failedCall("chapter 7")))

	left, err := q.Shutdown(context.Background())
	for _, t := range left {
		fmt.Println(t.Restart.Task.Kind, string(t.Restart.Task.Payload), t.Restart.Err)
	}
	fmt.Println(err)
	fmt.Println(q.Offer(context.Background(), failedCall("chapter 8")))
	// Output:
	// <nil>
	// summarize chapter 7 connection reset by peer
	// <nil>
	// restart "summarize": the restart queue is shut down
}

func ExampleQueue_Offer() {
	q := queueOf(nil)
	fmt.Println(q.Offer(context.Background(), failedCall("chapter 7")))
	// Output: restart "summarize": kind "summarize" is not registered: call Queue.Register first
}

func ExampleQueue_Register() {
	q := queueOf(&resilience.Config{TaskRestart: shortPauses})
	done := make(chan string)
	q.Register("summarize", func(_ context.Context, payload []byte) error {
		done <- string(payload)
		return nil
	})
	fmt.Println(q.Offer(context.Background(), failedCall("chapter 7")))
	fmt.Println(<-done)
	// Output:
	// <nil>
	// chapter 7
}

func ExampleQueue_Tasks() {
	q := queueOf(nil)
	q.Register("summarize", func(context.Context, []byte) error { return nil })
	fmt.Println(q.Offer(context.Background(), failedCall("chapter 7")))
	for _, t := range q.Tasks() {
		fmt.Println(t.Restart.Task.Kind, t.Restarts, t.Running)
	}
	_, err := q.Shutdown(context.Background())
	fmt.Println(err)
	// Output:
	// <nil>
	// summarize 0 false
	// <nil>
}

// Without a store, queued tasks do not survive the process. Package boltstore has a
// store.
func ExampleNewQueue() {
	q, err := resilience.NewQueue(&resilience.Config{TaskRestart: shortPauses}, resilience.WithStore(nil))
	fmt.Println(len(q.Tasks()), err)
	// Output: 0 <nil>
}

// fullDisk is a store on a full disk.
type fullDisk struct{}

func (fullDisk) Swap(string, []byte, []byte) (bool, error) { return false, syscall.ENOSPC }
func (fullDisk) All() (map[string][]byte, error)           { return nil, nil }

// A task that cannot be stored is not accepted.
func ExampleWithStore() {
	q := queueOf(nil, resilience.WithStore(fullDisk{}))
	q.Register("summarize", func(context.Context, []byte) error { return nil })
	fmt.Println(q.Offer(context.Background(), failedCall("chapter 7")))
	// Output: restart "summarize": store it: no space left on device
}

func ExampleWithQueueCapacity() {
	q := queueOf(nil, resilience.WithQueueCapacity(1))
	q.Register("summarize", func(context.Context, []byte) error { return nil })
	fmt.Println(q.Offer(context.Background(), failedCall("chapter 7")))
	fmt.Println(q.Offer(context.Background(), failedCall("chapter 8")))
	_, err := q.Shutdown(context.Background())
	fmt.Println(err)
	// Output:
	// <nil>
	// restart "summarize": the restart queue is full: it holds 1 tasks
	// <nil>
}

// With one worker, one task runs at a time.
func ExampleWithQueueWorkers() {
	q := queueOf(&resilience.Config{TaskRestart: shortPauses}, resilience.WithQueueWorkers(1))
	var running, most atomic.Int32
	done := make(chan bool)
	q.Register("summarize", func(context.Context, []byte) error {
		most.Store(max(most.Load(), running.Add(1)))
		done <- true
		running.Add(-1)
		return nil
	})
	for _, chapter := range []string{"chapter 7", "chapter 8", "chapter 9"} {
		if err := q.Offer(context.Background(), failedCall(chapter)); err != nil {
			fmt.Println(err)
		}
	}
	for range 3 {
		<-done
	}
	fmt.Println(most.Load())
	// Output: 1
}

// If the process ends during a restart, the next process runs the task again.
func ExampleRestartNumber() {
	q := queueOf(&resilience.Config{TaskRestart: shortPauses})
	numbers := make(chan int)
	q.Register("summarize", func(ctx context.Context, _ []byte) error {
		n := resilience.RestartNumber(ctx)
		numbers <- n
		if n < 3 {
			return syscall.ECONNRESET
		}
		return nil
	})
	fmt.Println(q.Offer(context.Background(), failedCall("chapter 7")))
	fmt.Println(<-numbers, <-numbers, <-numbers)
	fmt.Println(resilience.RestartNumber(context.Background()))
	// Output:
	// <nil>
	// 1 2 3
	// 0
}

// crashed is a store with one task that was interrupted three times.
type crashed struct{}

func (crashed) Swap(string, []byte, []byte) (bool, error) { return true, nil }
func (crashed) All() (map[string][]byte, error) {
	return map[string][]byte{
		"1": []byte(`{"version":1,"task":{"kind":"summarize"},"restarts":3,"crashes":3,"parked":true,"due":"2000-01-01T00:00:00Z"}`),
	}, nil
}

// A person resumes a parked task, or discards it.
func ExampleQueue_Resume() {
	q := queueOf(nil, resilience.WithStore(crashed{}))
	done := make(chan int)
	q.Register("summarize", func(ctx context.Context, _ []byte) error {
		done <- resilience.RestartNumber(ctx)
		return nil
	})
	for _, t := range q.Tasks() {
		if t.Parked {
			fmt.Println(t.ID, t.Restarts, q.Resume(t.ID))
		}
	}
	fmt.Println(<-done)
	// Output:
	// 1 3 <nil>
	// 4
}

func ExampleQueue_Discard() {
	q := queueOf(nil, resilience.WithStore(crashed{}))
	fmt.Println(q.Discard("1"), len(q.Tasks()))
	fmt.Println(q.Discard("1"))
	// Output:
	// <nil> 0
	// no task has the id "1"
}

// If a process dies, the next process runs the tasks of the dead process again. In
// this example, the tasks run 10 to 14 s after the start of the next process.
func ExampleWithQueueLease() {
	q := queueOf(nil, resilience.WithStore(crashed{}), resilience.WithQueueLease(10*time.Second))
	fmt.Println(len(q.Tasks()))
	// Output: 1
}

func ExampleWithQueueObserver() {
	over := make(chan bool)
	q := queueOf(&resilience.Config{TaskRestart: shortPauses}, resilience.WithQueueObserver(func(_ context.Context, e resilience.Event) {
		fmt.Println(e.Attempt, e.To)
		if e.To == resilience.RestartSucceeded {
			close(over)
		}
	}))
	q.Register("summarize", func(context.Context, []byte) error { return nil })
	if err := q.Offer(context.Background(), failedCall("chapter 7")); err != nil {
		fmt.Println(err)
	}
	<-over
	// Output:
	// 1 queued
	// 1 started
	// 1 succeeded
}

// A function can read the number of its restart from the context.
func ExampleWithRestartNumber() {
	summarize := func(ctx context.Context, _ []byte) error {
		fmt.Println("restart", resilience.RestartNumber(ctx))
		return nil
	}
	_ = summarize(resilience.WithRestartNumber(context.Background(), 2), nil)
	// Output: restart 2
}
