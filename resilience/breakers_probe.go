package resilience

import (
	"context"
	"fmt"
	"time"

	"github.com/errclass/errclass/classify"
)

// probeTrial runs the probe before a trial. A failed probe counts as a failed trial.
func (b *Breakers) probeTrial(ctx context.Context, p permit) error {
	s := b.cfg.get().settings("", p.g.endpoint)
	if b.probe == nil || !*s.breaker.HealthProbeEnabled {
		return nil
	}
	err := b.runProbe(ctx, p.g.endpoint, ms(s.health.PingIntervalMs), p)
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		p.release(ctx)
		return err
	}
	if inconclusive(err) {
		return nil
	}
	down := classify.Result{Category: classify.CategoryRetryable, Reason: classify.ReasonNetwork, Rule: "probe"}
	p.done(ctx, outcomeDown, down, time.Now(), 0)
	p.g.mu.Lock()
	defer p.g.mu.Unlock()
	refused := p.g.openRefusal(time.Now())
	refused.Err = fmt.Errorf("health probe: %w", err)
	return refused
}

// inconclusive reports whether a probe's error is a fault of the probe itself, such
// as a 404.
func inconclusive(err error) bool {
	res := classify.Error(err)
	return !countsAsFailure(res) && res.Reason != classify.ReasonUnknown
}

// runProbe runs the probe with a time limit. If the probe panics, runProbe returns
// nil. If the probe calls runtime.Goexit, runProbe releases the permit.
func (b *Breakers) runProbe(ctx context.Context, endpoint string, limit time.Duration, p permit) (err error) {
	returned := false
	defer func() {
		switch {
		case returned:
		case recover() != nil:
			err = nil
		default: // runtime.Goexit
			p.release(ctx)
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err = b.probe.run(ctx, endpoint)
	returned = true
	return err
}
