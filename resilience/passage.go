package resilience

import (
	"context"
	"sync/atomic"
)

// passage is the context of a call that occupies a gate, or of a probe or ping. A call
// within it, with a context derived from this one, passes the gate and the monitor.
// Otherwise it would wait for its own outer call. It does not count, because the outer
// call counts.
type passage struct {
	context.Context
	outer    permit      // zero for a probe or ping
	endpoint string      // of a probe or ping: it passes each gate of the endpoint
	ended    atomic.Bool // the outer call has ended
}

// passageKey is the key of a passage through g. The value is not nil if there is one.
type passageKey struct{ g *gate }

// Value returns the passage for its passageKey, as long as the outer call occupies
// the gate, or the probe or ping runs.
func (c *passage) Value(key any) any {
	if k, ok := key.(passageKey); ok && c.leadsThrough(k.g) {
		return c
	}
	return c.Context.Value(key)
}

func (c *passage) leadsThrough(g *gate) bool {
	switch {
	case c.ended.Load():
		return false
	case c.outer.g == nil:
		return c.endpoint == g.endpoint
	default:
		return c.outer.g == g && g.occupiedBy(c.outer)
	}
}

// run runs a probe or ping.
func (p Probe) run(ctx context.Context, endpoint string) error {
	c := &passage{Context: ctx, endpoint: endpoint}
	defer c.end()
	return p(c, endpoint)
}

// end ends the passage. The function of the outer call may have kept the context.
func (c *passage) end() { c.ended.Store(true) }

// passes reports whether a call with the context ctx passes the gate without asking.
func (g *gate) passes(ctx context.Context) bool { return ctx.Value(passageKey{g}) != nil }

// occupiedBy reports whether other calls must wait for p's call, because it is a trial
// or takes part in the ramp.
func (g *gate) occupiedBy(p permit) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.tests(p) || g.ramping() && p.ramp == g.number
}
