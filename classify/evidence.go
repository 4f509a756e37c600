package classify

import "time"

// Evidence describes one failure. Every field may be empty. The zero Evidence means
// that nothing failed. Classify does not change an Evidence and keeps no reference.
//
// This program's own deadline, cancellation and spent budget outrank all other
// evidence. This table says which fields can report these three:
//
//	Err       can: by the values and types of its chain, not by texts, codes and bodies
//	Type      can: it is the type of an exception that this process recorded
//	Cause     can
//	Message, Code, Status, Header, Body    cannot: a remote server may have written them
//	Provider  cannot: it only names the provider
type Evidence struct {
	Err      error               // the error value; its whole chain is read
	Message  string              // a log message, the end of stderr, exception.message
	Type     string              // exception.type; put an error type that a remote server sent into Code
	Code     string              // an error code or type that a remote server sent, such as insufficient_quota
	Status   int                 // HTTP status; ignored below 400
	Header   map[string][]string // the response's headers (an http.Header)
	Body     []byte              // the response body
	Provider string              // "anthropic", "openai", ...; "" if unknown
	Cause    error               // why the caller's context has ended: the result of [Cause]
}

// Result is the classification of one error. It is a plain value.
type Result struct {
	Category Category `json:"category"` // "" = there was no error
	Reason   Reason   `json:"reason"`
	// Rule is the stable id of the rule or fact that decided. Examples are
	// "text/insufficient-quota", "errno/ECONNRESET" and "http/429". If the model decided,
	// Rule is RuleModel.
	//
	// The suffix "+long-wait" marks a rate limit with a waiting time of more than an
	// hour. The reason of such a result is budget_exceeded. The suffix "+panic" marks a
	// recovered panic of this package. Please report such a panic.
	Rule string `json:"rule"`
	// Confidence is the probability that Reason is right, from 0 to 1. It was
	// measured on labelled messages, for each kind of deciding evidence.
	//
	// If there was no error, Confidence is 0. If the base is [Minimal] or [None], it
	// is 0 too, unless a user's rule or the model decided.
	Confidence    float64       `json:"confidence,omitempty"`
	Status        int           `json:"status"` // HTTP status, 0 if unknown
	RetryAfter    time.Duration `json:"-"`      // how long the provider asks to wait; in JSON "retry_after_ms"
	HasRetryAfter bool          `json:"-"`      // whether the provider named a waiting time, possibly 0; in JSON, retry_after_ms is then present
	Derived       bool          `json:"-"`      // RetryAfter is the time until a rate limit resets; in JSON "retry_after_derived"
	Provider      string        `json:"provider,omitempty"`
}

// Retryable reports whether to make the same call again unchanged. For
// [CategoryTimeout] it returns false.
func (r Result) Retryable() bool { return r.Category == CategoryRetryable }
