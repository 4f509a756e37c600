package resilience

import (
	"context"
	"fmt"
	"time"

	"github.com/errclass/errclass/classify"
)

// share is the part of a [gate] that shares its state with other processes. Its
// fields are guarded by gate.mu.
type share struct {
	sharing *sharing // nil: nothing is shared

	id      string
	changes []GateChange // changes to publish, caused by the current change of the gate
	remote  bool         // the current change comes from another process

	claim       claim
	claimNumber uint64    // number of the last claim, to recognise its answer
	elsewhere   time.Time // time until which another process may have the lease of the trial

	openedBy       string    // process whose change opened the breaker; "" = this one
	rumor          time.Time // time of the last opening elsewhere that this process did not apply
	distrusted     string    // process whose openings do not count
	distrustedTill time.Time
}

// claim says whether this process has the lease of the next trial.
type claim uint8

const (
	claimNone    claim = iota
	claimPending       // the Sharer has been asked
	claimGranted       // the next call is the trial
)

const (
	// claimTimeout is how long a trial waits for its lease at most.
	claimTimeout = 100 * time.Millisecond
	// shortestClaim is the shortest time between two requests for the lease of a
	// trial.
	shortestClaim = 5 * time.Millisecond
	// rumorLife is how long this process remembers a rumor. A rumor is an opening
	// that another process reported and that this process did not apply, because
	// one of its own calls had just succeeded.
	rumorLife = 10 * time.Second
	// distrust is how long this process ignores the openings that a distrusted
	// process reports. A process is distrusted if a different process finds the
	// endpoint up soon after such a report.
	distrust = time.Minute
	// spreadPerPeer and longestSpread determine the length of the period in which
	// the processes, each at a random time, let in their waiting calls.
	spreadPerPeer = 10 * time.Millisecond
	longestSpread = 2 * time.Second
)

// publishChange adds a change to g.changes, for the other processes. The caller
// holds mu.
func (g *gate) publishChange(c GateChange) {
	if g.sharing == nil || g.remote {
		return
	}
	c.Gate = g.id
	g.changes = append(g.changes, c)
}

// publishOpened publishes that the breaker is open, and when the next trial is due.
// The caller holds mu.
func (g *gate) publishOpened(now time.Time) {
	g.publishChange(GateChange{
		Kind: GateOpened, OpenFor: now.Sub(g.openedAt), NextTrial: max(g.nextTrial.Sub(now), 0),
		FailedTrials: g.failedTrial, Cause: g.cause,
	})
}

// sendChanges sends g.changes to the Sharer. The caller holds mu, so the changes
// are in order.
func (g *gate) sendChanges() {
	if g.claim == claimGranted { // no call has used the lease
		g.claim = claimNone
		g.publishChange(GateChange{Kind: GateReleased})
	}
	if len(g.changes) == 0 {
		return
	}
	changes := g.changes
	g.changes = nil
	for _, c := range changes {
		g.sharing.sharer.Publish(c)
	}
}

// mayTry reports whether a trial that is due may begin. With sharing, the trial
// needs a lease. If nobody has asked for the lease, mayTry asks for it and returns
// false. The caller holds mu.
func (g *gate) mayTry(now time.Time) bool {
	if g.sharing == nil {
		return true
	}
	switch g.claim {
	case claimGranted:
		g.claim = claimNone
		return true
	case claimNone:
		if now.Before(g.elsewhere) {
			return false
		}
		g.claim = claimPending
		g.claimNumber++
		go g.askForTrial(g.claimNumber)
	case claimPending:
	}
	return false
}

// askForTrial asks the Sharer for the lease of the next trial.
func (g *gate) askForTrial(number uint64) {
	ctx, cancel := context.WithTimeout(context.Background(), claimTimeout)
	defer cancel()
	wait, err := g.sharing.sharer.Claim(ctx, g.id, g.hungAfter())
	g.locked(context.Background(), func(now time.Time) {
		granted := err != nil || wait <= 0
		if number != g.claimNumber || g.claim != claimPending { // the breaker has closed meanwhile
			if granted {
				g.publishChange(GateChange{Kind: GateReleased})
			}
			return
		}
		if granted {
			g.claim, g.elsewhere = claimGranted, time.Time{}
			return
		}
		g.claim = claimNone
		g.elsewhere = now.Add(min(max(wait, shortestClaim), g.hungAfter()))
		g.dismiss(now)
	})
}

// keepClaim keeps the lease of a trial that ended without a result. The next call
// can use the lease. The caller holds mu.
func (g *gate) keepClaim() {
	if g.sharing != nil {
		g.claim = claimGranted
	}
}

// dropClaim clears what the gate knows about the lease of a trial, and the name of
// the process that opened the breaker. The caller holds mu.
func (g *gate) dropClaim() {
	g.claim, g.elsewhere, g.openedBy = claimNone, time.Time{}, ""
}

