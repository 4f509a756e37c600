package supervise

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"sync"

	"github.com/errclass/errclass/classify"
)

// Event is an error event, which a worker sends to whoever asked it. The order of
// its fields is that of its JSON.
type Event struct {
	Type      string `json:"type"` // "error"
	RequestID string `json:"requestId"`
	// Error is AuthFailed where keys or sign-ins are at fault, else words for the
	// user: see UserText. It never holds what a provider said.
	Error string `json:"error"`
	// AuthError is set together with AuthFailed, for receivers that look for a
	// flag. It is left out of the JSON otherwise.
	AuthError   bool        `json:"authError,omitempty"`
	Diagnostics Diagnostics `json:"diagnostics"`
}

// Diagnostics is for those who look into a failure, and for the receiver's next
// step.
type Diagnostics struct {
	Provider    string `json:"provider"`         // as the caller calls it
	ErrorType   string `json:"errorType"`        // auth, rate_limit, timeout, spawn, mcp, network or unknown
	Recoverable bool   `json:"recoverable"`      // see Recoverable
	Retried     int    `json:"retried"`          // calls after the first one
	Stderr      string `json:"stderr,omitempty"` // the last 500 characters, masked by MaskSecrets
}

// AuthFailed is what Event.Error says where a key or a sign-in is at fault.
const AuthFailed = "auth_failed"

// NewEvent makes the event for a failure. requestID and provider are the
// caller's; where provider is "" it is the Result's. calls is how often the call
// was made in all; below 1 it is 1. Of the outcome the Result and Stderr are
// read: an error that did not come from a child is given as Outcome{Result:
// classify.Error(err)}. Secrets are masked in all texts, whoever gave them.
func NewEvent(requestID, provider string, calls int, o Outcome) Event {
	if provider == "" {
		provider = o.Result.Provider
	}
	requestID, provider = MaskSecrets(requestID), MaskSecrets(provider)
	e := Event{
		Type: "error", RequestID: requestID, Error: UserText(o.Result, provider, o.Stderr).Message,
		Diagnostics: Diagnostics{
			Provider:    provider,
			ErrorType:   o.Result.Name(classify.ViewDiagnostics),
			Recoverable: Recoverable(o.Result, o.Stderr),
			Retried:     max(calls, 1) - 1,
			Stderr:      MaskSecrets(o.Stderr),
		},
	}
	if o.Result.Category == "" { // there was no error, and still somebody asks for its event
		e.Diagnostics.ErrorType = classify.ReasonUnknown.Name(classify.ViewDiagnostics)
	}
	if o.Result.Reason == classify.ReasonAuthentication {
		e.Error, e.AuthError = AuthFailed, true
	}
	return e
}

// Line is the event as one line of JSON, without a line end.
func (e Event) Line() string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // a log is no web page
	if err := enc.Encode(e); err != nil {
		panic(err) // strings, a bool and a number always marshal
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// WriteTo writes the event and a line end, in one Write, so that lines of several
// writers do not mix.
func (e Event) WriteTo(w io.Writer) (int64, error) {
	n, err := io.WriteString(w, e.Line()+"\n")
	return int64(n), err
}

// Recoverable reports whether the same request may succeed once its user, or
// time, has done something: true where a new key helps, false where somebody has
// to sign in again, and else whether the category is retryable or timeout.
// stderr is what the child said; it may be empty.
func Recoverable(res classify.Result, stderr string) bool {
	if res.Reason == classify.ReasonAuthentication {
		return !mustSignIn(res, stderr)
	}
	return res.Retryable() || res.Category == classify.CategoryTimeout
}

// keyRules are the text rules about keys. They beat what a program says about
// signing in: "Invalid API key · Please run /login" is helped by a key.
var keyRules = map[string]bool{"text/invalid-api-key": true, "text/api-key-must-be-set": true}

// signInRules are those about sign-ins that have expired or were never made.
var signInRules = map[string]bool{
	"text/not-logged-in": true, "text/oauth-token-expired": true, "text/oauth-not-allowed": true,
	"oauth/rejected": true, "oauth/jwt": true, "oauth/saml": true,
}

// sessionRule is about sessions and tokens of all kinds, of which those that
// programs have got by a sign-in are the most; the text, where there is one, says
// it better.
const sessionRule = "access/session"

// signIn finds the same in a text that was decided by something else, such as a
// status.
var signIn = sync.OnceValue(func() *classify.Classifier {
	c, err := classify.New(classify.WithBase(classify.None), classify.WithRules(signInRule))
	if err != nil {
		panic(err) // a rule of this package; every test would fail
	}
	return c
})

var signInRule = classify.Rule{
	ID: "supervise/sign-in", Reason: classify.ReasonAuthentication,
	Pattern: `oauth|not logged in|(?:not|isn.t|aren.t) signed in|run\W{1,3}/login|\b(?:log|sign) ?in again|re-?authenticate` +
		`|\w login[^\w\n]{0,3}(?:first|again|to (?:sign|log|authenticate))|(?:access|refresh|session|id|login) token[^\n]{0,40}(?:expired|revoked|reused|already used|refreshed)` +
		`|(?:session|sign-?in|login) (?:has |is |was )?expired`,
}

// mustSignIn reports whether a sign-in, not a key, is what an authentication
// error is about.
func mustSignIn(res classify.Result, stderr string) bool {
	switch {
	case keyRules[res.Rule]:
		return false
	case signInRules[res.Rule]:
		return true
	case stderr == "":
		return res.Rule == sessionRule
	default:
		return signIn().Message(stderr).Reason == classify.ReasonAuthentication
	}
}
