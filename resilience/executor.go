package resilience

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/errclass/errclass/classify"
)

// Executor carries out calls for [Do]: it holds what calls share, which is
// circuit breakers, backoff, fallbacks and alerts. Make it with [New], one for
// a program; a nil Executor makes each call once. It is safe for concurrent
// use and starts no goroutine, so there is nothing to close.
type Executor struct {
	options
	cfg      *Config
	breakers *Breakers
	backoff  backoff
	stays    stays
	alerts   alerts
}

// New returns an executor. The config is copied; with a nil one, or one that
// is not enabled, calls are passed on as they are. The error is that of
// [Config.Validate].
func New(cfg *Config, opts ...Option) (*Executor, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("resilience config: %w", err)
	}
	x := &Executor{options: defaultOptions(), cfg: cfg.clone()}
	for _, o := range opts {
		if o != nil {
			x.options = o.apply(x.options)
		}
	}
	x.backoff.random = x.random
	x.stays.cooldown = x.cooldown
	x.stays.by.most, x.alerts.by.most = MaxEndpoints, MaxEndpoints
	x.breakers = newBreakers(x.cfg, x.probe, x.emit)
	return x, nil
}

// Breakers returns the circuit breakers, to look at them and to set them by
// hand. Those of a nil Executor are none.
func (x *Executor) Breakers() *Breakers {
	if x == nil {
		return nil
	}
	return x.breakers
}

// Enabled reports whether the calls of an agent are looked after ("": those of
// none), or passed on as they are. A nil Executor passes on all.
func (x *Executor) Enabled(agent string) bool { return x != nil && x.cfg.enabled(agent) }

// emit tells everybody of an event.
func (x *Executor) emit(ctx context.Context, e Event) {
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

// logged: retries are logged only where the config wants them.
func (x *Executor) logged(e Event) bool {
	if e.Kind != KindAttempt && e.Kind != KindWait {
		return true
	}
	return *x.cfg.settings(e.Agent, e.Target.Name()).visible.LogRetries
}

// classify says what an error means that a call to t has returned.
func (x *Executor) classify(ctx context.Context, t Target, err error) classify.Result {
	if err == nil {
		return classify.Result{}
	}
	e := classify.Evidence{Err: err, Provider: t.Provider}
	if ctx.Err() != nil {
		e.Cause = context.Cause(ctx)
	}
	return x.classifier.Classify(e)
}

// account tells everything that belongs to an endpoint how a call to it went,
// and says whether its breaker has opened by that.
func (x *Executor) account(ctx context.Context, call Call, p permit, a Attempt) (opened bool) {
	// Whoever cancels a call tears down its connection, and that may come back
	// as any network error: it is not the endpoint's.
	if a.Err != nil && errors.Is(ctx.Err(), context.Canceled) {
		a.Result = classify.Result{Category: classify.CategoryAborted, Reason: classify.ReasonAborted, Rule: "context/canceled"}
	}
	opened = p.done(ctx, a.Result)
	name := a.Target.Name()
	if name == "" {
		return opened
	}
	end := a.Start.Add(a.Duration)
	if x.monitor != nil {
		x.monitor.Record(ctx, Outcome{Endpoint: name, Time: end, Latency: a.Duration, Result: a.Result})
	}
	threshold := x.cfg.settings(call.Agent, name).visible.AlertThreshold
	if n := x.alerts.record(name, a.Result, threshold, end); n > 0 {
		x.emit(ctx, Event{
			Kind: KindAlert, Key: call.Key, Agent: call.Agent, Target: a.Target,
			Failures: n, Result: a.Result, Err: a.Err,
		})
	}
	return opened
}