// apply applies a change that another process has published.
func (g *gate) apply(c GateChange) error {
	if err := c.valid(); err != nil {
		return err
	}
	var err error
	g.locked(context.Background(), func(now time.Time) {
		g.remote = true
		defer func() { g.remote = false }()
		switch {
		case c.Kind == GateHeld && g.mode != BreakerForceOpen:
			err = g.applyHold(now, c)
		case c.Kind == GateOpened && g.mode == BreakerAuto:
			g.applyOpening(now, c)
		case c.Kind == GateClosed && g.open && g.mode == BreakerAuto:
			g.applyClosing(now, c)
		case c.Kind == GateReleased && g.open && g.mode == BreakerAuto:
			g.elsewhere = time.Time{}
		}
	})
	return err
}

// applyHold begins a hold because another process has met a rate limit. The caller
// holds mu.
func (g *gate) applyHold(now time.Time, c GateChange) (err error) {
	d := c.Hold
	if d > g.cooldown() {
		err = fmt.Errorf("%w: a hold of %s for %q is limited to %s", errGateChange, d, g.name, g.sharing.maxHold(g.endpoint))
		d = min(g.sharing.maxHold(g.endpoint), g.cooldown())
	}
	if d < shortestClaim {
		return err
	}
	g.startHold(now, d+g.spread(c.Peers), sharedCause(c.Cause, classify.ReasonRateLimit, d))
	return err
}

// applyOpening opens the breaker, because another process has reported an opening.
// If the breaker is already open, applyOpening updates the time of the next trial.
// If it is closed, applyOpening ignores the report of a distrusted process, and a
// report soon after a success of this process. The caller holds mu.
func (g *gate) applyOpening(now time.Time, c GateChange) {
	next := now.Add(min(c.NextTrial, g.cooldown()))
	if !g.open {
		switch {
		case c.Peer != "" && c.Peer == g.distrusted && now.Before(g.distrustedTill):
			return
		case !g.quiet(now):
			g.rumor = now
			return
		}
		g.open, g.openedAt, g.openedBy = true, now.Add(-min(c.OpenFor, g.cooldown())), c.Peer
		g.failedTrial, g.nextTrial, g.soonest = c.FailedTrials, next, next
		g.cause = sharedCause(c.Cause, classify.ReasonTransient, 0)
		g.generation++
		g.dismiss(now)
		return
	}
	if c.FailedTrials < g.failedTrial {
		return // older than what this process knows
	}
	if c.FailedTrials > g.failedTrial || next.Before(g.nextTrial) {
		g.nextTrial, g.soonest = next, next
	}
	g.failedTrial = c.FailedTrials
	g.elsewhere = time.Time{}
	g.dismiss(now)
}

// applyClosing closes the breaker. If calls wait, it does so after a random time.
// Otherwise all processes would let their calls in at the same moment. The caller
// holds mu.
func (g *gate) applyClosing(now time.Time, c GateChange) {
	after := g.spread(c.Peers)
	if after < time.Millisecond || g.queue.Len() == 0 {
		g.close(now, c.Peer)
		return
	}
	opened := g.openedAt
	g.elsewhere = now.Add(after + shortestClaim) // no trial until then
	time.AfterFunc(after, func() {
		g.locked(context.Background(), func(now time.Time) {
			if !g.open || !g.openedAt.Equal(opened) {
				return
			}
			g.remote = true
			defer func() { g.remote = false }()
			g.close(now, c.Peer)
		})
	})
}

// judge is called when the process peer has found the endpoint up. If another
// process opened the breaker only a short time before, judge distrusts that
// process. The caller holds mu.
func (g *gate) judge(now time.Time, peer string) {
	if g.openedBy != "" && g.openedBy != peer && now.Sub(g.openedAt) < ms(*g.cfg.Load().BridgeMs) {
		g.distrusted, g.distrustedTill = g.openedBy, now.Add(distrust)
	}
}

// believed reports whether another process has reported the endpoint as down and
// this process has had no success since then. In that case one failure opens the
// breaker. The caller holds mu.
func (g *gate) believed(now time.Time) bool {
	return !g.rumor.IsZero() && now.Sub(g.rumor) < rumorLife && g.lastSuccessAt().Before(g.rumor)
}

// spread returns a random time within the period over which processes let in their
// waiting calls. The caller holds mu.
func (g *gate) spread(peers int) time.Duration {
	longest := spreadPerPeer * time.Duration(min(max(peers, 0), int(longestSpread/spreadPerPeer)))
	return time.Duration(g.sharing.random() * float64(longest))
}

// sharedCause returns a copy of r, the failure that another process has reported as
// the cause of its change. The copy has only the fields that this process uses. If
// r's reason cannot cause such a change, the copy has the argument reason instead.
func sharedCause(r classify.Result, reason classify.Reason, hold time.Duration) classify.Result {
	if p := r.Reason.Policy(); r.Category == classify.CategoryRetryable && p.Retry == classify.RetryExponential && r.Reason != classify.ReasonUnknown {
		reason = r.Reason
	}
	clean := classify.Result{Category: classify.CategoryRetryable, Reason: reason, Rule: "resilience/shared"}
	if 400 <= r.Status && r.Status < 600 {
		clean.Status = r.Status
	}
	if hold > 0 && r.HasRetryAfter {
		clean.HasRetryAfter, clean.RetryAfter, clean.Derived = true, hold, r.Derived
	}
	return clean
}
