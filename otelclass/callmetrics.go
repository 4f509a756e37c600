package otelclass

import (
	"context"

	"go.opentelemetry.io/otel/metric"

	"github.com/errclass/errclass/classify"
)

// CallMetrics counts what retries, fallbacks and circuit breakers do. Its
// methods are plain functions of words and results, so that whoever does these
// things calls them without knowing this package. Make it with
// [NewCallMetrics]; the zero CallMetrics is not usable, and a nil one counts
// nothing. It is safe for concurrent use.
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
// The label provider is there where [WithProviders] declares some. Series that
// can be foreseen exist from the start with the value 0: of fallbacks those
// between declared providers, of breakers none.
//
// A nil meter counts nothing. The error is that of the meter, which may refuse
// a name, and has the name in its text.
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

// Call counts a call to a provider, whatever comes of it. The first call and
// each retry count.
func (m *CallMetrics) Call(ctx context.Context, provider string) {
	if m != nil {
		m.calls.add(ctx, point{DimensionProvider: m.cfg.provider(provider)})
	}
}

// Retry counts a repeated call that has ended. Cause is why it was made: the
// result of the call before it.
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

// Fallback counts a call that was handed on. From and to are labels as they are
// given, also where they are no declared providers: they name the targets that
// the program is configured with, which are few. Cause is why from was left.
func (m *CallMetrics) Fallback(ctx context.Context, from, to string, cause classify.Result) {
	if m == nil {
		return
	}
	p := causePoint(cause, "")
	p[DimensionFrom], p[DimensionTo] = from, to
	m.fallbacks.add(ctx, p)
}

// causePoint is errorPoint of a result, which names its error type itself.
func causePoint(cause classify.Result, provider string) point {
	p := errorPoint(canonical(&cause), "", provider)
	p[DimensionErrorType] = cause.Name(classify.ViewProvider)
	return p
}

// Breaker says what state the circuit breaker of an endpoint is in: closed,
// open or half_open (half-open is understood too). The state holds until the
// next call for that endpoint; any other word is ignored. The gauge has three
// series an endpoint, 1 for the state that it is in and 0 for the others; an
// endpoint is never forgotten.
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
