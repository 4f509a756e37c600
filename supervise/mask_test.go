package supervise_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/supervise"
)

func TestMaskSecrets(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"OpenAI", "Incorrect API key provided: sk-proj-abcd1234efgh. You can", "Incorrect API key provided: [masked]. You can"},
		{"starred by the provider", "Incorrect API key provided: sk-ab***********wxyz.", "Incorrect API key provided: sk-ab***********wxyz."},
		{"GitHub", "remote: ghp_" + strings.Repeat("a1", 12) + " rejected", "remote: [masked] rejected"},
		{"Google", "key=AIzaSyA1234567890abcdefghijklmnopqrstuv&alt=json", "key=[masked]&alt=json"},
		{"bearer", "Authorization: Bearer abc.def-123", "Authorization: Bearer [masked]"},
		{"bearer as words", "Bearer authentication failed", "Bearer authentication failed"},
		{"assignment", "OPENAI_API_KEY=abcdefgh1 codex", "OPENAI_API_KEY=[masked] codex"},
		{"JSON", `{"api_key": "abcdefgh1", "model": "m-1"}`, `{"api_key": "[masked]", "model": "m-1"}`},
		{"password", "password=hunter user=x", "password=[masked] user=x"},
		{"what is wrong with it", "token: expired; api_key: missing", "token: expired; api_key: missing"},
		{"URL", "postgres://app:hunter2@db:5432/x", "postgres://app:[masked]@db:5432/x"},
		{"web token", "got eyJhbGciOiJI.eyJzdWIiOiIx.SflKxwRJSM today", "got [masked] today"},
		{"private key", "a\n-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----\nb", "a\n[masked]\nb"},
		{"cut private key", "-----BEGIN PRIVATE KEY-----\nMII", "[masked]"},
		{"two of them", "sk-abcdefgh1 and sk-abcdefgh2", "[masked] and [masked]"},
		{"not UTF-8", "\xffkey=abc12345\xfe", "\xffkey=[masked]"},
		{"nothing", "HTTP 429 for model gpt-5 at task-1234567890", "HTTP 429 for model gpt-5 at task-1234567890"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := supervise.MaskSecrets(tt.text)
			assert.Equal(t, tt.want, got)
			assert.Equal(t, got, supervise.MaskSecrets(got), "masking again changes nothing")
		})
	}
}

// The classification of a text is the same before and after masking.
func TestMaskedMeansTheSame(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Incorrect API key provided: sk-abcdefgh12345678. You can find your API key at https://platform.openai.com",
		"HTTP 401: invalid x-api-key", "HTTP 401: token: expired", "Invalid bearer token", "api_key=abc12345 rejected: HTTP 403",
		"Authorization: Bearer abc123456 -> HTTP 429 Too Many Requests, try again in 20s",
		`{"error":{"code":"invalid_api_key","message":"Incorrect API key provided: sk-123456789"}}`,
		"OPENAI_API_KEY: not set", "password authentication failed for user \"app\"", "postgres://app:pw@db:5432/x: connection refused",
	} {
		before, after := classify.Message(text), classify.Message(supervise.MaskSecrets(text))
		assert.Equal(t, before.Reason, after.Reason, text)
		assert.Equal(t, before.RetryAfter, after.RetryAfter, text)
		assert.NotEqual(t, classify.ReasonUnknown, before.Reason, text)
	}
}

// Run classifies the unmasked output of the child, so masking does not change the
// Result. The error that Run returns contains no secret, but classify.Error gives it the
// category and the reason of the Result.
func TestMaskedCause(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"fetch password: ETIMEDOUT", "set password: deadlock detected", "check password: rate limited", "lookup password: NXDOMAIN",
		"password: ECONNREFUSED 127.0.0.1:5432", "rotate password: AccessDeniedException", "fetch password: ENOSPC", "password: quota exceeded",
		"write password: disk quota exceeded", "fetch password: 503 Service Unavailable", "the password: hunter2zz",
		"ssh: private key must start with -----BEGIN OPENSSH PRIVATE KEY-----\nHTTP 429 Too Many Requests",
		"fetch password: ETIMEDOUT\n" + strings.Repeat("at main.fetch()\n", 60), `{"type":"error","message":"fetch password: ETIMEDOUT"}`,
	} {
		t.Run(text[:22], func(t *testing.T) {
			t.Parallel()
			c := self(t, "events", "1", text+"\nAuthorization: Bearer abc123456", text, "--json")
			o, err := supervise.Run(t.Context(), c)
			require.Error(t, err)
			c.Mask = func(text string) string { return text }
			want, wantErr := supervise.Run(t.Context(), c)
			require.Error(t, wantErr)
			assert.Equal(t, want.Result, o.Result)
			assertSameReason(t, o.Result, err)
			var exit *exec.ExitError
			require.ErrorAs(t, err, &exit)
			for _, shown := range []string{string(exit.Stderr), o.Stderr, o.StreamError} {
				assert.Equal(t, shown, supervise.MaskSecrets(shown))
				assert.NotContains(t, shown, "hunter2zz")
			}
		})
	}
}

// Even if Mask replaces the child's whole output, the Result has the reason of the
// original output. classify.Error gives the returned error the same category and reason.
func TestAllMasked(t *testing.T) {
	t.Parallel()
	for reason, text := range map[classify.Reason]string{
		classify.ReasonRateLimit: "HTTP 429", classify.ReasonTransient: "deadlock detected", classify.ReasonNetwork: "ECONNREFUSED",
		classify.ReasonTimeout: "operation timed out", classify.ReasonContextOverflow: "prompt is too long", classify.ReasonAuthentication: "HTTP 401",
		classify.ReasonBudgetExceeded: "quota exceeded", classify.ReasonPolicy: "HTTP 451", classify.ReasonInvalidRequest: "HTTP 400",
		classify.ReasonParsing: "invalid JSON", classify.ReasonNetworkPermanent: "NXDOMAIN", classify.ReasonMCP: "MCP server failed to start",
		classify.ReasonResource: "ENOSPC", classify.ReasonLogic: "nil pointer dereference", classify.ReasonAborted: "operation was canceled",
		classify.ReasonSpawn: "so long",
	} {
		for _, masked := range []string{"", supervise.Masked, "connect ECONNRESET", "HTTP 400"} {
			t.Run(string(reason)+" "+masked, func(t *testing.T) {
				t.Parallel()
				c := self(t, "say", "1", text)
				c.Mask = func(string) string { return masked }
				o, err := supervise.Run(t.Context(), c)
				require.Error(t, err)
				assert.Equal(t, reason, o.Result.Reason, o.Result.Rule)
				assert.Equal(t, masked, o.Stderr)
				assertSameReason(t, o.Result, err)
			})
		}
	}
}

func assertSameReason(t *testing.T, want classify.Result, err error) {
	t.Helper()
	got := classify.Error(err)
	assert.Equal(t, want.Reason, got.Reason, got.Rule)
	assert.Equal(t, want.Category, got.Category, got.Rule)
}

// A key is masked at any position of a text.
func TestMaskFinds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		key := "sk-" + rapid.StringMatching(`[A-Za-z0-9]{20,40}`).Draw(t, "key")
		before := rapid.StringMatching(`[ -~\n]{0,20}[ \n"'=:(]`).Draw(t, "before")
		after := rapid.StringMatching(`[ \n"'),;.]`).Draw(t, "after")
		assert.NotContains(t, supervise.MaskSecrets(before+key+after), key)
	})
	assert.Equal(t, supervise.Masked, supervise.MaskSecrets("sk-"+strings.Repeat("a", 1<<20)))
}
