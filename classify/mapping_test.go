package classify_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errclass/errclass/classify"
)

// mapped is one row of the provider error mapping (number 001 in
// docs/specifications.md).
//
//   - listed is the error type in that row.
//   - want is the reason that classify must return.
//   - ruling is the number of the decision that explains why the result's name differs
//     from the field listed. If they are equal, ruling is "".
type mapped struct {
	row    string
	e      classify.Evidence
	listed string // ErrorType of the row
	want   classify.Reason
	ruling string
}

func claudeBody(kind, message string) []byte {
	return fmt.Appendf(nil, `{"type":"error","error":{"type":%q,"message":%q}}`, kind, message)
}

func openaiBody(code, kind, message string) []byte {
	return fmt.Appendf(nil, `{"error":{"message":%q,"type":%q,"param":null,"code":%q}}`, message, kind, code)
}

// TestProviderMapping has every row of the tables in the provider error mapping,
// grouped by section.
func TestProviderMapping(t *testing.T) {
	t.Parallel()
	const (
		rateLimit = classify.ReasonRateLimit
		timeout   = classify.ReasonTimeout
		transient = classify.ReasonTransient
		network   = classify.ReasonNetwork
		auth      = classify.ReasonAuthentication
		invalid   = classify.ReasonInvalidRequest
		parsing   = classify.ReasonParsing
		budget    = classify.ReasonBudgetExceeded
		policy    = classify.ReasonPolicy
		unknown   = classify.ReasonUnknown
	)
	status := func(provider string, code int) classify.Evidence {
		return classify.Evidence{Provider: provider, Status: code}
	}
	claude := func(kind, message string) classify.Evidence {
		return classify.Evidence{Provider: "claude", Body: claudeBody(kind, message)}
	}
	openai := func(code, kind, message string) classify.Evidence {
		return classify.Evidence{Provider: "openai", Body: openaiBody(code, kind, message)}
	}
	class := func(name string) classify.Evidence { return classify.Evidence{Provider: "openai", Type: name} }
	code := func(name string) classify.Evidence { return classify.Evidence{Type: name} }
	text := func(message string) classify.Evidence { return classify.Evidence{Message: message} }
	const flagged = "Your request was flagged by our safety system."
	for section, rows := range map[string][]mapped{
		"SDK Error Classes (Claude), status": {
			{"401", status("claude", 401), "authentication", auth, ""},
			{"429", status("claude", 429), "rate_limit", rateLimit, ""},
			{"400", status("claude", 400), "invalid_request", invalid, ""},
			{"500", status("claude", 500), "transient", transient, ""},
			{"502", status("claude", 502), "transient", transient, ""},
			{"503", status("claude", 503), "transient", transient, ""},
			{"504", status("claude", 504), "timeout", timeout, ""},
		},
		"SDK Error Classes (Claude), type": {
			{"rate_limit_error", claude("rate_limit_error", "No."), "rate_limit", rateLimit, ""},
			{"rate_limit_error as a type", classify.Evidence{Provider: "claude", Type: "rate_limit_error"}, "rate_limit", rateLimit, ""},
			{"authentication_error", claude("authentication_error", "No."), "authentication", auth, ""},
			{"authentication_error as a type", classify.Evidence{Provider: "claude", Type: "authentication_error"}, "authentication", auth, ""},
			{"invalid_request_error", claude("invalid_request_error", "No."), "invalid_request", invalid, ""},
			{"invalid_request_error as a type", classify.Evidence{Provider: "claude", Type: "invalid_request_error"}, "invalid_request", invalid, ""},
			{"permission_error", claude("permission_error", "Your API key may not use this."), "policy", auth, "3"},
			{"permission_error of safety", claude("permission_error", flagged), "policy", policy, ""},
			{"permission_error of content policy", claude("permission_error", "This is against the content policy."), "policy", policy, ""},
			{"permission_error of usage policy", claude("permission_error", "This violates our usage policy."), "policy", policy, ""},
			{"permission_error of safety, with its 403", classify.Evidence{Status: 403, Body: claudeBody("permission_error", flagged)}, "policy", policy, ""},
		},
		"SDK Error Classes (Claude), message": {
			{"timeout", claude("", "The request ran into a timeout."), "timeout", timeout, ""},
			{"timed out", claude("", "The request timed out."), "timeout", timeout, ""},
			{"overloaded", claude("", "We are overloaded."), "transient", transient, ""},
			{"capacity", claude("", "We are at capacity."), "transient", transient, ""},
			{"safety", claude("", "Stopped for safety."), "policy", policy, ""},
			{"content policy", claude("", "This is against our content policy."), "policy", policy, ""},
			{"none of them", claude("", "No."), "unknown", unknown, ""},
			{"capacity where more is known", claude("authentication_error", "Capacity is not the matter."), "authentication", auth, ""},
		},
		"Example Error Responses (Claude)": {
			{"rate limit error", classify.Evidence{Body: []byte(`{"error":{"type":"rate_limit_error","message":"Rate limit exceeded. Please wait before making another request."}}`)}, "rate_limit", rateLimit, ""},
			{"authentication error", classify.Evidence{Body: []byte(`{"error":{"type":"authentication_error","message":"Invalid API key provided."}}`)}, "authentication", auth, ""},
			{"invalid request", classify.Evidence{Body: []byte(`{"error":{"type":"invalid_request_error","message":"max_tokens must be at least 1."}}`)}, "invalid_request", invalid, ""},
			{"content policy", classify.Evidence{Body: []byte(`{"error":{"type":"permission_error","message":"` + flagged + `"}}`)}, "policy", policy, ""},
		},
		"SDK Error Classes (OpenAI), status": {
			{"401", status("openai", 401), "authentication", auth, ""},
			{"429", status("openai", 429), "rate_limit", rateLimit, ""},
			{"400", status("openai", 400), "invalid_request", invalid, ""},
			{"404", status("openai", 404), "invalid_request", invalid, ""},
			{"500", status("openai", 500), "transient", transient, ""},
			{"502", status("openai", 502), "transient", transient, ""},
			{"503", status("openai", 503), "transient", transient, ""},
			{"504", status("openai", 504), "timeout", timeout, ""},
		},
		"SDK Error Classes (OpenAI), code": {
			{"rate_limit_exceeded", openai("rate_limit_exceeded", "", "No."), "rate_limit", rateLimit, ""},
			{"invalid_api_key", openai("invalid_api_key", "", "No."), "authentication", auth, ""},
			{"model_not_found", openai("model_not_found", "", "No."), "invalid_request", invalid, ""},
			{"context_length_exceeded", openai("context_length_exceeded", "", "No."), "invalid_request", classify.ReasonContextOverflow, ""},
			{"content_filter", openai("content_filter", "", "No."), "policy", policy, ""},
			{"server_error", openai("server_error", "", "No."), "transient", transient, ""},
			{"rate_limit_exceeded as a type", class("rate_limit_exceeded"), "rate_limit", rateLimit, ""},
			{"content_filter as a type", class("content_filter"), "policy", policy, ""},
		},
		"SDK Error Classes (OpenAI), class": {
			{"APIConnectionError", class("APIConnectionError"), "timeout", network, ""}, // ruling 6: the naming scheme keeps this name
			{"AuthenticationError", class("AuthenticationError"), "authentication", auth, ""},
			{"RateLimitError", class("RateLimitError"), "rate_limit", rateLimit, ""},
			{"BadRequestError", class("BadRequestError"), "invalid_request", invalid, ""},
			{"InternalServerError", class("InternalServerError"), "transient", transient, ""},
			{"with its module", class("openai.RateLimitError"), "rate_limit", rateLimit, ""},
			{"another", class("OpenAIError"), "unknown", unknown, ""},
		},
		"Example Error Responses (OpenAI)": {
			{"rate limit error", openai("rate_limit_exceeded", "rate_limit_exceeded", "Rate limit reached for gpt-4 in organization org-xxx"), "rate_limit", rateLimit, ""},
			{"authentication error", openai("invalid_api_key", "invalid_request_error", "Incorrect API key provided"), "authentication", auth, ""},
			{"model not found", openai("model_not_found", "invalid_request_error", "The model 'gpt-5' does not exist"), "invalid_request", invalid, ""},
			{"content filter", openai("content_filter", "invalid_request_error", "The content was filtered due to policy violations"), "policy", policy, ""},
		},
		"Common Network Errors": {
			{"ETIMEDOUT", code("ETIMEDOUT"), "timeout", timeout, ""},
			{"ESOCKETTIMEDOUT", code("ESOCKETTIMEDOUT"), "timeout", timeout, ""},
			{"ECONNABORTED", code("ECONNABORTED"), "timeout", timeout, ""},
			{"message timeout", text("timeout"), "timeout", timeout, ""},
			{"message timed out", text("It timed out"), "timeout", timeout, ""},
			{"ECONNREFUSED", code("ECONNREFUSED"), "transient", network, ""},
			{"ECONNRESET", code("ECONNRESET"), "transient", network, ""},
			{"EHOSTUNREACH", code("EHOSTUNREACH"), "transient", network, ""},
			{"ENETUNREACH", code("ENETUNREACH"), "transient", network, ""},
			{"ENOTFOUND", code("ENOTFOUND"), "invalid_request", classify.ReasonNetworkPermanent, ""},
			{"EADDRNOTAVAIL", code("EADDRNOTAVAIL"), "invalid_request", classify.ReasonResource, ""},
			{"another code", code("EWHATEVER"), "unknown", unknown, ""},
		},
		"HTTP Status Code Mapping": {
			{"401", status("", 401), "authentication", auth, ""},
			{"403", status("", 403), "authentication", auth, ""},
			{"429", status("", 429), "rate_limit", rateLimit, ""},
			{"400", status("", 400), "invalid_request", invalid, ""},
			{"404", status("", 404), "invalid_request", invalid, ""},
			{"422", status("", 422), "invalid_request", invalid, ""},
			{"402", status("", 402), "budget_exceeded", budget, ""},
			{"451", status("", 451), "policy", policy, ""},
			{"503", status("", 503), "transient", transient, ""},
			{"504", status("", 504), "timeout", timeout, ""},
			{"500", status("", 500), "transient", transient, ""},
			{"501", status("", 501), "transient", transient, ""},
			{"599", status("", 599), "transient", transient, ""},
			{"another 4xx", status("", 418), "unknown", invalid, "7"},
			{"507", status("", 507), "transient", classify.ReasonResource, "7"},
			{"525", status("", 525), "transient", classify.ReasonNetworkPermanent, "7"},
			{"408", status("", 408), "unknown", timeout, "7"},
			{"600", status("", 600), "unknown", unknown, ""},
		},
		"Parsing Error Classification": {
			{"SyntaxError", code("SyntaxError"), "parsing", parsing, ""},
			{"SyntaxError of JSON", text("SyntaxError: Unexpected token < in JSON at position 0"), "parsing", parsing, ""},
			{"json", text("This is no JSON"), "parsing", parsing, ""},
			{"parse", text("I cannot parse it"), "parsing", parsing, ""},
			{"unexpected token", text("Unexpected token"), "parsing", parsing, ""},
			{"unexpected end", text("Unexpected end"), "parsing", parsing, ""},
			{"schema validation", text("It failed schema validation"), "parsing", parsing, ""},
			{"zod", text("zod says no"), "parsing", parsing, ""},
			{"zod where more is known", text("zod says no: HTTP 429"), "rate_limit", rateLimit, ""},
		},
		"Complete Error Classifier, budget pre-check": {
			{"own budget", classify.Evidence{Err: fmt.Errorf("ask: %w", classify.ErrBudgetExceeded)}, "budget_exceeded", budget, ""},
			{"own budget before a status", classify.Evidence{Err: fmt.Errorf("ask: %w", classify.ErrBudgetExceeded), Status: 429, Provider: "claude"}, "budget_exceeded", budget, ""},
			{"own budget before a body", classify.Evidence{Err: classify.ErrBudgetExceeded, Body: claudeBody("rate_limit_error", "No.")}, "budget_exceeded", budget, ""},
		},
		"Complete Error Classifier, order": {
			{"a provider that is not known", classify.Evidence{Provider: "someone", Status: 429}, "rate_limit", rateLimit, ""},
			{"the network where the provider says nothing", classify.Evidence{Provider: "claude", Type: "ECONNRESET"}, "transient", network, ""},
			{"parsing where neither does", classify.Evidence{Provider: "claude", Message: "I cannot parse it"}, "parsing", parsing, ""},
			{"nothing", classify.Evidence{Provider: "claude", Message: "No."}, "unknown", unknown, ""},
		},
		"Unit Tests": {
			{"classifies Claude 429 as rate_limit", classify.Evidence{Provider: "claude", Status: 429, Message: "Rate limit exceeded"}, "rate_limit", rateLimit, ""},
			{"classifies OpenAI timeout as timeout", classify.Evidence{Provider: "openai", Type: "ETIMEDOUT", Message: "Request timed out"}, "timeout", timeout, ""},
		},
	} {
		for _, tt := range rows {
			t.Run(section+"/"+tt.row, func(t *testing.T) {
				t.Parallel()
				got := classify.Standard.Classify(tt.e)
				if got.Category == "" {
					got = classify.Message("") // no failure: the table calls it unknown
				}
				assert.Equal(t, tt.want, got.Reason, "rule %s", got.Rule)
				assert.Equal(t, tt.want.Policy().Category, got.Category)
				if tt.ruling == "" {
					assert.Equal(t, tt.listed, got.Name(classify.ViewProvider))
				} else {
					assert.NotEqual(t, tt.listed, got.Name(classify.ViewProvider), "ruling %s is not needed", tt.ruling)
				}
				if tt.e.Provider != "" && got.Rule != "default" && got.Rule != "own/budget" {
					assert.Equal(t, tt.e.Provider, got.Provider)
				}
			})
		}
	}
}

