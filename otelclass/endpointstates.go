package otelclass

import (
	"context"
	"iter"
	"slices"
	"sync"
	"time"

	"go.opentelemetry.io/otel/metric"
)

// endpointStates has the state of each endpoint. A gauge reads it when metrics are
// collected. Endpoints without a label of their own share the label "other", which
// has the worst of their states.
type endpointStates struct {
	ranked []string // the states from the normal one to the worst
	labels *boundedLabels

	mu     sync.Mutex
	states map[string]string // by label
	shared map[string]string // by endpoint; only states that are not normal
	counts map[string]int    // of shared, by state
}

// maxShared limits the number of endpoints in endpointStates.shared.
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
// worst state of that label. The caller holds mu.
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

// all iterates over the labels. It yields each label with its state.
func (s *endpointStates) all() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		s.mu.Lock()
		defer s.mu.Unlock()
		for label, state := range s.states {
			if !yield(label, state) {
				return
			}
		}
	}
}

// rateHolds has, for each label, the time at which a rate limit's hold ends.
type rateHolds struct {
	labels *boundedLabels

	mu  sync.Mutex
	end map[string]time.Time
}

// set sets the time until the hold of an endpoint ends. It returns the endpoint's
// label. begins reports that the endpoint was not held before.
func (h *rateHolds) set(endpoint string, left time.Duration) (label string, begins bool) {
	label = h.labels.value(endpoint)
	now := time.Now()
	h.mu.Lock()
	defer h.mu.Unlock()
	end := now.Add(left)
	if label == other && h.end[label].After(end) {
		end = h.end[label] // of another endpoint
	}
	begins = left > 0 && !h.end[label].After(now)
	h.end[label] = end
	return label, begins
}

// registerBreakers creates the gauge for the states of breakers.
func (m *CallMetrics) registerBreakers(meter metric.Meter) error {
	as := m.cfg.naming.BreakerState
	_, err := meter.Int64ObservableGauge(as.Name,
		metric.WithUnit("{breaker}"),
		metric.WithDescription("1 for the state that an endpoint's circuit breaker is in."),
		metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
			for endpoint, current := range m.breakers.all() {
				for _, state := range m.breakers.ranked {
					p := point{DimensionEndpoint: endpoint, DimensionState: state}
					o.Observe(oneIf(state == current), metric.WithAttributeSet(as.attributes(p)))
				}
			}
			return nil
		}))
	return newInstrumentError(as.Name, err)
}

// registerHealth creates the gauge for the health of endpoints.
func (m *CallMetrics) registerHealth(meter metric.Meter) error {
	as := m.cfg.naming.Health
	_, err := meter.Int64ObservableGauge(as.Name,
		metric.WithUnit("{endpoint}"),
		metric.WithDescription("1 if an endpoint is healthy, 0 if not."),
		metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
			for endpoint, state := range m.health.all() {
				o.Observe(oneIf(state == healthy), metric.WithAttributeSet(as.attributes(point{DimensionEndpoint: endpoint})))
			}
			return nil
		}))
	return newInstrumentError(as.Name, err)
}

// registerHolds creates the gauge for the time until holds end.
func (m *CallMetrics) registerHolds(meter metric.Meter) error {
	as := m.cfg.naming.HoldRemaining
	_, err := meter.Float64ObservableGauge(as.Name,
		metric.WithUnit("s"),
		metric.WithDescription("Time until a rate limit's hold of an endpoint ends, 0 without one."),
		metric.WithFloat64Callback(func(_ context.Context, o metric.Float64Observer) error {
			m.holding.mu.Lock()
			defer m.holding.mu.Unlock()
			now := time.Now()
			for endpoint, end := range m.holding.end {
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
