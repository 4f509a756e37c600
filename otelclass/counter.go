package otelclass

import (
	"context"
	"log/slog"
	"slices"

	"go.opentelemetry.io/otel/metric"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/evidence"
)

// Counter counts errors by category and reason. Create it with [NewCounter]. The
// zero Counter is not usable. A nil Counter counts nothing. A Counter is safe for
// concurrent use and takes no lock.
type Counter struct {
	cfg    counterConfig
	errors *series
}

// NewCounter returns a counter with the instrument errclass.errors, unit {error}.
// Its labels are error.category, error.reason and signal (log or span).
// [WithProviders] adds the label provider. All series exist from the start with the
// value 0. If the meter is that of otel.Meter, call otel.SetMeterProvider first:
// otherwise the series begin with the first error.
//
// A failure can count once under each signal. Use signal="log" for alerts, because
// spans are sampled.
//
// If the meter is nil, nothing is counted. If the meter rejects a name, NewCounter
// returns the meter's error.
func NewCounter(meter metric.Meter, opts ...CounterOption) (*Counter, error) {
	c := &Counter{cfg: newCounterConfig(opts)}
	var points []point
	for _, signal := range c.cfg.signals {
		for _, provider := range c.cfg.allProviders() {
			for _, p := range evidence.Pairs {
				points = append(points, errorPoint(p, signal, provider))
			}
		}
	}
	var err error
	c.errors, err = newSeries(orNoop(meter), c.cfg.naming.Errors, "{error}", errorsDescription, points)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// errorsDescription is the description of the metrics Errors and AttemptErrors of a
// [Naming]. These two metrics may have the same name.
const errorsDescription = "Errors by what to do next and why."

// errorPoint returns the label values for an error. signal and provider may be "".
func errorPoint(p evidence.Pair, signal Signal, provider string) point {
	return point{
		DimensionCategory: string(p.Category), DimensionReason: string(p.Reason),
		DimensionErrorType: p.Reason.Name(classify.ViewProvider),
		DimensionSignal:    string(signal), DimensionProvider: provider,
	}
}

// Count counts an error. The zero Result is ignored. If the reason does not belong
// to the category, the error counts as fatal and unknown. Count passes ctx to the
// instrument.
//
// [WithObserver] accepts Count as an observer.
func (c *Counter) Count(ctx context.Context, signal Signal, res classify.Result) {
	if c == nil || res.Category == "" || !slices.Contains(c.cfg.signals, signal) || !c.cfg.counts(ctx, res) {
		return
	}
	p := errorPoint(canonical(&res), signal, c.cfg.provider(res.Provider))
	p[DimensionErrorType] = res.Name(classify.ViewProvider)
	c.errors.add(ctx, p)
}

// Observe counts an error that was logged. It is an observer for package slogclass:
//
//	slogclass.New(next, slogclass.WithObserver(counter.Observe))
//
// If the result has no provider, Observe reads the string attribute
// gen_ai.provider.name or provider at the root of the record. Attributes given to
// Logger.With are not read.
func (c *Counter) Observe(ctx context.Context, r slog.Record, res classify.Result) {
	if c == nil {
		return
	}
	if res.Provider == "" && len(c.cfg.providers) > 0 {
		r.Attrs(func(a slog.Attr) bool {
			if (evidence.FieldOf(a.Key) == evidence.Provider || a.Key == "provider") && a.Value.Kind() == slog.KindString {
				res.Provider = a.Value.String()
			}
			return res.Provider == ""
		})
	}
	c.Count(ctx, SignalLog, res)
}

// canonical returns the category and the reason of a result. If the reason does not
// belong to the category, the result becomes fatal and unknown.
func canonical(res *classify.Result) evidence.Pair {
	if !evidence.KnownPair(res.Category, res.Reason) {
		*res = classify.Result{Category: classify.CategoryFatal, Reason: classify.ReasonUnknown, Provider: res.Provider}
	}
	return evidence.Pair{Category: res.Category, Reason: res.Reason}
}
