package resilience

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/mask"
)

// Store keeps the records of a [Queue] over a restart of the process: see
// package boltstore for one in a file. It must be safe for concurrent use, and
// what it has been given must be durable when it returns. Records are opaque
// and are not changed or kept by the store beyond the call; one queue uses a
// store at a time.
type Store interface {
	// Put keeps a record under an id, in the place of an earlier one.
	Put(id string, record []byte) error
	// Delete removes a record; one that is not there is no error.
	Delete(id string) error
	// All returns all records by id.
	All() (map[string][]byte, error)
}

// recordVersion is the form of records. A record of another form is left alone.
const recordVersion = 1

// record is a task as it is stored: kind, payload, history and due time, and
// what calls are told apart by. The values of its context are not: they belong
// to the process. Secrets in its texts are masked, and endpoints have no user
// information and no query. The payload stays as it is, for the task needs it:
// that is why a store is readable for its owner alone.
type record struct {
	Version  int             `json:"version"`
	Key      string          `json:"key,omitempty"`
	Agent    string          `json:"agent,omitempty"`
	Targets  []Target        `json:"targets,omitempty"`
	Task     Task            `json:"task"`
	History  []recordAttempt `json:"history,omitempty"`
	Error    string          `json:"error,omitempty"`
	Result   classify.Result `json:"result"`
	Restarts int             `json:"restarts"`        // that have failed
	Waits    int             `json:"waits,omitempty"` // restarts in a row that a breaker refused
	Due      time.Time       `json:"due"`
}

// recordAttempt keeps the text of an error, which is all that outlives a
// process.
type recordAttempt struct {
	Attempt
	Error string `json:"error,omitempty"`
}

// record is t as it is stored, for a restart that is due then.
func (t *task) record(due time.Time) ([]byte, error) {
	if t.queue.store == nil {
		return nil, nil
	}
	r := record{
		Version: recordVersion, Key: mask.Text(t.restart.Key), Agent: mask.Text(t.restart.Agent), Task: t.restart.Task,
		Error: mask.Text(errText(t.restart.Err)), Result: shownResult(t.restart.Result), Restarts: t.spent(), Waits: t.waits, Due: due,
	}
	for _, target := range t.restart.Targets {
		r.Targets = append(r.Targets, target.shown())
	}
	for _, a := range t.restart.History {
		a.Target, a.Result = a.Target.shown(), shownResult(a.Result)
		r.History = append(r.History, recordAttempt{a, mask.Text(errText(a.Err))})
	}
	return json.Marshal(r)
}

// errText is the text of an error, which may be a stranger's and panic.
func errText(err error) (text string) {
	if err == nil {
		return ""
	}
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("%T", err)
		}
	}()
	return err.Error()
}

// storedError is an error of a process that has ended.
func storedError(text string) error {
	if text == "" {
		return nil
	}
	return errors.New(text)
}

// load queues what the store has kept.
func (q *Queue) load() error {
	if q.store == nil {
		return nil
	}
	records, err := q.store.All()
	if err != nil {
		return err
	}
	for id, encoded := range records {
		t, err := q.read(id, encoded)
		if err != nil {
			q.tell(context.Background(), &task{id: id}, Event{To: RestartFailed, Err: err})
			continue
		}
		q.tasks[id] = t
	}
	return nil
}

// read makes a task of a record.
func (q *Queue) read(id string, encoded []byte) (*task, error) {
	var r record
	if err := json.Unmarshal(encoded, &r); err != nil {
		return nil, fmt.Errorf("restart queue: record %q of the store is left alone: %w", id, err)
	}
	if r.Version != recordVersion {
		return nil, fmt.Errorf("restart queue: record %q of the store is left alone: it has version %d, known is %d", id, r.Version, recordVersion)
	}
	t := &task{
		queue: q, id: id, state: taskWaiting, ctx: context.Background(), restarts: r.Restarts, waits: r.Waits, due: r.Due,
		restart: Restart{Key: r.Key, Agent: r.Agent, Targets: r.Targets, Task: r.Task, Err: storedError(r.Error), Result: r.Result},
	}
	for _, a := range r.History {
		a.Err = storedError(a.Error)
		t.restart.History = append(t.restart.History, a.Attempt)
	}
	return t, nil
}
