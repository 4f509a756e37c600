package resilience

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/errclass/errclass/classify"
)

// model is a simple reference implementation of a gate. Times are in milliseconds.
type model struct {
	cfg   BreakerConfig
	mode  BreakerMode
	now   int // ms
	calls []*modelCall

	failures    int
	counted     int  // calls let in up to the last counted failure, opening, trial or change of mode
	lastSuccess int  // -1 = never
	overlap     bool // a failure has not counted
	recoveries  int  // how often a success ended a series of failures
	recoveredAt int
	raised      int // counted failures, trials, closings and changes of mode
	open        bool
	opened      int
	openings    int // how often the breaker has opened
	nextTrial   int
	soonest     int // a new call can make nextTrial this early
	scheduled   int // when nextTrial was set
	asked       int // calls since scheduled, without restarts
	failedTrial int
	trial       *modelCall
	trialStart  int

	hold         int // no call is let in before this time
	window, step int // window 0 = no ramp; step -1 = no call yet
	net          int // successes minus failures of the ramp since its last step
	ramp         int // number of the ramp
	entered      int // calls let in so far
}

// modelCall is one call to the gate.
type modelCall struct {
	status    modelStatus
	member    bool
	restart   bool
	leave     bool
	deadline  int // 0 = none
	holdLimit int
	openLimit int // 0 = the call has not yet waited at an open breaker
	order     int // number of the call among those let in
	ramp      int // the ramp in which it was let in; 0 = none
	raised    int // model.raised when the call was let in
	testsOf   int // number of the opening that the call tests as a trial; 0 = none
}

type modelStatus string

const (
	waiting modelStatus = "waiting"
	running modelStatus = "running"
	refused modelStatus = "refused"
	ended   modelStatus = "ended"
)

// These times limit how long a call waits, in milliseconds. They are not multiples of
// 10. Everything else happens at multiples of 10, so nothing else happens at the moment
// when a limit ends.
const (
	modelPatience = 3003
	modelMaxHold  = 5003
)

func (m *model) find(s modelStatus) (all []*modelCall) {
	for _, c := range m.calls {
		if c.status == s {
			all = append(all, c)
		}
	}
	return all
}

func (m *model) state() BreakerState {
	switch {
	case m.mode == BreakerForceOpen:
		return BreakerOpen
	case !m.open:
		return BreakerClosed
	case m.trial == nil:
		return BreakerOpen
	default:
		return BreakerHalfOpen
	}
}

// mayEnter reports whether the gate lets c in now.
func (m *model) mayEnter(c *modelCall) bool {
	inside := 0
	for _, other := range m.find(running) {
		if other.ramp == m.ramp && m.ramp > 0 {
			inside++
		}
	}
	others := slices.ContainsFunc(m.calls, func(o *modelCall) bool { return o.status == waiting })
	switch {
	case m.mode == BreakerForceOpen || m.now < m.hold:
		return false
	case m.open && m.trial != nil && m.now-m.trialStart < min(30_000, m.cfg.CooldownMs):
		return false
	case m.open && m.trial == nil && m.now < m.nextTrial+c.trialDelay():
		return false
	case m.open:
		m.trial, m.trialStart, c.testsOf = c, m.now, m.openings
		m.counted = m.entered
		m.raised++
	case m.window > 0:
		if m.step < 0 {
			m.step = m.now + 400
		}
		if m.now >= m.step {
			if m.net >= 0 && !others {
				m.window = 0
				break
			}
			if m.net >= 0 {
				m.window *= 2
			}
			m.step, m.net = m.now+400, 0
		}
		if inside >= m.window {
			return false
		}
		c.ramp = m.ramp
	}
	m.entered++
	c.status, c.order, c.raised = running, m.entered, m.raised
	return true
}

// trialDelay returns the additional pause before a trial that c makes, in
// milliseconds.
func (c *modelCall) trialDelay() int {
	if c.restart {
		return 10_000
	}
	return 0
}

