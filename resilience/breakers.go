package resilience

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/errclass/errclass/internal/mask"
)

// Breakers are the circuit breakers of an [Executor]. Each endpoint has one breaker,
// and so has each [Target.Key] of an endpoint. Breakers is safe for concurrent use
// and starts no goroutine.
//
// # Opening
//
// These failures count:
//
//   - a network error
//   - a 5xx
//   - a timeout that the server reports
//   - an [AttemptTimeoutError]
//
// A rate limit, a 4xx and the caller's own deadline or cancellation do not count. If
// several calls overlap, only the first of their failures counts. If the failure is
// an [AttemptTimeoutError], it always counts.
//
// A breaker opens at the fifth counted failure in a row ([BreakerConfig]). If a call
// has succeeded within the last second, the breaker stays closed. If the first trial
// call after an opening succeeds, the next opening needs ten failures.
//
// # Trial calls
//
// While a breaker is open, one trial call at a time is made. The pauses between
// trials are 0.5, 1, 2, 4 and then always 8 s. If more than one call per second
// comes, no pause is longer than 2 s. The trial is a waiting call or the next new
// call.
//
//   - If a new call would give up before the next trial, the trial is made earlier.
//     It still comes at least 2 s after the last trial.
//   - If no other call has made a due trial for 10 s, a restarted task
//     ([WithRestarter]) makes the trial.
//   - If there is a [Probe], the trial begins with the probe.
//
// The first trial that gets an answer closes the breaker. A server error is no
// answer. A trial that has lasted for 30 s does not prevent the next one, but its late
// answer still closes the breaker. So calls can take longer than 30 s.
//
// After the breaker has closed, the waiting calls are made, two at a time. This limit
// grows by one with each success and shrinks by one with each failure. It also doubles
// every 0.4 s, unless more calls fail than succeed.
//
// # Other calls at an open breaker
//
// A [Do] that made its first call before the opening waits until the breaker closes.
// It waits at most for the time that its remaining calls and pauses would take. For
// the first 30 s after an opening, a new Do waits too. After 30 s, new calls are
// refused with an [*OpenError], except trials.
//
// A strict breaker counts every retryable failure. After it has opened, it refuses
// all calls for five minutes ([BreakerConfig.Strict]).
//
// # Rate limits
//
// After a rate limit, calls to the endpoint wait for the time that the provider asks
// for. Then they are made one by one at first. If a call cannot wait, it is refused
// with a [*HoldError].
//
// # Number of breakers
//
// At most [MaxEndpoints] breakers are kept. A further breaker replaces the least
// recently used breaker that is not open. If more than three quarters of all breakers
// are open, a further breaker replaces an open one instead. Observers then receive a
// [KindBreaker] event that reports the open breaker as closed.
//
// Breakers of endpoints named in the config are always kept. Breakers that
// [Breakers.Force] has opened or closed are always kept too. They do not count
// towards the limit.
type Breakers struct {
	cfg     *liveConfig
	events  gateEvents
	closed  func(gate string) // called when a breaker has closed; may be nil
	probe   Probe
	sharing *sharing // nil: nothing is shared

	cache sync.Map // gateKey to *gate; a look-up needs no lock

	mu      sync.Mutex // locked before the mu of a gate
	byName  *bounded[string, *gate]
	sweepAt int // number of gates that triggers the next sweep
}

// gateKey is the key of a target's gate in Breakers.cache. It costs less to compute
// than [Target.Name].
type gateKey struct{ endpoint, key string }

// maxCached limits the keys of one gate in Breakers.cache. A gate can have many
// keys, because URLs that differ only in their query share a gate.
const maxCached = 16

