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

// Breakers are the circuit breakers of an [Executor], one for each endpoint:
// after 5 failures in a row ([BreakerConfig]) calls to an endpoint are refused
// with an [*OpenError] for 5 minutes. Then one call is let through, after a
// health probe if there is one; if it succeeds all are, if it fails it is
// another 5 minutes, and if it does not come back as long, another call is let
// through. Failures that are retryable or timeouts count; fatal, aborted and
// context_overflow ones do not, and where the one call ends so, another one is
// let through.
//
// No more than [MaxEndpoints] are kept: for a new endpoint the one is forgotten
// that was asked least recently, with the failures that it has counted. Open
// breakers are forgotten only where they are more than three quarters of all;
// observers then see that they close. Those of endpoints that the config names,
// and those that [Breakers.Force] has set, are never forgotten and not counted.
//
// It is safe for concurrent use and starts no goroutine.
type Breakers struct {
	cfg     *Config
	observe func(context.Context, Event)
	probe   Probe

	mu     sync.Mutex // may be held while that of a breaker is taken, not the other way round
	by     *bounded[string, *breaker]
	tidyAt int // so many breakers are reason to look for unused ones
}

func newBreakers(cfg *Config, probe Probe, observe func(context.Context, Event)) *Breakers {
	b := &Breakers{cfg: cfg, probe: probe, observe: observe, by: newBounded[string, *breaker](MaxEndpoints), tidyAt: leastSweep}
	if cfg != nil {
		for endpoint := range cfg.Endpoints {
			b.of(context.Background(), endpoint) // so that a snapshot has them from the start
		}
	}
	return b
}

// of returns the breaker of an endpoint, which may cost another endpoint its
// own.
func (b *Breakers) of(ctx context.Context, endpoint string) *breaker {
	b.mu.Lock()
	if one, ok := b.by.get(endpoint); ok {
		b.mu.Unlock()
		return one
	}
	b.tidy()
	one := b.fresh(endpoint)
	forgotten := b.by.add(endpoint, one, one.rank(b.cfg))
	open := forgotten[:0]
	for _, old := range forgotten {
		if old.retire() {
			open = append(open, old)
		}
	}
	b.mu.Unlock()
	for _, old := range open { // calls are let through now
		b.tell(ctx, old.endpoint, BreakerOpen, BreakerClosed)
	}
	return one
}

func (b *Breakers) fresh(endpoint string) *breaker {
	var one *breaker
	one = newBreaker(endpoint, b.cfg.settings("", endpoint).breaker, func(ctx context.Context, from, to BreakerState) {
		b.place(one)
		b.tell(ctx, endpoint, from, to)
	})
	return one
}

func (b *Breakers) tell(ctx context.Context, endpoint string, from, to BreakerState) {
	b.observe(ctx, Event{Kind: KindBreaker, Target: Target{Endpoint: endpoint}, From: string(from), To: string(to)})
}

// place says anew how long a breaker is kept, after a change of its state or
// mode. It returns false where the breaker was forgotten meanwhile.
func (b *Breakers) place(one *breaker) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.by.is(one.endpoint, func(current *breaker) bool { return current == one }) {
		return false
	}
	b.by.place(one.endpoint, one.rank(b.cfg))
	return true
}

// tidy forgets breakers that are as good as new, where there are very many. The
// caller holds mu.
func (b *Breakers) tidy() {
	if b.by.len() < b.tidyAt {
		return
	}
	for endpoint, one := range b.by.each() {
		if one.pristine(b.cfg) {
			b.by.remove(endpoint)
		}
	}
	b.tidyAt = max(leastSweep, 2*b.by.len())
}

