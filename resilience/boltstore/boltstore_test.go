package boltstore_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/resilience"
	"github.com/errclass/errclass/resilience/boltstore"
)

// put stores a new record.
func put(s *boltstore.Store, id string, record []byte) error {
	_, err := s.Swap(id, nil, record)
	return err
}

func remove(s *boltstore.Store, id string, record []byte) error {
	_, err := s.Swap(id, record, nil)
	return err
}

func open(t *testing.T, path string) *boltstore.Store {
	t.Helper()
	s, err := boltstore.Open(path)
	require.NoError(t, err)
	return s
}

func TestStore(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tasks.db")
	s := open(t, path)
	for _, step := range []struct {
		id       string
		old, new []byte
		swapped  bool
	}{
		{"a", nil, []byte("1"), true},
		{"a", nil, []byte("2"), false},
		{"a", []byte("0"), []byte("2"), false},
		{"a", []byte{}, []byte("2"), false},
		{"b", []byte("1"), []byte("2"), false},
		{"b", nil, []byte("2"), true},
		{"c", nil, []byte{}, true},
		{"c", nil, []byte("2"), false},
		{"c", []byte{}, []byte{}, true},
		{"a", []byte("1"), []byte("3"), true},
		{"b", []byte("3"), nil, false},
		{"b", []byte("2"), nil, true},
		{"never", []byte("1"), nil, false},
		{"never", nil, nil, true},
	} {
		swapped, err := s.Swap(step.id, step.old, step.new)
		require.NoError(t, err)
		assert.Equal(t, step.swapped, swapped, "%s: %q to %q", step.id, step.old, step.new)
	}
	want := map[string][]byte{"a": []byte("3"), "c": {}}
	all, err := s.All()
	require.NoError(t, err)
	assert.Equal(t, want, all)

	require.NoError(t, s.Close())
	require.NoError(t, s.Close(), "closing again")
	s = open(t, path)
	defer s.Close()
	all, err = s.All()
	require.NoError(t, err)
	assert.Equal(t, want, all, "after it was opened again")
	all["a"][0] = 'x'
	again, err := s.All()
	require.NoError(t, err)
	assert.Equal(t, want, again, "records are the caller's own")
}

func TestStoreErrors(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "tasks.db")
	s := open(t, path)

	_, err := boltstore.Open(path)
	require.ErrorContains(t, err, path+": this or another process has it open")
	assert.Error(t, put(s, "", []byte("1")), "no id")

	require.NoError(t, s.Close())
	assert.Error(t, put(s, "a", []byte("1")), "closed")
	_, err = s.All()
	assert.Error(t, err, "closed")

	_, err = boltstore.Open("")
	require.ErrorContains(t, err, "no path given")
	require.ErrorContains(t, put(new(boltstore.Store), "a", nil), "make it with Open")
	var none *boltstore.Store
	require.ErrorContains(t, none.Close(), "make it with Open")
	_, err = resilience.NewQueue(nil, resilience.WithStore(none))
	require.ErrorContains(t, err, "make it with Open")
	_, err = boltstore.Open(filepath.Join(folder, "no", "tasks.db"))
	assert.ErrorContains(t, err, "open the store")
	garbage := filepath.Join(folder, "garbage")
	require.NoError(t, os.WriteFile(garbage, make([]byte, 1<<16), 0o600))
	_, err = boltstore.Open(garbage)
	assert.ErrorContains(t, err, "open the store "+garbage)
}

// A damaged file causes no panic. Open or a later call returns an error.
func TestStoreDamaged(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "tasks.db")
	s := open(t, path)
	for i := range 100 {
		require.NoError(t, put(s, fmt.Sprint("task ", i), make([]byte, 500)))
	}
	require.NoError(t, s.Close())
	whole, err := os.ReadFile(path)
	require.NoError(t, err)

	const page = 4096
	damage := map[string]func([]byte) []byte{"cut short": func(b []byte) []byte { return b[:len(b)/3] }}
	for at := 2 * page; at < len(whole); at += page { // bbolt verifies the first two pages by checksums
		damage[fmt.Sprintf("page %d is empty", at/page)] = func(b []byte) []byte { clear(b[at : at+page]); return b }
		damage[fmt.Sprintf("page %d is garbage", at/page)] = func(b []byte) []byte {
			for i := range page {
				b[at+i] = byte(i*7 + 13)
			}
			return b
		}
	}
	found := 0
	for name, f := range damage {
		broken := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(broken, f(bytes.Clone(whole)), 0o600), name)
		s, err := boltstore.Open(broken)
		if err != nil {
			found++
			assert.ErrorIs(t, err, boltstore.ErrDamaged, name)
			require.ErrorContains(t, err, broken, name)
			continue
		}
		for i := range 100 { // the damaged page may be unused or read later
			if err := remove(s, fmt.Sprint("task ", i), make([]byte, 500)); err != nil {
				require.ErrorIs(t, err, boltstore.ErrDamaged, name)
			}
		}
		require.NoError(t, s.Close(), name)
	}
	assert.NotZero(t, found)
}

// Only the owner can read the file.
func TestStoreMode(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tasks.db")
	require.NoError(t, open(t, path).Close())
	info, err := os.Stat(path)
	require.NoError(t, err)
	if runtime.GOOS != "windows" {
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}
}

