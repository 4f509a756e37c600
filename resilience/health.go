package resilience

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Health watches endpoints. It is the [Monitor] of this package. An endpoint is
// unhealthy
//
//   - where at least half of its calls failed, of ten or more within five
//     minutes ([HealthConfig], [HealthMinCalls], [HealthWindow]), until a ping
//     succeeds or enough of the failures are that long ago;
//   - where its last session has died ([Health.Watch]), until there is a new one
//     or a ping succeeds.
//
// Calls count that succeed and those that speak against the endpoint
// ([Outcome.Failed]); pings count like calls. With [WithPing] every endpoint is
// pinged each 30 seconds from when it is first mentioned; one that is not
// mentioned for an hour is forgotten. No more than [MaxEndpoints] are watched: for
// a new one the one is forgotten that was mentioned least recently. Unhealthy ones
// are forgotten only where they are more than three quarters of all, and those
// with a live session never.
//
// Where a ping cannot be made (it panics, or its error is not one that speaks
// against the endpoint: a bad URL, a missing key) nothing is known, and what is
// not known counts as healthy. A session that died is dead all the same.
// Without pings nobody waits for a recovery that only calls could show.
//
// A Health is safe for concurrent use. Its goroutines, one for each endpoint
// that is pinged, end with [Health.Shutdown].
type Health struct {
	cfg       *Config
	ping      Probe // nil = none
	observers observers
	start     time.Time // seconds are counted from here

	ctx    context.Context // of the pings
	cancel context.CancelFunc
	pings  sync.WaitGroup

	mu        sync.Mutex
	endpoints *bounded[string, *endpointHealth]
	events    []Event // in the order in which they happened, to be told

	telling sync.Mutex // held by whoever tells events
}

var _ Monitor = (*Health)(nil)

// endpointHealth is what is known of one endpoint.
type endpointHealth struct {
	name     string
	settings HealthConfig
	stop     context.CancelFunc // ends its pings; nil = there are none
	window   healthWindow
	touched  time.Time // when it was last mentioned

	blind   bool  // the last ping could not be made
	live    int   // sessions that are watched and have not died
	dead    error // why the last session died; nil = it did not
	healthy bool  // as was last told
	changed chan struct{}
	pinged  time.Time // when the last ping ended
}

// HealthOption configures a [Health].
type HealthOption interface{ applyHealth(*Health) }

type healthOption func(*Health)

func (o healthOption) applyHealth(h *Health) { o(h) }

// WithPing sets how to find out whether an endpoint answers: nil where it does.
// The context ends after the ping interval at the latest, or with
// [Health.Shutdown], and has to be obeyed. By default, and with nil, there are
// no pings.
func WithPing(ping Probe) HealthOption {
	return healthOption(func(h *Health) { h.ping = ping })
}

// WithHealthObserver adds an observer of events of [KindHealth]: what observes
// the executor ([LogEvents]) mostly belongs here too. By default
// there is none; several are told in the order given, nil is ignored.
func WithHealthObserver(o Observer) HealthOption {
	return healthOption(func(h *Health) {
		if o != nil {
			h.observers = append(h.observers, o)
		}
	})
}

// NewHealth returns a Health with the figures of c, which may be nil for the
// defaults; Enabled does not matter.
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

// Healthy says whether a call makes sense now.
func (h *Health) Healthy(endpoint string) bool {
	defer h.tell(context.Background())
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.judge(h.of(endpoint), Event{})
}

// Record takes the outcome of one call.
func (h *Health) Record(ctx context.Context, o Outcome) {
	defer h.tell(ctx)
	h.mu.Lock()
	defer h.mu.Unlock()
	e := h.of(o.Endpoint)
	h.count(e, o)
	h.judge(e, Event{Result: o.Result})
}

// count takes an outcome into account, if it says anything about the endpoint.
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

// second counts the seconds since h began.
func (h *Health) second(t time.Time) int64 { return int64(t.Sub(h.start) / time.Second) }

// judge brings e up to date and reports whether it is healthy. why has the
// Result and Err of what has just been learned.
func (h *Health) judge(e *endpointHealth, why Event) bool {
	healthy := e.dead == nil && (e.blind || !e.failing(h.second(time.Now())))
	if healthy == e.healthy {
		return healthy
	}
	e.healthy = healthy
	h.endpoints.place(e.name, e.rank())
	event := Event{Kind: KindHealth, Time: time.Now(), Target: Target{Endpoint: e.name}}
	switch {
	case healthy:
		event.From, event.To = Unhealthy, Healthy
		close(e.changed) // whoever waits for it goes on
	default:
		event.From, event.To = Healthy, Unhealthy
		event.Failures, event.Result, event.Err = e.window.sum.failed, why.Result, why.Err
		e.changed = make(chan struct{})
	}
	h.events = append(h.events, event)
	return healthy
}

// failing reports whether too many calls of the window failed.
func (e *endpointHealth) failing(now int64) bool {
	c := e.window.at(now)
	return c.calls >= HealthMinCalls && float64(c.failed) >= e.settings.UnhealthyThreshold*float64(c.calls)
}

// answered forgets what speaks against e: it has just answered.
func (e *endpointHealth) answered() {
	e.dead, e.blind = nil, false
	if !e.healthy {
		e.window = healthWindow{}
	}
}

// of returns what is known of an endpoint, which begins to be watched where it
// is new. The caller holds mu, and tells the events when he does not any more.
func (h *Health) of(endpoint string) *endpointHealth {
	e, ok := h.endpoints.get(endpoint)
	if !ok {
		h.sweep()
		e = &endpointHealth{name: endpoint, settings: h.cfg.settings("", endpoint).health, healthy: true}
		for _, old := range h.endpoints.add(endpoint, e, plain) {
			h.forgot(old)
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
	e.touched = time.Now()
	return e
}

// rank: an endpoint with a live session is not forgotten, and one that is
// unhealthy not as long as there is something else to forget.
func (e *endpointHealth) rank() rank {
	switch {
	case e.live > 0:
		return pinned
	case !e.healthy:
		return held
	default:
		return plain
	}
}

// sweep forgets endpoints that are not mentioned any more, where there are very
// many. The goroutines of those that are pinged do the same for themselves.
func (h *Health) sweep() {
	for _, r := range [...]rank{plain, held} {
		for h.endpoints.len() >= leastSweep {
			e, ok := h.endpoints.oldest(r)
			if !ok || !e.forgettable() {
				break
			}
			h.endpoints.remove(e.name)
			h.forgot(e)
		}
	}
}

// forgot ends what belongs to an endpoint that is forgotten: its pings, and the
// waiting of those who would have been told by them. What is not known counts as
// healthy.
func (h *Health) forgot(e *endpointHealth) {
	if e.stop != nil {
		e.stop()
	}
	if e.healthy {
		return
	}
	e.healthy = true
	close(e.changed)
	h.events = append(h.events, Event{
		Kind: KindHealth, Time: time.Now(), Target: Target{Endpoint: e.name}, From: Unhealthy, To: Healthy,
	})
}

func (e *endpointHealth) forgettable() bool {
	return e.live == 0 && time.Since(e.touched) > forgetAfter
}

// Shutdown ends the pings and whoever waits for a recovery, and waits for the
// pings that are under way. Its error says that ctx ended first. Afterwards h
// goes on judging by calls and sessions alone. Shutting down again does nothing.
func (h *Health) Shutdown(ctx context.Context) error {
	h.mu.Lock()
	h.cancel() // under mu, so that no ping begins behind the back of Wait
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
		return fmt.Errorf("shut down health: a ping does not end with its context: %w", ctx.Err())
	}
}
