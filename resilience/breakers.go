package resilience

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/mask"
)

// Breakers are the circuit breakers of an [Executor], one for each endpoint, or for
// each [Target.Key] of an endpoint. After a rate limit, Breakers also hold the
// endpoint: no call is made for as long as the provider asks to wait.
//
// These failures count: a network error, a 5xx, a timeout that the server reports
// and an [AttemptTimeoutError]. A rate limit, a 4xx and the caller's own deadline or
// cancellation do not count. If several calls are under way at the same time, only
// the first failure counts. But every [AttemptTimeoutError] counts, because its call
// has waited for the whole attempt timeout. A breaker opens at the fifth counted
// failure in a row, if no call has succeeded for a second ([BreakerConfig]). If the
// first trial call after the opening succeeds, the failures may have happened by
// chance. So the next opening needs ten failures in a row.
//
// While a breaker is open, one trial call at a time is made: after 0.5, 1, 2 and
// 4 s, then every 8 s. With more than one call per second, a trial is made at least
// every 2 s. The trial is a waiting call or the next new call. If a new call would
// give up before the next trial is due, the trial is made earlier, but at least 2 s
// after the last trial. A restart ([WithRestarter]) makes the trial only if no other
// call has made one for 10 s. The first trial that gets an answer closes the
// breaker; a server error is no answer. Then waiting calls are made, two at a time.
// This limit grows by one with each success and shrinks by one with each failure.
// The limit also doubles every 0.4 s, unless more calls fail than succeed.
//
// A [Do] that made a call before the breaker opened waits for as long as its
// remaining calls and pauses would take. A new Do does the same while the breaker
// has been open for less than 30 s. After 30 s, new calls are refused with an
// [*OpenError], except those that make a trial. With a [Probe], a trial begins with
// the probe.
//
// A strict breaker counts every retryable failure and refuses all calls for
// five minutes ([BreakerConfig.Strict]).
//
// While an endpoint is held, calls wait. After that, they are made one by one at
// first. A call that cannot wait is refused with a [*HoldError].
//
// At most [MaxEndpoints] breakers are kept. A further breaker replaces the least
// recently used one. An open breaker is replaced only if more than three quarters of
// all breakers are open. Observers then receive a [KindBreaker] event which says that
// the breaker has closed. Breakers of endpoints named in the config, and breakers
// set by [Breakers.Force], are always kept and do not count towards the limit.
//
// Breakers is safe for concurrent use and starts no goroutine.
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

// gateKey is the key of a target's gate in Breakers.cache. A [gate] controls the
// calls to one endpoint. A gateKey costs less to compute than [Target.Name].
type gateKey struct{ endpoint, key string }

// maxCached limits the keys of one gate in Breakers.cache. A gate may have many
// keys, because endpoints that differ only in their URL query share a gate.
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
	g := b.get(ctx, name, mask.Text(t.Key))
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

// get returns the gate of an endpoint and a key. If there is none, get creates a
// gate, which may replace another one.
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

// spareUsed protects recently used gates from the next eviction, which removes the
// least recently used gate of byName. A look-up in b.cache does not update the order
// of byName, so spareUsed does. The caller must have locked mu.
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

// updateRank updates the rank of a gate after a change of its state or mode. It
// returns false if g is no longer in byName.
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

// forget removes a gate from the cache and retires the gate. The caller must
// have locked mu, and must call events.flush after unlocking mu.
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

// unused reports whether g lets every call in, has counted no failure, and has the
// mode auto.
func (g *gate) unused(cfg *Config) bool {
	return g.rank(cfg) == plain && g.cfg.Load().Mode == BreakerAuto && g.fastState.Load()&(busyBit|failingBit) == 0
}

// rank returns the rank of g in a full [bounded] map. The rank is pinned if the
// config names the endpoint or a person has forced the mode of g, held if the
// breaker of g is open, and plain otherwise.
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

// retire stops the events of a gate that was removed from Breakers. The next gate of
// the endpoint begins with a closed breaker. So if the breaker of g is open, retire
// first adds an event which says that the breaker has closed.
func (g *gate) retire(ctx context.Context) {
	g.mu.Lock()
	defer g.mu.Unlock()
	// If the config forces the mode of the breaker, g.open is false and no event is
	// needed: the next gate of the endpoint has the same mode.
	if g.open {
		g.events.add(ctx, g, Event{Kind: KindBreaker, Time: time.Now(), From: string(g.state()), To: string(BreakerClosed)})
	}
	g.retired = true
}

// admit returns a permit of a gate, like gate.enter. If the permit is for a trial
// call, admit first runs the probe, which costs less than a failed call.
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

// probeTrial runs the probe before a trial. A failed probe counts as a failed
// trial.
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
// as a 404. Such an error says nothing about the endpoint. An unknown error and a
// timeout of the probe mean that the endpoint is down.
func inconclusive(err error) bool {
	res := classify.Error(err)
	return !countsAsFailure(res) && res.Reason != classify.ReasonUnknown
}

// runProbe runs the probe with the ping timeout. If the probe panics, runProbe
// returns nil. If the probe calls runtime.Goexit, runProbe releases the permit.
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
	err = b.probe(ctx, endpoint)
	returned = true
	return err
}

// Force opens or closes the breaker of an endpoint, or sets it back to auto. The
// mode stays until the next Force. Before the first Force, the config's
// circuitBreaker.mode applies. Each change resets what the breaker has counted, and
// ends a hold.
//
// For the breaker of a [Target.Key], pass endpoint#key. An unknown mode or an empty
// endpoint is an error and changes nothing.
func (b *Breakers) Force(ctx context.Context, endpoint string, mode BreakerMode) error {
	if b == nil || endpoint == "" {
		return fmt.Errorf("force the breaker of endpoint %q: there is none", endpoint)
	}
	if !mode.valid() {
		return fmt.Errorf("breaker mode %q: must be %s, %s or %s", mode, BreakerAuto, BreakerForceOpen, BreakerForceClosed)
	}
	name, key, _ := strings.Cut(endpoint, "#")
	for {
		g := b.get(ctx, name, key)
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
