package otelclass

import "slices"

// CounterOption configures a [Counter] or [CallMetrics].
type CounterOption interface {
	applyCounter(counterConfig) counterConfig
}

type counterConfig struct {
	naming    Naming
	providers []string
	signals   []Signal
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
		if c.naming.Errors.hasLabel(DimensionSignal) {
			c.signals = append(c.signals, SignalSpan)
		}
	}
	return c
}

type counterOptionFunc func(counterConfig) counterConfig

func (f counterOptionFunc) applyCounter(c counterConfig) counterConfig { return f(c) }

// WithProviders adds the label provider. Its values are these names, and "other"
// for all other providers. The series of all values exist from the start. By
// default, and if names is empty, there is no such label.
//
// The provider is taken from [classify.Result]. Processors set it from
// gen_ai.provider.name or gen_ai.system; [Counter.Observe] also reads an attribute
// gen_ai.provider.name or provider of the record. Each declared provider adds 36
// series to a Counter. An SDK keeps 2,000 series for an instrument by default.
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

// otherProvider is the label value for an undeclared or unknown provider.
const otherProvider = "other"

// WithNaming sets the names of the instruments and of their labels. The default
// is [DefaultNaming]; [MemoryLLMNaming] is another.
func WithNaming(n Naming) CounterOption {
	n = n.withDefaults(DefaultNaming())
	return counterOptionFunc(func(c counterConfig) counterConfig {
		c.naming = n
		return c
	})
}

// WithSignals sets the signals whose errors a [Counter] counts. The default is
// both. If the naming has no label for the signal ([MemoryLLMNaming]), the default
// is [SignalLog] only, because a failure that is logged and also ends a span would
// count twice. Without an argument the default is kept.
func WithSignals(signals ...Signal) CounterOption {
	signals = slices.Clone(signals)
	return counterOptionFunc(func(c counterConfig) counterConfig {
		if len(signals) > 0 {
			c.signals = signals
		}
		return c
	})
}

// provider returns the label value for a provider, or "" if there is no label.
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

// allProviders returns the values of the label provider, or one "" if there is no
// such label.
func (c *counterConfig) allProviders() []string {
	if len(c.providers) == 0 {
		return []string{""}
	}
	return append(slices.Clip(c.providers), otherProvider)
}
