package resilience

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
)

// liveConfig has the config that an [Executor] and its breakers share.
// [Executor.Update] replaces the config.
type liveConfig struct{ current atomic.Pointer[currentConfig] }

// currentConfig is a config with values that are computed once.
type currentConfig struct {
	*Config        // may be nil
	limitsAttempts bool
}

func newLiveConfig(c *Config) *liveConfig {
	r := new(liveConfig)
	r.set(c)
	return r
}

func (r *liveConfig) set(c *Config) { r.current.Store(&currentConfig{c, c.limitsAttempts()}) }

func (r *liveConfig) get() *currentConfig { return r.current.Load() }

// Update replaces the config of a running executor and of its breakers. A running
// call uses the new settings from its next target on. Breakers keep their state and
// their counts. A changed circuitBreaker.mode applies to all breakers, except to those
// with a mode that [Breakers.Force] has set.
//
// If the new config is invalid, the old one stays. The error comes from
// [Config.Validate]. A [Queue] and a [Health] have configs of their own.
func (x *Executor) Update(cfg *Config) error {
	if x == nil {
		return errors.New("resilience: update of a nil Executor")
	}
	if err := cfg.Validate(); err != nil {
		return fmt.Errorf("resilience config: %w", err)
	}
	x.updates.Lock()
	defer x.updates.Unlock()
	x.cfg.set(cfg.clone())
	x.breakers.update(context.Background())
	return nil
}

// update applies the current config to each breaker.
func (b *Breakers) update(ctx context.Context) {
	cfg := b.cfg.get()
	if cfg.Config != nil {
		for endpoint := range cfg.Endpoints {
			b.get(ctx, endpoint, "")
		}
	}
	for _, g := range b.all() {
		g.update(ctx, cfg.settings("", g.endpoint).breaker)
		b.updateRank(g)
	}
}

// update replaces the settings of a gate.
func (g *gate) update(ctx context.Context, cfg BreakerConfig) {
	g.mu.Lock()
	old := g.cfg.Swap(&cfg)
	forced := g.mode != old.Mode
	g.mu.Unlock()
	if !forced {
		g.force(ctx, cfg.Mode)
	}
}
