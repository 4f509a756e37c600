package resilience

import (
	"log/slog"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/errclass/errclass/classify"
)

// Order says whether a retry or a fallback comes first. It applies to errors that
// allow both.
type Order string

// These are the values of [Order]. With FallbackFirst, a call is retried only if no
// other target accepts calls.
const (
	RetryFirst    Order = "retry_first"    // all retries on the same target, then the next target
	FallbackFirst Order = "fallback_first" // the next target
)

// Option configures an [Executor].
type Option interface{ apply(options) options }

type options struct {
	classifier       *classify.Classifier
	observers        observers
	logger           Observer // may be nil
	alert            Observer // may be nil
	monitor          Monitor
	restarter        Restarter
	probe            Probe
	sharer           Sharer // may be nil
	random           func() float64
	fallbackCooldown time.Duration
	order            map[classify.Reason]Order // missing = RetryFirst
}

func defaultOptions() options {
	return options{classifier: classify.Standard, random: rand.Float64, fallbackCooldown: DefaultFallbackCooldown}
}

type optionFunc func(options) options

func (f optionFunc) apply(o options) options { return f(o) }

// WithProviderErrorOrder sets whether a retry or a fallback comes first after a
// provider's error. Such errors are transient: 5xx or overloaded. The default is
// [RetryFirst]. Network errors and timeouts are not affected.
func WithProviderErrorOrder(o Order) Option { return withOrder(classify.ReasonTransient, o) }

// WithRateLimitOrder sets whether a retry or a fallback comes first after a rate
// limit (429). The default is [RetryFirst].
func WithRateLimitOrder(o Order) Option { return withOrder(classify.ReasonRateLimit, o) }

func withOrder(r classify.Reason, order Order) Option {
	return optionFunc(func(o options) options {
		merged := map[classify.Reason]Order{r: order}
		for k, v := range o.order {
			if k != r {
				merged[k] = v
			}
		}
		o.order = merged
		return o
	})
}

// WithFallbackCooldown sets the time after a fallback in which calls begin with the
// new target. The default is [DefaultFallbackCooldown]. With 0, each call begins
// with its primary target.
func WithFallbackCooldown(d time.Duration) Option {
	return optionFunc(func(o options) options { o.fallbackCooldown = d; return o })
}

// WithClassifier sets the classifier. By default, and with nil, the classifier is
// [classify.Standard].
func WithClassifier(c *classify.Classifier) Option {
	return optionFunc(func(o options) options {
		if c != nil {
			o.classifier = c
		}
		return o
	})
}

// WithObserver adds an observer of every [Event]. Observers are called in the order
// of the options. By default there is none. A nil observer is ignored.
func WithObserver(observe Observer) Option {
	return optionFunc(func(o options) options {
		if observe != nil {
			o.observers = append(slices.Clip(o.observers), observe)
		}
		return o
	})
}

// WithLogger logs events to logger, as [LogEvents] does. Attempts and pauses are
// logged only if the setting visibility.logRetries is true. By default, and with
// nil, nothing is logged.
func WithLogger(logger *slog.Logger) Option {
	return optionFunc(func(o options) options {
		if logger != nil {
			o.logger = LogEvents(logger)
		}
		return o
	})
}

// WithAlert sets a function that is called when an endpoint keeps failing. The
// default is 10 failures within 5 minutes (visibility.alertThreshold,
// [AlertWindow]). The endpoint gets no further alert until a call has succeeded.
// Observers receive the same event, of [KindAlert]. The rules of [Observer] apply.
// By default, and with nil, no function is called.
func WithAlert(alert Observer) Option {
	return optionFunc(func(o options) options { o.alert = alert; return o })
}

// WithMonitor sets the monitor of endpoint health. By default, and with nil, there
// is none.
func WithMonitor(m Monitor) Option {
	if h, ok := m.(*Health); ok && h == nil {
		m = nil
	}
	return optionFunc(func(o options) options { o.monitor = m; return o })
}

// WithRestarter sets the restart queue. The queue gets calls that have a
// [Call.Restart] and failed with network errors after all retries. By default, and
// with nil, there is no restart queue.
func WithRestarter(r Restarter) Option {
	if q, ok := r.(*Queue); ok && q == nil {
		r = nil
	}
	return optionFunc(func(o options) options { o.restarter = r; return o })
}

// WithProbe sets the probe that an open circuit breaker runs before a trial call. By
// default there is no probe, and the trial call alone is the test. The timeout of a
// probe is the ping interval (30 s). The probe can use the program's own client. For
// this, and for the meaning of the probe's errors, see [Probe].
func WithProbe(p Probe) Option {
	return optionFunc(func(o options) options { o.probe = p; return o })
}

// WithSharing shares the state of breakers and rate limits with other processes. By
// default, and with nil, nothing is shared. A Sharer belongs to one executor. If the
// processes have different credentials, set [Target.Key]. A rate limit then applies
// only to processes with the same credentials.
func WithSharing(s Sharer) Option {
	return optionFunc(func(o options) options { o.sharer = s; return o })
}

// WithRandom sets the function that returns random numbers for jitter. The numbers
// are in [0, 1). The function must be safe for concurrent use. By default, and with
// nil, it is [rand.Float64].
func WithRandom(random func() float64) Option {
	return optionFunc(func(o options) options {
		if random != nil {
			o.random = random
		}
		return o
	})
}