// TestErrorTaxonomy has the policies of the section "Error Taxonomy" of the provider
// error mapping. This section takes precedence over the section "Complete Error
// Classifier".
func TestErrorTaxonomy(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		reason   classify.Reason
		retry    classify.Retry
		attempts int
		calls    int
		fallback classify.Fallback
		again    bool
	}{
		{classify.ReasonRateLimit, classify.RetryExponential, 3, 3, classify.FallbackYes, true},
		{classify.ReasonTimeout, classify.RetryExponential, 3, 3, classify.FallbackYes, true},
		{classify.ReasonAuthentication, classify.RetryNone, 0, 1, classify.FallbackNo, false},
		{classify.ReasonInvalidRequest, classify.RetryNone, 0, 1, classify.FallbackOptional, false},
		{classify.ReasonParsing, classify.RetryCorrective, 1, 2, classify.FallbackAfterCorrective, false},
		{classify.ReasonBudgetExceeded, classify.RetryNone, 0, 1, classify.FallbackOptional, false},
		{classify.ReasonPolicy, classify.RetryNone, 0, 1, classify.FallbackNo, false},
		{classify.ReasonTransient, classify.RetryExponential, 3, 3, classify.FallbackYes, true},
		{classify.ReasonUnknown, classify.RetryExponential, 1, 1, classify.FallbackOptional, false},
	} {
		p := tt.reason.Policy()
		assert.Equal(t, tt.retry, p.Retry, tt.reason)
		assert.Equal(t, tt.attempts, p.MaxAttempts, tt.reason)
		assert.Equal(t, tt.calls, p.Calls(), tt.reason)
		assert.Equal(t, tt.retry == classify.RetryCorrective, p.Corrective(), tt.reason)
		assert.Equal(t, tt.fallback, p.Fallback, tt.reason)
		assert.Equal(t, string(tt.reason), tt.reason.Name(classify.ViewProvider))
		assert.Equal(t, tt.again, classify.Result{Category: p.Category, Reason: tt.reason}.Retryable(), tt.reason)
	}
	own := classify.Error(classify.ErrBudgetExceeded)
	assert.Equal(t, classify.FallbackNo, own.Policy().Fallback, "the daily budget: another provider costs money too")
}

