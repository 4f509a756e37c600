package otelclass

import (
	"context"
	"slices"

	"github.com/errclass/errclass/classify"
)

// CounterOption configures a [Counter] or [CallMetrics].
type CounterOption interface {
	applyCounter(counterConfig) counterConfig
}

type counterConfig struct {
	naming    Naming
	providers []string
	labels    map[string]string // provider name in lower case -> label
	endpoints []string
	signals   []Signal
	counted   func(context.Context, classify.Result) bool // nil = all
}

func newCounterConfig(opts []CounterOption) counterConfig {
	c := counterConfig{naming: DefaultNaming()}
	for _, o := range opts {
		if o != nil {
			c = o.applyCounter(c)
		}
	}
	c.labels = providerLabels(c.providers)
	if c.signals == nil {
		c.signals = []Signal{SignalLog}
		if c.naming.Errors.hasLabel(DimensionSignal) {
			c.signals = append(c.signals, SignalSpan)
		}
	}
	return c
}

type counterOptionFunc func(counterConfig) counterConfig

func (f counterOptionFunc) applyCounter(c counterConfig) counterConfig { return f(c) }

// WithProviders adds the metric label "provider". Its values are the given names,
// and "other" for all other providers. The series of all values exist from the
// start. By default, and if names is empty, the metrics have no label "provider".
//
// Upper and lower case do not matter. Common aliases are known: claude means
// anthropic, and codex means openai. If several names of one provider are declared,
// each name has its own label value.
//
// The provider is taken from [classify.Result]. Processors set it from
// gen_ai.provider.name or gen_ai.system. [Counter.Observe] also reads it from the
// attributes of the log record. Each declared provider adds 36 series to a Counter. An
// SDK keeps 2,000 series for an instrument by default.
func WithProviders(names ...string) CounterOption {
	names = slices.Clone(names)
	return counterOptionFunc(func(c counterConfig) counterConfig {
		c.providers = appendNames(c.providers, names)
		return c
	})
}

// WithEndpoints declares endpoints that are passed to [CallMetrics.Attempt]. The series
// of declared endpoints exist from the start. The series of other endpoints begin with
// their first attempt; see [MaxEndpoints]. A declared endpoint gets series for its
// provider ([classify.HostProvider]). If the provider is unknown, the endpoint gets
// series for each value of the label "provider". By default no endpoint is declared.
func WithEndpoints(endpoints ...string) CounterOption {
	endpoints = slices.Clone(endpoints)
	return counterOptionFunc(func(c counterConfig) counterConfig {
		c.endpoints = appendNames(c.endpoints, endpoints)
		return c
	})
}

// appendNames returns a new slice: the elements of all, followed by the elements of names
// that are not in all. It omits the names "" and "other".
func appendNames(all, names []string) []string {
	all = slices.Clone(all)
	for _, name := range names {
		if name != "" && name != other && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// WithCounted sets a function that reports whether an error is counted. Use it to
// leave out expected errors, such as a 404 for a record that does not exist yet.
// If the function returns false, [Counter] ignores the error, and [CallMetrics.Attempt]
// counts the attempt with the label outcome="expected". Spans, records and observers
// still get the error's category and reason. By default all errors are counted. A nil
// function is ignored.
//
// ctx is the context of the log record or the call. For a span, ctx has only the
// span context. The function must be safe for concurrent use and must not block. If
// it panics, the error is counted.
func WithCounted(counted func(ctx context.Context, res classify.Result) bool) CounterOption {
	return counterOptionFunc(func(c counterConfig) counterConfig {
		if counted != nil {
			c.counted = counted
		}
		return c
	})
}

// counts reports whether an error is counted.
func (c *counterConfig) counts(ctx context.Context, res classify.Result) (counts bool) {
	if c.counted == nil {
		return true
	}
	defer func() {
		if recover() != nil {
			counts = true
		}
	}()
	if ctx == nil {
		ctx = context.Background()
	}
	return c.counted(ctx, res)
}

// WithNaming sets the names of the instruments and of their labels. The default
// is [DefaultNaming]; [MemoryLLMNaming] is another.
func WithNaming(n Naming) CounterOption {
	n = n.withDefaults(DefaultNaming())
	return counterOptionFunc(func(c counterConfig) counterConfig {
		c.naming = n
		return c
	})
}

// WithSignals sets the signals in which a [Counter] counts errors. The default is
// [SignalLog] and [SignalSpan]. If the naming has no label for the signal, as in
// [MemoryLLMNaming], the default is only [SignalLog]. Without an argument the
// default is kept.
func WithSignals(signals ...Signal) CounterOption {
	signals = slices.Clone(signals)
	return counterOptionFunc(func(c counterConfig) counterConfig {
		if len(signals) > 0 {
			c.signals = signals
		}
		return c
	})
}
