package resilience

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// DefaultQueueLease is how long a lease of a task lasts without renewal.
// [WithQueueLease] changes it.
const DefaultQueueLease = 30 * time.Second

// maxCrashes is the number of crashes after which a task is parked. A crash is the
// end of a process during a restart.
const maxCrashes = 3

// ErrLeaseLost is the cause with which a task's context ends if the lease cannot be
// renewed. Another queue can then run the task.
var ErrLeaseLost = errors.New("the lease of the task is lost")

// WithQueueLease sets how long the lease of a task lasts. The default, also for d <=
// 0, is [DefaultQueueLease]. The lease of a running task is renewed every d/3. If the
// process dies, another queue takes the task over within d*4/3. If d is too short, a
// task can run in two queues at once.
func WithQueueLease(d time.Duration) QueueOption {
	return queueOption(func(q *Queue) {
		if d > 0 {
			q.lease = d
		}
	})
}

// lease is a part of the record of a running task. The rules are:
//
//   - Other queues do not run the task until the lease has ended.
//   - The lease has ended if the record has not changed for Duration.
//   - Other queues measure this time with their own clocks, and never compare Expires.
type lease struct {
	Owner    string        `json:"owner"`
	Expires  time.Time     `json:"expires"`
	Duration time.Duration `json:"duration"`
	Ending   bool          `json:"ending,omitempty"` // Shutdown has canceled the restart, so its end is no crash
}

// taskRun is one restart of a task.
type taskRun struct {
	task    *task
	number  int // of the restart
	cancel  context.CancelCauseFunc
	renewal *time.Timer // next renewal of the lease
	expiry  *time.Timer // cancels the restart; each renewal resets it

	reoffered      bool // the task has been offered again
	postponed      bool // a breaker or a rate limit refused the call
	failureCounted bool // a failure of the restart has been recorded
	ending         bool // Shutdown has canceled the restart
	over           bool // the task's function has returned

	ended chan struct{} // closed when the task is removed or waits for the next restart
}

// keepLease starts the two timers of a lease. One timer renews the lease. The other
// timer cancels the restart if no renewal succeeds. The caller holds mu.
func (q *Queue) keepLease(t *task, r *taskRun) {
	if q.store == nil {
		return
	}
	r.expiry = time.AfterFunc(q.lease*2/3, func() { r.cancel(ErrLeaseLost) })
	r.renewal = time.AfterFunc(q.lease/3, func() { q.renew(t, r) })
}

// renew renews the lease of a running task.
func (q *Queue) renew(t *task, r *taskRun) {
	if q.store == nil {
		return
	}
	begin := time.Now()
	err := q.save(t, func() (*record, bool) {
		if t.run != r || r.over {
			return nil, false
		}
		return t.record(), true
	})
	q.mu.Lock()
	defer q.mu.Unlock()
	if t.run != r || r.over {
		return
	}
	switch {
	case err == nil:
		r.expiry.Reset(q.lease*2/3 - time.Since(begin))
	case errors.Is(err, ErrLeaseLost):
		r.cancel(err)
		return
	}
	r.renewal.Reset(q.lease / 3)
}

// end marks the restart as over and stops the timers of the lease. The caller holds
// mu.
func (r *taskRun) end() {
	r.over = true
	for _, timer := range []*time.Timer{r.renewal, r.expiry} {
		if timer != nil {
			timer.Stop()
		}
	}
}

// takeOver queues or parks a task that has an expired lease. If several queues try to
// take over a task at the same time, only one succeeds. takeOver emits its event
// (RestartInterrupted or RestartParked) before it changes the record. So if the process
// ends between these two steps, the event is repeated, but not lost.
func (q *Queue) takeOver(t *task) {
	q.mu.Lock()
	if !q.leaseOver(t) {
		q.mu.Unlock()
		return
	}
	crashes := t.crashes
	// If this queue owns the lease, no process has crashed: the restart has ended, but
	// the queue could not store the end of the restart.
	if !t.lease.Ending && t.lease.Owner != q.owner {
		crashes++
	}
	e := Event{
		To: RestartInterrupted, Attempt: t.number, Result: t.restart.Result,
		Err: fmt.Errorf("the process ended during restart %d, or could not renew its lease", t.number),
	}
	if crashes >= maxCrashes {
		e.To, e.Err = RestartParked, fmt.Errorf("%w: the process ended during %d restarts", ErrParked, crashes)
	}
	isNew := !t.reported
	t.reported = true
	q.mu.Unlock()

	if isNew {
		q.emit(t.ctx, t, e)
	}
	expired := false
	err := q.save(t, func() (*record, bool) {
		if !q.leaseOver(t) {
			return nil, false
		}
		expired = true
		r := t.record()
		r.Crashes, r.Parked = crashes, e.To == RestartParked
		return r, true
	})
	q.mu.Lock()
	defer q.mu.Unlock()
	if !expired || err != nil || t.state != taskElsewhere {
		return // the next scan tries again
	}
	due := t.due // already corrected if the clock was set back
	if t.read(t.stored) == nil {
		t.due = due
		q.arm(t)
	}
}

// leaseOver reports whether another queue's lease on t has expired. The caller holds
// mu.
func (q *Queue) leaseOver(t *task) bool {
	if q.tasks[t.id] != t || t.state != taskElsewhere || t.lease == nil {
		return false
	}
	d := t.lease.Duration
	if d <= 0 {
		d = q.lease
	}
	return time.Since(t.seen) >= d
}

// ErrParked means that a task is parked. The error of [Queue.Offer] wraps ErrParked
// if a parked task has the kind, key and payload of the offered call. Errors in events
// of parked tasks wrap ErrParked too.
var ErrParked = errors.New("the task is parked")

// Resume queues a parked task again, due at once. The argument id is
// [QueuedTask].ID. After three more crashes, the task is parked again.
func (q *Queue) Resume(id string) error {
	t, err := q.parked(id)
	if err != nil {
		return err
	}
	due := time.Now()
	err = q.save(t, func() (*record, bool) {
		r := t.record()
		r.Parked, r.Crashes, r.Due, r.Pause = false, 0, due, 0
		return r, true
	})
	if err != nil {
		return fmt.Errorf("resume task %q: %w", id, err)
	}
	q.emit(t.ctx, t, Event{To: RestartQueued, Attempt: t.number + 1, Result: t.restart.Result, Err: t.restart.Err})
	q.mu.Lock()
	defer q.mu.Unlock()
	t.state, t.crashes, t.due, t.pause = taskWaiting, 0, due, 0
	q.arm(t)
	return nil
}

// Discard removes a parked task. The argument id is [QueuedTask].ID.
func (q *Queue) Discard(id string) error {
	t, err := q.parked(id)
	if err != nil {
		return err
	}
	if err := q.save(t, func() (*record, bool) { return nil, true }); err != nil {
		return fmt.Errorf("discard task %q: %w", id, err)
	}
	q.emit(t.ctx, t, Event{To: RestartFailed, Attempt: t.number, Result: t.restart.Result, Err: fmt.Errorf("%w, and was discarded", ErrParked)})
	return nil
}

// parked returns a parked task, or an error.
func (q *Queue) parked(id string) (*task, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	t := q.tasks[id]
	switch {
	case q.closed:
		return nil, ErrQueueClosed
	case t == nil:
		return nil, fmt.Errorf("no task has the id %q", id)
	case t.state != taskParked:
		return nil, fmt.Errorf("task %q is not parked", id)
	}
	return t, nil
}
