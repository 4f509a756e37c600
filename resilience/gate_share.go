package resilience

import (
	"context"
	"fmt"
	"time"

	"github.com/errclass/errclass/classify"
)

// share is the part of a [gate] that shares its state with other processes. gate.mu
// guards it. A lease is the exclusive right to make a trial.
type share struct {
	sharing *sharing // nil: nothing is shared

	id      string
	changes []GateChange // changes to publish after the current call of locked
	remote  bool         // the current change comes from another process

	claim         claim
	claimNumber   uint64    // number of the last request for a lease
	noTrialBefore time.Time // until then, another process may have the lease

	openedBy        string    // process that opened the breaker; "" = this one
	unapplied       time.Time // time of the last opening that this process ignored
	distrusted      string    // process that reported a wrong opening
	distrustedUntil time.Time
}

// claim says whether this process has the lease of the next trial.
type claim uint8

const (
	claimNone    claim = iota // no request, and no lease
	claimPending              // the Sharer has not answered yet
	claimGranted              // the next call is the trial
)

const (
	// claimTimeout is the longest time that a trial waits for its lease.
	claimTimeout = 100 * time.Millisecond
	// shortestClaim is the shortest time between two requests for a lease.
	shortestClaim = 5 * time.Millisecond
	// unappliedLife is how long this process remembers that it has ignored another
	// process's report of an open breaker (share.unapplied).
	unappliedLife = 10 * time.Second
	// distrustTime is how long a process is distrusted after a wrong report.
	distrustTime = time.Minute
	// If another process reports a rate limit or a closed breaker, this process lets
	// its waiting calls in after an additional random delay. The longest delay is
	// spreadPerPeer times the number of processes, but at most longestSpread.
	spreadPerPeer = 10 * time.Millisecond
	longestSpread = 2 * time.Second
	// mostFailedTrials limits the number of failed trials that another process can
	// report. A breaker needs years to reach this number.
	mostFailedTrials = 1 << 30
)

// publishChange adds a change to g.changes, unless another process made it. The
// caller holds mu.
func (g *gate) publishChange(c GateChange) {
	if g.sharing == nil || g.remote {
		return
	}
	c.Gate = g.id
	g.changes = append(g.changes, c)
}

// publishOpened publishes that the breaker is open. The caller holds mu.
func (g *gate) publishOpened(now time.Time) {
	g.publishChange(GateChange{
		Kind: GateOpened, OpenFor: now.Sub(g.openedAt), NextTrial: max(g.nextTrial.Sub(now), 0),
		FailedTrials: g.failedTrial, Cause: g.cause,
	})
}

// sendChanges sends g.changes to the Sharer. The caller holds mu, so that the changes
// are sent in order.
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

// mayTry reports whether a due trial may begin. With sharing, a trial needs a lease,
// which mayTry requests. The caller holds mu.
func (g *gate) mayTry(now time.Time) bool {
	if g.sharing == nil {
		return true
	}
	switch g.claim {
	case claimGranted:
		g.claim = claimNone
		return true
	case claimNone:
		if now.Before(g.noTrialBefore) {
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
			g.claim, g.noTrialBefore = claimGranted, time.Time{}
			return
		}
		g.claim = claimNone
		g.noTrialBefore = now.Add(min(max(wait, shortestClaim), g.hungAfter()))
		g.dismiss(now)
	})
}

// keepClaim keeps the lease of a trial that ended without a result. The caller holds
// mu.
func (g *gate) keepClaim() {
	if g.sharing != nil {
		g.claim = claimGranted
	}
}

// dropClaim forgets the lease and the process that opened the breaker. The caller
// holds mu.
func (g *gate) dropClaim() {
	g.claim, g.noTrialBefore, g.openedBy = claimNone, time.Time{}, ""
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
			g.noTrialBefore = time.Time{}
		}
	})
	return err
}

// applyHold stops calls because another process has reported a rate limit. The caller
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

// applyOpening applies another process's report of an open breaker. The caller holds
// mu.
func (g *gate) applyOpening(now time.Time, c GateChange) {
	next := now.Add(min(c.NextTrial, g.cooldown()))
	failedTrials := min(c.FailedTrials, mostFailedTrials)
	if !g.open {
		switch {
		case c.Peer != "" && c.Peer == g.distrusted && now.Before(g.distrustedUntil):
			return
		case !g.quiet(now):
			g.unapplied = now
			return
		}
		g.open, g.openedAt, g.openedBy = true, now.Add(-min(c.OpenFor, g.cooldown())), c.Peer
		g.failedTrial, g.nextTrial, g.soonest = failedTrials, next, next
		g.cause = sharedCause(c.Cause, classify.ReasonTransient, 0)
		g.generation++
		g.openedIn = g.generation
		g.dismiss(now)
		return
	}
	if failedTrials < g.failedTrial {
		return // older than what this process knows
	}
	if failedTrials > g.failedTrial || next.Before(g.nextTrial) {
		g.nextTrial, g.soonest = next, next
	}
	g.failedTrial = failedTrials
	g.noTrialBefore = time.Time{}
	g.dismiss(now)
}

// applyClosing closes the breaker, because another process has closed its breaker.
// If calls wait, applyClosing closes the breaker after a random time. The caller
// holds mu.
func (g *gate) applyClosing(now time.Time, c GateChange) {
	after := g.spread(c.Peers)
	if after < time.Millisecond || g.queue.Len() == 0 {
		g.close(now, c.Peer)
		return
	}
	opened := g.openedAt
	g.noTrialBefore = now.Add(after + shortestClaim) // no trial until then
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

// distrustReporter makes this process distrust g.openedBy, the process that reported
// the open breaker. It is called when the process peer has found that the endpoint is
// up. A peer of "" means this process. If g.openedBy is "" or equal to peer, or if the
// breaker opened at least BridgeMs ago, nothing changes. The caller holds mu.
func (g *gate) distrustReporter(now time.Time, peer string) {
	if g.openedBy != "" && g.openedBy != peer && now.Sub(g.openedAt) < ms(*g.cfg.Load().BridgeMs) {
		g.distrusted, g.distrustedUntil = g.openedBy, now.Add(distrustTime)
	}
}

// reportedDown reports whether another process has reported an outage since this
// process's last success. One failure then opens the breaker. The caller holds mu.
func (g *gate) reportedDown(now time.Time) bool {
	return !g.unapplied.IsZero() && now.Sub(g.unapplied) < unappliedLife && g.lastSuccessAt().Before(g.unapplied)
}

// spread returns a random delay that grows with the number of processes. The caller
// holds mu.
func (g *gate) spread(peers int) time.Duration {
	longest := spreadPerPeer * time.Duration(min(max(peers, 0), int(longestSpread/spreadPerPeer)))
	return time.Duration(g.sharing.random() * float64(longest))
}

// sharedCause copies some fields of r, a failure that another process has reported.
// If r.Reason cannot be the cause of a hold or an open breaker, the argument reason
// replaces r.Reason.
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