// TestRetryAfterPrecedence checks which header gives the waiting time. The cases come
// from the provider error mapping: from the headers that it lists, and from the section
// "Retry-After Precedence".
func TestRetryAfterPrecedence(t *testing.T) {
	t.Parallel()
	in := func(d time.Duration) string { return now.Add(d).UTC().Format(time.RFC3339) }
	for _, tt := range []struct {
		row     string
		header  http.Header
		wait    time.Duration
		has     bool
		derived bool
	}{
		{"Claude, retry-after", http.Header{"Retry-After": {"7"}}, 7 * time.Second, true, false},
		{"Claude, requests reset", http.Header{"Anthropic-Ratelimit-Requests-Limit": {"50"}, "Anthropic-Ratelimit-Requests-Remaining": {"0"}, "Anthropic-Ratelimit-Requests-Reset": {in(9 * time.Second)}}, 9 * time.Second, true, true},
		{"Claude, tokens reset", http.Header{"Anthropic-Ratelimit-Tokens-Limit": {"80000"}, "Anthropic-Ratelimit-Tokens-Remaining": {"0"}, "Anthropic-Ratelimit-Tokens-Reset": {in(11 * time.Second)}}, 11 * time.Second, true, true},
		{"Claude, retry-after replaces a reset", http.Header{"Retry-After": {"7"}, "Anthropic-Ratelimit-Requests-Remaining": {"0"}, "Anthropic-Ratelimit-Requests-Reset": {in(time.Minute)}}, 7 * time.Second, true, false},
		{"OpenAI, retry-after", http.Header{"Retry-After": {"7"}}, 7 * time.Second, true, false},
		{"OpenAI, requests reset, Unix time", http.Header{"X-Ratelimit-Remaining-Requests": {"0"}, "X-Ratelimit-Reset-Requests": {fmt.Sprint(now.Unix() + 13)}}, 13 * time.Second, true, true},
		{"OpenAI, tokens reset, Unix time", http.Header{"X-Ratelimit-Remaining-Tokens": {"0"}, "X-Ratelimit-Reset-Tokens": {fmt.Sprint(now.Unix() + 17)}}, 17 * time.Second, true, true},
		{"OpenAI, reset as it is really sent", http.Header{"X-Ratelimit-Remaining-Requests": {"0"}, "X-Ratelimit-Reset-Requests": {"1m13s"}}, 73 * time.Second, true, true},
		{"a reset of what is not used up", http.Header{"X-Ratelimit-Remaining-Requests": {"4"}, "X-Ratelimit-Reset-Requests": {"1m13s"}}, 0, false, false},
		{"neither", http.Header{}, 0, false, false},
	} {
		t.Run(tt.row, func(t *testing.T) {
			t.Parallel()
			got := classify.Standard.At(now).Classify(classify.Evidence{Status: 429, Header: tt.header})
			assert.Equal(t, tt.wait, got.RetryAfter)
			assert.Equal(t, tt.has, got.HasRetryAfter)
			assert.Equal(t, tt.derived, got.Derived)
		})
	}
}

