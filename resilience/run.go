package resilience

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"

	"github.com/errclass/errclass/classify"
)

// run is the state of one Do. It is used by one goroutine.
type run struct {
	x    *Executor
	ctx  context.Context
	call Call
	fn   func(context.Context, Target) (any, error) // the caller's function

	attempts []Attempt
	stop     error // becomes Error.Stop
	final    bool  // Call.Repeatable forbids any further call

	// The fields below belong to the current target.
	target        Target
	remaining     []Target // the targets after it
	settings      settings
	number        int             // of calls to it so far
	corrections   int             // corrective retries so far
	openedBreaker bool            // a failure of this run opened its breaker
	cause         classify.Result // failure that the next call retries
	action        action
	pause         time.Duration // before the next call; used if action is actionRetry
}

// action is what to do after a call.
type action uint8

const (
	actionDone  action = iota // the call succeeded, nothing is left to do
	actionRetry               // call the same target after the pause
	actionNext                // call the next target
	actionGiveUp
)

// Do calls f until f succeeds or its error allows no further call. It returns
// the last value and error of f.
//
// Before each call, the endpoint's health ([WithMonitor]) and its circuit
// breaker decide whether the call may be made. If f fails, Do classifies the
// error. The reason's policy and the number of calls so far decide what comes
// next: the same target after a pause, the next target, or the end. If the call
// ends with a network error, Do offers it to the restart queue
// ([WithRestarter]).
//
// Do calls f in the caller's goroutine, with ctx and the current target. It
// does not recover panics of f. When ctx ends, Do stops waiting and makes no
// further call. A running call has to watch ctx itself.
//
// If the [Config] is not enabled, Do calls f once with the first target and
// returns its error unchanged. It also returns f's error unchanged if it made
// one call and nothing stopped a further one. Otherwise the error is an
// [*Error]: it has the text of f's last error, unwraps to it, and lists all
// attempts. If no call was made, the error is ctx's error, an [*OpenError], or
// the monitor's error. Do does not mask secrets in the text of its error. It
// masks them in events, logs and records.
//
// Do is safe for concurrent use.
func Do[T any](ctx context.Context, x *Executor, call Call, f func(context.Context, Target) (T, error)) (T, error) {
	if !x.Enabled(call.Agent) {
		return f(ctx, call.primary())
	}
	var value T
	r := &run{x: x, ctx: ctx, call: call, fn: func(ctx context.Context, t Target) (any, error) {
		var err error
		value, err = f(ctx, t)
		return value, err
	}}
	err := r.do()
	return value, err
}

// do calls the targets one after the other.
func (r *run) do() error {
	if r.ctx == nil {
		r.ctx = context.Background()
	}
	start := time.Now()
	targets := r.x.fallbacks.order(r.call.Targets)
	if len(targets) == 0 {
		targets = []Target{{}}
	}
	for i, t := range targets {
		if i > 0 {
			r.emitFallback(targets[i-1], t)
		}
		r.callTarget(t, targets[i+1:])
		if r.action != actionNext || i == len(targets)-1 {
			r.x.fallbacks.record(r.call.primary(), t, i > 0 && r.action == actionDone)
			break
		}
	}
	err := r.result()
	e := Event{Kind: KindDone, Target: r.target, Attempt: len(r.attempts), Duration: time.Since(start), Result: r.last().Result, Err: err}
	if len(r.attempts) == 0 {
		e.Result = r.x.classify(r.ctx, r.target, err)
	}
	r.emit(e)
	return err
}

// emit adds the call's key and agent to e and sends it to the observers.
func (r *run) emit(e Event) {
	e.Key, e.Agent = r.call.Key, r.call.Agent
	r.x.emit(r.ctx, e)
}

// last returns the last attempt, or the zero Attempt before the first.
func (r *run) last() Attempt {
	if n := len(r.attempts); n > 0 {
		return r.attempts[n-1]
	}
	return Attempt{}
}

// emitFallback emits the event of a change of target.
func (r *run) emitFallback(from, to Target) {
	e := Event{Kind: KindFallback, Target: to, Result: r.last().Result, Err: r.last().Err}
	if r.stop != nil { // the call to from was refused
		e.Result, e.Err = refusalResult(r.stop), r.stop
	}
	e.From, e.To = labels(from, to)
	r.emit(e)
}

// refusalResult classifies a refused call. The result is that of the failure
// that opened the breaker. Without such a failure it is transient.
func refusalResult(err error) classify.Result {
	if open, ok := errors.AsType[*OpenError](err); ok && open.Cause.Category != "" {
		return open.Cause
	}
	return classify.Result{Category: classify.CategoryRetryable, Reason: classify.ReasonTransient, Rule: "resilience/refused"}
}

// callTarget calls a target until r.action is no longer actionRetry.
// failsafe-go repeats the call and waits; decide sets r.action and r.pause.
func (r *run) callTarget(t Target, remaining []Target) {
	r.target, r.remaining, r.settings = t, remaining, r.x.cfg.settings(r.call.Agent, t.Name())
	r.number, r.corrections, r.openedBreaker, r.cause, r.stop = 0, 0, false, classify.Result{}, nil
	r.action = actionGiveUp
	retry := retrypolicy.NewBuilder[any]().
		WithMaxRetries(-1).
		AbortIf(func(any, error) bool { return r.action != actionRetry }).
		WithDelayFunc(func(failsafe.ExecutionAttempt[any]) time.Duration { return r.pause }).
		ReturnLastFailure().
		Build()
	// Run's error is ignored. When the context ends, failsafe-go returns the
	// context's error, even if the call succeeded.
	_ = failsafe.With(retry).WithContext(r.ctx).Run(r.attempt)
	if r.action == actionRetry {
		r.action, r.stop = actionGiveUp, contextErr(r.ctx)
	}
}

