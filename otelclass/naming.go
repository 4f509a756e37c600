package otelclass

import "slices"

// Dimension is something that a label of a metric tells.
type Dimension uint8

// The dimensions, and which metrics know them.
const (
	DimensionCategory  Dimension = iota // errors, retries, fallbacks: error.category
	DimensionReason                     // errors, retries, fallbacks: error.reason
	DimensionErrorType                  // errors, retries, fallbacks: the name in classify.ViewProvider
	DimensionSignal                     // errors: log or span
	DimensionProvider                   // errors, calls, retries; only where WithProviders declares some
	DimensionResult                     // retries: success or failure
	DimensionFrom                       // fallbacks: who failed
	DimensionTo                         // fallbacks: who took over
	DimensionEndpoint                   // breaker state
	DimensionState                      // breaker state: closed, open or half_open
	dimensions
)

// Label is a label of a metric: its key, and what it tells. A dimension that
// the metric does not know is left out.
type Label struct {
	Key   string
	Value Dimension
}

// Metric is the name of an instrument and its labels, in any order.
type Metric struct {
	Name   string
	Labels []Label
}

// Naming is what the instruments of this package are called. A Metric without
// a name keeps the name and the labels that [DefaultNaming] gives it.
type Naming struct {
	Errors       Metric // of a Counter
	Calls        Metric // of CallMetrics, like all that follow
	Retries      Metric
	Fallbacks    Metric
	BreakerState Metric
}

// DefaultNaming returns the names that hold unless [WithNaming] says otherwise.
// Prometheus writes errclass.errors as errclass_errors_total, and its labels
// with underscores.
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

// MemoryLLMNaming returns names that begin with memory_llm, which dashboards made
// for a client of model providers look for (docs/specifications.md has their
// source). As Prometheus writes them:
//
//	memory_llm_errors_total{provider, error_type}
//	memory_llm_retries_total{provider, error_type, result}
//	memory_llm_fallback_total{from, to, error_type}
//
// Calls, for which those dashboards have no name, are memory_llm_calls_total, and
// breakers keep their default name. Declare the providers with
// [WithProviders]. As there is no label for the signal, errors count in logs
// alone unless [WithSignals] says otherwise.
func MemoryLLMNaming() Naming {
	provider, errorType := Label{"provider", DimensionProvider}, Label{"error_type", DimensionErrorType}
	return Naming{
		Errors:    Metric{"memory_llm_errors", []Label{provider, errorType}},
		Calls:     Metric{"memory_llm_calls", []Label{provider}},
		Retries:   Metric{"memory_llm_retries", []Label{provider, errorType, {"result", DimensionResult}}},
		Fallbacks: Metric{"memory_llm_fallback", []Label{{"from", DimensionFrom}, {"to", DimensionTo}, errorType}},
	}
}

// or returns n with what it does not name taken from def.
func (n Naming) or(def Naming) Naming {
	for _, m := range []struct{ to, from *Metric }{
		{&n.Errors, &def.Errors}, {&n.Calls, &def.Calls}, {&n.Retries, &def.Retries},
		{&n.Fallbacks, &def.Fallbacks}, {&n.BreakerState, &def.BreakerState},
	} {
		if m.to.Name == "" {
			*m.to = *m.from
		} else {
			m.to.Labels = slices.Clone(m.to.Labels) // the caller's slice stays the caller's
		}
	}
	return n
}

// tells reports whether a label of m tells d.
func (m Metric) tells(d Dimension) bool {
	return slices.ContainsFunc(m.Labels, func(l Label) bool { return l.Value == d })
}
