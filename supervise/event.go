package supervise

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"sync"

	"github.com/errclass/errclass/classify"
)

// Event is an error event that a worker sends to its client. The JSON has the fields
// in this order.
type Event struct {
	Type      string `json:"type"` // "error"
	RequestID string `json:"requestId"`
	// Error is a message for the user: see UserText. If a key or a sign-in is at
	// fault, Error is AuthFailed. Error never quotes a provider.
	Error string `json:"error"`
	// AuthError is true if Error is AuthFailed. The JSON omits false.
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

// NewEvent returns the event for a failure. If provider is "", the provider of the
// Result is used. calls is the total number of calls, including the first. If calls
// is below 1, it counts as 1.
//
// Only the fields Result, Stderr, StreamError and Setup of o are used. StreamError
// is used only if Stderr is empty. Secrets are masked in all texts. If the error did
// not come from a child, pass Outcome{Result: classify.Error(err)}.
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

// WriteTo writes the event and a line feed with one call of Write. Lines of several
// goroutines do not mix.
func (e Event) WriteTo(w io.Writer) (int64, error) {
	n, err := io.WriteString(w, e.Line()+"\n")
	return int64(n), err
}

// Recoverable reports whether the same request may succeed later. stderr is the
// child's standard error. It may be empty.
//
//   - For the categories retryable and timeout, the result is true.
//   - For an authentication error, it is true if a new key helps. If the user has to
//     sign in again, it is false.
//   - For all other errors, it is false.
func Recoverable(res classify.Result, stderr string) bool {
	if res.Reason == classify.ReasonAuthentication {
		return !mustSignIn(res, stderr)
	}
	return res.Retryable() || res.Category == classify.CategoryTimeout
}

// keyRules are the rules for invalid keys. They take precedence over advice to sign
// in.
var keyRules = map[string]bool{"text/invalid-api-key": true, "text/api-key-must-be-set": true}

// signInRules are the rules for missing or expired sign-ins.
var signInRules = map[string]bool{
	"text/not-logged-in": true, "text/oauth-token-expired": true, "text/oauth-not-allowed": true,
	"oauth/rejected": true, "oauth/jwt": true, "oauth/saml": true,
}

// sessionRule is the rule for expired sessions and tokens. If standard error is
// empty, an error with this rule counts as a missing sign-in.
const sessionRule = "access/session"

// signInClassifier finds sign-in problems in standard error. It is used if the rule
// of the Result is in neither keyRules nor signInRules.
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

// mustSignIn reports whether an authentication error is about a sign-in, not a key.
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
