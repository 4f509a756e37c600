package otelclass

import "slices"

// Dimension says what the values of a metric label mean.
type Dimension uint8

// These are the dimensions. Each comment names the metrics that have the dimension.
const (
	DimensionCategory  Dimension = iota // errors, attempts, retries, fallbacks: error.category
	DimensionReason                     // errors, attempts, retries, fallbacks: error.reason
	DimensionErrorType                  // errors, attempts, retries, fallbacks: the reason by its name in classify.ViewProvider
	DimensionSignal                     // errors: log or span
	DimensionProvider                   // errors, attempts, calls, retries; only with WithProviders
	DimensionResult                     // retries: success or failure
	DimensionFrom                       // fallbacks: the target that failed
	DimensionTo                         // fallbacks: the target that took over
	DimensionEndpoint                   // attempts, breaker state, holds, health
	DimensionState                      // breaker state: closed, open or half_open; restarts: the new state of a task
	DimensionOutcome                    // attempts: success, failure, aborted or expected
	dimensions
)

// Label is a label of a metric. Its values come from a dimension, such as the
// provider. If the metric does not have that dimension, the label is omitted.
type Label struct {
	Key   string
	Value Dimension
}

// Metric is the name of an instrument and its labels, in any order.
type Metric struct {
	Name   string
	Labels []Label
}

// Naming holds the names and labels of the package's instruments. A Metric without a
// name gets the name and the labels of [DefaultNaming].
type Naming struct {
	Errors        Metric // belongs to Counter
	Attempts      Metric // belongs to CallMetrics, like the fields below
	AttemptErrors Metric // failed attempts alone; without a name there is no such instrument
	Calls         Metric
	Retries       Metric
	Fallbacks     Metric
	BreakerState  Metric
	Holds         Metric
	HoldRemaining Metric
	Health        Metric
	Restarts      Metric
}

// DefaultNaming returns the default names. [WithNaming] changes them. Prometheus
// shows errclass.errors as errclass_errors_total, and labels with underscores.
func DefaultNaming() Naming {
	provider, endpoint := Label{"provider", DimensionProvider}, Label{"endpoint", DimensionEndpoint}
	reason, state := Label{string(ReasonKey), DimensionReason}, Label{"state", DimensionState}
	return Naming{
		Errors: Metric{"errclass.errors", []Label{
			{string(CategoryKey), DimensionCategory}, reason, {"signal", DimensionSignal}, provider,
		}},
		Attempts:      Metric{"errclass.attempts", []Label{provider, endpoint, {"outcome", DimensionOutcome}, reason}},
		Calls:         Metric{"errclass.calls", []Label{provider}},
		Retries:       Metric{"errclass.retries", []Label{{"result", DimensionResult}, provider}},
		Fallbacks:     Metric{"errclass.fallbacks", []Label{{"from", DimensionFrom}, {"to", DimensionTo}}},
		BreakerState:  Metric{"errclass.breaker.state", []Label{endpoint, state}},
		Holds:         Metric{"errclass.holds", []Label{endpoint}},
		HoldRemaining: Metric{"errclass.hold.remaining", []Label{endpoint}},
		Health:        Metric{"errclass.endpoint.healthy", []Label{endpoint}},
		Restarts:      Metric{"errclass.restarts", []Label{state}},
	}
}

// MemoryLLMNaming returns names that begin with memory_llm, for dashboards that use
// them (docs/specifications.md names their source). As Prometheus shows them:
//
//	memory_llm_errors_total{provider, error_type}
//	memory_llm_retries_total{provider, error_type, result}
//	memory_llm_fallback_total{from, to, error_type}
//
// The number of calls is memory_llm_calls_total. All other metrics have their
// default names. Declare the providers with [WithProviders].
//
// [CallMetrics] counts each failed attempt in memory_llm_errors_total, even if a
// retry succeeds. A [Counter] counts error records of logs under the same name, and
// no spans (see [WithSignals]). Give this naming to only one of them: otherwise a
// logged failure counts twice. If calls go through package resilience, choose
// CallMetrics.
func MemoryLLMNaming() Naming {
	provider, errorType := Label{"provider", DimensionProvider}, Label{"error_type", DimensionErrorType}
	return Naming{
		Errors:        Metric{"memory_llm_errors", []Label{provider, errorType}},
		AttemptErrors: Metric{"memory_llm_errors", []Label{provider, errorType}},
		Calls:         Metric{"memory_llm_calls", []Label{provider}},
		Retries:       Metric{"memory_llm_retries", []Label{provider, errorType, {"result", DimensionResult}}},
		Fallbacks:     Metric{"memory_llm_fallback", []Label{{"from", DimensionFrom}, {"to", DimensionTo}, errorType}},
	}
}

// withDefaults returns n, with def's metric in place of each metric without a name.
func (n Naming) withDefaults(def Naming) Naming {
	for _, m := range []struct{ to, from *Metric }{
		{&n.Errors, &def.Errors}, {&n.Attempts, &def.Attempts}, {&n.AttemptErrors, &def.AttemptErrors},
		{&n.Calls, &def.Calls}, {&n.Retries, &def.Retries}, {&n.Fallbacks, &def.Fallbacks},
		{&n.BreakerState, &def.BreakerState}, {&n.Holds, &def.Holds}, {&n.HoldRemaining, &def.HoldRemaining},
		{&n.Health, &def.Health}, {&n.Restarts, &def.Restarts},
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
