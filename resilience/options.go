package resilience

import (
	"log/slog"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/errclass/errclass/classify"
)

// Order says what comes first after a failure that both a retry and another
// target might cure.
type Order string

// The orders. Where there is no other target, or none that is open for calls,
// FallbackFirst retries too.
const (
	RetryFirst    Order = "retry_first"    // the same target, as often as the policy grants, then the next one
	FallbackFirst Order = "fallback_first" // the next target
)

// Option configures an [Executor].
type Option interface{ apply(options) options }

type options struct {
	classifier *classify.Classifier
	observers  observers
	logger     Observer // nil = none
	alert      Observer // nil = none
	monitor    Monitor
	restarter  Restarter
	probe      Probe
	random     func() float64
	cooldown   time.Duration
	first      map[classify.Reason]Order // what is not in it: RetryFirst
}

func defaultOptions() options {
	return options{classifier: classify.Standard, random: rand.Float64, cooldown: DefaultFallbackCooldown}
}

type optionFunc func(options) options

func (f optionFunc) apply(o options) options { return f(o) }

// WithProviderErrorOrder sets what comes first after an error of the provider
// (transient: 5xx, overloaded). The default is [RetryFirst]. With [FallbackFirst]
// network errors and timeouts are still repeated on the same target first.
func WithProviderErrorOrder(o Order) Option { return firstOn(classify.ReasonTransient, o) }

// WithRateLimitOrder sets what comes first after a rate limit (429). The default
// is [RetryFirst].
func WithRateLimitOrder(o Order) Option { return firstOn(classify.ReasonRateLimit, o) }

func firstOn(r classify.Reason, order Order) Option {
	return optionFunc(func(o options) options {
		first := map[classify.Reason]Order{r: order}
		for k, v := range o.first {
			if k != r {
				first[k] = v
			}
		}
		o.first = first
		return o
	})
}

// WithFallbackCooldown sets how long calls stay with a target that was fallen
// back to before the primary is asked first again. The default is
// [DefaultFallbackCooldown]; with 0 each call starts at its primary.
func WithFallbackCooldown(d time.Duration) Option {
	return optionFunc(func(o options) options { o.cooldown = d; return o })
}

// WithClassifier sets what decides about errors. The default is
// [classify.Standard]; nil keeps it.
func WithClassifier(c *classify.Classifier) Option {
	return optionFunc(func(o options) options {
		if c != nil {
			o.classifier = c
		}
		return o
	})
}

// WithObserver adds a function that is told of every [Event]. By default there
// is none; several are told in the order given, nil is ignored.
func WithObserver(observe Observer) Option {
	return optionFunc(func(o options) options {
		if observe != nil {
			o.observers = append(slices.Clip(o.observers), observe)
		}
		return o
	})
}

// WithLogger logs events as [LogEvents] does, attempts and waits only where
// visibility.logRetries is true. By default nothing is logged; nil keeps that.
func WithLogger(logger *slog.Logger) Option {
	return optionFunc(func(o options) options {
		if logger != nil {
			o.logger = LogEvents(logger)
		}
		return o
	})
}

// WithAlert sets a function that is called where an endpoint keeps failing: 10
// times within 5 minutes (visibility.alertThreshold, [AlertWindow]), and again
// only after a call to it has succeeded. What it is given is an event of
// [KindAlert], which observers get too; the rules of [Observer] hold. nil, the
// default, is none.
func WithAlert(alert Observer) Option {
	return optionFunc(func(o options) options { o.alert = alert; return o })
}

// WithMonitor sets what is asked about an endpoint's health before a call. By
// default nothing is; nil keeps that.
func WithMonitor(m Monitor) Option {
	if h, ok := m.(*Health); ok && h == nil {
		m = nil
	}
	return optionFunc(func(o options) options { o.monitor = m; return o })
}

// WithRestarter sets what takes over calls whose network failures outlast
// their retries, and that have a [Call.Restart]. By default nothing does; nil
// keeps that.
func WithRestarter(r Restarter) Option {
	if q, ok := r.(*Queue); ok && q == nil {
		r = nil
	}
	return optionFunc(func(o options) options { o.restarter = r; return o })
}

// WithProbe sets how a half-open circuit breaker asks whether an endpoint is
// back before it lets a call through. Without one, the default, that call is
// the probe. It has as long as the interval between pings (30 s). A probe that is
// itself wrong decides nothing: see [Probe].
func WithProbe(p Probe) Option {
	return optionFunc(func(o options) options { o.probe = p; return o })
}

// WithRandom sets the source of jitter: numbers in [0, 1), from any goroutine.
// The default is [rand.Float64]; nil keeps it.
func WithRandom(random func() float64) Option {
	return optionFunc(func(o options) options {
		if random != nil {
			o.random = random
		}
		return o
	})
}