// schedule sets the time of the next trial.
func (m *model) schedule() {
	gap := []int{500, 1000, 2000, 4000, 8000}[min(m.failedTrial, 4)]
	waiting := slices.DeleteFunc(m.find(waiting), func(c *modelCall) bool { return c.restart })
	if calls := m.asked + len(waiting)/4; calls > 0 {
		often := 2 * (m.now - m.scheduled) / calls / 10 * 10
		gap = min(gap, max(often, 2000))
	}
	m.nextTrial, m.soonest = m.now+gap, m.now+min(gap, 2000)
	m.scheduled, m.asked = m.now, 0
}

// refuses reports whether c would wait for too long.
func (m *model) refuses(c *modelCall) bool {
	beyond := func(at int) bool { return c.deadline > 0 && at >= c.deadline }
	switch {
	case m.mode == BreakerForceOpen:
		return true
	case m.now < m.hold:
		return m.hold > c.holdLimit || beyond(m.hold)
	case m.open:
		if c.openLimit == 0 {
			if c.leave || !c.member && m.now-m.opened >= *m.cfg.BridgeMs {
				return true
			}
			c.openLimit = m.now + modelPatience
			if !c.restart && (c.openLimit <= m.nextTrial || beyond(m.nextTrial)) {
				m.nextTrial = min(m.nextTrial, m.soonest)
			}
		}
		return m.now >= c.openLimit || m.trial == nil && beyond(m.nextTrial)
	default:
		return m.now >= c.holdLimit && m.now >= c.openLimit
	}
}

func (m *model) arrive(c *modelCall) {
	m.calls = append(m.calls, c)
	c.holdLimit = m.now + modelMaxHold
	if m.open && !c.restart {
		m.asked++
	}
	switch {
	case len(m.find(waiting)) == 0 && m.mayEnter(c):
	case m.refuses(c):
		c.status = refused
	default:
		c.status = waiting
		m.settle() // if only restarts wait, c may make the trial at once
	}
}

// settle lets waiting calls in. A call from the restart queue makes a trial only if no
// other call waits.
func (m *model) settle() {
	for {
		all := m.find(waiting)
		if len(all) == 0 {
			return
		}
		next := 0
		if m.open {
			next = max(slices.IndexFunc(all, func(c *modelCall) bool { return !c.restart }), 0)
		}
		if !m.mayEnter(all[next]) {
			return
		}
	}
}

func (m *model) dismiss() {
	for _, c := range m.find(waiting) {
		if m.refuses(c) {
			c.status = refused
		}
	}
}

func (m *model) tick() {
	m.now++
	for _, c := range m.find(waiting) {
		if m.now == c.deadline || m.refuses(c) {
			c.status = refused
		}
	}
	m.settle()
}

func (m *model) startRamp(window int) {
	m.ramp++
	m.window, m.step, m.net = window, -1, 0
	if window > 1 {
		m.step = m.now + 400
	}
}

func (m *model) close() {
	m.open, m.trial, m.failures, m.counted = false, nil, 0, m.entered
	m.raised++
	m.startRamp(2)
}

func (m *model) finish(c *modelCall, o outcome, pause int) {
	c.status = ended
	inRamp := c.ramp > 0 && c.ramp == m.ramp && m.window > 0
	trial, tests := m.trial == c, m.open && c.testsOf == m.openings
	if trial {
		m.trial = nil
	}
	others := len(m.find(waiting)) > 0
	switch o {
	case outcomeUp:
		if m.open && !tests {
			break
		}
		if tests {
			if m.failedTrial == 0 {
				m.recoveries, m.recoveredAt = m.cfg.FailureThreshold, m.now
			}
			m.close()
		} else if inRamp {
			m.window++
			m.net++
			if !others {
				m.window = 0
			}
		}
		if m.failures > 0 {
			if m.now-m.recoveredAt >= 300_000 {
				m.recoveries = 0
			}
			m.recoveries++
			m.recoveredAt = m.now
		}
		m.failures, m.lastSuccess = 0, m.now
	case outcomeAnswered:
		if tests {
			m.close()
		}
	case outcomeLimited:
		if tests {
			m.close()
		}
		m.hold = max(m.hold, m.now+min(pause, m.cfg.CooldownMs))
		m.startRamp(1)
		m.dismiss()
	case outcomeDown, outcomeHung:
		if inRamp {
			m.window = max(m.window-1, 1)
			m.net--
		}
		m.fail(c, trial, o == outcomeHung)
	case outcomeNone:
	}
	m.settle()
}