// pristine: closed, without a failure that counts, and as the config has it.
func (b *breaker) pristine(cfg *Config) bool {
	if b.rank(cfg) != plain {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.mode == BreakerAuto && b.circuit.Metrics().Failures() == 0
}

// rank: what the config names, or a person has set, is kept; what refuses calls
// is kept as long as there is something else to forget.
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

// retire ends the events of a breaker that is forgotten, and reports whether it
// was open or half-open. The calls that are under way come back to it in vain.
func (b *breaker) retire() (open bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.retired = true
	// Where the config has forced it, the next breaker of the endpoint is the same.
	return b.mode == BreakerAuto && !b.circuit.IsClosed()
}

// admit asks the endpoint's breaker for a permit; see there. With a trial the
// probe goes first: it costs less than a call that is in vain.
func (b *Breakers) admit(ctx context.Context, endpoint string, grace bool) (permit, error) {
	p, err := b.of(ctx, endpoint).admit(ctx, grace)
	s := b.cfg.settings("", endpoint)
	if err != nil || !p.trial || b.probe == nil || !*s.breaker.HealthProbeEnabled {
		return p, err
	}
	err = b.ask(ctx, endpoint, ms(s.health.PingIntervalMs), p)
	if err == nil {
		return p, nil
	}
	if stopped := ended(ctx); stopped != nil {
		p.release(ctx)
		return permit{}, stopped
	}
	if inconclusive(err) {
		return p, nil
	}
	// Whatever the probe says, an endpoint that it does not find up is a
	// network failure to those who are refused.
	down := classify.Result{Category: classify.CategoryRetryable, Reason: classify.ReasonNetwork, Rule: "probe"}
	p.done(ctx, down)
	return permit{}, &OpenError{
		Endpoint: endpoint, Mode: BreakerAuto, RetryAfter: ms(s.breaker.CooldownMs),
		Cause: down, Err: fmt.Errorf("health probe: %w", err),
	}
}

// inconclusive reports whether a probe's error is about the probe and not the
// endpoint. A breaker whose probe is wrong would stay open for ever. What is not
// recognised is the probe's own way to say that the endpoint is down.
func inconclusive(err error) bool {
	res := classify.Error(err)
	return !speaksAgainst(res) && res.Reason != classify.ReasonUnknown
}

// ask runs the probe, which takes no longer than a ping may. One that panics has
// said nothing against the endpoint; if it ends the goroutine the trial is given
// back.
func (b *Breakers) ask(ctx context.Context, endpoint string, limit time.Duration, p permit) (err error) {
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

// Force sets by hand what the breaker of an endpoint does, until it is set
// again: open, closed, or back to auto, where it starts anew. The config's
// circuitBreaker.mode does the same from the start. What it sets is kept for
// good, until the mode is again that of the config. An unknown mode, or an
// endpoint without a name, is an error and changes nothing.
func (b *Breakers) Force(ctx context.Context, endpoint string, mode BreakerMode) error {
	if b == nil || endpoint == "" {
		return fmt.Errorf("force the breaker of endpoint %q: there is none", endpoint)
	}
	if !mode.valid() {
		return fmt.Errorf("breaker mode %q: must be %s, %s or %s", mode, BreakerAuto, BreakerForceOpen, BreakerForceClosed)
	}
	for {
		one := b.of(ctx, endpoint)
		one.force(ctx, mode)
		if b.place(one) { // else many other endpoints came in between
			return nil
		}
	}
}

// BreakerStatus is one line of a snapshot.
type BreakerStatus struct {
	Endpoint   string        `json:"endpoint"`
	State      BreakerState  `json:"state"`
	Mode       BreakerMode   `json:"mode"`
	Since      time.Time     `json:"since"`                // of the last change
	Failures   int           `json:"failures"`             // among its last calls, of which it takes a full failureThreshold to open it
	RetryAfter time.Duration `json:"retryAfter,omitempty"` // where it is open: until the next trial
}

// Snapshot returns the state of all breakers, ordered by endpoint.
func (b *Breakers) Snapshot() []BreakerStatus {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	all := make([]*breaker, 0, b.by.len())
	for _, one := range b.by.each() {
		all = append(all, one)
	}
	b.mu.Unlock()
	states := make([]BreakerStatus, len(all))
	for i, one := range all {
		states[i] = one.status()
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