// attempt makes one call if it is allowed, and decides what comes next.
// failsafe-go only checks whether its error is nil.
func (r *run) attempt() error {
	r.action = actionGiveUp
	p, err := r.admit()
	if err != nil {
		r.skipTarget(err)
		return err
	}
	a, value := r.invoke(p)
	r.emit(Event{
		Kind: KindAttempt, Time: a.Start.Add(a.Duration), Target: a.Target, Attempt: a.Number,
		Duration: a.Duration, Result: a.Result, Err: a.Err, Cause: r.cause,
	})
	r.openedBreaker = r.x.recordOutcome(r.ctx, r.call, p, a) || r.openedBreaker
	if r.call.Spend != nil {
		r.stop = r.call.Spend(r.ctx, a, value)
	}
	if a.Err == nil {
		r.action, r.stop = actionDone, nil
		r.x.backoff.reset(r.backoffKey())
		return nil
	}
	r.cause = a.Result
	if r.stop == nil {
		r.decide(a)
	}
	return a.Err
}

// admit asks monitor and breaker whether the call may be made. Targets without
// a name have neither and get the zero permit.
func (r *run) admit() (permit, error) {
	if err := contextErr(r.ctx); err != nil {
		return permit{}, err
	}
	name := r.target.Name()
	if name == "" {
		return permit{}, nil
	}
	if m := r.x.monitor; m != nil && !m.Healthy(name) {
		if r.hasOpenTarget() {
			return permit{}, fmt.Errorf("endpoint %q: %w", name, ErrUnhealthy)
		}
		if err := m.WaitForRecovery(r.ctx, name); err != nil {
			return permit{}, fmt.Errorf("endpoint %q: wait for recovery: %w", name, err)
		}
	}
	return r.x.breakers.admit(r.ctx, name, r.openedBreaker)
}

// ErrUnhealthy is wrapped by the error for a target that was skipped because it
// is unhealthy.
var ErrUnhealthy = errors.New("unhealthy")

// skipTarget handles a refused call. Unless the context has ended, the next
// target is called, even if the policy of the last error allows no fallback.
func (r *run) skipTarget(err error) {
	r.stop = err
	if r.ctx.Err() == nil {
		r.action = actionNext
	}
}

// invoke calls the caller's function. It releases the permit if the function
// panics or calls runtime.Goexit.
func (r *run) invoke(p permit) (a Attempt, value any) {
	returned := false
	defer func() {
		if !returned {
			p.release(r.ctx)
		}
	}()
	r.number++
	a = Attempt{Target: r.target, Number: r.number, Start: time.Now()}
	value, a.Err = r.fn(r.ctx, r.target)
	returned = true
	a.Duration = time.Since(a.Start)
	a.Result = r.x.classify(r.ctx, r.target, a.Err)
	r.attempts = append(r.attempts, a)
	return a, value
}

// result returns Do's error.
func (r *run) result() error {
	if r.action == actionDone {
		return nil
	}
	queued := r.offer()
	switch {
	case len(r.attempts) == 0 && !queued:
		return r.stop
	case len(r.attempts) == 0:
		return &Error{Err: r.stop, Stop: r.stop, Queued: queued}
	case len(r.attempts) == 1 && r.stop == nil && !queued:
		return r.last().Err
	default:
		return &Error{Attempts: r.attempts, Err: r.last().Err, Stop: r.stop, Queued: queued}
	}
}

// offer offers a failed call to the restart queue and reports whether the queue
// accepted it.
func (r *run) offer() bool {
	if r.x.restarter == nil || r.call.Restart.Kind == "" || r.final || contextErr(r.ctx) != nil || !r.restartable() {
		return false
	}
	offered := Restart{
		Key: r.call.Key, Agent: r.call.Agent, Targets: slices.Clone(r.call.Targets), Task: r.call.Restart,
		History: slices.Clone(r.attempts), Err: r.last().Err, Result: r.last().Result,
	}
	if len(r.attempts) == 0 {
		offered.Err, offered.Result = r.stop, refusalResult(r.stop)
	}
	err := r.x.restarter.Offer(r.ctx, offered)
	if err != nil {
		r.stop = errors.Join(r.stop, err)
	}
	return err == nil
}

// restartable reports whether the last failure is a transient network failure
// (NetworkTransient in [classify.ViewResilience]). If breakers refused every
// call, it checks the failure that opened the last breaker instead. It returns
// false if anything but a breaker stopped the run, such as a spent budget.
func (r *run) restartable() bool {
	result := r.last().Result
	if r.stop != nil {
		open, ok := errors.AsType[*OpenError](r.stop)
		if !ok {
			return false
		}
		if len(r.attempts) == 0 {
			result = open.Cause
		}
	}
	return result.Category == classify.CategoryRetryable &&
		result.Reason.Name(classify.ViewResilience) == classify.ReasonNetwork.Name(classify.ViewResilience)
}
