package resilience

import (
	"container/list"
	"context"
	"time"

	"github.com/errclass/errclass/classify"
)

// entrant describes a call that asks a busy gate for a permit.
type entrant struct {
	member    bool          // the gate has let in an earlier call of this Do; see run.member
	restart   bool          // a restart queue makes the call; other calls make trials first
	leaveOpen bool          // do not wait for a breaker, because another target accepts calls
	leaveHold bool          // do not wait for a hold, because another target accepts calls
	maxHold   time.Duration // longest wait for a hold and the ramp after it

	// patience returns the longest wait at an open breaker. cause is the failure
	// that opened the breaker.
	patience func(cause classify.Result) time.Duration
	// waits is called before the call begins to wait. held is true if cause is a
	// rate limit. Otherwise cause has opened the breaker.
	waits func(shortest time.Duration, held bool, cause classify.Result)
}

// waiter is an entrant in the queue of a gate. Until ready is closed, gate.mu guards
// the fields.
type waiter struct {
	entrant
	deadline   time.Time // deadline of the caller's context; zero = none
	holdLimit  time.Time // when the call stops waiting for a hold
	openLimit  time.Time // when the call stops waiting for a breaker; zero before that wait
	askedLease bool      // the gate has requested a lease for this call (gate_share.go)
	late       bool      // the call may not wait at an open breaker
	element    *list.Element
	timer      *time.Timer // runs out when the call must be checked again

	ready chan struct{}
	p     permit
	err   error
}

// enter returns a permit, possibly after a wait. If the call should not wait, enter
// returns a [refusal]. If the context ends first, enter returns its error.
func (g *gate) enter(ctx context.Context, w *waiter) (permit, error) {
	w.deadline, _ = ctx.Deadline()
	waiting := false
	var after time.Duration
	var held bool
	var cause classify.Result
	g.locked(ctx, func(now time.Time) {
		w.p, w.err, w.holdLimit = permit{}, nil, now.Add(w.maxHold)
		w.askedLease = false
		if g.open && !w.restart {
			g.asked++
		}
		if g.queue.Len() == 0 {
			w.late = g.open && g.bridged(now) && !w.member
			claimed := g.claimNumber
			if p, ok := g.issue(now, w.restart); ok {
				p.late = p.trial && w.late
				w.p = p
				return
			}
			w.askedLease = g.claimNumber != claimed
		}
		if err := g.refuse(now, w); err != nil {
			w.err = err
			return
		}
		waiting = true
		if held = !g.open; held {
			after, cause = max(g.until.Sub(now), 0), g.limit
		} else {
			after, cause = g.untilTrial(now), g.cause
		}
		w.ready = make(chan struct{})
		w.element = g.queue.PushBack(w)
		w.timer = time.NewTimer(g.untilLimit(now, w))
	})
	if !waiting {
		return w.p, w.err
	}
	if w.waits != nil && !w.askedLease {
		w.waits(after, held, cause)
	}
	return g.wait(ctx, w)
}

// refuse returns an error if a call should not wait. The caller holds mu. The
// reasons are:
//
//   - The breaker is forced open.
//   - Another target can be called instead.
//   - The wait would last beyond the deadline or another limit.
func (g *gate) refuse(now time.Time, w *waiter) refusal {
	beyond := func(t time.Time) bool { return !w.deadline.IsZero() && !t.Before(w.deadline) }
	switch {
	case g.mode == BreakerForceOpen:
		return g.openRefusal(now)
	case g.held(now):
		if w.leaveHold || g.until.After(w.holdLimit) || beyond(g.until) {
			return g.holdRefusal(now)
		}
	case g.open && g.mode == BreakerAuto:
		if w.askedLease && g.claim == claimPending {
			return nil
		}
		if w.openLimit.IsZero() {
			if w.leaveOpen || g.bridged(now) && !w.member {
				return g.openRefusal(now)
			}
			w.openLimit = now.Add(w.patience(g.cause))
			g.hurry(w)
		}
		if !now.Before(w.openLimit) || g.trialStart.IsZero() && beyond(g.nextTrial) {
			return g.openRefusal(now)
		}
	case !now.Before(w.holdLimit) && !now.Before(w.openLimit):
		return g.holdRefusal(now)
	}
	return nil
}

