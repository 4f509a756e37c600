package otelclass

import "slices"

// Dimension is the meaning of a metric label's value.
type Dimension uint8

// The dimensions, and the metrics that have them.
const (
	DimensionCategory  Dimension = iota // errors, retries, fallbacks: error.category
	DimensionReason                     // errors, retries, fallbacks: error.reason
	DimensionErrorType                  // errors, retries, fallbacks: the name in classify.ViewProvider
	DimensionSignal                     // errors: log or span
	DimensionProvider                   // errors, calls, retries; only with WithProviders
	DimensionResult                     // retries: success or failure
	DimensionFrom                       // fallbacks: the target that failed
	DimensionTo                         // fallbacks: the target that took over
	DimensionEndpoint                   // breaker state
	DimensionState                      // breaker state: closed, open or half_open
	dimensions
)

// Label is a label of a metric. If the metric does not have the dimension, the
// label is omitted.
type Label struct {
	Key   string
	Value Dimension
}

// Metric is the name of an instrument and its labels, in any order.
type Metric struct {
	Name   string
	Labels []Label
}

// Naming holds the names and labels of the package's instruments. A Metric
// without a name gets the name and the labels of [DefaultNaming].
type Naming struct {
	Errors       Metric // of a Counter
	Calls        Metric // belongs to CallMetrics, like the fields below
	Retries      Metric
	Fallbacks    Metric
	BreakerState Metric
}

// DefaultNaming returns the default names. [WithNaming] changes them. Prometheus
// shows errclass.errors as errclass_errors_total, and labels with underscores.
func DefaultNaming() Naming {
	provider := Label{"provider", DimensionProvider}
	return Naming{
		Errors: Metric{"errclass.errors", []Label{
			{string(CategoryKey), DimensionCategory}, {string(ReasonKey), DimensionReason},
			{"signal", DimensionSignal}, provider,
		}},
		Calls:        Metric{"errclass.calls", []Label{provider}},
		Retries:      Metric{"errclass.retries", []Label{{"result", DimensionResult}, provider}},
		Fallbacks:    Metric{"errclass.fallbacks", []Label{{"from", DimensionFrom}, {"to", DimensionTo}}},
		BreakerState: Metric{"errclass.breaker.state", []Label{{"endpoint", DimensionEndpoint}, {"state", DimensionState}}},
	}
}

// MemoryLLMNaming returns names that begin with memory_llm, for dashboards that
// use them (docs/specifications.md names their source). As Prometheus shows them:
//
//	memory_llm_errors_total{provider, error_type}
//	memory_llm_retries_total{provider, error_type, result}
//	memory_llm_fallback_total{from, to, error_type}
//
// Those dashboards have no name for the number of calls. Here it is
// memory_llm_calls_total. Breakers have their default name. Declare the providers
// with [WithProviders]. These metrics have no label for the signal. To count each
// error once, they count the errors of log records and not those of spans. See
// [WithSignals].
func MemoryLLMNaming() Naming {
	provider, errorType := Label{"provider", DimensionProvider}, Label{"error_type", DimensionErrorType}
	return Naming{
		Errors:    Metric{"memory_llm_errors", []Label{provider, errorType}},
		Calls:     Metric{"memory_llm_calls", []Label{provider}},
		Retries:   Metric{"memory_llm_retries", []Label{provider, errorType, {"result", DimensionResult}}},
		Fallbacks: Metric{"memory_llm_fallback", []Label{{"from", DimensionFrom}, {"to", DimensionTo}, errorType}},
	}
}

// withDefaults returns n, with the metrics of def for those without a name.
func (n Naming) withDefaults(def Naming) Naming {
	for _, m := range []struct{ to, from *Metric }{
		{&n.Errors, &def.Errors}, {&n.Calls, &def.Calls}, {&n.Retries, &def.Retries},
		{&n.Fallbacks, &def.Fallbacks}, {&n.BreakerState, &def.BreakerState},
	} {
		if m.to.Name == "" {
			*m.to = *m.from
		} else {
			m.to.Labels = slices.Clone(m.to.Labels)
		}
	}
	return n
}

// hasLabel reports whether m has a label for d.
func (m Metric) hasLabel(d Dimension) bool {
	return slices.ContainsFunc(m.Labels, func(l Label) bool { return l.Value == d })
}
