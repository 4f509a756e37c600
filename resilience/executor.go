package resilience

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/errclass/errclass/classify"
)

// Executor makes the calls of [Do]. Its calls share circuit breakers, backoffs,
// fallbacks and alerts. A program makes one Executor, with [New]. An Executor is
// safe for concurrent use and needs no Close. Without [WithSharing], it starts no
// goroutine. A nil Executor makes each call once.
type Executor struct {
	options
	cfg       *liveConfig
	updates   sync.Mutex // held by Update
	breakers  *Breakers
	backoff   backoff
	fallbacks fallbacks
	alerts    alerts
	silent    bool // nobody receives events
}

// New returns an executor with a copy of the config. If the config is nil or not
// enabled, calls are not retried. The error comes from [Config.Validate].
func New(cfg *Config, opts ...Option) (*Executor, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("resilience config: %w", err)
	}
	x := &Executor{options: defaultOptions(), cfg: newLiveConfig(cfg.clone())}
	for _, o := range opts {
		if o != nil {
			x.options = o.apply(x.options)
		}
	}
	x.backoff.random = x.random
	x.fallbacks.cooldown = x.fallbackCooldown
	x.fallbacks.byPrimary.capacity, x.alerts.byEndpoint.capacity = MaxEndpoints, MaxEndpoints
	x.silent = len(x.observers) == 0 && x.logger == nil && x.alert == nil
	x.breakers = newBreakers(x.cfg, x.options, x.emit)
	if r, ok := x.restarter.(interface{ BreakerClosed(gate string) }); ok {
		x.breakers.closed = r.BreakerClosed
	}
	return x, nil
}

// Breakers returns the circuit breakers of x. If x is nil, Breakers returns nil.
func (x *Executor) Breakers() *Breakers {
	if x == nil {
		return nil
	}
	return x.breakers
}

// Enabled reports whether the calls of an agent are retried. For calls without an
// agent, pass the empty string. A nil Executor returns false.
func (x *Executor) Enabled(agent string) bool { return x != nil && x.cfg.get().enabled(agent) }

// emit sends an event to all observers, the logger and the alert function.
func (x *Executor) emit(ctx context.Context, e Event) {
	if x.silent {
		return
	}
	if e.Time.IsZero() {
		e.Time = time.Now()
	}
	x.observers.notify(ctx, e)
	if x.logger != nil && x.logged(e) {
		x.logger.notify(ctx, e)
	}
	if x.alert != nil && e.Kind == KindAlert {
		x.alert.notify(ctx, e)
	}
}

// StreamFailed sends an event of [KindStream]: a call succeeded, but its answer
// failed while it was read. Adapters for other protocols call it after [Do] has
// returned, at most once for each call. The event has the Key and Agent of c, and
// the Target, Number and Err of a. A nil Executor does nothing.
func (x *Executor) StreamFailed(ctx context.Context, c Call, a Attempt) {
	if x == nil || x.silent {
		return
	}
	x.emit(ctx, Event{
		Kind: KindStream, Key: c.Key, Agent: c.Agent, Target: a.Target, Attempt: a.Number,
		Result: x.classify(ctx, a.Target, a.Err), Err: a.Err,
	})
}

// logged reports whether the event is logged. The config can turn off the logging of
// attempts and pauses.
func (x *Executor) logged(e Event) bool {
	if e.Kind != KindAttempt && e.Kind != KindWait {
		return true
	}
	return *x.cfg.get().settings(e.Agent, e.Target.Name()).visibility.LogRetries
}

// classify classifies an error that a call to t returned.
func (x *Executor) classify(ctx context.Context, t Target, err error) classify.Result {
	if err == nil {
		return classify.Result{}
	}
	return x.classifier.Classify(classify.Evidence{Err: err, Provider: t.Provider, Cause: classify.Cause(ctx)})
}

// recordOutcome passes the outcome of a call to the monitor and to the alerts.
func (x *Executor) recordOutcome(ctx context.Context, call *Call, endpoint string, a Attempt) {
	end := a.Start.Add(a.Duration)
	if x.monitor != nil {
		x.monitor.Record(ctx, Outcome{Endpoint: endpoint, Time: end, Latency: a.Duration, Result: a.Result})
	}
	if a.Err == nil {
		x.alerts.succeeded(endpoint, end)
		return
	}
	threshold := x.cfg.get().settings(call.Agent, endpoint).visibility.AlertThreshold
	if n := x.alerts.record(endpoint, a.Result, threshold, end); n > 0 {
		x.emit(ctx, Event{
			Kind: KindAlert, Key: call.Key, Agent: call.Agent, Target: a.Target,
			Failures: n, Result: a.Result, Err: a.Err,
		})
	}
}