// wait waits until the call is let in or refused.
func (g *gate) wait(ctx context.Context, w *waiter) (permit, error) {
	defer w.timer.Stop()
	for {
		select {
		case <-w.ready:
			return w.p, w.err
		case <-ctx.Done():
			if !g.leave(w) && w.err == nil {
				w.p.release(ctx)
			}
			return permit{}, contextErr(ctx)
		case <-w.timer.C:
			g.recheck(w)
		}
	}
}

// leave takes a call out of the queue. It reports whether the call was still there.
func (g *gate) leave(w *waiter) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if w.element == nil {
		return false
	}
	g.remove(w)
	return true
}

// recheck refuses a waiting call that has reached a limit.
func (g *gate) recheck(w *waiter) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if w.element != nil {
		g.review(time.Now(), w)
	}
}

// dismiss refuses all calls that should no longer wait. The caller holds mu.
func (g *gate) dismiss(now time.Time) {
	for e := g.queue.Front(); e != nil; {
		w := e.Value.(*waiter)
		e = e.Next()
		g.review(now, w)
	}
}

// review refuses a call that should no longer wait, or sets its timer again. The
// caller holds mu.
func (g *gate) review(now time.Time, w *waiter) {
	if err := g.refuse(now, w); err != nil {
		g.answer(w, permit{}, err)
		return
	}
	w.timer.Reset(g.untilLimit(now, w))
}

// untilLimit returns the time until the next review of w. The caller holds mu.
func (g *gate) untilLimit(now time.Time, w *waiter) time.Duration {
	if w.askedLease && g.claim == claimPending {
		return claimTimeout
	}
	limit := w.openLimit
	if !g.open && w.holdLimit.After(limit) {
		limit = w.holdLimit
	}
	if g.until.After(limit) {
		limit = g.until
	}
	return limit.Sub(now)
}

// letIn lets in as many calls as the gate allows now. The caller holds mu.
func (g *gate) letIn(now time.Time) {
	for g.queue.Len() > 0 {
		w := g.nextWaiter()
		p, ok := g.issue(now, w.restart)
		if !ok {
			break
		}
		g.answer(w, p, nil)
	}
	g.arm(now)
}

// nextWaiter returns the call to let in next. At an open breaker, calls from the
// restart queue come last. The caller holds mu.
func (g *gate) nextWaiter() *waiter {
	first := g.queue.Front()
	if g.open {
		for e := first; e != nil; e = e.Next() {
			if w := e.Value.(*waiter); !w.restart {
				return w
			}
		}
	}
	return first.Value.(*waiter)
}

// answer ends the wait of a call with a permit or an error. The caller holds mu.
func (g *gate) answer(w *waiter, p permit, err error) {
	g.remove(w)
	p.late = p.trial && w.askedLease && w.late
	w.p, w.err = p, err
	close(w.ready)
}

func (g *gate) remove(w *waiter) {
	g.queue.Remove(w.element)
	w.element = nil
}

// arm sets the timer that lets the next waiting call in. The caller holds mu.
func (g *gate) arm(now time.Time) {
	if g.queue.Len() == 0 || g.claim == claimPending {
		if g.timer != nil {
			g.timer.Stop()
		}
		return
	}
	var next time.Time
	switch {
	case g.held(now):
		next = g.until
	case !g.open:
		next = g.step
	default:
		next = g.trialTime(g.nextWaiter().restart)
	}
	after := max(next.Sub(now), 0)
	if g.timer == nil {
		g.timer = time.AfterFunc(after, g.wake)
		return
	}
	g.timer.Reset(after)
}

// wake runs when g.timer fires.
func (g *gate) wake() { g.locked(context.Background(), g.dismiss) }
