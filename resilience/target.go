package resilience

import (
	"cmp"
	"context"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/mask"
)

// Target is the destination of a call. Each Endpoint has its own circuit breaker,
// rate limit, health and alerts: the same model behind two endpoints has two
// breakers.
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

// Name returns the endpoint or, if it is empty, the provider or, if that is empty
// too, the model. Targets with the same name share health and alerts. Targets with
// the same name and the same Key share a breaker and a rate limit. A target without
// a name has none of these.
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
	// Targets are tried in order. The first is the primary target. Without targets,
	// Do calls the function f with the zero Target.
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
	// Correct changes the request after a parsing error. Then Do makes one more call.
	// If Correct returns an error, that call is not made. Without Correct, a parsing
	// error is final: there is no retry and no fallback.
	Correct func(context.Context, Attempt) error
	// Shrink makes the request smaller after a context overflow. Then Do makes one more
	// call to the same target. If Shrink returns an error or is nil, that call is not
	// made.
	Shrink func(context.Context, Attempt) error
	// Spend lets the caller count costs. It is called after every call on every
	// target, with the value that the function of Do returned. If it returns an
	// error, such as one that wraps [classify.ErrBudgetExceeded], no further call
	// is made. Do still returns the answer of a successful call.
	Spend func(ctx context.Context, a Attempt, value any) error
	// Restart describes how the restart queue makes the call again later, if the call
	// fails with network errors after all retries. A call with the zero Task is never
	// offered to the restart queue.
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
