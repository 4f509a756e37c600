package resilience

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/errclass/errclass/classify"
)

// Breakers are the circuit breakers of an [Executor], one for each endpoint. 5
// failures in a row ([BreakerConfig]) open a breaker for 5 minutes: it refuses
// calls with an [*OpenError]. Then it allows one trial call, after a health
// probe if there is one. If the trial call succeeds, the breaker closes. If the
// trial call fails, the breaker stays open for another 5 minutes. If the trial
// call does not end within 5 minutes, another one is allowed.
//
// Retryable failures and timeouts count. Fatal, aborted and context_overflow
// failures do not count. If a trial call ends with such a failure, another
// trial call is allowed.
//
// At most [MaxEndpoints] breakers are kept. A new one replaces the least
// recently used one. An open breaker is replaced only if more than three
// quarters of all breakers are open. Observers then receive a [KindBreaker]
// event with its change to closed. Breakers of endpoints named in the config,
// and breakers set by [Breakers.Force], are always kept and do not count
// towards the limit.
//
// Breakers is safe for concurrent use and starts no goroutine.
type Breakers struct {
	cfg     *Config
	observe func(context.Context, Event)
	probe   Probe

	mu         sync.Mutex // locked before the mu of a breaker
	byEndpoint *bounded[string, *breaker]
	sweepAt    int // number of breakers that triggers the next sweep
}

func newBreakers(cfg *Config, probe Probe, observe func(context.Context, Event)) *Breakers {
	b := &Breakers{cfg: cfg, probe: probe, observe: observe, byEndpoint: newBounded[string, *breaker](MaxEndpoints), sweepAt: sweepThreshold}
	if cfg != nil {
		for endpoint := range cfg.Endpoints {
			b.get(context.Background(), endpoint) // Snapshot lists them from the start
		}
	}
	return b
}

// get returns the breaker of an endpoint. A new breaker may replace the breaker
// of another endpoint.
func (b *Breakers) get(ctx context.Context, endpoint string) *breaker {
	b.mu.Lock()
	if br, ok := b.byEndpoint.get(endpoint); ok {
		b.mu.Unlock()
		return br
	}
	b.sweep()
	br := b.build(endpoint)
	forgotten := b.byEndpoint.add(endpoint, br, br.rank(b.cfg))
	open := forgotten[:0]
	for _, old := range forgotten {
		if old.retire() {
			open = append(open, old)
		}
	}
	b.mu.Unlock()
	for _, old := range open { // a forgotten breaker allows calls again
		b.emit(ctx, old.endpoint, BreakerOpen, BreakerClosed)
	}
	return br
}

func (b *Breakers) build(endpoint string) *breaker {
	var br *breaker
	br = newBreaker(endpoint, b.cfg.settings("", endpoint).breaker, func(ctx context.Context, from, to BreakerState) {
		b.updateRank(br)
		b.emit(ctx, endpoint, from, to)
	})
	return br
}

func (b *Breakers) emit(ctx context.Context, endpoint string, from, to BreakerState) {
	b.observe(ctx, Event{Kind: KindBreaker, Target: Target{Endpoint: endpoint}, From: string(from), To: string(to)})
}

// updateRank updates the rank of a breaker after a change of its state or mode.
// It returns false if the breaker has been forgotten meanwhile.
func (b *Breakers) updateRank(br *breaker) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.byEndpoint.matches(br.endpoint, func(current *breaker) bool { return current == br }) {
		return false
	}
	b.byEndpoint.setRank(br.endpoint, br.rank(b.cfg))
	return true
}

// sweep forgets unused breakers once there are many. The caller holds mu.
func (b *Breakers) sweep() {
	if b.byEndpoint.len() < b.sweepAt {
		return
	}
	for endpoint, br := range b.byEndpoint.each() {
		if br.unused(b.cfg) {
			b.byEndpoint.remove(endpoint)
		}
	}
	b.sweepAt = max(sweepThreshold, 2*b.byEndpoint.len())
}

