package resilience

import (
	"bytes"
	"context"
	"fmt"
	"time"
)

// scan reads the store to find changes by other queues. Records that this queue
// changes meanwhile are ignored.
func (q *Queue) scan() error {
	q.scanning <- struct{}{}
	defer func() { <-q.scanning }()
	q.mu.Lock()
	q.changed = map[string]bool{}
	q.mu.Unlock()
	records, err := q.store.All()

	q.mu.Lock()
	changed := q.changed
	q.changed = nil
	if err != nil {
		q.mu.Unlock()
		return err
	}
	var unread []unreadRecord
	for id, encoded := range records {
		if err := q.refresh(id, encoded, changed[id]); err != nil && !q.unread[id] {
			q.unread[id] = true
			unread = append(unread, unreadRecord{id, err})
		}
	}
	var over []*task
	for id, t := range q.tasks {
		_, stored := records[id]
		switch {
		case !stored && !changed[id] && t.idle():
			t.disarm()
			delete(q.tasks, id)
		case q.leaseOver(t):
			over = append(over, t)
		}
	}
	ended := make([]*task, 0, len(q.ended))
	for _, t := range q.ended {
		ended = append(ended, t)
	}
	q.mu.Unlock()

	for _, u := range unread {
		q.emit(context.Background(), &task{id: u.id}, Event{To: RestartFailed, Err: u.err})
	}
	for _, t := range over {
		q.takeOver(t)
	}
	for _, t := range ended {
		q.removeEnded(t)
	}
	return nil
}

type unreadRecord struct {
	id  string
	err error
}

// refresh updates a task from its record, unless this queue has changed the record.
// The caller holds mu.
func (q *Queue) refresh(id string, encoded []byte, changed bool) error {
	t := q.tasks[id]
	if changed || q.ended[id] != nil || t != nil && !t.idle() {
		return nil
	}
	if t == nil {
		t = q.newTask(id)
		t.ctx = context.Background()
	} else if bytes.Equal(encoded, t.stored) && (t.state != taskElsewhere || t.lease != nil) {
		return nil
	}
	if err := t.read(encoded); err != nil {
		return err
	}
	q.tasks[id] = t
	q.arm(t)
	return nil
}

// idle reports whether this queue neither runs t nor writes its record. The caller
// holds mu.
func (t *task) idle() bool {
	return t.state != taskSaving && t.state != taskRunning && len(t.writing) == 0
}

// removeEnded tries again to remove the record of a task that has ended.
func (q *Queue) removeEnded(t *task) {
	_, err := q.store.Swap(t.id, t.stored, nil)
	q.mu.Lock()
	defer q.mu.Unlock()
	if err == nil && q.ended[t.id] == t {
		delete(q.ended, t.id)
		if q.changed != nil {
			q.changed[t.id] = true
		}
	}
}

// watch scans the store and sets the timer for the next scan. After Shutdown, it does
// neither. Errors of the store are ignored, because the next write reports them.
func (q *Queue) watch() {
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		return
	}
	q.active++
	q.mu.Unlock()
	defer q.release()
	if q.scan() == nil {
		q.reportUnhandled()
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed {
		q.scanTimer.Reset(q.lease / 3)
	}
}

// reportUnhandled emits an event for each task that is overdue and has an
// unregistered kind.
func (q *Queue) reportUnhandled() {
	var unhandled []*task
	q.mu.Lock()
	for _, t := range q.tasks {
		if t.state == taskWaiting && q.kinds[t.restart.Task.Kind] == nil && !t.unhandled && time.Since(t.due) >= q.lease {
			t.unhandled = true
			unhandled = append(unhandled, t)
		}
	}
	q.mu.Unlock()
	for _, t := range unhandled {
		q.emit(t.ctx, t, Event{
			To: RestartUnhandled, Attempt: t.number + 1, Result: t.restart.Result,
			Err: fmt.Errorf("kind %q is not registered: call Queue.Register", t.restart.Task.Kind),
		})
	}
}
