package resilience

import (
	"context"
	"sync/atomic"
)

// passage is the context of a call that occupies a gate. A call within this call, with
// a context derived from this one, passes the gate and the monitor. Otherwise it would
// wait for its own outer call. It does not count, because the outer call counts.
type passage struct {
	context.Context
	outer permit
	ended atomic.Bool // the outer call has ended
}

// passageKey is the key of a passage through g. The value is not nil if there is one.
type passageKey struct{ g *gate }

// Value returns the passage for its passageKey, as long as the outer call occupies
// the gate.
func (c *passage) Value(key any) any {
	if k, ok := key.(passageKey); ok && c.leadsThrough(k.g) {
		return c
	}
	return c.Context.Value(key)
}

func (c *passage) leadsThrough(g *gate) bool {
	return !c.ended.Load() && c.outer.g == g && g.occupiedBy(c.outer)
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
