package otelclass

import (
	"context"
	"slices"
	"sync"
	"time"

	"go.opentelemetry.io/otel/metric"
)

// endpointStates has the state of each endpoint, for a gauge. The label "other" has
// the worst state of all endpoints that share it.
type endpointStates struct {
	ranked []string // all possible states, from the normal one to the worst
	labels *boundedLabels

	mu     sync.Mutex
	states map[string]string // label -> state
	shared map[string]string // endpoint with the label "other" -> state; the normal state is omitted
	counts map[string]int    // state -> number of endpoints in shared
}

// maxShared is the maximum number of endpoints in endpointStates.shared.
const maxShared = 4096

func newEndpointStates(labels *boundedLabels, ranked ...string) *endpointStates {
	return &endpointStates{ranked: ranked, labels: labels, states: map[string]string{}, shared: map[string]string{}, counts: map[string]int{}}
}

// set sets the state of an endpoint. Unknown states are ignored.
func (s *endpointStates) set(endpoint, state string) {
	if !slices.Contains(s.ranked, state) {
		return
	}
	label := s.labels.value(endpoint)
	s.mu.Lock()
	defer s.mu.Unlock()
	if label == other {
		state = s.share(endpoint, state)
	}
	s.states[label] = state
}

// share sets the state of an endpoint that has the label "other". It returns the
// worst state of all endpoints with this label. The caller must have locked mu.
func (s *endpointStates) share(endpoint, state string) (worst string) {
	if old, ok := s.shared[endpoint]; ok {
		s.counts[old]--
		delete(s.shared, endpoint)
	}
	if state != s.ranked[0] && len(s.shared) < maxShared {
		s.shared[endpoint] = state
		s.counts[state]++
	}
	for _, state := range slices.Backward(s.ranked) {
		if s.counts[state] > 0 {
			return state
		}
	}
	return s.ranked[0]
}

// rateHolds has, for each endpoint label, the time at which the hold ends. A hold is
// a pause that a rate limit demands.
type rateHolds struct {
	labels *boundedLabels

	mu  sync.Mutex
	end map[string]time.Time
}

// set stores how long the hold of an endpoint still lasts. A hold is a pause that a
// rate limit demands. set returns the endpoint's label. begins is true if remaining is
// positive and no hold was in effect.
func (h *rateHolds) set(endpoint string, remaining time.Duration) (label string, begins bool) {
	label = h.labels.value(endpoint)
	now := time.Now()
	h.mu.Lock()
	defer h.mu.Unlock()
	end := now.Add(remaining)
	if label == other && h.end[label].After(end) {
		end = h.end[label] // end of another endpoint's hold
	}
	begins = remaining > 0 && !h.end[label].After(now)
	h.end[label] = end
	return label, begins
}

// register creates a gauge with a value for each pair of an endpoint and a state in
// shown. The value is 1 if the endpoint is in that state, and otherwise 0. If shown
// has several states, the gauge has the label "state".
func (s *endpointStates) register(meter metric.Meter, as Metric, unit, description string, shown ...string) error {
	_, err := meter.Int64ObservableGauge(as.Name,
		metric.WithUnit(unit),
		metric.WithDescription(description),
		metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
			s.mu.Lock()
			defer s.mu.Unlock()
			for endpoint, current := range s.states {
				for _, state := range shown {
					p := point{DimensionEndpoint: endpoint}
					if len(shown) > 1 {
						p[DimensionState] = state
					}
					o.Observe(oneIf(state == current), metric.WithAttributeSet(as.attributes(p)))
				}
			}
			return nil
		}))
	return newInstrumentError(as.Name, err)
}

// register creates the gauge that shows how many seconds the hold of each endpoint
// still lasts. A hold is a pause that a rate limit demands.
func (h *rateHolds) register(meter metric.Meter, as Metric) error {
	_, err := meter.Float64ObservableGauge(as.Name,
		metric.WithUnit("s"),
		metric.WithDescription("Time until a rate limit's hold of an endpoint ends, 0 without one."),
		metric.WithFloat64Callback(func(_ context.Context, o metric.Float64Observer) error {
			h.mu.Lock()
			defer h.mu.Unlock()
			now := time.Now()
			for endpoint, end := range h.end {
				o.Observe(max(end.Sub(now), 0).Seconds(), metric.WithAttributeSet(as.attributes(point{DimensionEndpoint: endpoint})))
			}
			return nil
		}))
	return newInstrumentError(as.Name, err)
}

func oneIf(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
