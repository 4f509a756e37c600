package asynqrestart

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hibiken/asynq"

	"github.com/errclass/errclass/resilience"
)

// lister returns the tasks of a queue in one asynq state, such as "scheduled".
type lister func(queue string, opts ...asynq.ListOption) ([]*asynq.TaskInfo, error)

// maxListed limits how many tasks of each kind and state are listed.
const maxListed = 10000

func (q *Queue) listers() []lister {
	i := q.inspector
	return []lister{i.ListScheduledTasks, i.ListRetryTasks, i.ListPendingTasks, i.ListActiveTasks, i.ListArchivedTasks}
}

// queues returns the asynq queues of this package. Each kind of which a task was ever
// stored has one queue.
func (q *Queue) queues() ([]string, error) {
	all, err := q.inspector.Queues()
	return slices.DeleteFunc(all, func(name string) bool { _, ours := kindOf(name); return !ours }), err
}

// Tasks returns the tasks of all kinds in the fleet, ordered by Due. It returns at
// most 10,000 tasks of each kind and state. The field History of each restart is
// empty.
func (q *Queue) Tasks(ctx context.Context) ([]resilience.QueuedTask, error) {
	names, err := q.queues()
	if err != nil {
		return nil, fmt.Errorf("asynqrestart: list the queues: %w", err)
	}
	var all []resilience.QueuedTask
	for _, name := range names {
		for _, list := range q.listers() {
			infos, err := list(name, asynq.PageSize(maxListed))
			if err != nil && !errors.Is(err, asynq.ErrQueueNotFound) {
				return nil, fmt.Errorf("asynqrestart: list %s: %w", name, err)
			}
			for _, info := range infos {
				rec, err := decode(info.Payload)
				if err != nil {
					continue // the method handle reports the error when the task is due
				}
				c, _, err := q.read(ctx, rec.Offer)
				if err != nil {
					return nil, fmt.Errorf("asynqrestart: read the counts of %s: %w", info.ID, err)
				}
				all = append(all, resilience.QueuedTask{
					ID: info.ID, Restart: rec.offered(), Restarts: c.number, Due: info.NextProcessAt,
					Running: info.State == asynq.TaskStateActive, Parked: info.State == asynq.TaskStateArchived, Stored: true,
				})
			}
		}
	}
	slices.SortFunc(all, func(a, b resilience.QueuedTask) int { return cmp.Or(a.Due.Compare(b.Due), cmp.Compare(a.ID, b.ID)) })
	return all, nil
}

// Resume makes a parked task due at once. After three more crashes the task is
// parked again. The id comes from a [resilience.QueuedTask].
func (q *Queue) Resume(ctx context.Context, kind, id string) error {
	rec, err := q.parked(kind, id)
	if err != nil {
		return err
	}
	if err := q.client.HDel(ctx, stateKey(rec.Offer), "crashes", "owner").Err(); err != nil {
		return fmt.Errorf("resume task %q: %w", id, err)
	}
	if err := q.inspector.RunTask(queuePrefix+kind, id); err != nil {
		return fmt.Errorf("resume task %q: %w", id, err)
	}
	q.emit(ctx, id, rec, resilience.Event{To: resilience.RestartQueued, Result: rec.Result})
	return nil
}

// Discard removes a parked task. The id comes from a [resilience.QueuedTask].
func (q *Queue) Discard(ctx context.Context, kind, id string) error {
	rec, err := q.parked(kind, id)
	if err != nil {
		return err
	}
	if err := q.inspector.DeleteTask(queuePrefix+kind, id); err != nil {
		return fmt.Errorf("discard task %q: %w", id, err)
	}
	q.client.Del(ctx, stateKey(rec.Offer)) // if this fails, the state expires
	q.emit(ctx, id, rec, resilience.Event{To: resilience.RestartFailed, Result: rec.Result, Err: fmt.Errorf("%w, and was discarded", resilience.ErrParked)})
	return nil
}

