package resilience

import (
	"cmp"
	"context"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/mask"
)

// Target is who is called. Breakers, health and alerts belong to the
// Endpoint, so that a model behind a gateway and the same model at its maker
// have separate ones.
type Target struct {
	Endpoint string `json:"endpoint,omitempty"` // a URL, as the caller writes it; events, logs, errors and labels show it as Name does
	Provider string `json:"provider,omitempty"` // "anthropic", "openai", ...
	Model    string `json:"model,omitempty"`
}

// Name is what the target's breaker, health and alerts are kept under: the
// endpoint, else the provider, else the model. A target without a name has
// none of them. Of the endpoint it leaves out user information, query and
// fragment, which may hold secrets: two endpoints that differ in these alone have
// one breaker. Secrets in the path, the provider and the model are masked. It does
// so for text that is no valid URL too.
func (t Target) Name() string {
	return cmp.Or(mask.Endpoint(t.Endpoint), mask.Text(t.Provider), mask.Text(t.Model))
}

// shown returns t as events, logs and records have it.
func (t Target) shown() Target {
	t.Endpoint, t.Provider, t.Model = mask.Endpoint(t.Endpoint), mask.Text(t.Provider), mask.Text(t.Model)
	return t
}

// Call says what [Do] calls. The zero Call is good: no fallback, no restart,
// nothing that is shared with other calls.
type Call struct {
	// Key tracks the backoff over several calls for the same thing, a task or
	// a conversation: the pauses go on growing until one of them succeeds.
	// Without a key each Do starts anew. Keys also name tasks in events.
	Key string
	// Agent selects overrides of the [Config]; "" has none.
	Agent string
	// Targets are tried in order; the first one is the primary. Without any,
	// f is called with the zero Target.
	Targets []Target

	// FallBack is asked where the policy leaves a fallback to the caller:
	// whether another target might succeed where this one failed. That is so
	// for invalid_request and context_overflow (another model might take it), a
	// provider's budget_exceeded, network_permanent, spawn and unknown. By
	// default none does.
	FallBack func(Attempt) bool
	// Repeatable is asked after each failure whether the call may be made again
	// at all, on this target or another one. False is for calls that might have
	// had their effect although they failed, and that must not have it twice: the
	// failure is final, and no restart queue gets it. By default every call may
	// be repeated, and what the error means decides.
	Repeatable func(Attempt) bool
	// Correct changes the request after an answer that could not be parsed,
	// so that the one corrective retry has a chance: f is called once more
	// unless Correct returns an error. Without Correct such an error is final:
	// nothing is repeated and no other target is asked.
	Correct func(context.Context, Attempt) error
	// Spend is told of every call on every target, with what f returned, so
	// that the caller can add up what was spent. Where it returns an error (for
	// a spent budget one that wraps [classify.ErrBudgetExceeded]) no further
	// call is made; an answer that was paid for is returned all the same.
	Spend func(ctx context.Context, a Attempt, value any) error
	// Restart says how to make the call again later, in case its network
	// failures outlast all retries. The zero Task is never offered to a queue.
	Restart Task
}

// Task is work that can be started again, possibly by another process: a kind
// for which a function is registered, and what that function is given.
type Task struct {
	Kind    string `json:"kind"`
	Payload []byte `json:"payload,omitempty"`
}

// primary is the first target, or the zero one.
func (c Call) primary() Target {
	if len(c.Targets) == 0 {
		return Target{}
	}
	return c.Targets[0]
}

// mayFallBack says whether another target may be asked after a, which was the
// last call that the policy grants, the corrective one included.
func (c Call) mayFallBack(a Attempt) bool {
	switch a.Result.Policy().Fallback {
	case classify.FallbackYes, classify.FallbackAfterCorrective:
		return true
	case classify.FallbackOptional:
		return c.FallBack != nil && c.FallBack(a)
	default:
		return false
	}
}

// shownResult returns r as events and records have it.
func shownResult(r classify.Result) classify.Result {
	r.Provider, r.Rule = mask.Text(r.Provider), mask.Text(r.Rule)
	return r
}