func newBreakers(cfg *liveConfig, o options, observe func(context.Context, Event)) *Breakers {
	b := &Breakers{cfg: cfg, probe: o.probe, byName: newBounded[string, *gate](MaxEndpoints), sweepAt: sweepThreshold}
	b.events.send = func(ctx context.Context, g *gate, e Event) {
		if e.Kind == KindBreaker {
			b.updateRank(g)
			if b.closed != nil && e.To == string(BreakerClosed) {
				b.closed(g.name)
			}
		}
		e.Target = Target{Endpoint: g.endpoint, Key: g.key}
		observe(ctx, e)
	}
	if o.sharer != nil {
		b.sharing = &sharing{sharer: o.sharer, random: o.random, cfg: cfg, emit: observe, byID: map[string]*gate{}}
		o.sharer.Attach(Receiver{b})
	}
	if c := cfg.get(); c.Config != nil {
		for endpoint := range c.Endpoints {
			b.get(context.Background(), endpoint, "") // Snapshot lists them from the start
		}
	}
	return b
}

// gateFor returns the gate of a target, or nil if the target has no name.
func (b *Breakers) gateFor(ctx context.Context, t Target) *gate {
	k := gateKey{cmp.Or(t.Endpoint, t.Provider, t.Model), t.Key}
	if found, ok := b.cache.Load(k); ok {
		g := found.(*gate)
		if !g.used.Load() {
			g.used.Store(true)
		}
		return g
	}
	name := t.Name()
	if name == "" {
		return nil
	}
	g := b.get(ctx, name, mask.Name(t.Key))
	if t.Endpoint != "" && mask.Endpoint(t.Endpoint) == "" {
		return g // t.Name depends on fields that are not in k
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !g.forgotten && len(g.cached) < maxCached {
		b.cache.Store(k, g)
		g.cached = append(g.cached, k)
	}
	return g
}

// get returns the gate of an endpoint and a key. If there is none, get creates one.
func (b *Breakers) get(ctx context.Context, endpoint, key string) *gate {
	name := gateName(endpoint, key)
	b.mu.Lock()
	if g, ok := b.byName.get(name); ok {
		b.mu.Unlock()
		return g
	}
	b.sweep(ctx)
	b.spareUsed()
	g := newGate(endpoint, key, b.cfg.get().settings("", endpoint).breaker, &b.events, b.sharing)
	for _, old := range b.byName.add(name, g, g.rank(b.cfg.get().Config)) {
		b.forget(ctx, old)
	}
	if b.sharing != nil {
		b.sharing.byID[g.id] = g
	}
	b.mu.Unlock()
	b.events.flush()
	if b.sharing != nil {
		b.sharing.catchUp(g)
	}
	return g
}

// spareUsed is called before a gate is evicted. It protects gates that were recently
// found in b.cache: it marks them as used in b.byName. The caller must have locked mu.
func (b *Breakers) spareUsed() {
	if b.byName.len() < MaxEndpoints {
		return
	}
	for range b.byName.len() {
		g, ok := b.byName.oldest(plain)
		if !ok || !g.used.Swap(false) && g.fastState.Load()&busyBit == 0 {
			return
		}
		b.byName.get(g.name)
	}
}

// updateRank updates a gate's rank (its protection from removal) after a change of the
// gate. It returns false if the gate was removed.
func (b *Breakers) updateRank(g *gate) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.byName.matches(g.name, func(current *gate) bool { return current == g }) {
		return false
	}
	b.byName.setRank(g.name, g.rank(b.cfg.get().Config))
	return true
}

// sweep removes unused gates if there are at least sweepAt gates. The caller must
// have locked mu.
func (b *Breakers) sweep(ctx context.Context) {
	if b.byName.len() < b.sweepAt {
		return
	}
	for name, g := range b.byName.each() {
		if g.unused(b.cfg.get().Config) {
			b.byName.remove(name)
			b.forget(ctx, g)
		}
	}
	b.sweepAt = max(sweepThreshold, 2*b.byName.len())
}

// forget removes a gate from the cache and retires the gate. The caller must have
// locked mu, and must flush the events after unlocking.
func (b *Breakers) forget(ctx context.Context, g *gate) {
	for _, k := range g.cached {
		b.cache.Delete(k)
	}
	g.forgotten, g.cached = true, nil
	if b.sharing != nil {
		delete(b.sharing.byID, g.id)
	}
	g.retire(ctx)
}

