package otelclass

import (
	"context"
	"slices"
	"sync"

	"go.opentelemetry.io/otel/metric"
)

// breakerStates are the values of the label state.
var breakerStates = []string{"closed", "open", "half_open"}

// breakers holds the states of circuit breakers. They are read when metrics are
// collected, so the three series of an endpoint are always consistent.
type breakers struct{ states sync.Map } // endpoint to state

func (b *breakers) set(endpoint, state string) {
	if state == "half-open" {
		state = "half_open"
	}
	if slices.Contains(breakerStates, state) {
		b.states.Store(endpoint, state)
	}
}

// register creates the gauge that reads b.
func (b *breakers) register(meter metric.Meter, m Metric) error {
	_, err := meter.Int64ObservableGauge(m.Name,
		metric.WithUnit("{breaker}"),
		metric.WithDescription("1 for the state that an endpoint's circuit breaker is in."),
		metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
			b.states.Range(func(endpoint, current any) bool {
				for _, state := range breakerStates {
					p := point{DimensionEndpoint: endpoint.(string), DimensionState: state}
					o.Observe(isState(state, current), metric.WithAttributeSet(m.attributes(p)))
				}
				return true
			})
			return nil
		}))
	if err != nil {
		return instrumentError(m.Name, err)
	}
	return nil
}

func isState(state string, current any) int64 {
	if current == state {
		return 1
	}
	return 0
}
