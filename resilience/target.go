package resilience

import (
	"cmp"
	"context"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/mask"
)

// Target is the destination of a call. Breakers, rate limits, health and alerts
// belong to the Endpoint: the same model behind two endpoints has two breakers.
type Target struct {
	Endpoint string `json:"endpoint,omitempty"` // a URL; events, logs, errors and labels show only what Name returns
	Provider string `json:"provider,omitempty"` // "anthropic", "openai", ...
	Model    string `json:"model,omitempty"`
	// Key distinguishes calls to one endpoint if the provider has a separate rate
	// limit for each tenant, credential or model. Each key has its own breaker
	// and rate limit. Use a name, not the credential: events and errors show the
	// key.
	Key string `json:"key,omitempty"`
}

// Name returns the endpoint, else the provider, else the model. Health and alerts
// belong to the name; a breaker and a rate limit belong to the name and the Key. A
// target without a name has none of these.
//
// Name omits the endpoint's user information, query and fragment, which may hold
// secrets. Endpoints that differ only in these parts share a breaker. Name masks
// secrets in the path, the provider and the model, even if the URL is invalid.
func (t Target) Name() string {
	return cmp.Or(mask.Endpoint(t.Endpoint), mask.Text(t.Provider), mask.Text(t.Model))
}

// masked returns t with secrets masked, for events, logs and records.
func (t Target) masked() Target {
	t.Endpoint, t.Provider, t.Model, t.Key = mask.Endpoint(t.Endpoint), mask.Text(t.Provider), mask.Text(t.Model), mask.Text(t.Key)
	return t
}

// Call describes what [Do] calls. The zero Call has no fallback and no restart,
// and shares no backoff with other calls.
type Call struct {
	// Key identifies calls for the same thing, such as a task or a conversation.
	// Calls with the same key share the backoff: pauses grow from call to call until
	// one succeeds. Without a key, each Do starts with the shortest pause. In the
	// restart queue, calls with the same key and the same kind of Restart are one
	// task. Events carry the key too.
	Key string
	// Agent selects overrides of the [Config]. "" selects none.
	Agent string
	// Targets are tried in order. The first one is the primary. Without targets,
	// Do calls its function f with the zero Target.
	Targets []Target

	// FallBack reports whether another target may be tried. It is called after the
	// failures whose fallback is optional: invalid_request, context_overflow, a
	// provider's budget_exceeded, network_permanent, spawn and unknown. If FallBack
	// is nil, no other target is tried after these failures.
	FallBack func(Attempt) bool
	// Repeatable reports whether the call may be made again, on any target. It is
	// called after each failure. Return false if the failed call may have taken
	// effect and must not take effect twice. Then the failure is final, and the
	// restart queue does not get the call. If Repeatable is nil, every call may
	// be made again.
	Repeatable func(Attempt) bool
	// Correct changes the request after a parsing error, before the one
	// corrective retry. If it returns an error, there is no retry. Without
	// Correct a parsing error is final: there is no retry and no fallback.
	Correct func(context.Context, Attempt) error
	// Shrink makes the request smaller after a context overflow, before one more call
	// to the same target. If it returns an error, that call is not made. Without
	// Shrink, that call is never made.
	Shrink func(context.Context, Attempt) error
	// Spend lets the caller count costs. It is called after every call on every
	// target, with the value that the function of Do returned. If it returns an
	// error, such as one that wraps [classify.ErrBudgetExceeded], no further call
	// is made. Do still returns the answer of a successful call.
	Spend func(ctx context.Context, a Attempt, value any) error
	// Restart describes how to make the call again later, if it fails with
	// network errors after all retries. The zero Task is never offered to the
	// restart queue.
	Restart Task

	limitsItself bool // the function applies the attempt timeout
}

// Task is work that can be restarted, possibly by another process: a kind with
// a registered function, and the function's payload.
type Task struct {
	Kind    string `json:"kind"`
	Payload []byte `json:"payload,omitempty"`
}

// primary returns the first target, or the zero Target.
func (c Call) primary() Target {
	if len(c.Targets) == 0 {
		return Target{}
	}
	return c.Targets[0]
}

// maskResult returns r with secrets masked, for events and records.
func maskResult(r classify.Result) classify.Result {
	r.Provider, r.Rule = mask.Text(r.Provider), mask.Text(r.Rule)
	return r
}
