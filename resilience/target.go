package resilience

import (
	"cmp"
	"context"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/mask"
)

// Target is the destination of a call. Each Endpoint has its own circuit breaker,
// rate limit, health and alerts. So the same model behind two endpoints has two
// breakers.
type Target struct {
	Endpoint string `json:"endpoint,omitempty"` // a URL; events, logs, errors and labels show only Name
	Provider string `json:"provider,omitempty"` // "anthropic", "openai", ...
	Model    string `json:"model,omitempty"`
	// Key distinguishes calls to one endpoint that have separate rate limits. It can
	// name a tenant, a credential or a model. Each key has its own breaker and rate
	// limit. Use a name, not the credential, because events and errors show the key. A
	// key that looks like a secret is masked as [Target.Name] describes.
	Key string `json:"key,omitempty"`
}

// Name returns the endpoint. If the endpoint is empty, Name returns the provider, or
// else the model. Targets with the same name share health and alerts. If their Key
// is the same too, they share a breaker and a rate limit. A target without a name
// has none of these.
//
// The name of an endpoint has no user information, query or fragment. Endpoints that
// differ only in these parts share a breaker. Secrets in the path, the provider and
// the model are masked, even if the URL is invalid. Then the name ends with a tilde and
// a short hash of the unmasked name. So endpoints with different ids in the path have
// different names, even if an id looks like a secret.
func (t Target) Name() string {
	return cmp.Or(mask.Endpoint(t.Endpoint), mask.Name(t.Provider), mask.Name(t.Model))
}

// masked returns t with secrets masked, for events, logs and records. The result has
// the same name and breaker as t.
func (t Target) masked() Target {
	t.Endpoint, t.Provider, t.Model, t.Key = mask.Endpoint(t.Endpoint), mask.Name(t.Provider), mask.Name(t.Model), mask.Name(t.Key)
	return t
}

// Call describes what [Do] calls. The zero Call has no fallback and no restart, and
// shares no backoff.
type Call struct {
	// Key identifies calls for the same thing, such as a task or a conversation.
	// Calls with the same key share the backoff: pauses grow until a call succeeds.
	// Without a key, each Do begins with the shortest pause. In the restart queue,
	// calls with the same key and kind are one task. Events contain the key too.
	Key string
	// Agent selects overrides of the [Config]. "" selects none.
	Agent string
	// Targets are tried in order. The first is the primary target. Without targets,
	// the zero Target is called.
	Targets []Target

	// FallBack reports whether another target may be tried after one of the
	// failures below. It is not called after other failures. If FallBack is nil, no
	// other target is tried after these failures:
	//
	//   - invalid_request, context_overflow
	//   - a provider's budget_exceeded
	//   - network_permanent, spawn
	//   - unknown
	FallBack func(Attempt) bool
	// Repeatable reports whether the call may be made again, on any target. It is
	// called after each failure. If Repeatable is nil, every call may be made again.
	// Return false if a second call could do harm. The failure is then final, and
	// the restart queue does not get the call.
	Repeatable func(Attempt) bool
	// Correct changes the request after a parsing error. Then Do makes one more
	// call. If Correct returns an error, that call is not made. If Correct is nil, a
	// parsing error is final.
	Correct func(context.Context, Attempt) error
	// Shrink makes the request smaller after a context overflow. Then Do makes one
	// more call to the same target. If Shrink returns an error or is nil, that call
	// is not made.
	Shrink func(context.Context, Attempt) error
	// Spend lets the caller count costs. It is called after every call, with the
	// value that the function of Do returned. If it returns an error, such as
	// [classify.ErrBudgetExceeded], no further call is made. Do still returns the
	// answer of a successful call.
	Spend func(ctx context.Context, a Attempt, value any) error
	// Restart describes how the restart queue makes the call again later. It is used
	// after network errors, when all retries have failed. With the zero Task, a call
	// is never offered to the restart queue.
	Restart Task

	limitsItself bool // the function applies the attempt timeout
}

// Task is work that can be restarted, possibly by another process. Kind selects a
// registered function. Payload is the argument of the function.
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
