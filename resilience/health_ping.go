package resilience

import (
	"context"
	"errors"
	"time"

	"github.com/errclass/errclass/classify"
)

// keepPinging pings an endpoint at its interval until it is forgotten or h is
// shut down.
func (h *Health) keepPinging(e *endpointHealth) {
	interval := ms(e.settings.PingIntervalMs)
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-h.ctx.Done():
			return
		}
		if h.forget(e) {
			return
		}
		o, err := h.pingOnce(e.name, interval)
		if h.ctx.Err() != nil {
			return // the ping was ended, which says nothing
		}
		h.pinged(e, o, err)
	}
}

// forget drops an endpoint that nobody mentions any more.
func (h *Health) forget(e *endpointHealth) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.endpoints[e.name] == e && !e.forgettable() {
		return false
	}
	if h.endpoints[e.name] == e {
		delete(h.endpoints, e.name)
	}
	return true
}

// errPingPanicked stands for a ping that could not be made.
var errPingPanicked = errors.New("the ping panicked")

// pingOnce makes one ping.
func (h *Health) pingOnce(endpoint string, limit time.Duration) (o Outcome, err error) {
	ctx, cancel := context.WithTimeout(h.ctx, limit)
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
