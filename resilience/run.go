package resilience

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/errclass/errclass/classify"
)

// run is the state of one call of [Do]. It is used by one goroutine.
type run struct {
	x    *Executor
	ctx  context.Context
	call Call
	fn   function

	calls  int           // calls on all targets
	failed []Attempt     // all failed calls
	stop   error         // becomes Error.Stop
	final  bool          // Call.Repeatable forbids any further call
	waited time.Duration // total time of waiting at gates

	// The fields below belong to the current target.
	target      Target
	gate        *gate           // nil if target has no name
	remaining   []Target        // the targets after target
	effective   *settings       // nil until needed
	number      int             // calls to target so far
	corrections int             // corrective retries so far
	shrinks     int             // calls of Call.Shrink so far
	member      bool            // the gate has admitted a call that is no late trial
	cause       classify.Result // the failure before the next call
	action      action
	pause       time.Duration // before the next call, with actionRetry
	nominal     time.Duration // the pause of the schedule, without jitter
	scheduled   int           // number of the failed call to which pause and nominal belong
}

// function is the caller's function, without the type parameter of [Do].
type function interface {
	call(context.Context, Target) error
	value() any
}

// execution is a run with a function that returns values of type T.
type execution[T any] struct {
	run
	f    func(context.Context, Target) (T, error)
	last T
}

func (e *execution[T]) call(ctx context.Context, t Target) (err error) {
	e.last, err = e.f(ctx, t)
	return err
}

func (e *execution[T]) value() any { return e.last }

// action is the next step after a call.
type action uint8

const (
	actionDone  action = iota // return: the call succeeded
	actionRetry               // call the same target after the pause
	actionNext                // call the next target
	actionGiveUp
)

// Do calls f until f succeeds or its error allows no further call. It returns the
// last value and error of f. Do is safe for concurrent use.
//
// Before each call, Do checks three things, and waits if necessary:
//
//   - the health of the endpoint ([WithMonitor])
//   - the circuit breaker ([Breakers])
//   - the rate limit ([Breakers])
//
// If f fails, Do classifies the error. The next step depends on the number of calls
// and on the policy for the error's reason:
//
//   - Do calls the same target after a pause.
//   - Do calls the next target.
//   - Do returns.
//
// If the last failure is a network error, Do offers the call to the restart queue
// ([WithRestarter]).
//
// Do calls f in the caller's goroutine, with the current target and with ctx or a
// context derived from it. Do does not recover panics of f. When ctx ends, Do stops
// waiting and makes no further call. A running call has to watch its context itself.
//
// A call that f makes to the same target with this context, such as a request through
// a [Transport] of x, does not wait for f's own call at the circuit breaker or the rate
// limit. It then counts only as a part of f's call. Its retries multiply with those of
// Do.
//
// The error of failed calls is an [*Error]. It lists all attempts. It unwraps to f's
// last error and has the same text. In two cases, f's error is returned unchanged:
//
//   - The [Config] is not enabled. Do then calls f once with the first target.
//   - One call was made, and only the policy for its error ruled out a second call.
//
// If no call was made, the error shows what prevented the call. It is an [*Error]
// only if the restart queue accepted the call. Otherwise it is one of these:
//
//   - the error of ctx
//   - an [*OpenError]
//   - a [*HoldError]
//   - the monitor's error
//
// Secrets are masked in events, logs and records, but not in the returned error.
func Do[T any](ctx context.Context, x *Executor, call Call, f func(context.Context, Target) (T, error)) (T, error) {
	if !x.Enabled(call.Agent) {
		return f(ctx, call.primary())
	}
	e := &execution[T]{run: run{x: x, ctx: ctx, call: call}, f: f}
	e.fn = e
	err := e.do()
	return e.last, err
}