func (m *model) fail(c *modelCall, trial, hung bool) {
	switch {
	case m.mode != BreakerAuto:
	case trial:
		m.failedTrial++
		m.recoveries = 0
		m.schedule()
		m.dismiss()
	case m.open:
	case c.order <= m.counted && (!hung || m.raised > c.raised+m.failures): // c began before the last counted failure
		m.overlap = true
	default:
		m.failures++
		m.counted = m.entered
		m.raised++
		quiet := m.lastSuccess < 0 && !m.overlap || m.now-max(m.lastSuccess, 0)/50*50 >= *m.cfg.QuietMs
		threshold := m.cfg.FailureThreshold
		if m.recoveries >= threshold && m.now-m.recoveredAt < 300_000 {
			threshold *= 2
		}
		if m.failures >= threshold && quiet {
			m.open, m.opened, m.failedTrial, m.asked = true, m.now, 0, 0
			m.openings++
			m.schedule()
			m.dismiss()
		}
	}
}

func (m *model) force(mode BreakerMode) {
	if mode == m.mode {
		return
	}
	m.mode, m.failures, m.counted, m.recoveries = mode, 0, m.entered, 0
	m.raised++
	m.open, m.trial, m.hold, m.window = false, nil, 0, 0
	if len(m.find(waiting)) > 0 {
		m.startRamp(1)
	}
	m.dismiss()
	m.settle()
}

// gateOp is one step of a test. Exactly one field is set.
type gateOp struct {
	advance int // ms
	arrive  int // calls
	member  bool
	restart bool
	leave   bool
	within  int // deadline in ms; 0 = none
	finish  int // index among the running calls, plus one
	outcome outcome
	pause   int
	force   BreakerMode
}

func drawGateOp(t *rapid.T) gateOp {
	switch rapid.SampledFrom([]string{"arrive", "arrive", "finish", "finish", "finish", "finish", "advance", "advance", "force"}).Draw(t, "op") {
	case "arrive":
		return gateOp{
			arrive:  rapid.SampledFrom([]int{1, 1, 2, 10}).Draw(t, "calls"),
			member:  rapid.Bool().Draw(t, "member"),
			restart: rapid.Bool().Draw(t, "restart"),
			leave:   rapid.IntRange(0, 3).Draw(t, "leave") == 0,
			within:  rapid.SampledFrom([]int{0, 0, 107, 2007, 8007}).Draw(t, "within"),
		}
	case "finish":
		return gateOp{
			finish:  1 + rapid.IntRange(0, 20).Draw(t, "which"),
			outcome: rapid.SampledFrom([]outcome{outcomeUp, outcomeDown, outcomeDown, outcomeDown, outcomeHung, outcomeHung, outcomeLimited, outcomeAnswered, outcomeNone}).Draw(t, "outcome"),
			pause:   rapid.SampledFrom([]int{10, 300, 1000, 4000, 30_000}).Draw(t, "pause"),
		}
	case "advance":
		return gateOp{advance: 10 * rapid.SampledFrom([]int{1, 2, 20, 50, 100, 300, 1000}).Draw(t, "ms")}
	default:
		if rapid.IntRange(0, 3).Draw(t, "forced") > 0 {
			return gateOp{advance: 10}
		}
		return gateOp{force: rapid.SampledFrom([]BreakerMode{BreakerAuto, BreakerForceOpen, BreakerForceClosed}).Draw(t, "mode")}
	}
}

// The gate and the model must behave the same.
func TestGate_Model(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		ops := rapid.SliceOfN(rapid.Custom(drawGateOp), 10, 100).Draw(rt, "ops")
		var fault error // reported below, because rt cannot be used inside the synctest bubble
		synctest.Test(t, func(t *testing.T) { fault = compareWithModel(t.Context(), ops) })
		if fault != nil {
			rt.Fatal(fault)
		}
	})
}

