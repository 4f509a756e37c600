package boltstore_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/resilience"
	"github.com/errclass/errclass/resilience/boltstore"
)

// The environment variable childEnv makes the test binary run as a child with a
// queue. Its value is "FOLDER ROUND" or "FOLDER drain". With drain, the child
// accepts no new tasks and exits when no task is left.
const (
	childEnv   = "ERRCLASS_TEST_QUEUE"
	childDrain = "drain"
)

func TestMain(m *testing.M) {
	if folder, round, ok := strings.Cut(os.Getenv(childEnv), " "); ok {
		if err := child(folder, round); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// A process that queues and runs tasks is killed at random moments and started
// again. No accepted task may be lost, and no task may run again after it is
// done.
func TestKill(t *testing.T) {
	t.Parallel()
	const rounds = 12
	folder := t.TempDir()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for round := range rounds {
		killAfter(t, folder, strconv.Itoa(round), 1+random.IntN(150))
	}
	out, err := childProcess(t, folder, childDrain).CombinedOutput()
	require.NoError(t, err, "the last process: %s", out)

	journal, err := os.ReadFile(filepath.Join(folder, "journal"))
	require.NoError(t, err)
	verify(t, string(journal))

	store, err := boltstore.Open(filepath.Join(folder, "tasks.db"))
	require.NoError(t, err)
	left, err := store.All()
	require.NoError(t, err)
	assert.Empty(t, left, "records in the store")
	require.NoError(t, store.Close())
}

// killAfter runs a child and kills it after it has written the given number of
// lines.
func killAfter(t *testing.T, folder, round string, lines int) {
	t.Helper()
	cmd := childProcess(t, folder, round)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	seen := 0
	for scanner := bufio.NewScanner(out); seen < lines && scanner.Scan(); {
		seen++
	}
	killed := cmd.Process.Kill()
	err = cmd.Wait()
	assert.Equal(t, lines, seen, "lines before it ended by itself: %s", &stderr)
	assert.NoError(t, killed)
	assert.Error(t, err, "it was killed")
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok {
		assert.Equal(t, syscall.SIGKILL, status.Signal())
	}
}

func childProcess(t *testing.T, folder, round string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+folder+" "+round)
	return cmd
}

// verify checks the journal of all processes.
func verify(t *testing.T, journal string) {
	t.Helper()
	var offered, done, again int
	taken, completed, over := map[string]bool{}, map[string]string{}, map[string]bool{}
	for line := range strings.Lines(journal) {
		f := strings.Fields(line) // event, task, round
		require.Len(t, f, 3, "line %q", line)
		task, round := f[1], f[2]
		switch f[0] {
		case "offered":
			offered++
			taken[task] = true
		case "start":
			assert.False(t, over[task], "task %s runs again after it was done", task)
			assert.NotEqual(t, completed[task], round, "task %s runs again in the process that has completed it", task)
			if completed[task] != "" {
				again++
			}
		case "completed":
			completed[task] = round
		case "done":
			done++
			over[task] = true
		default:
			assert.Fail(t, "a task has failed", "line %q", line)
		}
	}
	for task := range taken {
		assert.Contains(t, completed, task, "task %s is lost", task)
	}
	assert.Greater(t, offered, 20, "tasks that were taken")
	assert.Positive(t, done, "tasks that were done")
	t.Logf("%d tasks, %d done, %d killed between their end and its record", offered, done, again)
}

// journal appends lines to a file and to standard output. After write(2) a line
// is in the file even if the process is killed.
type journal struct {
	mu    sync.Mutex
	file  *os.File
	round string
}

func (j *journal) write(what, task string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	line := what + " " + task + " " + j.round + "\n"
	if _, err := j.file.WriteString(line); err != nil {
		panic(err)
	}
	fmt.Print(line)
}

// child runs a process with a queue. Its tasks fail up to twice with a network
// error before they succeed.
func child(folder, round string) error {
	file, err := os.OpenFile(filepath.Join(folder, "journal"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	j := &journal{file: file, round: round}
	store, err := boltstore.Open(filepath.Join(folder, "tasks.db"))
	if err != nil {
		return err
	}
	var queue *resilience.Queue
	drained := make(chan struct{})
	var once sync.Once
	check := func() {
		if len(queue.Tasks()) == 0 {
			once.Do(func() { close(drained) })
		}
	}
	config := &resilience.Config{TaskRestart: resilience.RestartConfig{RestartBackoffBaseMs: 1}}
	observe := func(_ context.Context, e resilience.Event) {
		switch e.To {
		case resilience.RestartSucceeded:
			if e.Err != nil {
				panic(e.Err)
			}
			j.write("done", e.Key)
			check()
		case resilience.RestartFailed, resilience.RestartRefused:
			j.write(e.To, cmp.Or(e.Key, "?"))
			panic(e.Err)
		}
	}
	queue, err = resilience.NewQueue(config, resilience.WithStore(store),
		resilience.WithQueueObserver(observe), resilience.WithQueueCapacity(1<<20))
	if err != nil {
		return err
	}
	queue.Register("job", func(_ context.Context, payload []byte) error {
		task := string(payload)
		j.write("start", task)
		if shouldFail(folder, task) {
			return syscall.ECONNRESET
		}
		j.write("completed", task)
		return nil
	})
	if round == childDrain {
		check()
		<-drained
		if _, err := queue.Shutdown(context.Background()); err != nil {
			return err
		}
		return store.Close()
	}
	for i := 0; ; i++ {
		task := fmt.Sprintf("%s.%d", round, i)
		err := queue.Offer(context.Background(), resilience.Restart{
			Key:    task,
			Task:   resilience.Task{Kind: "job", Payload: []byte(task)},
			Err:    syscall.ECONNREFUSED,
			Result: classify.Error(syscall.ECONNREFUSED),
		})
		if err != nil {
			return err
		}
		j.write("offered", task)
	}
}

// shouldFail reports whether a task should fail once more. A task fails 0 to 2
// times, depending on its number. Each failure creates a file, because the
// count must survive the process.
func shouldFail(folder, task string) bool {
	_, number, _ := strings.Cut(task, ".")
	n, _ := strconv.Atoi(number)
	for i := range n % 3 {
		f, err := os.OpenFile(filepath.Join(folder, fmt.Sprintf("%s.failed%d", task, i)), os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			return f.Close() == nil
		}
	}
	return false
}