func TestStoreConcurrentSafe(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "tasks.db"))
	defer s.Close()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 10 {
				id := fmt.Sprint(i, "-", j)
				assert.NoError(t, put(s, id, []byte(id)))
				if j%2 == 0 {
					assert.NoError(t, remove(s, id, []byte(id)))
				}
				_, err := s.All()
				assert.NoError(t, err)
			}
		})
	}
	wg.Wait()
	all, err := s.All()
	require.NoError(t, err)
	assert.Len(t, all, 8*5)
}

// Three queues in one process share a store. Each task runs once.
func TestQueuesShareStore(t *testing.T) {
	t.Parallel()
	const tasks = 60
	s := open(t, filepath.Join(t.TempDir(), "tasks.db"))
	var mu sync.Mutex
	runs := map[string]int{}
	var done sync.WaitGroup
	done.Add(tasks)
	var queues []*resilience.Queue
	for range 3 {
		q, err := resilience.NewQueue(&resilience.Config{TaskRestart: resilience.RestartConfig{RestartBackoffBaseMs: 20}},
			resilience.WithStore(s), resilience.WithQueueLease(time.Minute))
		require.NoError(t, err)
		q.Register("job", func(_ context.Context, payload []byte) error {
			mu.Lock()
			defer mu.Unlock()
			if runs[string(payload)]++; runs[string(payload)] == 1 {
				done.Done()
			}
			return nil
		})
		queues = append(queues, q)
	}
	for i := range tasks {
		require.NoError(t, queues[i%3].Offer(t.Context(), resilience.Restart{
			Key: fmt.Sprint(i), Task: resilience.Task{Kind: "job", Payload: []byte(fmt.Sprint(i))}, Err: syscall.ECONNRESET,
		}))
	}
	done.Wait()
	for _, q := range queues {
		_, err := q.Shutdown(t.Context())
		require.NoError(t, err)
	}
	assert.Len(t, runs, tasks)
	for task, n := range runs {
		assert.Equal(t, 1, n, "runs of task %s", task)
	}
	left, err := s.All()
	require.NoError(t, err)
	assert.Empty(t, left)
	require.NoError(t, s.Close())
}

// A waiting task survives the end of the process.
func Example() {
	folder, err := os.MkdirTemp("", "boltstore")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(folder) }()
	path := filepath.Join(folder, "restarts.db")

	// The first process ends before the task is due.
	store, _ := boltstore.Open(path)
	queue, _ := resilience.NewQueue(nil, resilience.WithStore(store))
	queue.Register("summarize", func(context.Context, []byte) error { return nil })
	err = queue.Offer(context.Background(), resilience.Restart{
		Task: resilience.Task{Kind: "summarize", Payload: []byte("chapter 7")}, Err: syscall.ECONNRESET,
	})
	left, _ := queue.Shutdown(context.Background())
	fmt.Println(err, len(left), left[0].Stored)
	_ = store.Close()

	// The second process continues.
	store, _ = boltstore.Open(path)
	queue, _ = resilience.NewQueue(nil, resilience.WithStore(store))
	for _, t := range queue.Tasks() {
		fmt.Println(t.Restart.Task.Kind, string(t.Restart.Task.Payload), t.Restart.Err)
	}
	_, _ = queue.Shutdown(context.Background())
	_ = store.Close()
	// Output:
	// <nil> 1 true
	// summarize chapter 7 connection reset by peer
}

func ExampleStore() {
	folder, err := os.MkdirTemp("", "boltstore")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(folder) }()
	store, _ := boltstore.Open(filepath.Join(folder, "restarts.db"))
	fmt.Println(store.Swap("1", nil, []byte("first")))
	fmt.Println(store.Close())
	fmt.Println(store.Swap("2", nil, []byte("second")))
	// Output:
	// true <nil>
	// <nil>
	// false database not open
}

func ExampleOpen() {
	_, err := boltstore.Open("/no/such/folder/restarts.db")
	fmt.Println(err != nil)
	// Output: true
}

// Swap replaces a record only if the record is the expected one.
func ExampleStore_Swap() {
	folder, err := os.MkdirTemp("", "boltstore")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(folder) }()
	store, _ := boltstore.Open(filepath.Join(folder, "restarts.db"))
	defer store.Close()

	fmt.Println(store.Swap("1", nil, []byte("waiting")))
	fmt.Println(store.Swap("1", []byte("waiting"), []byte("run by A")))
	fmt.Println(store.Swap("1", []byte("waiting"), []byte("run by B")))
	fmt.Println(store.Swap("1", []byte("run by A"), nil))
	// Output:
	// true <nil>
	// true <nil>
	// false <nil>
	// true <nil>
}

func ExampleStore_All() {
	folder, err := os.MkdirTemp("", "boltstore")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(folder) }()
	store, _ := boltstore.Open(filepath.Join(folder, "restarts.db"))
	defer store.Close()

	_ = put(store, "1", []byte("first"))
	_ = put(store, "2", []byte("second"))
	_ = remove(store, "1", []byte("first"))
	all, _ := store.All()
	fmt.Printf("%s\n", all)
	// Output: map[2:second]
}
