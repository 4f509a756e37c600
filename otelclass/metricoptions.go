package otelclass

import "slices"

// CounterOption configures a [Counter] or [CallMetrics].
type CounterOption interface {
	applyCounter(counterConfig) counterConfig
}

type counterConfig struct {
	naming    Naming
	providers []string
	signals   []Signal // nil = as the naming allows
}

func newCounterConfig(opts []CounterOption) counterConfig {
	c := counterConfig{naming: DefaultNaming()}
	for _, o := range opts {
		if o != nil {
			c = o.applyCounter(c)
		}
	}
	if c.signals == nil {
		c.signals = []Signal{SignalLog}
		if c.naming.Errors.tells(DimensionSignal) {
			c.signals = append(c.signals, SignalSpan)
		}
	}
	return c
}

type counterOptionFunc func(counterConfig) counterConfig

func (f counterOptionFunc) applyCounter(c counterConfig) counterConfig { return f(c) }

// WithProviders adds the label provider. Its values are the names given here,
// written exactly like this, and "other" for everything else; series of all of
// them exist from the start. By default there is no such label, and without a
// name there is none either.
//
// A provider is that of [classify.Result], which processors take from
// gen_ai.provider.name or gen_ai.system; [Counter.Observe] also looks for an attribute of that
// name, or provider, on the record. A declared provider adds 36 series to a
// Counter; an SDK keeps 2,000 of one instrument unless told otherwise.
func WithProviders(names ...string) CounterOption {
	names = slices.Clone(names)
	return counterOptionFunc(func(c counterConfig) counterConfig {
		for _, name := range names {
			if name != "" && name != otherProvider && !slices.Contains(c.providers, name) {
				c.providers = append(slices.Clip(c.providers), name)
			}
		}
		return c
	})
}

// otherProvider is the label of a provider that was not declared, or of none.
const otherProvider = "other"

// WithNaming sets what the instruments and their labels are called. The default
// is [DefaultNaming]; [MemoryLLMNaming] is ready too.
func WithNaming(n Naming) CounterOption {
	n = n.or(DefaultNaming())
	return counterOptionFunc(func(c counterConfig) counterConfig {
		c.naming = n
		return c
	})
}

// WithSignals sets which errors a [Counter] counts. By default it is both
// signals, or where no label keeps them apart ([MemoryLLMNaming]) only
// [SignalLog]: a failure that is logged and ends a span too would count as two.
// Without a signal the default is kept.
func WithSignals(signals ...Signal) CounterOption {
	signals = slices.Clone(signals)
	return counterOptionFunc(func(c counterConfig) counterConfig {
		if len(signals) > 0 {
			c.signals = signals
		}
		return c
	})
}

// provider is the label of a provider: itself where it is declared.
func (c *counterConfig) provider(name string) string {
	switch {
	case len(c.providers) == 0:
		return ""
	case slices.Contains(c.providers, name):
		return name
	default:
		return otherProvider
	}
}

// allProviders are the values of the label provider, "" where there is none.
func (c *counterConfig) allProviders() []string {
	if len(c.providers) == 0 {
		return []string{""}
	}
	return append(slices.Clip(c.providers), otherProvider)
}
