package boltstore_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
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
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/resilience"
	"github.com/errclass/errclass/resilience/boltstore"
)

// childEnv is an environment variable. If it is set, the test binary runs as a child
// process with a queue. The value is the folder of the store, a space and a mode:
//
//   - childDrain: accept no new tasks, and exit when no task is left.
//   - childSuicide: run a task that kills the process, and exit when the queue has
//     parked the task (see resilience.RestartParked).
//   - childShared, followed by a number: run sharedChild.
//   - A number: add tasks to the queue and run them, until the process is killed. The
//     number is part of the task names.
const (
	childEnv     = "ERRCLASS_TEST_QUEUE"
	childDrain   = "drain"
	childSuicide = "suicide"
	childShared  = "shared" // see sharedChild; a number follows
	// childLease is the lease of a task. It is short, so that a new child process soon
	// takes over the tasks of the killed process.
	childLease = 100 * time.Millisecond
)

func TestMain(m *testing.M) {
	if folder, round, ok := strings.Cut(os.Getenv(childEnv), " "); ok {
		run := child
		if strings.HasPrefix(round, childShared) {
			run = sharedChild
		}
		if err := run(folder, round); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// A process is killed 50 times at random moments and started again.
//
//   - Every accepted task is done in the end.
//   - No task runs again after it is done.
//   - Each further run of a task has a higher restart number than the run before.
func TestKill(t *testing.T) {
	t.Parallel()
	const rounds = 50
	folder := t.TempDir()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for round := range rounds {
		killAfter(t, folder, strconv.Itoa(round), 1+random.IntN(150), time.Duration(random.IntN(int(2*childLease))))
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

// If a task kills its process three times, the queue parks the task. A parked task does
// not run again until a call of Resume.
func TestKillItself(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for round := range 3 {
		out, err := childProcess(t, folder, childSuicide).CombinedOutput()
		require.Error(t, err, "process %d: %s", round, out)
	}
	out, err := childProcess(t, folder, childSuicide).CombinedOutput()
	require.NoError(t, err, "the last process: %s", out)
	text, err := os.ReadFile(filepath.Join(folder, "journal"))
	require.NoError(t, err)
	var lines []string
	for line := range strings.Lines(string(text)) {
		lines = append(lines, strings.TrimSuffix(line, " "+childSuicide+"\n"))
	}
	assert.Equal(t, []string{
		"offered poison 0", "started poison 1", "run poison 1",
		"interrupted poison 1", "started poison 2", "run poison 2",
		"interrupted poison 2", "started poison 3", "run poison 3",
		"parked poison 3",
	}, lines)
}

// killAfter runs a child until it has written enough lines, and then kills it.
func killAfter(t *testing.T, folder, round string, lines int, wait time.Duration) {
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
	time.Sleep(wait)
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

// history has the entries of the journal for one task.
type history struct {
	offered, done bool
	completed     string // the last round in which the function returned nil
	started       int    // number of its last start
	runs          int
	mayRerun      bool // the last run has failed or was interrupted
}

// verify checks the history of each task in the journal.
func verify(t *testing.T, journal string) {
	t.Helper()
	var done, reruns, interrupted, parked int
	tasks := map[string]*history{}
	for line := range strings.Lines(journal) {
		f := strings.Fields(line) // event, task, number of the restart, round
		require.Len(t, f, 4, "line %q", line)
		h := tasks[f[1]]
		if h == nil {
			h = &history{}
			tasks[f[1]] = h
		}
		number, _ := strconv.Atoi(f[2])
		switch f[0] {
		case "offered":
			h.offered = true
		case resilience.RestartStarted:
			assert.Greater(t, number, h.started, "line %q", line)
			h.started = number
		case "run":
			assert.False(t, h.done, "task %s runs again after it was done", f[1])
			assert.NotEqual(t, h.completed, f[3], "task %s runs again in the process that has completed it", f[1])
			assert.Equal(t, h.started, number, "line %q", line)
			if h.runs++; h.runs > 1 {
				reruns++
				assert.Greater(t, number, 1, "number of run %d of task %s", h.runs, f[1])
				assert.True(t, h.mayRerun, "run %d of task %s, which has neither failed nor is announced as interrupted", h.runs, f[1])
			}
			h.mayRerun = false
		case "fails":
			h.mayRerun = true
		case "completed":
			h.completed = f[3]
		case resilience.RestartInterrupted:
			interrupted++
			h.mayRerun = true
		case resilience.RestartParked:
			parked++
			h.mayRerun = true
		case resilience.RestartSucceeded:
			done++
			h.done = true
		default:
			assert.Fail(t, "a task has failed", "line %q", line)
		}
	}
	lost := 0
	for task, h := range tasks {
		if h.offered && !assert.NotEmpty(t, h.completed, "task %s is lost", task) {
			lost++
		}
	}
	assert.Greater(t, len(tasks), 20, "tasks")
	assert.Positive(t, done, "tasks that were done")
	assert.Positive(t, interrupted, "runs that were interrupted")
	t.Logf("%d tasks, %d lost, %d reruns, %d interrupted runs, %d tasks parked", len(tasks), lost, reruns, interrupted, parked)
}

// journal appends lines to a file and to standard output. A written line survives
// the process.
type journal struct {
	mu    sync.Mutex
	file  *os.File
	round string
}

func (j *journal) write(what, task string, number int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	line := fmt.Sprintf("%s %s %d %s\n", what, task, number, j.round)
	if _, err := j.file.WriteString(line); err != nil {
		panic(err)
	}
	fmt.Print(line)
}

// child runs a queue in this process. Each task fails at most twice before it
// succeeds.
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
		case resilience.RestartStarted, resilience.RestartInterrupted, resilience.RestartParked:
			j.write(e.To, cmp.Or(e.Key, "?"), e.Attempt)
			if round == childSuicide && e.To == resilience.RestartParked {
				os.Exit(0)
			}
		case resilience.RestartSucceeded:
			if e.Err != nil {
				panic(e.Err)
			}
			j.write(e.To, e.Key, e.Attempt)
			check()
		case resilience.RestartFailed, resilience.RestartRefused:
			j.write(e.To, cmp.Or(e.Key, "?"), e.Attempt)
			panic(e.Err)
		}
	}
	queue, err = resilience.NewQueue(config, resilience.WithStore(store), resilience.WithQueueLease(childLease),
		resilience.WithQueueObserver(observe), resilience.WithQueueCapacity(1<<20))
	if err != nil {
		return err
	}
	queue.Register("job", func(ctx context.Context, payload []byte) error {
		task, number := string(payload), resilience.RestartNumber(ctx)
		j.write("run", task, number)
		if round == childSuicide {
			self, err := os.FindProcess(os.Getpid())
			if err != nil {
				return err
			}
			return cmp.Or(self.Kill(), errors.New("the process has survived"))
		}
		if shouldFail(folder, task) {
			j.write("fails", task, number)
			return syscall.ECONNRESET
		}
		j.write("completed", task, number)
		return nil
	})
	if round == childDrain {
		check()
		for open := true; open; {
			for _, task := range queue.Tasks() {
				if task.Parked {
					if err := queue.Resume(task.ID); err != nil {
						return err
					}
				}
			}
			select {
			case <-drained:
				open = false
			case <-time.After(childLease):
			}
		}
		if _, err := queue.Shutdown(context.Background()); err != nil {
			return err
		}
		return store.Close()
	}
	if round == childSuicide && len(queue.Tasks()) > 0 {
		select {}
	}
	for i := 0; ; i++ {
		task := fmt.Sprintf("%s.%d", round, i)
		if round == childSuicide {
			task = "poison"
		}
		err := queue.Offer(context.Background(), resilience.Restart{
			Key:    task,
			Task:   resilience.Task{Kind: "job", Payload: []byte(task)},
			Err:    syscall.ECONNREFUSED,
			Result: classify.Error(syscall.ECONNREFUSED),
		})
		if err != nil {
			return err
		}
		j.write("offered", task, 0)
		if round == childSuicide {
			select {}
		}
	}
}

// shouldFail reports whether a task should fail once more. Each failure creates a
// file, because the count must survive the process.
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
