package otelclass

import (
	"context"
	"net/url"
	"slices"
	"time"

	"go.opentelemetry.io/otel/metric"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/evidence"
)

// CallMetrics counts attempts, retries, fallbacks, restarts of queued tasks, and
// holds. A hold is a pause that a rate limit demands. CallMetrics also has gauges
// for circuit breakers, holds and the health of endpoints. Create it with
// [NewCallMetrics]. The zero CallMetrics is not usable. A nil CallMetrics counts
// nothing. CallMetrics is safe for concurrent use.
type CallMetrics struct {
	cfg       counterConfig
	attempts  attempts
	calls     *series
	retries   *series
	fallbacks *series
	held      *series
	restarts  *series
	targets   *boundedLabels // targets of fallbacks
	breakers  *endpointStates
	health    *endpointStates
	holding   rateHolds
}

// These are the values of the metric label "result".
const (
	resultSuccess = "success"
	resultFailure = "failure"
)

// These are the states of circuit breakers and of endpoints.
const (
	closed    = "closed"
	halfOpen  = "half_open"
	open      = "open"
	healthy   = "healthy"
	unhealthy = "unhealthy"
)

// restartStates are the values of the label "state" for restarts.
var restartStates = []string{
	"queued", "started", "postponed", "succeeded", "refused", "failed", "merged", "interrupted", "parked", "unhandled", "returned", other,
}

// NewCallMetrics returns CallMetrics with these instruments. Each line has the name,
// the unit and the labels:
//
//	errclass.attempts          {attempt}   provider, endpoint, outcome, error.reason
//	errclass.calls             {call}      provider
//	errclass.retries           {retry}     result, provider
//	errclass.fallbacks         {fallback}  from, to
//	errclass.breaker.state     {breaker}   endpoint, state
//	errclass.holds             {hold}      endpoint
//	errclass.hold.remaining    s           endpoint
//	errclass.endpoint.healthy  {endpoint}  endpoint
//	errclass.restarts          {restart}   state
//
// The label "provider" exists only if [WithProviders] declares providers. At most
// [MaxEndpoints] endpoints have labels of their own. Each pair of an endpoint and a
// provider has 18 series of attempts.
//
// Series exist from the start with the value 0, with four exceptions:
//
//   - If the meter is that of otel.Meter, and otel.SetMeterProvider is called later, the
//     series of an instrument begin with its first count.
//   - If [WithEndpoints] does not declare an endpoint, its series begin with the
//     first attempt or hold.
//   - If a target of a fallback is not a declared provider, the series for this pair
//     of targets begin with the first fallback between them.
//   - The series of the gauges errclass.breaker.state, errclass.hold.remaining and
//     errclass.endpoint.healthy begin with the first value.
//
// If the meter is nil, nothing is counted. If the meter rejects a name,
// NewCallMetrics returns the meter's error.
func NewCallMetrics(meter metric.Meter, opts ...CounterOption) (*CallMetrics, error) {
	meter = orNoop(meter)
	cfg := newCounterConfig(opts)
	endpoints, gates := newBoundedLabels(cfg.endpoints), newBoundedLabels(cfg.endpoints)
	m := &CallMetrics{
		cfg: cfg, targets: newBoundedLabels(cfg.providers), attempts: attempts{labels: endpoints},
		breakers: newEndpointStates(gates, closed, halfOpen, open),
		health:   newEndpointStates(endpoints, healthy, unhealthy),
		holding:  rateHolds{labels: gates, end: map[string]time.Time{}},
	}
	for _, s := range []struct {
		to                *(*series)
		metric            Metric
		unit, description string
		points            []point
	}{
		{&m.attempts.all, cfg.naming.Attempts, "{attempt}", "Attempts of calls by how they ended.", nil},
		{&m.attempts.errors, cfg.naming.AttemptErrors, "{error}", errorsDescription, m.errorPoints()},
		{&m.calls, cfg.naming.Calls, "{call}", "Calls, retries included.", m.callPoints()},
		{&m.retries, cfg.naming.Retries, "{retry}", "Repeated calls by how they ended.", m.retryPoints()},
		{&m.fallbacks, cfg.naming.Fallbacks, "{fallback}", "Calls that another target took over.", m.fallbackPoints()},
		{&m.held, cfg.naming.Holds, "{hold}", "Holds of an endpoint by a rate limit.", nil},
		{&m.restarts, cfg.naming.Restarts, "{restart}", "Changes of tasks in the restart queue.", restartPoints()},
	} {
		if s.metric.Name == "" {
			continue // AttemptErrors
		}
		var err error
		if *s.to, err = newSeries(meter, s.metric, s.unit, s.description, s.points); err != nil {
			return nil, err
		}
	}
	m.declareEndpoints()
	if err := m.breakers.register(meter, cfg.naming.BreakerState, "{breaker}", "1 for the state that an endpoint's circuit breaker is in.", closed, halfOpen, open); err != nil {
		return nil, err
	}
	if err := m.health.register(meter, cfg.naming.Health, "{endpoint}", "1 if an endpoint is healthy, 0 if not.", healthy); err != nil {
		return nil, err
	}
	if err := m.holding.register(meter, cfg.naming.HoldRemaining); err != nil {
		return nil, err
	}
	return m, nil
}

