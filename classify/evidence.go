package classify

import "time"

// Evidence is what is known about one failure. Every field may be empty; the
// zero Evidence means that nothing failed. Classify changes none of it and keeps
// no reference to it.
//
// This program's own deadline, cancellation and spent budget decide before all
// other evidence. They are read only from fields that no peer can write:
//
//	Err       the values and types of its chain; not their texts, codes and bodies
//	Type      exception.type, of an exception that this process recorded
//	Cause     always this program's
//	Message, Code, Status, Header, Body    a peer may have written them
//	Provider  named by the caller, never by the peer
type Evidence struct {
	Err      error               // the live error; its whole chain is read
	Message  string              // a log message, a stderr tail, exception.message
	Type     string              // exception.type; a code that a peer sent belongs into Code
	Code     string              // a provider's or server's error code or type: insufficient_quota
	Status   int                 // HTTP status; below 400 it says nothing
	Header   map[string][]string // the response's headers (an http.Header)
	Body     []byte              // a provider's response body
	Provider string              // "anthropic", "openai", ... where known
	Cause    error               // context.Cause or ctx.Err() of the caller's context, where it has ended
}

// Result is what an error means. It is a plain value.
type Result struct {
	Category Category `json:"category"` // "" = there was no error
	Reason   Reason   `json:"reason"`
	// Rule is the stable id of what decided: "text/insufficient-quota",
	// "errno/ECONNRESET", "http/429". The suffix "+long-wait" marks a rate
	// limit that became budget_exceeded, as its provider says that it stays
	// shut for more than an hour; "+panic" a mistake of this package, which was
	// caught: please report it.
	Rule          string        `json:"rule"`
	Status        int           `json:"status"` // HTTP status, 0 where none is known
	RetryAfter    time.Duration `json:"-"`      // how long the provider asks to wait; as JSON "retry_after_ms"
	HasRetryAfter bool          `json:"-"`      // a hint was given, possibly 0; as JSON "retry_after_ms" is there
	Derived       bool          `json:"-"`      // RetryAfter was computed from a reset header; as JSON "retry_after_derived"
	Provider      string        `json:"provider,omitempty"`
}

// Retryable reports whether the same call should be made again as it is:
// an exponential retry that the reason's policy grants at least once.
func (r Result) Retryable() bool {
	if r.Category == "" {
		return false
	}
	p := r.Reason.Policy()
	return p.Retry == RetryExponential && p.Calls() > 1
}
