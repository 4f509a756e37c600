package boltstore_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/resilience"
	"github.com/errclass/errclass/resilience/boltstore"
)

const (
	sharedProcesses = 3
	sharedTasks     = 5 // tasks that each process offers
)

// perCall is a store for several processes. Each method waits until no other process
// has the file open, and then opens it.
type perCall struct{ path string }

func (p perCall) with(f func(*boltstore.Store) error) error {
	s, err := boltstore.Open(p.path)
	for err != nil && strings.Contains(err.Error(), "has it open") {
		s, err = boltstore.Open(p.path)
	}
	if err != nil {
		return err
	}
	defer s.Close()
	return f(s)
}

func (p perCall) Swap(id string, old, next []byte) (swapped bool, err error) {
	err = p.with(func(s *boltstore.Store) error { swapped, err = s.Swap(id, old, next); return err })
	return swapped, err
}

func (p perCall) All() (all map[string][]byte, err error) {
	err = p.with(func(s *boltstore.Store) error { all, err = s.All(); return err })
	return all, err
}

// Three processes share a store. Each task runs once.
func TestProcessesShareStore(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	var children []*exec.Cmd
	var outputs [sharedProcesses]bytes.Buffer
	for i := range outputs {
		cmd := childProcess(t, folder, fmt.Sprint(childShared, i))
		cmd.Stderr = &outputs[i]
		require.NoError(t, cmd.Start())
		children = append(children, cmd)
	}
	for i, cmd := range children {
		require.NoError(t, cmd.Wait(), "process %d: %s", i, &outputs[i])
	}
	text, err := os.ReadFile(filepath.Join(folder, "journal"))
	require.NoError(t, err)
	runs, seen := map[string]int{}, 0
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		switch f[0] {
		case "run":
			runs[f[1]]++
		case "seen":
			seen++
		}
	}
	assert.Len(t, runs, sharedProcesses*sharedTasks)
	for task, n := range runs {
		assert.Equal(t, 1, n, "runs of task %s", task)
	}
	assert.Greater(t, seen, sharedProcesses*sharedTasks, "tasks that the processes knew before they were due: their own and others")
	left, err := perCall{filepath.Join(folder, "tasks.db")}.All()
	require.NoError(t, err)
	assert.Empty(t, left)
}

// sharedChild runs a queue in this process until no task is left.
func sharedChild(folder, round string) error {
	file, err := os.OpenFile(filepath.Join(folder, "journal"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	j := &journal{file: file, round: round}
	const lease = 15 * time.Second
	config := &resilience.Config{TaskRestart: resilience.RestartConfig{RestartBackoffBaseMs: 8000}}
	queue, err := resilience.NewQueue(config, resilience.WithStore(perCall{filepath.Join(folder, "tasks.db")}), resilience.WithQueueLease(lease))
	if err != nil {
		return err
	}
	queue.Register("job", func(ctx context.Context, payload []byte) error {
		j.write("run", string(payload), resilience.RestartNumber(ctx))
		return nil
	})
	for i := range sharedTasks {
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
	}
	time.Sleep(lease/3 + lease/10) // for the tasks of the other processes
	for _, task := range queue.Tasks() {
		j.write("seen", string(task.Restart.Task.Payload), 0)
	}
	for len(queue.Tasks()) > 0 {
		time.Sleep(50 * time.Millisecond)
	}
	_, err = queue.Shutdown(context.Background())
	return err
}
