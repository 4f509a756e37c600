package resilience

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/errclass/errclass/classify"
)

// Phase is the state of a task, or of all calls with the same key.
type Phase string

// These are the values of [Phase].
const (
	PhaseRunning   Phase = "running"
	PhaseWaiting   Phase = "waiting" // waiting for the next call
	PhaseQueued    Phase = "queued"  // in the restart queue
	PhaseSucceeded Phase = "succeeded"
	PhaseFailed    Phase = "failed"
)

// Status summarizes the calls that have the same key.
type Status struct {
	Key       string          `json:"key"`
	Phase     Phase           `json:"phase"`
	Target    Target          `json:"target"`
	Calls     int             `json:"calls"`     // in all
	Retries   int             `json:"retries"`   // calls that repeat a failed call to the same target
	Fallbacks int             `json:"fallbacks"` // changes of target
	Restarts  int             `json:"restarts"`
	Last      classify.Result `json:"last"` // the last failure
	Updated   time.Time       `json:"updated"`
	Events    []Event         `json:"events"` // the last 50, oldest first
}

const statusEvents = 50

// Statuses collects events and keeps a [Status] for each key. Pass Observe to
// [WithObserver]. Calls without a key are ignored. With more than a thousand keys,
// statuses without changes for an hour are dropped. The zero value is ready to use.
// Statuses is safe for concurrent use.
type Statuses struct {
	mu    sync.Mutex
	byKey recent[string, *Status]
}

// Observe records an event. It is an [Observer].
func (s *Statuses) Observe(_ context.Context, e Event) {
	if e.Key == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := e.Time
	if now.IsZero() {
		now = time.Now()
	}
	st, ok := s.byKey.get(e.Key, now)
	if !ok {
		st = &Status{Key: e.Key, Phase: PhaseRunning}
		s.byKey.set(e.Key, st, now)
	}
	st.add(e, now)
}

// Status returns a copy of the status of a key. If the key is unknown, ok is false.
func (s *Statuses) Status(key string) (status Status, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st, ok := s.byKey.get(key, time.Now())
	if !ok {
		return Status{}, false
	}
	status = *st
	status.Events = slices.Clone(st.Events)
	return status, true
}

func (s *Status) add(e Event, now time.Time) {
	if len(s.Events) == statusEvents {
		s.Events = append(s.Events[:0], s.Events[1:]...)
	}
	s.Events = append(s.Events, e)
	s.Updated = now
	if e.Target != (Target{}) {
		s.Target = e.Target
	}
	if e.Result.Category != "" {
		s.Last = e.Result
	}
	switch e.Kind {
	case KindAttempt:
		s.Phase = PhaseRunning
		s.Calls++
		if e.Cause.Category != "" {
			s.Retries++
		}
	case KindWait:
		s.Phase = PhaseWaiting
	case KindFallback:
		s.Phase = PhaseRunning
		s.Fallbacks++
	case KindDone:
		s.done(e)
	case KindStream:
		s.Phase = PhaseFailed
	case KindRestart:
		s.restart(e)
	case KindBreaker, KindHold, KindHealth, KindAlert: // these change no phase
	}
}

// done records the end of a call. A call in the restart queue keeps the phase
// PhaseQueued.
func (s *Status) done(e Event) {
	switch {
	case e.Err == nil:
		s.Phase = PhaseSucceeded
	case s.Phase != PhaseQueued:
		s.Phase = PhaseFailed
	}
}

// restartPhases maps the field To of a [KindRestart] event to a phase.
var restartPhases = map[string]Phase{
	RestartQueued:    PhaseQueued,
	RestartStarted:   PhaseRunning,
	RestartPostponed: PhaseQueued,
	RestartSucceeded: PhaseSucceeded,
	RestartRefused:   PhaseFailed,
	RestartFailed:    PhaseFailed,
	RestartReturned:  PhaseFailed,

	RestartMerged:      PhaseQueued,
	RestartInterrupted: PhaseQueued,
	RestartParked:      PhaseFailed,
	RestartUnhandled:   PhaseQueued,
}

func (s *Status) restart(e Event) {
	if phase, ok := restartPhases[e.To]; ok {
		s.Phase = phase
	}
	switch e.To {
	case RestartStarted:
		s.Restarts = e.Attempt
	case RestartPostponed:
		s.Restarts = e.Attempt - 1
	}
}
