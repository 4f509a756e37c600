package supervise

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"sync"

	"github.com/errclass/errclass/classify"
)

// Event is an error event that a worker sends to its client. The order of the
// fields is the order in the JSON.
type Event struct {
	Type      string `json:"type"` // "error"
	RequestID string `json:"requestId"`
	// Error is AuthFailed if a key or a sign-in is at fault. Otherwise it is a
	// message for the user: see UserText. It never quotes a provider.
	Error string `json:"error"`
	// AuthError is true if Error is AuthFailed. It is for receivers that expect a
	// flag. The JSON has the field authError only if it is true.
	AuthError   bool        `json:"authError,omitempty"`
	Diagnostics Diagnostics `json:"diagnostics"`
}

// Diagnostics holds the details of a failure.
type Diagnostics struct {
	Provider    string `json:"provider"`         // the caller's name for the provider
	ErrorType   string `json:"errorType"`        // auth, rate_limit, timeout, spawn, mcp, network or unknown
	Recoverable bool   `json:"recoverable"`      // see Recoverable
	Retried     int    `json:"retried"`          // calls after the first one
	Stderr      string `json:"stderr,omitempty"` // the last 500 characters, masked by MaskSecrets
}

// AuthFailed is the value of Event.Error if a key or a sign-in is at fault.
const AuthFailed = "auth_failed"

// NewEvent returns the event for a failure. If provider is "", the event has the
// provider of the Result. The argument calls is the total number of calls, including
// the first; a number below 1 counts as 1. NewEvent reads the fields Result, Stderr,
// StreamError and Setup of o. StreamError is used only if Stderr is empty. For an
// error that did not come from a child, pass Outcome{Result: classify.Error(err)}.
// Secrets are masked in all texts.
func NewEvent(requestID, provider string, calls int, o Outcome) Event {
	if provider == "" {
		provider = o.Result.Provider
	}
	requestID, provider = MaskSecrets(requestID), MaskSecrets(provider)
	stderr := o.Stderr
	if stderr == "" {
		stderr = o.StreamError
	}
	e := Event{
		Type: "error", RequestID: requestID, Error: UserText(o.Result, provider, stderr).Message,
		Diagnostics: Diagnostics{
			Provider:    provider,
			ErrorType:   o.Result.Name(classify.ViewDiagnostics),
			Recoverable: Recoverable(o.Result, stderr),
			Retried:     max(calls, 1) - 1,
			Stderr:      MaskSecrets(stderr),
		},
	}
	if o.Setup != nil && o.Setup.userText() != "" {
		e.Error = MaskSecrets(o.Setup.userText()) // "Codex CLI not installed"
	}
	if o.Result.Category == "" { // called without an error
		e.Diagnostics.ErrorType = classify.ReasonUnknown.Name(classify.ViewDiagnostics)
	}
	if o.Result.Reason == classify.ReasonAuthentication {
		e.Error, e.AuthError = AuthFailed, true
	}
	return e
}

// Line returns the event as one line of JSON, without a line feed at the end.
func (e Event) Line() string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		panic(err) // impossible: all fields are strings, bools and numbers
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// WriteTo writes the event and a line feed with one call of Write, so that the
// lines of several goroutines do not mix.
func (e Event) WriteTo(w io.Writer) (int64, error) {
	n, err := io.WriteString(w, e.Line()+"\n")
	return int64(n), err
}

// Recoverable reports whether the same request may succeed later. For an
// authentication error, it returns true if a new key helps, and false if the user
// has to sign in again. For other errors, it returns true for the categories
// retryable and timeout. stderr is the child's standard error; it may be empty.
func Recoverable(res classify.Result, stderr string) bool {
	if res.Reason == classify.ReasonAuthentication {
		return !mustSignIn(res, stderr)
	}
	return res.Retryable() || res.Category == classify.CategoryTimeout
}

// keyRules are the rules for invalid keys. They take precedence over advice to
// sign in: for "Invalid API key · Please run /login" a new key helps.
var keyRules = map[string]bool{"text/invalid-api-key": true, "text/api-key-must-be-set": true}

// signInRules are the rules for missing or expired sign-ins.
var signInRules = map[string]bool{
	"text/not-logged-in": true, "text/oauth-token-expired": true, "text/oauth-not-allowed": true,
	"oauth/rejected": true, "oauth/jwt": true, "oauth/saml": true,
}

// sessionRule is the rule for expired sessions and tokens. Most of them come from a
// sign-in. So if standard error is empty, such an error counts as a sign-in problem.
const sessionRule = "access/session"

// signInClassifier finds sign-in problems in a child's standard error. It is used if
// the rule of the Result may stand for a bad sign-in or a bad key. A rule for an
// HTTP status is an example.
var signInClassifier = sync.OnceValue(func() *classify.Classifier {
	c, err := classify.New(classify.WithBase(classify.None), classify.WithRules(signInRule))
	if err != nil {
		panic(err) // the rule is a constant of this package
	}
	return c
})

var signInRule = classify.Rule{
	ID: "supervise/sign-in", Reason: classify.ReasonAuthentication,
	Pattern: `oauth|not logged in|(?:not|isn.t|aren.t) signed in|run\W{1,3}/login|\b(?:log|sign) ?in again|re-?authenticate` +
		`|\w login[^\w\n]{0,3}(?:first|again|to (?:sign|log|authenticate))|(?:access|refresh|session|id|login) token[^\n]{0,40}(?:expired|revoked|reused|already used|refreshed)` +
		`|(?:session|sign-?in|login) (?:has |is |was )?expired`,
}

// mustSignIn reports whether an authentication error is about a sign-in and not
// about a key.
func mustSignIn(res classify.Result, stderr string) bool {
	switch {
	case keyRules[res.Rule]:
		return false
	case signInRules[res.Rule]:
		return true
	case stderr == "":
		return res.Rule == sessionRule
	default:
		return signInClassifier().Message(stderr).Reason == classify.ReasonAuthentication
	}
}
