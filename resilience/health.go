package resilience

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Health is the [Monitor] of this package. An endpoint is unhealthy in two cases:
//
//   - The endpoint had ten or more calls within five minutes, and at least half of
//     them failed ([HealthWindow], [HealthMinCalls], [HealthConfig]). The endpoint
//     recovers when a ping succeeds or when enough failures are older than five
//     minutes.
//   - The endpoint's last session, such as a process or a connection, has died
//     ([Health.Watch]). The endpoint recovers when a new session begins or a ping
//     succeeds.
//
// Health counts successful calls, and the failures for which [Outcome.Failed] is
// true. Pings count like calls. With [WithPing], Health pings each endpoint every 30
// seconds, beginning with the endpoint's first use. An endpoint that has not been
// used for an hour is removed.
//
// At most [MaxEndpoints] endpoints are kept. A new endpoint replaces the least
// recently used one. An unhealthy endpoint is replaced only if more than three
// quarters of all endpoints are unhealthy. An endpoint with a live session is always
// kept.
//
// If a ping panics, or fails because the ping itself is faulty (a bad URL, a missing
// key), the endpoint counts as healthy, unless its last session has died. Without
// pings, only a call can show that failures have ended. So [Health.WaitForRecovery]
// returns at once, unless the last session has died.
//
// A Health is safe for concurrent use. It runs one goroutine for each endpoint that
// it pings; [Health.Shutdown] ends them.
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

// endpointHealth is the state of one endpoint.
type endpointHealth struct {
	name     string
	settings HealthConfig
	stop     context.CancelFunc // stops the pings of the endpoint; nil without pings
	window   healthWindow
	lastUsed time.Time

	pingBroken bool  // the last ping failed because the ping itself is faulty
	sessions   int   // number of live sessions
	sessionErr error // why the last session died, or nil
	healthy    bool  // as of the last event
	recovered  chan struct{}
	lastPing   time.Time // time at which the last ping ended
}

// HealthOption configures a [Health].
type HealthOption interface{ applyHealth(*Health) }

type healthOption func(*Health)

func (o healthOption) applyHealth(h *Health) { o(h) }

// WithPing sets the ping, which returns nil if the endpoint answers. The context of
// a ping ends after the ping interval and on [Health.Shutdown]; the ping must then
// return. By default, and with nil, there are no pings.
func WithPing(ping Probe) HealthOption {
	return healthOption(func(h *Health) { h.ping = ping })
}

// WithHealthObserver adds an observer of [KindHealth] events. The executor's
// observers, such as [LogEvents], usually belong here too. By default there is
// none. Observers are called in the order of the options. nil is ignored.
func WithHealthObserver(o Observer) HealthOption {
	return healthOption(func(h *Health) {
		if o != nil {
			h.observers = append(h.observers, o)
		}
	})
}

// NewHealth returns a Health with the settings of c. A nil c means the defaults.
// The field Enabled of c is ignored.
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

// count adds an outcome to the window. It ignores an error that says nothing about
// the endpoint.
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

// evaluate updates e.healthy and returns the new value. The parameter cause has the
// Result and Err of the latest outcome. If e becomes unhealthy, the [KindHealth]
// event contains this Result and Err.
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

// get returns the state of an endpoint. If the endpoint is new, get starts its
// pings. The caller holds mu and calls notify after unlocking it.
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

// rank says how well e is protected against removal from a full [bounded] map: it
// returns pinned if e has a live session, held if e is unhealthy, and else plain.
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
// The goroutine that pings an endpoint also removes the endpoint when it has
// expired.
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

// discard stops the pings of an endpoint that was removed, and wakes the callers of
// WaitForRecovery. The endpoint counts as healthy again.
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

// Shutdown stops the pings, ends every call of WaitForRecovery, and waits until
// running pings have returned. It returns an error if ctx ends first. After
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
