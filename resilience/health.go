package resilience

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Health is the [Monitor] of this package. An endpoint is unhealthy in two cases:
//
//   - Of ten or more calls within five minutes, at least half failed
//     ([HealthConfig]).
//   - The last session of the endpoint, such as a process, has died
//     ([Health.Watch]).
//
// After failed calls, the endpoint recovers in three cases:
//
//   - A ping succeeds.
//   - Enough calls succeed.
//   - Enough failures are older than five minutes.
//
// After the death of a session, the endpoint recovers in two cases:
//
//   - A ping succeeds.
//   - A new session begins.
//
// Health counts successes and the failures for which [Outcome.Failed] is true.
// [HealthMinCalls] and [HealthWindow] are the limits. With [WithPing], Health pings
// each endpoint every 30 seconds. The pings begin with the first use of the
// endpoint, and count like calls.
//
// If a ping panics or has a fault of its own, such as a bad URL, the endpoint counts as
// healthy. But if the last session has died, the endpoint stays unhealthy.
//
// If an endpoint has not been used for an hour, it is removed. At most
// [MaxEndpoints] endpoints are kept. When this number is reached, a new endpoint
// replaces the least recently used one. An unhealthy endpoint is replaced only if more
// than three quarters of MaxEndpoints are unhealthy. An endpoint with a live session is
// always kept.
//
// A Health is safe for concurrent use. It runs one goroutine for each endpoint that
// it pings. [Health.Shutdown] ends these goroutines.
type Health struct {
	cfg       *Config
	ping      Probe // may be nil
	observers observers
	start     time.Time // time 0 of healthWindow

	ctx    context.Context // context of the pings
	cancel context.CancelFunc
	pings  sync.WaitGroup

	mu        sync.Mutex
	endpoints *bounded[string, *endpointHealth]
	events    []Event // not yet sent to observers, in order

	notifying sync.Mutex // held while events are sent
}

var _ Monitor = (*Health)(nil)

type endpointHealth struct {
	name     string
	settings HealthConfig
	stop     context.CancelFunc // stops the pings; nil without pings
	window   healthWindow
	lastUsed time.Time

	pingBroken bool  // the last ping was itself faulty
	sessions   int   // number of live sessions
	sessionErr error // error of the last session that died, or nil
	healthy    bool  // as of the last event
	recovered  chan struct{}
	lastPing   time.Time // end of the last ping
}

// HealthOption configures a [Health].
type HealthOption interface{ applyHealth(*Health) }

type healthOption func(*Health)

func (o healthOption) applyHealth(h *Health) { o(h) }

// WithPing sets the ping, which returns nil if the endpoint answers. The context of
// a ping ends after the ping interval and on [Health.Shutdown]. The ping must then
// return. The ping can use the program's own client ([Probe]). By default, and with nil,
// there are no pings.
func WithPing(ping Probe) HealthOption {
	return healthOption(func(h *Health) { h.ping = ping })
}

// WithHealthObserver adds an observer of [KindHealth] events. Observers are called
// in the order of the options. By default there is none. A nil observer is ignored.
// Usually, pass the executor's observers, such as [LogEvents], here too.
func WithHealthObserver(o Observer) HealthOption {
	return healthOption(func(h *Health) {
		if o != nil {
			h.observers = append(h.observers, o)
		}
	})
}

// NewHealth returns a Health with the settings of c. A nil c means the defaults. The
// field Enabled of c is ignored.
func NewHealth(c *Config, opts ...HealthOption) *Health {
	h := &Health{cfg: c.clone(), start: time.Now(), endpoints: newBounded[string, *endpointHealth](MaxEndpoints)}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	for _, o := range opts {
		if o != nil {
			o.applyHealth(h)
		}
	}
	return h
}

// Healthy reports whether the endpoint is healthy.
func (h *Health) Healthy(endpoint string) bool {
	defer h.notify(context.Background())
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.evaluate(h.get(endpoint), Event{})
}

// Record counts the outcome of one call.
func (h *Health) Record(ctx context.Context, o Outcome) {
	defer h.notify(ctx)
	h.mu.Lock()
	defer h.mu.Unlock()
	e := h.get(o.Endpoint)
	h.count(e, o)
	h.evaluate(e, Event{Result: o.Result})
}

