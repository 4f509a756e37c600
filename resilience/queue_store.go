package resilience

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/mask"
	"github.com/errclass/errclass/resilience/internal/restart"
)

// Store persists the records of a [Queue]. Package boltstore has a Store that uses a
// file.
//
// A Store must meet these requirements:
//
//   - It is safe for concurrent use.
//   - A change is durable when Swap returns.
//   - Records are opaque. The Store does not change them or keep the slices.
//
// Queues of several processes can share a Store. Swap then prevents two queues from
// running the same task. Most databases can implement Swap with a transaction, a
// script, or a conditional UPDATE.
type Store interface {
	// Swap atomically replaces the record of id with next if the stored record
	// equals old. A nil old means that no record is stored yet. A nil next removes
	// the record. If the stored record differs from old, Swap changes nothing and
	// returns false.
	Swap(id string, old, next []byte) (swapped bool, err error)
	// All returns all records. The keys of the map are the ids.
	All() (map[string][]byte, error)
}

// recordVersion is the version of the record format. Records of other versions stay
// in the store unread.
const recordVersion = 1

// record is the format in which a task is stored. Secrets are masked, except in the
// payload. So only the owner of a store should be able to read the store. Context
// values are not stored.
type record struct {
	Version       int             `json:"version"`
	Key           string          `json:"key,omitempty"`
	Agent         string          `json:"agent,omitempty"`
	Targets       []Target        `json:"targets,omitempty"`
	Task          Task            `json:"task"`
	History       []recordAttempt `json:"history,omitempty"`
	Error         string          `json:"error,omitempty"`
	Result        classify.Result `json:"result"`
	Number        int             `json:"restarts"`           // number of the last restart that has begun
	Failures      int             `json:"failures,omitempty"` // restarts that have failed
	Crashes       int             `json:"crashes,omitempty"`  // restarts during which the process ended, without the leased one
	Postponements int             `json:"waits,omitempty"`    // consecutive refused restarts
	Due           time.Time       `json:"due"`                // time of the next restart
	Pause         time.Duration   `json:"pause,omitempty"`    // the pause before Due
	Parked        bool            `json:"parked,omitempty"`   // see RestartParked
	Lease         *lease          `json:"lease,omitempty"`    // set while a queue runs the task
}

// recordAttempt is an attempt with the text of its error, because error values
// cannot be stored.
type recordAttempt struct {
	Attempt
	Error string `json:"error,omitempty"`
}

// record returns the record to store for t. If t is running, the record has a lease.
// The caller holds mu.
func (t *task) record() *record {
	r := &record{
		Version: recordVersion, Key: mask.Text(t.restart.Key), Agent: mask.Text(t.restart.Agent), Task: t.restart.Task,
		Error: mask.Text(restart.ErrorText(t.restart.Err)), Result: maskResult(t.restart.Result),
		Number: t.counted(), Failures: t.failures, Crashes: t.crashes, Postponements: t.postponements, Due: t.due, Pause: t.pause,
		Parked: t.state == taskParked,
	}
	if t.state == taskRunning && !t.run.over {
		r.Number = t.number
		r.Lease = &lease{Owner: t.queue.owner, Expires: time.Now().Add(t.queue.lease), Duration: t.queue.lease, Ending: t.run.ending}
	}
	for _, target := range t.restart.Targets {
		r.Targets = append(r.Targets, target.masked())
	}
	for _, a := range t.restart.History {
		a.Target, a.Result = a.Target.masked(), maskResult(a.Result)
		r.History = append(r.History, recordAttempt{a, mask.Text(restart.ErrorText(a.Err))})
	}
	return r
}

// storedError returns an error with a stored text.
func storedError(text string) error {
	if text == "" {
		return nil
	}
	return errors.New(text)
}

// read sets the fields of t from an encoded record. The caller holds mu.
func (t *task) read(encoded []byte) error {
	var r record
	if err := json.Unmarshal(encoded, &r); err != nil {
		return fmt.Errorf("restart queue: record %q stays in the store: %w", t.id, err)
	}
	if r.Version != recordVersion {
		return fmt.Errorf("restart queue: record %q stays in the store: unknown version %d, want %d", t.id, r.Version, recordVersion)
	}
	t.queue.unlist(t)
	t.refusedBy = "" // another queue can have run the task since then
	t.stored, t.state, t.lease, t.seen, t.reported = encoded, taskWaiting, r.Lease, time.Now(), false
	t.number, t.failures, t.crashes, t.postponements = r.Number, r.Failures, r.Crashes, r.Postponements
	t.restart = Restart{Key: r.Key, Agent: r.Agent, Targets: r.Targets, Task: r.Task, Err: storedError(r.Error), Result: r.Result}
	for _, a := range r.History {
		a.Err = storedError(a.Error)
		t.restart.History = append(t.restart.History, a.Attempt)
	}
	t.pause = cmp.Or(max(r.Pause, 0), longestRestartDelay)
	t.due = r.Due
	if time.Until(t.due) > t.pause { // the clock was set back
		t.due = time.Now().Add(t.pause)
	}
	switch {
	case r.Lease != nil:
		t.state = taskElsewhere
	case r.Parked:
		t.state = taskParked
	}
	return nil
}

// save stores the record that newRecord returns:
//
//   - If r is nil, the stored record is removed.
//   - If ok is false, nothing is changed.
//   - If another queue has changed the record, the error is [ErrLeaseLost].
//
// newRecord is called with mu held.
func (q *Queue) save(t *task, newRecord func() (r *record, ok bool)) error {
	if q.store == nil {
		return nil
	}
	t.writing <- struct{}{}
	defer func() { <-t.writing }()
	q.mu.Lock()
	r, ok := newRecord()
	old := t.stored
	q.mu.Unlock()
	if !ok {
		return nil
	}
	var encoded []byte
	if r != nil {
		var err error
		if encoded, err = json.Marshal(r); err != nil {
			return err
		}
	}
	swapped, err := q.store.Swap(t.id, old, encoded)
	if err != nil {
		return fmt.Errorf("store it: %w", err)
	}
	if !swapped {
		return ErrLeaseLost
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	t.stored = encoded
	if q.changed != nil {
		q.changed[t.id] = true
	}
	if encoded == nil && q.tasks[t.id] == t {
		delete(q.tasks, t.id)
	}
	return nil
}
