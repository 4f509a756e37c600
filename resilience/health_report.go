package resilience

import (
	"context"
	"slices"
	"strings"
	"time"
)

// tell tells the observers of what has happened, in the order in which it did
// and without a lock that they could wait for: what happens meanwhile is told
// by whoever is telling already.
func (h *Health) tell(ctx context.Context) {
	for h.untold() && h.telling.TryLock() {
		h.mu.Lock()
		events := h.events
		h.events = nil
		h.mu.Unlock()
		for _, e := range events {
			h.observers.notify(ctx, e)
		}
		h.telling.Unlock()
	}
}

func (h *Health) untold() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.events) > 0
}

// EndpointHealth is one line of a snapshot: the calls and pings of the last
// [HealthWindow] that said something about an endpoint.
type EndpointHealth struct {
	Endpoint     string        `json:"endpoint"`
	Healthy      bool          `json:"healthy"`
	Calls        int           `json:"calls"`
	Failed       int           `json:"failed"`
	SuccessRate  float64       `json:"successRate"` // of Calls; 1 where there are none
	FailureRate  float64       `json:"failureRate"`
	Latency      time.Duration `json:"latency"`                // on average
	LastPing     time.Time     `json:"lastPing,omitzero"`      // zero where there was none
	PingBroken   bool          `json:"pingBroken,omitempty"`   // the last ping failed by its own fault, so it says nothing
	Sessions     int           `json:"sessions,omitempty"`     // that are watched and alive
	SessionError string        `json:"sessionError,omitempty"` // why the last session died
}

// Snapshot returns the health of all endpoints, ordered by name.
func (h *Health) Snapshot() []EndpointHealth {
	defer h.tell(context.Background())
	h.mu.Lock()
	defer h.mu.Unlock()
	all := make([]EndpointHealth, 0, h.endpoints.len())
	for _, e := range h.endpoints.each() {
		all = append(all, h.snapshot(e))
	}
	slices.SortFunc(all, func(x, y EndpointHealth) int { return strings.Compare(x.Endpoint, y.Endpoint) })
	return all
}

func (h *Health) snapshot(e *endpointHealth) EndpointHealth {
	s := EndpointHealth{Endpoint: e.name, Healthy: h.judge(e, Event{}), SuccessRate: 1, LastPing: e.pinged, PingBroken: e.blind, Sessions: e.live}
	if c := e.window.at(h.second(time.Now())); c.calls > 0 {
		s.Calls, s.Failed = c.calls, c.failed
		s.FailureRate = float64(c.failed) / float64(c.calls)
		s.SuccessRate = 1 - s.FailureRate
		s.Latency = c.latency / time.Duration(c.calls)
	}
	if e.dead != nil {
		s.SessionError = e.dead.Error()
	}
	return s
}
