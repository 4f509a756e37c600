package classify

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestStatusOfText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text   string
		status int
	}{
		{"HTTP 429: slow down", 429},
		{"status code 500: invalid api key", 500},
		{"resulted in a `404 Not Found` response", 404},
		{"(403) Forbidden", 403},
		{"upstream returned 503", 503},
		{"HTTP 503 from a, HTTP 401 from b", 401}, // the status that decides
		{"connection refused; HTTP 503 from a, HTTP 502 from b", 503},
		{"invalid_api_key; HTTP 502 from a, HTTP 503 from b", 502},
		{"Error code: 404: the model does not exist", 404},
		{"attempt 1: HTTP 401 Unauthorized; attempt 2: connection refused", 0}, // the status belongs to an earlier attempt
		{"attempt 1: connection refused; attempt 2: HTTP 503", 503},
		{"HTTP 401 (attempt 1), (404) Not Found (attempt 2)", 404},
		{"HTTP 503: no attempt 1, no attempt 2", 503}, // the status applies to all attempts
		{"Not Found", 0},
		{"Forbidden on port 4031", 0},
		{"503 5.5.1 Error: need MAIL command", 0}, // a code of SMTP
		{"dial tcp 10.0.0.1:443: connection refused", 0},
		{"429 files were copied", 0},
		{"", 0},
	} {
		for range 2 { // the second result comes from the cache
			assert.Equal(t, tt.status, Message(tt.text).Status, tt.text)
		}
	}
	long := strings.Repeat("x", 2*DefaultMaxBytes)
	assert.Equal(t, 503, Message("HTTP 503 "+long).Status)
	assert.Equal(t, 503, Message(long+" HTTP 503").Status)
	assert.Equal(t, 502, Standard.Classify(Evidence{Status: 502, Message: "HTTP 401"}).Status, "what is known counts before what is said")
	assert.Equal(t, 502, Standard.Classify(Evidence{Err: &exec.ExitError{Stderr: []byte("HTTP 401")}, Status: 502}).Status, "also where it is known later")
	assert.Zero(t, Minimal.Message("HTTP 429").Status, "it reads nothing but its twenty patterns")
	mine, err := New(WithRules(Rule{ID: "http/418", Reason: ReasonPolicy, Pattern: "teapot"}))
	assert.NoError(t, err)
	assert.Zero(t, mine.Message("teapot").Status, "the id of a user's rule is a name")
}

func TestProviderOfText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, provider string }{
		{`Post "https://api.anthropic.com/v1/messages": EOF`, "anthropic"},
		{"POST HTTPS://API.OPENAI.COM/V1/RESPONSES 500", "openai"},
		{"fetching https://generativelanguage.googleapis.com/v1beta: zzz", "google"},
		{"api.anthropic.com failed, falling back to api.openai.com", ""},
		{"openai.RateLimitError: Error code: 429", ""},
		{"zzz", ""},
	} {
		for range 2 {
			assert.Equal(t, tt.provider, Message(tt.text).Provider, tt.text)
		}
	}
	assert.Equal(t, "mine", Standard.Classify(Evidence{Provider: "mine", Message: "api.openai.com"}).Provider)
	assert.Equal(t, "anthropic", Standard.Classify(Evidence{Status: 500, Body: []byte(`{"error":{"message":"api.anthropic.com is down"}}`)}).Provider)
}