// TestModelErrors checks the documented results of package modelerrors in
// docker/cagent.
func TestModelErrors(t *testing.T) {
	t.Parallel()
	const (
		retryable = classify.CategoryRetryable
		fatal     = classify.CategoryFatal
		overflow  = classify.CategoryContextOverflow
	)
	status := func(code int) classify.Evidence { return classify.Evidence{Status: code} }
	text := func(message string) classify.Evidence { return classify.Evidence{Message: message} }
	for section, rows := range map[string][]struct {
		row  string
		e    classify.Evidence
		want classify.Category
	}{
		"IsRetryableStatusCode": {
			{"500", status(500), retryable}, {"502", status(502), retryable}, {"503", status(503), retryable},
			{"504", status(504), retryable}, {"529", status(529), retryable}, {"408", status(408), retryable},
			{"429, ruling 2", status(429), retryable},
			{"400", status(400), fatal}, {"401", status(401), fatal}, {"403", status(403), fatal}, {"404", status(404), fatal},
		},
		"IsRetryableModelError": {
			{"network timeout", text("dial tcp 10.0.0.1:443: i/o timeout"), retryable},
			{"temporary network error", text("read: connection reset by peer"), retryable},
			{"5xx in the text", text(`POST "https://api.example.org/v1/messages": 503 Service Unavailable`), retryable},
			{"529 in the text", text("529 Overloaded"), retryable},
			{"408 in the text", text("408 Request Timeout"), retryable},
			{"cancellation", text("context canceled"), classify.CategoryAborted},
			{"4xx in the text", text("404 Not Found"), fatal},
			{"authentication", text("invalid x-api-key"), fatal},
			{"invalid request", text("invalid_request_error: messages: at least one message is required"), fatal},
		},
		"IsContextOverflowError": {
			{"prompt is too long", text("prompt is too long: 226360 tokens > 200000 maximum"), overflow},
			{"thinking budget", text("max_tokens must be greater than thinking.budget_tokens"), overflow},
			{"maximum context length", text("This model's maximum context length is 8192 tokens"), overflow},
			{"context_length_exceeded", text("context_length_exceeded"), overflow},
			{"with its 400", classify.Evidence{Status: 400, Body: claudeBody("invalid_request_error", "prompt is too long: 226360 tokens > 200000 maximum")}, overflow},
			{"with an opaque 500's code", classify.Evidence{Status: 500, Body: []byte(`{"error":{"code":"context_length_exceeded"}}`)}, overflow},
			{"a generic 500 is none", status(500), retryable},
		},
	} {
		for _, tt := range rows {
			t.Run(section+"/"+tt.row, func(t *testing.T) {
				t.Parallel()
				got := classify.Standard.Classify(tt.e)
				assert.Equal(t, tt.want, got.Category, "rule %s", got.Rule)
			})
		}
	}
	for _, tt := range []struct {
		value string
		want  time.Duration
	}{
		{"", 0}, {"soon", 0}, {"0", 0}, {"-5", 0}, {"5", 5 * time.Second},
		{now.Add(30 * time.Second).Format(http.TimeFormat), 30 * time.Second},
		{now.Add(-30 * time.Second).Format(http.TimeFormat), 0},
	} {
		got, _ := classify.ParseRetryAfter(tt.value, now)
		assert.Equal(t, tt.want, got, "ParseRetryAfterHeader(%q)", tt.value)
	}
	for text, want := range map[string]int{
		"error, status code: 429, message: slow down": 429, `POST "https://api.example.org": 500 Internal Server Error {}`: 500, "no status": 0,
	} {
		assert.Equal(t, want, classify.Message(text).Status, "ExtractHTTPStatusCode(%q)", text)
	}
}
