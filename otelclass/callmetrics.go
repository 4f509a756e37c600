package otelclass

import (
	"context"

	"go.opentelemetry.io/otel/metric"

	"github.com/errclass/errclass/classify"
)

// CallMetrics counts calls, retries and fallbacks and shows the states of circuit
// breakers. Its methods take strings and results only, so package resilience can
// call them without importing this package. Create it with [NewCallMetrics]; the
// zero CallMetrics is not usable, and a nil one counts nothing. It is safe for
// concurrent use.
type CallMetrics struct {
	cfg       counterConfig
	calls     *series
	retries   *series
	fallbacks *series
	breakers  breakers
}

// The values of the label result.
const (
	resultSuccess = "success"
	resultFailure = "failure"
)

// NewCallMetrics returns CallMetrics with the instruments
//
//	errclass.calls          {call}      provider
//	errclass.retries        {retry}     result, provider
//	errclass.fallbacks      {fallback}  from, to
//	errclass.breaker.state  {breaker}   endpoint, state
//
// The label provider exists if [WithProviders] declares some. All series exist
// from the start with the value 0, with two exceptions: only fallbacks between
// declared providers have a series, and a breaker gets its series from
// [CallMetrics.Breaker].
//
// A nil meter counts nothing. NewCallMetrics returns the meter's error if it
// rejects a name.
func NewCallMetrics(meter metric.Meter, opts ...CounterOption) (*CallMetrics, error) {
	meter = orNoop(meter)
	m := &CallMetrics{cfg: newCounterConfig(opts)}
	for _, s := range []struct {
		to                *(*series)
		metric            Metric
		unit, description string
		points            []point
	}{
		{&m.calls, m.cfg.naming.Calls, "{call}", "Calls, retries included.", m.callPoints()},
		{&m.retries, m.cfg.naming.Retries, "{retry}", "Repeated calls by how they ended.", m.retryPoints()},
		{&m.fallbacks, m.cfg.naming.Fallbacks, "{fallback}", "Calls that another target took over.", m.fallbackPoints()},
	} {
		var err error
		if *s.to, err = newSeries(meter, s.metric, s.unit, s.description, s.points); err != nil {
			return nil, err
		}
	}
	if err := m.breakers.register(meter, m.cfg.naming.BreakerState); err != nil {
		return nil, err
	}
	return m, nil
}

// Call counts a call to a provider, successful or not. The first call and each
// retry count.
func (m *CallMetrics) Call(ctx context.Context, provider string) {
	if m != nil {
		m.calls.add(ctx, point{DimensionProvider: m.cfg.provider(provider)})
	}
}

// Retry counts a repeated call that has ended. cause is the result of the call
// before it.
func (m *CallMetrics) Retry(ctx context.Context, provider string, cause classify.Result, succeeded bool) {
	if m == nil {
		return
	}
	p := causePoint(cause, m.cfg.provider(provider))
	p[DimensionResult] = resultFailure
	if succeeded {
		p[DimensionResult] = resultSuccess
	}
	m.retries.add(ctx, p)
}

// Fallback counts a failed call that was repeated at another target. from is the
// target that failed, and to is the target that was called next. Both become label
// values even if they are not declared providers, because a program configures few
// targets. cause is the result of the failed call.
func (m *CallMetrics) Fallback(ctx context.Context, from, to string, cause classify.Result) {
	if m == nil {
		return
	}
	p := causePoint(cause, "")
	p[DimensionFrom], p[DimensionTo] = from, to
	m.fallbacks.add(ctx, p)
}

// causePoint returns the label values for a result. If the rule has its own error
// type, that type is the value of the label.
func causePoint(cause classify.Result, provider string) point {
	p := errorPoint(canonical(&cause), "", provider)
	p[DimensionErrorType] = cause.Name(classify.ViewProvider)
	return p
}

// Breaker sets the state of an endpoint's circuit breaker: closed, open or
// half_open (half-open is accepted too). Other values are ignored. The gauge has
// three series for each endpoint: 1 for the current state, 0 for the others. An
// endpoint is never removed.
func (m *CallMetrics) Breaker(_ context.Context, endpoint, state string) {
	if m != nil {
		m.breakers.set(endpoint, state)
	}
}

func (m *CallMetrics) callPoints() (points []point) {
	for _, provider := range m.cfg.allProviders() {
		points = append(points, point{DimensionProvider: provider})
	}
	return points
}

func (m *CallMetrics) retryPoints() (points []point) {
	for _, provider := range m.cfg.allProviders() {
		for _, result := range []string{resultSuccess, resultFailure} {
			for _, p := range pairs {
				at := errorPoint(p, "", provider)
				at[DimensionResult] = result
				points = append(points, at)
			}
		}
	}
	return points
}

func (m *CallMetrics) fallbackPoints() (points []point) {
	for _, from := range m.cfg.providers {
		for _, to := range m.cfg.providers {
			if from == to {
				continue
			}
			for _, p := range pairs {
				at := errorPoint(p, "", "")
				at[DimensionFrom], at[DimensionTo] = from, to
				points = append(points, at)
			}
		}
	}
	return points
}