// declareEndpoints creates the series of the declared endpoints.
func (m *CallMetrics) declareEndpoints() {
	for _, endpoint := range m.cfg.endpoints {
		providers := m.cfg.allProviders()
		if u, err := url.Parse(endpoint); err == nil && len(m.cfg.providers) > 0 {
			if label, ok := m.cfg.declaredProvider(classify.HostProvider(u.Hostname())); ok {
				providers = []string{label}
			}
		}
		for _, provider := range providers {
			m.attempts.begin(&m.cfg, endpointOf{provider, endpoint})
		}
		m.held.begin([]point{{DimensionEndpoint: endpoint}})
	}
}

// Call counts a call to a provider, successful or not. A retry is a further call.
func (m *CallMetrics) Call(ctx context.Context, provider string) {
	if m != nil {
		m.calls.add(ctx, point{DimensionProvider: m.cfg.provider(provider)})
	}
}

// Retry counts a retry that has ended. cause is the result of the call that was
// retried.
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

// Fallback counts a failed call that was repeated at a different target. The
// parameter from names the target that failed. The parameter to names the next
// target. cause is the result of the failed call. Both targets become label values.
// Declared providers always have values of their own, and count towards the limit
// [MaxEndpoints]. Beyond this limit, other targets share the value "other".
func (m *CallMetrics) Fallback(ctx context.Context, from, to string, cause classify.Result) {
	if m == nil {
		return
	}
	p := causePoint(cause, "")
	p[DimensionFrom], p[DimensionTo] = m.target(from), m.target(to)
	if p[DimensionFrom] == p[DimensionTo] { // two names of one provider
		p[DimensionFrom], p[DimensionTo] = m.targets.value(from), m.targets.value(to)
	}
	m.fallbacks.add(ctx, p)
}

// target returns the label value for a provider, a model or an endpoint.
func (m *CallMetrics) target(name string) string {
	if label, ok := m.cfg.declaredProvider(name); ok {
		return label
	}
	return m.targets.value(name)
}

// causePoint returns the label values for a result. The value of DimensionErrorType
// is the name of the result in the view classify.ViewProvider.
func causePoint(cause classify.Result, provider string) point {
	p := errorPoint(canonical(&cause), "", provider)
	p[DimensionErrorType] = cause.Name(classify.ViewProvider)
	return p
}

// Breaker sets the state of an endpoint's circuit breaker: "closed", "open" or
// "half_open". The spelling "half-open" is accepted too. Other values are ignored.
// An endpoint has three series: 1 for the current state and 0 for the others.
// Endpoints with the label "other" share three series, which show their worst state.
// An endpoint is never removed.
func (m *CallMetrics) Breaker(_ context.Context, endpoint, state string) {
	if m == nil {
		return
	}
	if state == "half-open" {
		state = halfOpen
	}
	m.breakers.set(endpoint, state)
}

// Hold sets the remaining time of an endpoint's hold to left. A hold is a pause that
// a rate limit demands. If left is 0, the hold ends. If left is positive and the
// endpoint had no hold, a new hold is counted.
func (m *CallMetrics) Hold(ctx context.Context, endpoint string, left time.Duration) {
	if m == nil {
		return
	}
	if label, begins := m.holding.set(endpoint, left); begins {
		p := point{DimensionEndpoint: label}
		m.held.begin([]point{p})
		m.held.add(ctx, p)
	}
}

// Health sets whether an endpoint is healthy: state is "healthy" or "unhealthy".
// Other values are ignored. The gauge is 1 for a healthy endpoint and otherwise 0.
func (m *CallMetrics) Health(_ context.Context, endpoint, state string) {
	if m != nil {
		m.health.set(endpoint, state)
	}
}

// Restart counts a task of the restart queue that enters the given state. The known
// states are:
//
//   - queued, started, postponed, interrupted
//   - succeeded, failed, refused, merged
//   - unhandled, returned
//   - parked: the task runs again only after a person has released it
//
// Any other state counts as other.
func (m *CallMetrics) Restart(ctx context.Context, state string) {
	if m == nil {
		return
	}
	if !slices.Contains(restartStates, state) {
		state = other
	}
	m.restarts.add(ctx, point{DimensionState: state})
}

func restartPoints() (points []point) {
	for _, state := range restartStates {
		points = append(points, point{DimensionState: state})
	}
	return points
}

func (m *CallMetrics) errorPoints() (points []point) {
	for _, provider := range m.cfg.allProviders() {
		for _, p := range evidence.Pairs {
			points = append(points, errorPoint(p, "", provider))
		}
	}
	return points
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
			for _, p := range evidence.Pairs {
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
			for _, p := range evidence.Pairs {
				at := errorPoint(p, "", "")
				at[DimensionFrom], at[DimensionTo] = from, to
				points = append(points, at)
			}
		}
	}
	return points
}
