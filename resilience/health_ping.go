package resilience

import (
	"context"
	"errors"
	"time"

	"github.com/errclass/errclass/classify"
)

// keepPinging pings an endpoint until ctx ends or the endpoint is removed.
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
		if h.removeExpired(e) {
			return
		}
		o, err := h.pingOnce(ctx, e.name, interval)
		if ctx.Err() != nil {
			return // the ping was canceled
		}
		h.recordPing(e, o, err)
	}
}

// removeExpired removes e if it has expired. It returns true if h.endpoints no
// longer contains e.
func (h *Health) removeExpired(e *endpointHealth) bool {
	defer h.notify(h.ctx)
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case !h.isCurrent(e):
		return true
	case !e.expired():
		return false
	}
	h.endpoints.remove(e.name)
	h.discard(e)
	return true
}

// isCurrent reports whether h.endpoints contains e. The caller holds mu.
func (h *Health) isCurrent(e *endpointHealth) bool {
	return h.endpoints.matches(e.name, func(current *endpointHealth) bool { return current == e })
}

var errPingPanicked = errors.New("the ping panicked")

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
	return o, h.ping.run(ctx, endpoint)
}

// recordPing counts the outcome of a ping.
func (h *Health) recordPing(e *endpointHealth, o Outcome, err error) {
	defer h.notify(h.ctx)
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.isCurrent(e) {
		return
	}
	e.lastPing = o.Time
	switch {
	case err == nil:
		e.markUp()
	case o.Failed():
		e.pingBroken = false
	default:
		e.pingBroken = true
	}
	h.count(e, o)
	h.evaluate(e, Event{Result: o.Result, Err: err})
}
