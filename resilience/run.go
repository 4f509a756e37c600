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

// run is one Do. It belongs to one goroutine.
type run struct {
	x    *Executor
	ctx  context.Context
	call Call
	once func(context.Context, Target) (any, error) // the caller's function

	attempts []Attempt
	stop     error // see Error.Stop
	final    bool  // the caller forbids any further call

	// What follows belongs to the target whose turn it is.
	target  Target
	rest    []Target // whose turn comes later
	set     settings
	number  int             // of the calls to it
	mended  int             // corrective retries
	opened  bool            // its breaker opened by a failure of this run
	cause   classify.Result // of the failure that the next call repeats
	verdict verdict
	pause   time.Duration // before the next call, where the verdict is again
}

// verdict is what to do next.
type verdict uint8

const (
	finished verdict = iota // the call succeeded
	again                   // the same target, after a pause
	next                    // another target
	giveUp
)

// Do calls f until it succeeds or its error says that no further call will
// help, and returns what f returned last.
//
// Step by step: the endpoint's health ([WithMonitor]) and its circuit breaker
// let a call through or not; the call is made; its error is classified; the
// reason's policy and how often the target was called decide between the same
// target after a pause, the next target, and the end; where network failures
// outlast all that, the call is offered to the restart queue ([WithRestarter]).
//
// f is called in the caller's goroutine, with ctx and the target whose turn it
// is; a panic of f passes through. The end of ctx ends every wait at once, and
// no call begins after it; a call that is under way has ctx to see it by.
//
// The error is exactly that of f where only one call was made and nothing else
// happened, and always where the [Config] is not enabled (then f is called once,
// with the first target). Otherwise it is an [*Error], which reads like f's last
// error, unwraps to it, and knows all attempts. Where no call was made it is ctx's
// error, an [*OpenError], or what the monitor said. The error keeps the caller's
// own text, secrets included: only events, logs and records are masked.
//
// Do is safe for concurrent use.
func Do[T any](ctx context.Context, x *Executor, call Call, f func(context.Context, Target) (T, error)) (T, error) {
	if !x.Enabled(call.Agent) {
		return f(ctx, call.primary())
	}
	var value T
	r := &run{x: x, ctx: ctx, call: call, once: func(ctx context.Context, t Target) (any, error) {
		var err error
		value, err = f(ctx, t)
		return value, err
	}}
	err := r.do()
	return value, err
}

// do asks one target after the other.
func (r *run) do() error {
	if r.ctx == nil {
		r.ctx = context.Background()
	}
	start := time.Now()
	targets := r.x.stays.order(r.call.Targets)
	if len(targets) == 0 {
		targets = []Target{{}}
	}
	for i, t := range targets {
		if i > 0 {
			r.fallBack(targets[i-1], t)
		}
		r.on(t, targets[i+1:])
		if r.verdict != next || i == len(targets)-1 {
			r.x.stays.answered(r.call.primary(), t, i > 0 && r.verdict == finished)
			break
		}
	}
	err := r.end()
	e := Event{Kind: KindDone, Target: r.target, Attempt: len(r.attempts), Duration: time.Since(start), Result: r.last().Result, Err: err}
	if len(r.attempts) == 0 {
		e.Result = r.x.classify(r.ctx, r.target, err)
	}
	r.emit(e)
	return err
}

// emit tells of an event of this run.
func (r *run) emit(e Event) {
	e.Key, e.Agent = r.call.Key, r.call.Agent
	r.x.emit(r.ctx, e)
}

// last is the last call, the zero Attempt before the first.
func (r *run) last() Attempt {
	if n := len(r.attempts); n > 0 {
		return r.attempts[n-1]
	}
	return Attempt{}
}

// fallBack tells that a target takes over, and why.
func (r *run) fallBack(from, to Target) {
	e := Event{Kind: KindFallback, Target: to, Result: r.last().Result, Err: r.last().Err}
	if r.stop != nil { // it was not let through to the other one
		e.Result, e.Err = refusal(r.stop), r.stop
	}
	e.From, e.To = labels(from, to)
	r.emit(e)
}

// refusal is what it means that a target was not called: the failure that
// opened its breaker, or else that the target is out of service for now.
func refusal(err error) classify.Result {
	if open, ok := errors.AsType[*OpenError](err); ok && open.Cause.Category != "" {
		return open.Cause
	}
	return classify.Result{Category: classify.CategoryRetryable, Reason: classify.ReasonTransient, Rule: "resilience/refused"}
}