// realCall is a call to the real gate, with its own goroutine.
type realCall struct {
	p     permit
	err   error
	ready bool
}

// compareWithModel runs ops on a gate and on the model. It returns the first
// difference.
func compareWithModel(ctx context.Context, ops []gateOp) error {
	ctx, cancel := context.WithCancel(ctx)
	defer func() { cancel(); synctest.Wait() }()
	cfg := defaultSettings.breaker
	cfg.FailureThreshold, cfg.BridgeMs = 3, new(5000)
	cfg.CooldownMs = 8000 // so that trials often count as hung
	var changes []Event
	g := newGate("e", "", cfg, &gateEvents{send: func(_ context.Context, _ *gate, e Event) {
		if e.Kind == KindBreaker {
			changes = append(changes, e)
		}
	}}, nil)
	m := &model{cfg: cfg, mode: BreakerAuto, lastSuccess: -1, recoveredAt: -1_000_000}
	var calls []*realCall
	down := classify.Result{Category: classify.CategoryRetryable, Reason: classify.ReasonNetwork}
	for i, op := range ops {
		switch {
		case op.advance > 0:
			for range op.advance {
				m.tick()
			}
			time.Sleep(time.Duration(op.advance) * time.Millisecond)
		case op.arrive > 0:
			for range op.arrive {
				c := &modelCall{member: op.member, restart: op.restart, leave: op.leave}
				callCtx := ctx
				if op.within > 0 {
					c.deadline = m.now + op.within
					var stop context.CancelFunc
					callCtx, stop = context.WithTimeout(ctx, time.Duration(op.within)*time.Millisecond)
					defer stop()
				}
				m.arrive(c)
				r := &realCall{}
				calls = append(calls, r)
				go func() {
					var ok bool
					if r.p, ok = g.admit(); !ok {
						r.p, r.err = g.enter(callCtx, &waiter{entrant: entrant{
							member: op.member, restart: op.restart, leaveOpen: op.leave, maxHold: modelMaxHold * time.Millisecond,
							patience: func(classify.Result) time.Duration { return modelPatience * time.Millisecond },
						}})
					}
					r.ready = true
				}()
				synctest.Wait()
			}
		case op.finish > 0:
			if now := m.find(running); len(now) > 0 {
				c := now[(op.finish-1)%len(now)]
				m.finish(c, op.outcome, op.pause)
				calls[slices.Index(m.calls, c)].p.done(ctx, op.outcome, down, time.Now(), time.Duration(op.pause)*time.Millisecond)
			}
		default:
			m.force(op.force)
			g.force(ctx, op.force)
		}
		synctest.Wait()
		if err := differs(g, m, calls); err != nil {
			return fmt.Errorf("after op %d %+v: %w", i, op, err)
		}
	}
	last := string(BreakerClosed)
	for _, c := range changes {
		if c.From != last || c.To == last {
			return fmt.Errorf("changes out of order: %v", changes)
		}
		last = c.To
	}
	return nil
}

func differs(g *gate, m *model, calls []*realCall) error {
	for i, c := range m.calls {
		got := waiting
		switch r := calls[i]; {
		case r.ready && r.err != nil:
			got = refused
		case r.ready:
			got = running
		}
		want := c.status
		if want == ended {
			want = running
		}
		if got != want {
			return fmt.Errorf("at %d ms call %d is %s, want %s: %w", m.now, i, got, want, calls[i].err)
		}
	}
	s := g.status()
	if s.State != m.state() || s.Failures != m.failures || s.Waiting != len(m.find(waiting)) || s.Hold.Milliseconds() != int64(max(m.hold-m.now, 0)) {
		return fmt.Errorf("at %d ms got %+v, want %s with %d failures, %d waiting, held until %d", m.now, s, m.state(), m.failures, len(m.find(waiting)), m.hold)
	}
	return nil
}
