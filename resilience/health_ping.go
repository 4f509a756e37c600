package resilience

import (
	"context"
	"errors"
	"time"

	"github.com/errclass/errclass/classify"
)

// keepPinging pings an endpoint at its interval until ctx ends: it is forgotten,
// or h is shut down.
func (h *Health) keepPinging(ctx context.Context, e *endpointHealth) {
	interval := ms(e.settings.PingIntervalMs)
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
		if h.forget(e) {
			return
		}
		o, err := h.pingOnce(ctx, e.name, interval)
		if ctx.Err() != nil {
			return // the ping was ended, which says nothing
		}
		h.pinged(e, o, err)
	}
}

// forget drops an endpoint that nobody mentions any more, and reports whether it
// is or was dropped.
func (h *Health) forget(e *endpointHealth) bool {
	defer h.tell(h.ctx)
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case !h.watches(e):
		return true
	case !e.forgettable():
		return false
	}
	h.endpoints.remove(e.name)
	h.forgot(e)
	return true
}

// watches reports whether e is still what is known of its endpoint. The caller
// holds mu.
func (h *Health) watches(e *endpointHealth) bool {
	return h.endpoints.is(e.name, func(current *endpointHealth) bool { return current == e })
}

// errPingPanicked stands for a ping that could not be made.
var errPingPanicked = errors.New("the ping panicked")

// pingOnce makes one ping.
func (h *Health) pingOnce(ctx context.Context, endpoint string, limit time.Duration) (o Outcome, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	start := time.Now()
	defer func() {
		if recover() != nil {
			err = errPingPanicked
		}
		end := time.Now()
		o = Outcome{Endpoint: endpoint, Time: end, Latency: end.Sub(start), Result: classify.Error(err)}
	}()
	return o, h.ping(ctx, endpoint)
}

// pinged takes a ping into account.
func (h *Health) pinged(e *endpointHealth, o Outcome, err error) {
	defer h.tell(h.ctx)
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.watches(e) {
		return
	}
	e.pinged = o.Time
	switch {
	case err == nil:
		e.answered()
	case o.Failed():
		e.blind = false
	default:
		e.blind = true
	}
	h.count(e, o)
	h.judge(e, Event{Result: o.Result, Err: err})
}