// count adds an outcome to the window. Errors that say nothing about the endpoint
// are ignored.
func (h *Health) count(e *endpointHealth, o Outcome) {
	if !o.Failed() && o.Result.Category != "" {
		return
	}
	now := h.second(time.Now())
	when := now
	if !o.Time.IsZero() {
		when = h.second(o.Time)
	}
	c := healthCounts{calls: 1, latency: o.Latency}
	if o.Failed() {
		c.failed = 1
	}
	e.window.add(now, when, c)
}

// second returns the seconds from h.start to t.
func (h *Health) second(t time.Time) int64 { return int64(t.Sub(h.start) / time.Second) }

// evaluate updates e.healthy and returns the new value. The event for a change to
// unhealthy gets Result and Err from cause.
func (h *Health) evaluate(e *endpointHealth, cause Event) bool {
	healthy := e.sessionErr == nil && (e.pingBroken || !e.failing(h.second(time.Now())))
	if healthy == e.healthy {
		return healthy
	}
	e.healthy = healthy
	h.endpoints.setRank(e.name, e.rank())
	event := Event{Kind: KindHealth, Time: time.Now(), Target: Target{Endpoint: e.name}}
	switch {
	case healthy:
		event.From, event.To = Unhealthy, Healthy
		close(e.recovered) // wakes WaitForRecovery
	default:
		event.From, event.To = Healthy, Unhealthy
		event.Failures, event.Result, event.Err = e.window.sum.failed, cause.Result, cause.Err
		e.recovered = make(chan struct{})
	}
	h.events = append(h.events, event)
	return healthy
}

// failing reports whether too many of the calls in the window have failed.
func (e *endpointHealth) failing(now int64) bool {
	c := e.window.advance(now)
	return c.calls >= HealthMinCalls && float64(c.failed) >= e.settings.UnhealthyThreshold*float64(c.calls)
}

// markUp clears the recorded failures of e, because the endpoint is up again.
func (e *endpointHealth) markUp() {
	e.sessionErr, e.pingBroken = nil, false
	if !e.healthy {
		e.window = healthWindow{}
	}
}

// get returns the state of an endpoint. For a new endpoint, it starts the pings. The
// caller holds mu, and calls notify after unlocking.
func (h *Health) get(endpoint string) *endpointHealth {
	e, ok := h.endpoints.get(endpoint)
	if !ok {
		h.sweep()
		e = &endpointHealth{name: endpoint, settings: h.cfg.settings("", endpoint).health, healthy: true}
		for _, old := range h.endpoints.add(endpoint, e, plain) {
			h.discard(old)
		}
		if h.ping != nil && h.ctx.Err() == nil {
			ctx, stop := context.WithCancel(h.ctx)
			e.stop = stop
			h.pings.Go(func() {
				defer stop()
				h.keepPinging(ctx, e)
			})
		}
	}
	e.lastUsed = time.Now()
	return e
}

// rank returns how well e is protected against removal from a full map.
func (e *endpointHealth) rank() rank {
	switch {
	case e.sessions > 0:
		return pinned
	case !e.healthy:
		return held
	default:
		return plain
	}
}

// sweep removes expired endpoints if there are at least sweepThreshold endpoints.
func (h *Health) sweep() {
	for _, r := range [...]rank{plain, held} {
		for h.endpoints.len() >= sweepThreshold {
			e, ok := h.endpoints.oldest(r)
			if !ok || !e.expired() {
				break
			}
			h.endpoints.remove(e.name)
			h.discard(e)
		}
	}
}

// discard stops the pings of a removed endpoint and wakes the callers of
// WaitForRecovery.
func (h *Health) discard(e *endpointHealth) {
	if e.stop != nil {
		e.stop()
	}
	if e.healthy {
		return
	}
	e.healthy = true
	close(e.recovered)
	h.events = append(h.events, Event{
		Kind: KindHealth, Time: time.Now(), Target: Target{Endpoint: e.name}, From: Unhealthy, To: Healthy,
	})
}

func (e *endpointHealth) expired() bool {
	return e.sessions == 0 && time.Since(e.lastUsed) > idleTimeout
}

// Shutdown stops the pings and ends every call of WaitForRecovery. It waits until
// running pings have returned. If ctx ends first, it returns an error. After
// Shutdown, calls and sessions still change the health of endpoints.
func (h *Health) Shutdown(ctx context.Context) error {
	h.mu.Lock()
	h.cancel() // with mu held, so that get starts no ping after Wait
	h.mu.Unlock()
	done := make(chan struct{})
	go func() {
		h.pings.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("shut down health: a ping did not end with its context: %w", ctx.Err())
	}
}