// unused reports whether the gate has nothing to remember.
func (g *gate) unused(cfg *Config) bool {
	return g.rank(cfg) == plain && g.cfg.Load().Mode == BreakerAuto && g.fastState.Load()&(busyBit|failingBit) == 0
}

// rank returns how well the gate is protected in a full [bounded] map.
func (g *gate) rank(cfg *Config) rank {
	if cfg != nil {
		if _, named := cfg.Endpoints[g.name]; named {
			return pinned
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.mode != g.cfg.Load().Mode:
		return pinned
	case g.open:
		return held
	default:
		return plain
	}
}

// retire stops the events of a gate that was removed from Breakers. For an open
// breaker, the last event reports it as closed.
func (g *gate) retire(ctx context.Context) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open {
		g.events.add(ctx, g, Event{Kind: KindBreaker, Time: time.Now(), From: string(g.state()), To: string(BreakerClosed)})
	}
	g.retired = true
}

// admit returns a permit, like gate.enter. Before a trial call, admit runs the
// probe.
func (b *Breakers) admit(ctx context.Context, g *gate, e entrant) (permit, error) {
	w := &waiter{entrant: e}
	for {
		p, err := g.enter(ctx, w)
		if err != nil || !p.trial {
			return p, err
		}
		if failed := b.probeTrial(ctx, p); failed != nil {
			if stopped := contextErr(ctx); stopped != nil {
				return permit{}, stopped
			}
			if p.late || g.strict() || e.leaveOpen {
				return permit{}, failed
			}
			continue // wait for the next trial
		}
		return p, nil
	}
}

// Force opens or closes the breaker of an endpoint, or sets it back to auto. The
// mode stays until the next Force. Before the first Force, circuitBreaker.mode of
// the config applies. Each change of the mode resets the breaker's counts. It also ends
// a hold (the time without calls after a rate limit).
//
// For the breaker of a [Target.Key], pass endpoint#key. If the mode is unknown or
// the endpoint is empty, Force returns an error and changes nothing.
func (b *Breakers) Force(ctx context.Context, endpoint string, mode BreakerMode) error {
	if b == nil || endpoint == "" {
		return fmt.Errorf("force the breaker of endpoint %q: there is none", endpoint)
	}
	if !mode.valid() {
		return fmt.Errorf("breaker mode %q: must be %s, %s or %s", mode, BreakerAuto, BreakerForceOpen, BreakerForceClosed)
	}
	name, key, _ := strings.Cut(endpoint, "#")
	for {
		g := b.get(ctx, name, mask.Name(key))
		g.force(ctx, mode)
		if b.updateRank(g) { // otherwise g was forgotten meanwhile: try again
			return nil
		}
	}
}

// all returns all gates, in no particular order.
func (b *Breakers) all() []*gate {
	b.mu.Lock()
	defer b.mu.Unlock()
	gates := make([]*gate, 0, b.byName.len())
	for _, g := range b.byName.each() {
		gates = append(gates, g)
	}
	return gates
}

// BreakerStatus is one entry of [Breakers.Snapshot].
type BreakerStatus struct {
	Endpoint   string        `json:"endpoint"` // with a [Target.Key]: endpoint#key
	State      BreakerState  `json:"state"`
	Mode       BreakerMode   `json:"mode"`
	Since      time.Time     `json:"since"`                // time of the last change
	Failures   int           `json:"failures"`             // counted failures in a row; the breaker opens at failureThreshold
	RetryAfter time.Duration `json:"retryAfter,omitempty"` // time until the next trial call, if open
	Hold       time.Duration `json:"hold,omitempty"`       // time until calls are made again after a rate limit
	Waiting    int           `json:"waiting,omitempty"`    // calls that wait for the breaker or the rate limit
}

// Snapshot returns the state of all breakers, ordered by endpoint.
func (b *Breakers) Snapshot() []BreakerStatus {
	if b == nil {
		return nil
	}
	all := b.all()
	states := make([]BreakerStatus, len(all))
	for i, g := range all {
		states[i] = g.status()
	}
	slices.SortFunc(states, func(x, y BreakerStatus) int { return strings.Compare(x.Endpoint, y.Endpoint) })
	return states
}
