package asynqrestart

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/mask"
	"github.com/errclass/errclass/resilience"
	"github.com/errclass/errclass/resilience/internal/restart"
)

// recordVersion is the version of the record format.
const recordVersion = 1

// record is the payload of an asynq task. Secrets are masked, except in
// Task.Payload.
type record struct {
	Version  int                 `json:"version"`
	Offer    string              `json:"offer"` // random id of this task, for the key of its counts
	Key      string              `json:"key,omitempty"`
	Agent    string              `json:"agent,omitempty"`
	Targets  []resilience.Target `json:"targets,omitempty"`
	Task     resilience.Task     `json:"task"`
	Error    string              `json:"error,omitempty"`
	Result   classify.Result     `json:"result"`
	Failures int                 `json:"failures,omitempty"` // failed restarts of the task that made this call
}

func newRecord(r resilience.Restart, failures int) record {
	rec := record{
		Version: recordVersion, Offer: rand.Text(), Key: mask.Text(r.Key), Agent: mask.Text(r.Agent), Task: r.Task,
		Error: mask.Text(restart.ErrorText(r.Err)), Result: r.Result, Failures: failures,
	}
	rec.Result.Provider, rec.Result.Rule = mask.Text(r.Result.Provider), mask.Text(r.Result.Rule)
	for _, t := range r.Targets {
		rec.Targets = append(rec.Targets, masked(t))
	}
	return rec
}

func masked(t resilience.Target) resilience.Target {
	return resilience.Target{Endpoint: mask.Endpoint(t.Endpoint), Provider: mask.Name(t.Provider), Model: mask.Name(t.Model), Key: mask.Name(t.Key)}
}

// decode reads a record.
func decode(payload []byte) (r record, err error) {
	if err := json.Unmarshal(payload, &r); err != nil {
		return record{}, fmt.Errorf("asynqrestart: the task's record cannot be read: %w", err)
	}
	if r.Version != recordVersion || r.Offer == "" {
		return record{}, fmt.Errorf("asynqrestart: the task's record has version %d, want %d", r.Version, recordVersion)
	}
	return r, nil
}

// offered returns the Restart of r, with masked texts and without the history.
func (r record) offered() resilience.Restart {
	offered := resilience.Restart{Key: r.Key, Agent: r.Agent, Targets: slices.Clone(r.Targets), Task: r.Task, Result: r.Result}
	if r.Error != "" {
		offered.Err = errors.New(r.Error)
	}
	return offered
}

// matches reports whether the argument other has the kind and payload of r.
func (r record) matches(other resilience.Task) bool {
	return r.Task.Kind == other.Kind && bytes.Equal(r.Task.Payload, other.Payload)
}
