package resilience

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/errclass/errclass/classify"
)

// Phase is where a keyed call, or a task, stands.
type Phase string

// The phases.
const (
	PhaseRunning   Phase = "running"
	PhaseWaiting   Phase = "waiting" // for the next call
	PhaseQueued    Phase = "queued"  // for a restart
	PhaseSucceeded Phase = "succeeded"
	PhaseFailed    Phase = "failed"
)

// Status is what became of the calls with one key.
type Status struct {
	Key       string          `json:"key"`
	Phase     Phase           `json:"phase"`
	Target    Target          `json:"target"`
	Calls     int             `json:"calls"`     // in all
	Retries   int             `json:"retries"`   // of them to a target that had just failed
	Fallbacks int             `json:"fallbacks"` // changes of target
	Restarts  int             `json:"restarts"`
	Last      classify.Result `json:"last"` // of the last failure
	Updated   time.Time       `json:"updated"`
	Events    []Event         `json:"events"` // the last 50, oldest first
}

// statusEvents is how many events a status keeps.
const statusEvents = 50

// Statuses makes events visible as the status of a task. Give Observe to
// [WithObserver]. Calls without a key are left out; a status that nothing has
// changed for an hour may be forgotten once there are more than a thousand. The
// zero value is ready and safe for concurrent use.
type Statuses struct {
	mu sync.Mutex
	by recent[string, *Status]
}

// Observe takes an event. It is an [Observer].
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
	st, ok := s.by.get(e.Key, now)
	if !ok {
		st = &Status{Key: e.Key, Phase: PhaseRunning}
		s.by.set(e.Key, st, now)
	}
	st.add(e, now)
}

// Status returns the status of a key; ok is false where no event had it. The
// caller owns what it gets.
func (s *Statuses) Status(key string) (status Status, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st, ok := s.by.get(key, time.Now())
	if !ok {
		return Status{}, false
	}
	status = *st
	status.Events = slices.Clone(st.Events)
	return status, true
}

// add is what an event changes.
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
	case KindRestart:
		s.restart(e.To)
	case KindBreaker, KindHealth, KindAlert: // these change no phase
	}
}

// done: a call has ended. One that the restart queue has taken over has not
// failed yet.
func (s *Status) done(e Event) {
	switch {
	case e.Err == nil:
		s.Phase = PhaseSucceeded
	case s.Phase != PhaseQueued:
		s.Phase = PhaseFailed
	}
}

// restartPhases: what became of a task, in events of [KindRestart].
var restartPhases = map[string]Phase{
	RestartQueued:    PhaseQueued,
	RestartStarted:   PhaseRunning,
	RestartPostponed: PhaseQueued,
	RestartSucceeded: PhaseSucceeded,
	RestartRefused:   PhaseFailed,
	RestartFailed:    PhaseFailed,
	RestartReturned:  PhaseFailed,
}

func (s *Status) restart(to string) {
	if phase, ok := restartPhases[to]; ok {
		s.Phase = phase
	}
	switch to {
	case RestartStarted:
		s.Restarts++
	case RestartPostponed:
		s.Restarts--
	}
}
