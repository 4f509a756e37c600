package resilience

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/errclass/errclass/internal/mask"
)

// notify sends pending events to the observers, in order and without holding mu.
// Only one goroutine sends at a time.
func (h *Health) notify(ctx context.Context) {
	for h.pending() && h.notifying.TryLock() {
		h.send(ctx)
	}
}

// send sends pending events. The caller has locked h.notifying; send unlocks it.
func (h *Health) send(ctx context.Context) {
	defer h.notifying.Unlock()
	h.mu.Lock()
	events := h.events
	h.events = nil
	h.mu.Unlock()
	for _, e := range events {
		h.observers.notify(ctx, e)
	}
}

func (h *Health) pending() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.events) > 0
}

// EndpointHealth is the health of one endpoint, as [Health.Snapshot] returns it. The
// counts cover the calls and pings of the last [HealthWindow]. They include
// successes and the failures for which [Outcome.Failed] is true.
type EndpointHealth struct {
	Endpoint     string        `json:"endpoint"`
	Healthy      bool          `json:"healthy"`
	Calls        int           `json:"calls"`
	Failed       int           `json:"failed"`
	SuccessRate  float64       `json:"successRate"` // 1 without calls
	FailureRate  float64       `json:"failureRate"`
	Latency      time.Duration `json:"latency"`                // average
	LastPing     time.Time     `json:"lastPing,omitzero"`      // zero without pings
	PingBroken   bool          `json:"pingBroken,omitempty"`   // the last ping was itself faulty
	Sessions     int           `json:"sessions,omitempty"`     // number of live sessions
	SessionError string        `json:"sessionError,omitempty"` // error of the last session that died; secrets are masked
}

// Snapshot returns the health of all endpoints, ordered by name.
func (h *Health) Snapshot() []EndpointHealth {
	defer h.notify(context.Background())
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
	s := EndpointHealth{Endpoint: e.name, Healthy: h.evaluate(e, Event{}), SuccessRate: 1, LastPing: e.lastPing, PingBroken: e.pingBroken, Sessions: e.sessions}
	if c := e.window.advance(h.second(time.Now())); c.calls > 0 {
		s.Calls, s.Failed = c.calls, c.failed
		s.FailureRate = float64(c.failed) / float64(c.calls)
		s.SuccessRate = 1 - s.FailureRate
		s.Latency = c.latency / time.Duration(c.calls)
	}
	if e.sessionErr != nil {
		s.SessionError = mask.Text(e.sessionErr.Error())
	}
	return s
}