// unused reports whether b is closed, has counted no failure, and has the
// config's mode.
func (b *breaker) unused(cfg *Config) bool {
	if b.rank(cfg) != plain {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.mode == BreakerAuto && b.circuit.Metrics().Failures() == 0
}

// rank returns how long b is kept. Breakers that the config names or that a
// person set are pinned. Open and half-open ones are held.
func (b *breaker) rank(cfg *Config) rank {
	if cfg != nil {
		if _, named := cfg.Endpoints[b.endpoint]; named {
			return pinned
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.mode != b.cfg.Mode:
		return pinned
	case b.mode == BreakerAuto && !b.circuit.IsClosed():
		return held
	default:
		return plain
	}
}

// retire marks b as forgotten, so that it reports no further changes. It returns
// whether b was open or half-open.
func (b *breaker) retire() (open bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.retired = true
	// A mode that the config forces does not count as open, because the next
	// breaker of the endpoint starts with the same mode.
	return b.mode == BreakerAuto && !b.circuit.IsClosed()
}

// admit returns a permit of the endpoint's breaker; see breaker.admit. Before a
// trial call it runs the probe, which costs less than a failed call.
func (b *Breakers) admit(ctx context.Context, endpoint string, grace bool) (permit, error) {
	p, err := b.get(ctx, endpoint).admit(ctx, grace)
	s := b.cfg.settings("", endpoint)
	if err != nil || !p.trial || b.probe == nil || !*s.breaker.HealthProbeEnabled {
		return p, err
	}
	err = b.runProbe(ctx, endpoint, ms(s.health.PingIntervalMs), p)
	if err == nil {
		return p, nil
	}
	if stopped := contextErr(ctx); stopped != nil {
		p.release(ctx)
		return permit{}, stopped
	}
	if inconclusive(err) {
		return p, nil
	}
	// A failed probe counts as a network failure of the endpoint.
	down := classify.Result{Category: classify.CategoryRetryable, Reason: classify.ReasonNetwork, Rule: "probe"}
	p.done(ctx, down)
	return permit{}, &OpenError{
		Endpoint: endpoint, Mode: BreakerAuto, RetryAfter: ms(s.breaker.CooldownMs),
		Cause: down, Err: fmt.Errorf("health probe: %w", err),
	}
}

// inconclusive reports whether the probe itself failed, so that its error says
// nothing about the endpoint. If such
// errors counted, the breaker would never close. Unknown errors mean that the
// endpoint is down.
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

// Force opens or closes the breaker of an endpoint, or sets it back to auto. A
// change to auto resets the breaker. The mode holds until the next Force. The
// config's circuitBreaker.mode sets the initial mode. An unknown mode or an
// empty endpoint is an error and changes nothing.
func (b *Breakers) Force(ctx context.Context, endpoint string, mode BreakerMode) error {
	if b == nil || endpoint == "" {
		return fmt.Errorf("force the breaker of endpoint %q: there is none", endpoint)
	}
	if !mode.valid() {
		return fmt.Errorf("breaker mode %q: must be %s, %s or %s", mode, BreakerAuto, BreakerForceOpen, BreakerForceClosed)
	}
	for {
		br := b.get(ctx, endpoint)
		br.force(ctx, mode)
		if b.updateRank(br) { // otherwise br was forgotten meanwhile: try again
			return nil
		}
	}
}

// BreakerStatus is one entry of [Breakers.Snapshot].
type BreakerStatus struct {
	Endpoint   string        `json:"endpoint"`
	State      BreakerState  `json:"state"`
	Mode       BreakerMode   `json:"mode"`
	Since      time.Time     `json:"since"`                // time of the last change
	Failures   int           `json:"failures"`             // counted so far; the breaker opens at failureThreshold
	RetryAfter time.Duration `json:"retryAfter,omitempty"` // time until the next trial call, if open
}

// Snapshot returns the state of all breakers, ordered by endpoint.
func (b *Breakers) Snapshot() []BreakerStatus {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	all := make([]*breaker, 0, b.byEndpoint.len())
	for _, br := range b.byEndpoint.each() {
		all = append(all, br)
	}
	b.mu.Unlock()
	states := make([]BreakerStatus, len(all))
	for i, br := range all {
		states[i] = br.status()
	}
	slices.SortFunc(states, func(x, y BreakerStatus) int { return strings.Compare(x.Endpoint, y.Endpoint) })
	return states
}

func (b *breaker) status() BreakerStatus {
	b.mu.Lock()
	defer b.mu.Unlock()
	return BreakerStatus{
		Endpoint: b.endpoint, State: b.state(), Mode: b.mode, Since: b.since,
		Failures: int(b.circuit.Metrics().Failures()), RetryAfter: b.circuit.RemainingDelay(),
	}
}