// do calls the targets in order, until one answers or no further call is allowed.
func (r *run) do() error {
	if r.ctx == nil {
		r.ctx = context.Background()
	}
	var start time.Time
	if !r.x.silent {
		start = time.Now()
	}
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
	if !r.x.silent {
		e := Event{Kind: KindDone, Target: r.target, Attempt: r.calls, Duration: time.Since(start), Err: err}
		switch {
		case r.calls == 0:
			e.Result = r.x.classify(r.ctx, r.target, err)
		case err != nil:
			e.Result = r.last().Result
		}
		r.emit(e)
	}
	return err
}

// emit adds the call's key and agent to e and sends the event to the observers.
func (r *run) emit(e Event) {
	e.Key, e.Agent = r.call.Key, r.call.Agent
	r.x.emit(r.ctx, e)
}

// last returns the last failed attempt, or the zero Attempt.
func (r *run) last() Attempt {
	if n := len(r.failed); n > 0 {
		return r.failed[n-1]
	}
	return Attempt{}
}

// emitFallback emits the event for a change of target.
func (r *run) emitFallback(old, next Target) {
	e := Event{Kind: KindFallback, Target: next, Result: r.last().Result, Err: r.last().Err}
	if r.stop != nil { // the call to the old target was refused
		e.Result, e.Err = refusalResult(r.stop), r.stop
	}
	e.From, e.To = labels(old, next)
	r.emit(e)
}

// refusalResult returns the failure that made a gate refuse calls. If this failure is
// unknown, the reason is transient.
func refusalResult(err error) classify.Result {
	if refused := findRefusal(err); refused != nil && refused.result().Category != "" {
		return refused.result()
	}
	return classify.Result{Category: classify.CategoryRetryable, Reason: classify.ReasonTransient, Rule: "resilience/refused"}
}

// callTarget calls a target, and repeats the call while r.action is actionRetry.
func (r *run) callTarget(t Target, remaining []Target) {
	r.target, r.gate, r.remaining, r.effective = t, r.x.breakers.gateFor(r.ctx, t), remaining, nil
	r.number, r.corrections, r.shrinks, r.scheduled, r.member, r.cause, r.stop = 0, 0, 0, 0, false, classify.Result{}, nil
	for r.attempt(); r.action == actionRetry; r.attempt() {
		if err := sleep(r.ctx, r.pause); err != nil {
			r.action, r.stop = actionGiveUp, err
			return
		}
	}
}

// settings returns the settings of the current target.
func (r *run) settings() *settings {
	if r.effective == nil {
		s := r.x.cfg.get().settings(r.call.Agent, r.target.Name())
		r.effective = &s
	}
	return r.effective
}

// attempt makes one call, if the monitor and the gate allow a call. It sets r.action
// to the next step.
func (r *run) attempt() {
	r.action = actionGiveUp
	p, err := r.admit()
	if err != nil {
		r.skipTarget(err)
		return
	}
	r.member = r.member || !p.late
	a := r.invoke(p)
	if !r.x.silent {
		r.emit(Event{
			Kind: KindAttempt, Time: a.Start.Add(a.Duration), Target: a.Target, Attempt: a.Number,
			Duration: a.Duration, Result: a.Result, Err: a.Err, Cause: r.cause,
		})
	}
	r.record(p, a)
	if r.call.Spend != nil {
		r.stop = r.call.Spend(r.ctx, a, r.fn.value())
	}
	if a.Err == nil {
		r.action, r.stop = actionDone, nil
		r.x.backoff.reset(r.backoffKey())
		return
	}
	r.cause = a.Result
	if r.stop == nil {
		r.decide(a)
	}
}

// record updates the gate, the monitor and the alerts with the outcome of a call. A
// call with the zero permit does not count.
func (r *run) record(p permit, a Attempt) {
	if p.g == nil {
		return
	}
	ended := a.Err != nil && r.ctx.Err() != nil
	o := outcomeOf(a.Result, ended)
	if _, hung := errors.AsType[*AttemptTimeoutError](a.Err); hung && !ended {
		o = outcomeHung
	}
	var hold time.Duration
	if o == outcomeLimited {
		r.schedule(a)
		hold = r.pause
	}
	p.done(r.ctx, o, a.Result, a.Start.Add(a.Duration), hold)
	// A canceled call can fail with any network error, which must not count against
	// the endpoint.
	if ended && errors.Is(r.ctx.Err(), context.Canceled) {
		a.Result = classify.Result{Category: classify.CategoryAborted, Reason: classify.ReasonAborted, Rule: "context/canceled"}
	}
	r.x.recordOutcome(r.ctx, &r.call, r.gate.endpoint, a)
}

