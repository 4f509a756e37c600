package supervise_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/supervise"
)

// outcomeOf returns the outcome of a child that wrote text to standard error.
func outcomeOf(text string) supervise.Outcome {
	return supervise.Outcome{Result: classify.Message(text), Stderr: text}
}

func TestEvent(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, provider string
		calls          int
		outcome        supervise.Outcome
		want           string
	}{
		{"a key", "codex", 1, outcomeOf("Invalid API key"),
			`{"type":"error","requestId":"r-1","error":"auth_failed","authError":true,"diagnostics":{"provider":"codex","errorType":"auth","recoverable":true,"retried":0,"stderr":"Invalid API key"}}`},
		{"a sign-in", "claude", 1, outcomeOf("Not logged in"),
			`{"type":"error","requestId":"r-1","error":"auth_failed","authError":true,"diagnostics":{"provider":"claude","errorType":"auth","recoverable":false,"retried":0,"stderr":"Not logged in"}}`},
		{"a limit", "claude", 3, supervise.Outcome{Result: classify.Message("HTTP 429")},
			`{"type":"error","requestId":"r-1","error":"Anthropic takes no more requests at the moment","diagnostics":{"provider":"claude","errorType":"rate_limit","recoverable":true,"retried":2}}`},
		{"the result's provider", "", 0, supervise.Outcome{Result: classify.Result{Category: classify.CategoryTimeout, Reason: classify.ReasonTimeout, Provider: "gemini"}},
			`{"type":"error","requestId":"r-1","error":"Google did not answer in time","diagnostics":{"provider":"gemini","errorType":"timeout","recoverable":true,"retried":0}}`},
		{"no error at all", "codex", 1, supervise.Outcome{},
			`{"type":"error","requestId":"r-1","error":"The request failed","diagnostics":{"provider":"codex","errorType":"unknown","recoverable":false,"retried":0}}`},
		{"text that JSON has to escape", "codex", 1, supervise.Outcome{Result: classify.Message("x"), Stderr: "a\n\"b\" <c> & \xff"},
			`{"type":"error","requestId":"r-1","error":"The request failed","diagnostics":{"provider":"codex","errorType":"unknown","recoverable":false,"retried":0,"stderr":"a\n\"b\" <c> & ` + `\ufffd"}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := supervise.NewEvent("r-1", tt.provider, tt.calls, tt.outcome)
			assert.Equal(t, tt.want, e.Line())
			var b bytes.Buffer
			n, err := e.WriteTo(&b)
			require.NoError(t, err)
			assert.Equal(t, tt.want+"\n", b.String())
			assert.Equal(t, int64(b.Len()), n)
			_, err = e.WriteTo(&failing{err: errors.New("disk full")})
			assert.Error(t, err)
		})
	}
}

// An error is recoverable if a new key or a retry may help.
func TestRecoverable(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		stderr string
		want   bool
	}{
		{"Incorrect API key provided: sk-abc", true},
		{"HTTP 401 Unauthorized", true},
		{"Invalid API key · Please run /login", true},
		{"stderr: authentication failed", true},
		{`API Error: 401 {"type":"error","error":{"type":"authentication_error","message":"OAuth token has expired."}} · Please run /login`, false},
		{"OAuth token revoked", false},
		{"Error: Not signed in.", false},
		{"Your access token could not be refreshed because your refresh token was already used. Please log out and sign in again.", false},
		{"HTTP 429", true},
		{"ECONNRESET", true},
		{"insufficient_quota", false},
		{"prompt is too long: 210000 tokens > 200000 maximum", false},
		{"bash: codex: command not found", false},
		{"so long", false},
		{"", false},
	} {
		assert.Equal(t, tt.want, supervise.Recoverable(classify.Message(tt.stderr), tt.stderr), tt.stderr)
	}
	assert.False(t, supervise.Recoverable(classify.Message("OAuth token revoked"), ""), "the rule alone tells, too")
	assert.False(t, supervise.Recoverable(classify.Error(context.Canceled), ""))
	assert.False(t, supervise.Recoverable(classify.Result{}, ""))
}

func TestUserText(t *testing.T) {
	t.Parallel()
	key := classify.Message("Invalid API key")
	for _, tt := range []struct {
		provider, want string
	}{
		{"codex", "Your OpenAI API key is invalid or expired"},
		{"openai", "Your OpenAI API key is invalid or expired"},
		{"Claude", "Your Anthropic API key is invalid or expired"},
		{"acme", "Your acme API key is invalid or expired"},
		{"", "Your API key is invalid or expired"},
	} {
		text := supervise.UserText(key, tt.provider, "")
		assert.Equal(t, tt.want, text.Message)
		assert.Equal(t, "Update your API key in workspace settings", text.Action)
	}
	assert.Equal(t, supervise.Text{Message: "Your OpenAI sign-in is missing or has expired", Action: "Sign in again"},
		supervise.UserText(classify.Message("Not logged in"), "codex", ""))
	assert.Equal(t, "The provider is not available at the moment", supervise.UserText(classify.Message("HTTP 503"), "", "").Message)
	assert.Equal(t, "The request failed", supervise.UserText(classify.Result{Reason: "of another world"}, "", "").Message)
	for _, r := range classify.Reasons() {
		text := supervise.UserText(classify.Result{Category: r.Policy().Category, Reason: r}, "codex", "")
		assert.NotContains(t, text.Message+text.Action, "{", r)
		if r != classify.ReasonUnknown {
			assert.NotEqual(t, "The request failed", text.Message, "%s has words of its own", r)
		}
	}
}

// The text for the user has no output of the child. The event is one line of JSON.
func TestNothingRaw(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{"Invalid API key ", "HTTP 429 ", "Not logged in ", "ECONNRESET ", ""}).Draw(t, "kind") + "RAW" + rapid.String().Draw(t, "text")
		o := outcomeOf(text)
		e := supervise.NewEvent("r", "codex", 1, o)
		assert.NotContains(t, e.Error, "RAW")
		assert.NotContains(t, supervise.UserText(o.Result, "codex", text).Message, "RAW")
		assert.NotContains(t, e.Line(), "\n")
		var back supervise.Event
		require.NoError(t, json.Unmarshal([]byte(e.Line()), &back))
		assert.Equal(t, strings.ToValidUTF8(supervise.MaskSecrets(text), "\ufffd"), back.Diagnostics.Stderr)
		assert.Contains(t, []string{"auth", "rate_limit", "timeout", "spawn", "mcp", "network", "unknown"}, e.Diagnostics.ErrorType)
	})
}
