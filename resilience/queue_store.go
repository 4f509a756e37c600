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

// Store persists the records of a [Queue]. Package boltstore has one in a file.
// A Store must be safe for concurrent use. Put and Delete must be durable when
// they return. Records are opaque; a Store must not change them or keep the
// slice. Only one queue may use a Store at a time.
type Store interface {
	// Put stores a record under an id and replaces an earlier one.
	Put(id string, record []byte) error
	// Delete removes a record. Deleting a missing record is no error.
	Delete(id string) error
	All() (map[string][]byte, error)
}

// recordVersion is the version of the record format. Records of other versions
// stay in the store unread.
const recordVersion = 1

// record is the stored form of a task. It has no context values, which belong
// to the process. Secrets in texts are masked, and endpoints have no user
// information and no query. The payload is not masked, because the task needs
// it; this is why a store must be readable by its owner only.
type record struct {
	Version       int             `json:"version"`
	Key           string          `json:"key,omitempty"`
	Agent         string          `json:"agent,omitempty"`
	Targets       []Target        `json:"targets,omitempty"`
	Task          Task            `json:"task"`
	History       []recordAttempt `json:"history,omitempty"`
	Error         string          `json:"error,omitempty"`
	Result        classify.Result `json:"result"`
	Restarts      int             `json:"restarts"`        // restarts that have failed
	Postponements int             `json:"waits,omitempty"` // consecutive restarts that a breaker refused
	Due           time.Time       `json:"due"`
}

// recordAttempt is an attempt with the text of its error, because error values
// cannot be stored.
type recordAttempt struct {
	Attempt
	Error string `json:"error,omitempty"`
}

// record returns the stored form of t. due is the time of the next restart.
func (t *task) record(due time.Time) ([]byte, error) {
	if t.queue.store == nil {
		return nil, nil
	}
	r := record{
		Version: recordVersion, Key: mask.Text(t.restart.Key), Agent: mask.Text(t.restart.Agent), Task: t.restart.Task,
		Error: mask.Text(errText(t.restart.Err)), Result: maskResult(t.restart.Result), Restarts: t.restartsUsed(), Postponements: t.postponements, Due: due,
	}
	for _, target := range t.restart.Targets {
		r.Targets = append(r.Targets, target.masked())
	}
	for _, a := range t.restart.History {
		a.Target, a.Result = a.Target.masked(), maskResult(a.Result)
		r.History = append(r.History, recordAttempt{a, mask.Text(errText(a.Err))})
	}
	return json.Marshal(r)
}

// errText returns the text of an error, or its type if Error panics.
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

// storedError returns an error with a stored text.
func storedError(text string) error {
	if text == "" {
		return nil
	}
	return errors.New(text)
}

// load queues the tasks of the store.
func (q *Queue) load() error {
	if q.store == nil {
		return nil
	}
	records, err := q.store.All()
	if err != nil {
		return err
	}
	for id, encoded := range records {
		t, err := q.decode(id, encoded)
		if err != nil {
			q.emit(context.Background(), &task{id: id}, Event{To: RestartFailed, Err: err})
			continue
		}
		q.tasks[id] = t
	}
	return nil
}

// decode makes a task from a record.
func (q *Queue) decode(id string, encoded []byte) (*task, error) {
	var r record
	if err := json.Unmarshal(encoded, &r); err != nil {
		return nil, fmt.Errorf("restart queue: record %q stays in the store: %w", id, err)
	}
	if r.Version != recordVersion {
		return nil, fmt.Errorf("restart queue: record %q stays in the store: unknown version %d, want %d", id, r.Version, recordVersion)
	}
	t := &task{
		queue: q, id: id, state: taskWaiting, ctx: context.Background(), restarts: r.Restarts, postponements: r.Postponements, due: r.Due,
		restart: Restart{Key: r.Key, Agent: r.Agent, Targets: r.Targets, Task: r.Task, Err: storedError(r.Error), Result: r.Result},
	}
	for _, a := range r.History {
		a.Err = storedError(a.Error)
		t.restart.History = append(t.restart.History, a.Attempt)
	}
	return t, nil
}