// ErrUnhealthy means that a target was not called, because the target is unhealthy. The
// error for this target wraps ErrUnhealthy.
var ErrUnhealthy = errors.New("unhealthy")

// skipTarget goes on to the next target after a refused call, unless the context has
// ended.
func (r *run) skipTarget(err error) {
	r.stop = err
	if r.ctx.Err() == nil {
		r.action = actionNext
	}
}

// invoke calls the caller's function. If the function panics or calls
// runtime.Goexit, the permit is released.
func (r *run) invoke(p permit) (a Attempt) {
	returned := false
	defer func() {
		if !returned {
			p.release(r.ctx)
		}
	}()
	r.number++
	r.calls++
	a = Attempt{Target: r.target, Number: r.number, Start: time.Now()}
	a.Err = r.limited(p)
	returned = true
	a.Duration = time.Since(a.Start)
	if a.Err != nil {
		a.Result = r.x.classify(r.ctx, r.target, a.Err)
		r.failed = append(r.failed, a)
	}
	return a
}

// limited calls the caller's function, within the attempt timeout if there is one.
func (r *run) limited(p permit) error {
	ctx := r.ctx
	if p.trial || p.ramp != 0 {
		c := &passage{Context: ctx, outer: p}
		defer c.end()
		ctx = c
	}
	limit := r.x.attemptTimeout(r.call.Agent, r.target)
	if limit == 0 || r.call.limitsItself {
		return r.fn.call(ctx, r.target)
	}
	ctx, cancel, l := startAttempt(ctx, limit)
	defer cancel()
	err := r.fn.call(ctx, r.target)
	if expired := l.expired(); expired != nil && err != nil {
		return expired
	}
	return err
}

// result returns Do's error.
func (r *run) result() error {
	if r.action == actionDone {
		return nil
	}
	queued := r.offer()
	switch {
	case len(r.failed) == 0 && !queued:
		return r.stop
	case len(r.failed) == 0:
		return &Error{Err: r.stop, Stop: r.stop, Queued: queued}
	case len(r.failed) == 1 && r.stop == nil && !queued:
		return r.last().Err
	default:
		return &Error{Attempts: r.failed, Err: r.last().Err, Stop: r.stop, Queued: queued}
	}
}

// offer offers a failed call to the restart queue. It reports whether the queue
// accepted the call.
func (r *run) offer() bool {
	if r.x.restarter == nil || r.call.Restart.Kind == "" || r.final || contextErr(r.ctx) != nil || !r.restartable() {
		return false
	}
	offered := Restart{
		Key: r.call.Key, Agent: r.call.Agent, Targets: slices.Clone(r.call.Targets), Task: r.call.Restart,
		History: slices.Clone(r.failed), Err: r.last().Err, Result: r.last().Result,
	}
	if len(r.failed) == 0 {
		offered.Err, offered.Result = r.stop, refusalResult(r.stop)
	}
	err := r.x.restarter.Offer(r.ctx, offered)
	if err != nil {
		r.stop = errors.Join(r.stop, err)
	}
	return err == nil
}

// restartable reports whether the last failure is a transient network failure. If
// gates refused every call, it checks the failure that caused the last refusal.
func (r *run) restartable() bool {
	result, err := r.last().Result, r.last().Err
	if r.stop != nil {
		refused := findRefusal(r.stop)
		if refused == nil {
			return false
		}
		if len(r.failed) == 0 {
			result, err = refused.result(), r.stop
		}
	}
	return restartable(result, err)
}