// parked returns the record of a parked task.
func (q *Queue) parked(kind, id string) (record, error) {
	info, err := q.inspector.GetTaskInfo(queuePrefix+kind, id)
	switch {
	case errors.Is(err, asynq.ErrTaskNotFound), errors.Is(err, asynq.ErrQueueNotFound):
		return record{}, fmt.Errorf("no task of kind %q has the id %q", kind, id)
	case err != nil:
		return record{}, fmt.Errorf("read task %q: %w", id, err)
	case info.State != asynq.TaskStateArchived:
		return record{}, fmt.Errorf("task %q is not parked", id)
	}
	return decode(info.Payload)
}

// These constants limit one check for unhandled tasks.
const (
	checkPage  = 10      // tasks that Redis lists at a time: the payloads can be large
	checkBytes = 1 << 20 // the next check goes on after payloads of this size
)

// watch looks for due tasks of unregistered kinds until Shutdown. own has the queues
// that this process reads.
func (q *Queue) watch(own map[string]int) {
	tick := time.NewTicker(6 * q.check)
	defer tick.Stop()
	pages := map[string]int{}
	for {
		select {
		case <-q.stop:
			return
		case <-tick.C:
			q.reportUnhandled(own, pages)
		}
	}
}

// reportUnhandled emits an event for each due task of an unregistered kind. Errors
// are ignored, because the check is soon repeated. pages has the page at which each
// list goes on.
func (q *Queue) reportUnhandled(own, pages map[string]int) {
	names, err := q.unserved(own)
	if err != nil {
		return
	}
	for _, name := range names {
		pages[name+" scheduled"] = q.reportOverdue(name, pages[name+" scheduled"], q.inspector.ListScheduledTasks)
		pages[name+" retry"] = q.reportOverdue(name, pages[name+" retry"], q.inspector.ListRetryTasks)
	}
}

// unserved returns the queues that no machine reads.
func (q *Queue) unserved(own map[string]int) ([]string, error) {
	names, err := q.queues()
	names = slices.DeleteFunc(names, func(name string) bool { return own[name] > 0 })
	if err != nil || len(names) == 0 {
		return nil, err
	}
	servers, err := q.inspector.Servers() // also reads the payloads of all running tasks
	return slices.DeleteFunc(names, func(name string) bool {
		return slices.ContainsFunc(servers, func(s *asynq.ServerInfo) bool { return s.Queues[name] > 0 })
	}), err
}

// reportOverdue emits the events for the tasks of a list, which is ordered by due time.
// It begins at a page and ends at the first task that is not overdue, or after
// checkBytes. It returns the page at which the next check begins.
func (q *Queue) reportOverdue(name string, page int, list lister) (next int) {
	for size := 0; size < checkBytes; page++ {
		infos, err := list(name, asynq.PageSize(checkPage), asynq.Page(page+1))
		if err != nil || len(infos) == 0 {
			return 0
		}
		for _, info := range infos {
			if q.stopped() || time.Since(info.NextProcessAt) < 6*q.check {
				return 0
			}
			size += len(info.Payload)
			q.unhandled(info)
		}
	}
	return page
}

// stopped reports whether Shutdown has begun.
func (q *Queue) stopped() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.closed
}

// unhandled emits the event for a due task of an unregistered kind. Redis ensures
// one event per task in the whole fleet.
func (q *Queue) unhandled(info *asynq.TaskInfo) {
	rec, err := decode(info.Payload)
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(q.base, storeTimeout)
	defer cancel()
	first, err := q.client.HSetNX(ctx, stateKey(rec.Offer), "unhandled", 1).Result()
	if err != nil || !first {
		return
	}
	q.client.PExpire(ctx, stateKey(rec.Offer), stateLife)
	q.emit(ctx, info.ID, rec, resilience.Event{
		To: resilience.RestartUnhandled, Attempt: 1, Result: rec.Result,
		Err: fmt.Errorf("no process has registered kind %q: call Queue.Register and Queue.Start", rec.Task.Kind),
	})
}
