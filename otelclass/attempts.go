package otelclass

import (
	"context"
	"sync"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/evidence"
)

// These are the values of the metric label "outcome".
const (
	outcomeSuccess  = "success"
	outcomeFailure  = "failure"
	outcomeAborted  = "aborted"  // the caller canceled
	outcomeExpected = "expected" // a failure that WithCounted leaves out
)

// attempts counts attempts by provider and endpoint.
type attempts struct {
	all    *series
	errors *series // nil if the Naming has no name for it
	labels *boundedLabels
	begun  sync.Map // endpointOf -> struct{}: the endpoints with series
}

// endpointOf is an endpoint of a provider. Both fields are label values.
type endpointOf struct{ provider, endpoint string }

// Attempt counts one attempt to call an endpoint of a provider. Use it when the attempt
// has ended. Retries and fallbacks are attempts too. The parameter res is the result of
// a failure, or the zero Result after a success. The label "outcome" has one of these
// values:
//
//   - "success"
//   - "failure"
//   - "aborted": the caller canceled
//   - "expected": a failure that the function of [WithCounted] leaves out
//
// Failures and aborted attempts have the label error.reason.
func (m *CallMetrics) Attempt(ctx context.Context, provider, endpoint string, res classify.Result) {
	if m == nil {
		return
	}
	at := endpointOf{m.cfg.provider(provider), m.attempts.labels.value(endpoint)}
	m.attempts.begin(&m.cfg, at)
	switch {
	case res.Category == "":
		m.attempts.all.add(ctx, at.point(outcomeSuccess, evidence.Pair{}))
	case !m.cfg.counts(ctx, res):
		m.attempts.all.add(ctx, at.point(outcomeExpected, evidence.Pair{}))
	case res.Category == classify.CategoryAborted:
		m.attempts.all.add(ctx, at.point(outcomeAborted, canonical(&res)))
	default:
		m.attempts.all.add(ctx, at.point(outcomeFailure, canonical(&res)))
		if m.attempts.errors != nil {
			m.attempts.errors.add(ctx, causePoint(res, at.provider))
		}
	}
}

// begin creates the missing series of an endpoint, with the value 0.
func (a *attempts) begin(cfg *counterConfig, at endpointOf) {
	if _, done := a.begun.Load(at); done {
		return
	}
	if _, done := a.begun.LoadOrStore(at, struct{}{}); done {
		return
	}
	points := []point{at.point(outcomeSuccess, evidence.Pair{})}
	if cfg.counted != nil {
		points = append(points, at.point(outcomeExpected, evidence.Pair{}))
	}
	for _, p := range evidence.Pairs {
		outcome := outcomeFailure
		if p.Category == classify.CategoryAborted {
			outcome = outcomeAborted
		}
		points = append(points, at.point(outcome, p))
	}
	a.all.begin(points)
}

// point returns the label values of an attempt.
func (at endpointOf) point(outcome string, p evidence.Pair) point {
	values := point{
		DimensionCategory: string(p.Category), DimensionReason: string(p.Reason),
		DimensionProvider: at.provider, DimensionEndpoint: at.endpoint, DimensionOutcome: outcome,
	}
	if p.Reason != "" {
		values[DimensionErrorType] = p.Reason.Name(classify.ViewProvider)
	}
	return values
}