// on calls one target until there is a verdict other than again. failsafe-go
// does the repeating and the waiting; the decisions are ours.
func (r *run) on(t Target, rest []Target) {
	r.target, r.rest, r.set = t, rest, r.x.cfg.settings(r.call.Agent, t.Name())
	r.number, r.mended, r.opened, r.cause, r.stop = 0, 0, false, classify.Result{}, nil
	r.verdict = giveUp
	retry := retrypolicy.NewBuilder[any]().
		WithMaxRetries(-1).
		AbortIf(func(any, error) bool { return r.verdict != again }).
		WithDelayFunc(func(failsafe.ExecutionAttempt[any]) time.Duration { return r.pause }).
		ReturnLastFailure().
		Build()
	// Its result is not used: when the context ends it replaces the result of
	// a call, even of one that succeeded, by the context's error.
	_ = failsafe.With(retry).WithContext(r.ctx).Run(r.attempt)
	if r.verdict == again {
		r.verdict, r.stop = giveUp, ended(r.ctx)
	}
}

// attempt makes one call if it is let through, and decides what comes next.
// What it returns only tells failsafe-go that there was an error.
func (r *run) attempt() error {
	r.verdict = giveUp
	p, err := r.admit()
	if err != nil {
		r.refused(err)
		return err
	}
	a, value := r.invoke(p)
	r.emit(Event{
		Kind: KindAttempt, Time: a.Start.Add(a.Duration), Target: a.Target, Attempt: a.Number,
		Duration: a.Duration, Result: a.Result, Err: a.Err, Cause: r.cause,
	})
	r.opened = r.x.account(r.ctx, r.call, p, a) || r.opened
	if r.call.Spend != nil {
		r.stop = r.call.Spend(r.ctx, a, value)
	}
	if a.Err == nil {
		r.verdict, r.stop = finished, nil
		r.x.backoff.reset(r.backoffKey())
		return nil
	}
	r.cause = a.Result
	if r.stop == nil {
		r.decide(a)
	}
	return a.Err
}

// admit asks whether the call may be made. The zero permit belongs to a target
// without a name, of which nothing is known.
func (r *run) admit() (permit, error) {
	if err := ended(r.ctx); err != nil {
		return permit{}, err
	}
	name := r.target.Name()
	if name == "" {
		return permit{}, nil
	}
	if m := r.x.monitor; m != nil && !m.Healthy(name) {
		if r.more() {
			return permit{}, fmt.Errorf("endpoint %q: %w", name, ErrUnhealthy)
		}
		if err := m.WaitForRecovery(r.ctx, name); err != nil {
			return permit{}, fmt.Errorf("endpoint %q: wait for recovery: %w", name, err)
		}
	}
	return r.x.breakers.admit(r.ctx, name, r.opened)
}

// ErrUnhealthy is found by errors.Is where a target was passed over because of
// its health.
var ErrUnhealthy = errors.New("unhealthy")

// refused: a call was not let through. Somebody else may still be asked,
// whatever the policy of the error before: this target has not had its calls.
func (r *run) refused(err error) {
	r.stop = err
	if r.ctx.Err() == nil {
		r.verdict = next
	}
}

// invoke calls the caller's function. Where that panics or ends the goroutine
// the permit is given back.
func (r *run) invoke(p permit) (a Attempt, value any) {
	returned := false
	defer func() {
		if !returned {
			p.release(r.ctx)
		}
	}()
	r.number++
	a = Attempt{Target: r.target, Number: r.number, Start: time.Now()}
	value, a.Err = r.once(r.ctx, r.target)
	returned = true
	a.Duration = time.Since(a.Start)
	a.Result = r.x.classify(r.ctx, r.target, a.Err)
	r.attempts = append(r.attempts, a)
	return a, value
}

// end is what the caller gets.
func (r *run) end() error {
	if r.verdict == finished {
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

// offer hands a call over to the restart queue where that is what its last
// failure needs, and reports whether the queue has taken it.
func (r *run) offer() bool {
	if r.x.restarter == nil || r.call.Restart.Kind == "" || r.final || ended(r.ctx) != nil || !r.restartable() {
		return false
	}
	offered := Restart{
		Key: r.call.Key, Agent: r.call.Agent, Targets: slices.Clone(r.call.Targets), Task: r.call.Restart,
		History: slices.Clone(r.attempts), Err: r.last().Err, Result: r.last().Result,
	}
	if len(r.attempts) == 0 {
		offered.Err, offered.Result = r.stop, refusal(r.stop)
	}
	err := r.x.restarter.Offer(r.ctx, offered)
	if err != nil {
		r.stop = errors.Join(r.stop, err)
	}
	return err == nil
}

// restartable: a network failure of the kind that passes (NetworkTransient, as
// [classify.ViewResilience] calls it), or a breaker that such failures have
// opened. A call that was stopped by the spent budget, say, is not.
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
