package classify_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errclass/errclass/classify"
)

// gemini returns a body of the Gemini API. In this body, only the quotaId tells which
// quota was exceeded.
func gemini(quotaID, quotaValue, delay string) string {
	return `[{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.",
"status":"RESOURCE_EXHAUSTED","details":[
{"@type":"type.googleapis.com/google.rpc.Help","links":[{"description":"Learn more","url":"https://ai.google.dev"}]},
{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaMetric":"generativelanguage.googleapis.com/requests",
"quotaId":"` + quotaID + `","quotaDimensions":{"model":"gemini-x"},"quotaValue":"` + quotaValue + `"}]},
{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":` + delay + `}]}}]`
}

func TestBodies(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		status int
		body   string
		want   classify.Reason
		rule   string // "" = any rule
		after  classify.Result
	}{
		// The code in a body is more specific than the status, so the code decides.
		{name: "invalid key in a 500", status: 500, body: `{"error":{"message":"no","code":"invalid_api_key"}}`, want: classify.ReasonAuthentication},
		{name: "spent quota in a 429", status: 429, body: `{"error":{"message":"no","type":"insufficient_quota","code":"insufficient_quota"}}`, want: classify.ReasonBudgetExceeded, rule: "code/insufficient-quota"},
		{name: "billing_error in a 403", status: 403, body: `{"type":"error","error":{"type":"billing_error","message":"no"}}`, want: classify.ReasonBudgetExceeded},
		{name: "a rate limit in a 403", status: 403, body: `{"error":{"errors":[{"domain":"usageLimits","reason":"userRateLimitExceeded","message":"User Rate Limit"}],"code":403,"message":"User Rate Limit"}}`, want: classify.ReasonRateLimit},
		{name: "a daily limit in a 403", status: 403, body: `{"error":{"errors":[{"domain":"usageLimits","reason":"dailyLimitExceeded"}],"code":403}}`, want: classify.ReasonBudgetExceeded},
		{name: "a bare quota in a 403", status: 403, body: `{"error":{"errors":[{"reason":"quotaExceeded"}],"code":403}}`, want: classify.ReasonBudgetExceeded, rule: "code/quotaexceeded"},
		{name: "a bare quota in a 429", status: 429, body: `{"error":{"code":"quota_exceeded"}}`, want: classify.ReasonRateLimit, rule: "http/429"},
		{name: "a code that says less", status: 401, body: `{"error":{"type":"invalid_request_error","message":"no"}}`, want: classify.ReasonAuthentication, rule: "http/401"},
		{name: "an API error", status: 500, body: `{"type":"error","error":{"type":"api_error","message":"no"}}`, want: classify.ReasonTransient, rule: "http/500"},
		{name: "a timeout of Anthropic's", status: 504, body: `{"type":"error","error":{"type":"timeout_error","message":"no"}}`, want: classify.ReasonTimeout},
		{name: "too large", status: 413, body: `{"type":"error","error":{"type":"request_too_large","message":"no"}}`, want: classify.ReasonContextOverflow},
		{name: "not found", status: 404, body: `{"type":"error","error":{"type":"not_found_error","message":"model: x"}}`, want: classify.ReasonInvalidRequest},

		// These bodies come from APIs that are compatible with OpenAI's.
		{name: "error is a text", body: `{"error":"insufficient_quota"}`, want: classify.ReasonBudgetExceeded},
		{name: "message and code", body: `{"message":"no","code":"rate_limited"}`, want: classify.ReasonRateLimit},
		{name: "object error", body: `{"object":"error","message":"no","type":"invalid_request_error","param":null,"code":null}`, want: classify.ReasonInvalidRequest},
		{name: "detail", body: `{"detail":"Incorrect: invalid_api_key"}`, want: classify.ReasonAuthentication},
		{name: "detail is a list", status: 422, body: `{"detail":[{"loc":["body","authentication_error"],"msg":"field required","type":"value_error.missing"}]}`, want: classify.ReasonInvalidRequest},
		{name: "OpenRouter's metadata.raw", body: `{"error":{"message":"Provider returned error","code":502,"metadata":{"raw":"{\"error\":{\"message\":\"no\",\"type\":\"exceeded_current_quota_error\"}}","provider_name":"X"}}}`, want: classify.ReasonBudgetExceeded},
		{name: "JSON in JSON in JSON", body: `{"error":{"message":"{\"error\":{\"message\":\"{\\\"error\\\":{\\\"code\\\":\\\"invalid_api_key\\\"}}\"}}"}}`, want: classify.ReasonAuthentication},
		{name: "a gateway's text around JSON", status: 500, body: `{"error":{"message":"litellm.BadRequestError: AnthropicException - {\"type\":\"error\",\"error\":{\"type\":\"authentication_error\",\"message\":\"no\"}}. Fallbacks=None","code":"500"}}`, want: classify.ReasonAuthentication},

		// Google.
		{name: "per day", status: 429, body: gemini("GenerateRequestsPerDayPerProjectPerModel-FreeTier", "50", `"34s"`), want: classify.ReasonBudgetExceeded, rule: "google/quota-per-day", after: hint(34 * time.Second)},
		{name: "per minute", status: 429, body: gemini("GenerateRequestsPerMinutePerProjectPerModel", "10", `"34.074824224s"`), want: classify.ReasonRateLimit, rule: "google/quota-per-minute", after: hint(34074824 * time.Microsecond)},
		{name: "limit 0", status: 429, body: gemini("GenerateRequestsPerMinutePerProjectPerModel-FreeTier", "0", `{"seconds":34}`), want: classify.ReasonBudgetExceeded, rule: "google/quota-zero", after: hint(34 * time.Second)},
		{name: "per minute, but shut for hours", status: 429, body: gemini("GenerateRequestsPerMinutePerProjectPerModel", "10", `"7200s"`), want: classify.ReasonBudgetExceeded, rule: "google/quota-per-minute+long-wait", after: hint(2 * time.Hour)},
		{name: "ErrorInfo", status: 400, body: `{"error":{"code":400,"message":"no","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}]}}`, want: classify.ReasonAuthentication, after: classify.Result{Provider: "google"}},
		{name: "unavailable", status: 503, body: `{"error":{"code":503,"message":"no","status":"UNAVAILABLE"}}`, want: classify.ReasonTransient},
		{name: "BadRequest", status: 400, body: `{"error":{"code":400,"message":"no","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"contents","description":"no"}]}]}}`, want: classify.ReasonInvalidRequest, rule: "grpc/node-fatal-request"},
		{name: "grpc-gateway", body: `{"code":8,"message":"no","details":[]}`, want: classify.ReasonRateLimit, rule: "code/resourceexhausted"},

		// AWS.
		{name: "__type", status: 400, body: `{"__type":"com.amazon.coral.availability#ThrottlingException","message":"Rate exceeded"}`, want: classify.ReasonRateLimit},
		{name: "429 without too many requests", status: 429, body: `{"__type":"com.amazon#ModelNotReadyException","message":"The model is not ready"}`, want: classify.ReasonTransient},
		{name: "data loss, as over gRPC", body: `{"error":{"status":"DATA_LOSS","message":"so it goes"}}`, want: classify.ReasonParsing},
		{name: "__type of a key", status: 400, body: `{"__type":"UnrecognizedClientException","message":"no"}`, want: classify.ReasonAuthentication},
		{name: "Code and Message", body: `{"Code":"ExpiredToken","Message":"no"}`, want: classify.ReasonAuthentication},
		{name: "XML", status: 503, body: `<?xml version="1.0"?><Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>`, want: classify.ReasonRateLimit},
		{name: "XML in a response", status: 403, body: `<ErrorResponse><Error><Type>Sender</Type><Code>SignatureDoesNotMatch</Code></Error></ErrorResponse>`, want: classify.ReasonAuthentication},
		{name: "quota", status: 400, body: `{"__type":"ServiceQuotaExceededException"}`, want: classify.ReasonBudgetExceeded},

		// Azure.
		{name: "innererror", status: 400, body: `{"error":{"message":"no","type":null,"param":"prompt","code":"bad","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation","content_filter_result":{"hate":{"filtered":true}}}}}`, want: classify.ReasonPolicy},
		{name: "statusCode", body: `{"statusCode":429,"message":"no"}`, want: classify.ReasonRateLimit, rule: "http/429", after: classify.Result{Status: 429}},
		{name: "a long wait in words", body: `{"error":{"code":"429","message":"Requests have exceeded the token rate. Please retry after 86400 seconds."}}`, want: classify.ReasonBudgetExceeded, rule: "http/429+long-wait", after: hint(24 * time.Hour)},

		// JSON-RPC and MCP.
		{name: "parse error", body: `{"jsonrpc":"2.0","id":1,"error":{"code":-32700,"message":"no"}}`, want: classify.ReasonParsing},
		{name: "method not found", body: `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}`, want: classify.ReasonMCP},
		{name: "request timed out", body: `{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"no"}}`, want: classify.ReasonTimeout},
		{name: "invalid params", body: `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}`, want: classify.ReasonInvalidRequest},
		{name: "closed", body: `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no"}}`, want: classify.ReasonMCP},
		{name: "a tool's error", status: 200, body: `{"jsonrpc":"2.0","id":1,"result":{"isError":true,"content":[{"type":"text","text":"rate_limit_exceeded"}]}}`, want: classify.ReasonRateLimit},

		// Others.
		{name: "problem+json", body: `{"type":"https://example.com/probs/out-of-credit","title":"No.","status":403,"detail":"no"}`, want: classify.ReasonBudgetExceeded, after: classify.Result{Status: 403}},
		{name: "problem about:blank", body: `{"type":"about:blank","title":"Not Found","status":404}`, want: classify.ReasonInvalidRequest, rule: "http/404", after: classify.Result{Status: 404}},
		{name: "ACME", status: 403, body: `{"type":"urn:ietf:params:acme:error:rateLimited","detail":"no"}`, want: classify.ReasonRateLimit, rule: "code/ratelimited"},
		{name: "OAuth", status: 400, body: `{"error":"invalid_grant","error_description":"no"}`, want: classify.ReasonAuthentication},
		{name: "Elasticsearch", body: `{"error":{"root_cause":[{"type":"x_exception","reason":"no room"}],"type":"x_exception","reason":"no room"},"status":503}`, want: classify.ReasonTransient, after: classify.Result{Status: 503}},
		{name: "Discord", status: 429, body: `{"message":"no","retry_after":64.57,"global":false}`, want: classify.ReasonRateLimit, after: hint(64570 * time.Millisecond)},
		{name: "event stream", status: 200, body: "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"no\"}}\n\n", want: classify.ReasonTransient},
		{name: "second event", status: 200, body: "data: {\"choices\":[]}\n\ndata: {\"error\":{\"code\":\"rate_limit_exceeded\"}}\n\n", want: classify.ReasonRateLimit},
		{name: "error in a success", status: 200, body: `{"error":{"code":429,"message":"no"}}`, want: classify.ReasonRateLimit, after: classify.Result{Status: 429}},
		{name: "unknown error in a success", status: 200, body: `{"error":{"oops":true}}`, want: classify.ReasonUnknown},
		{name: "a page", status: 502, body: `<html><head><style>h1{content:"authentication_error"}</style></head><body><h1>502</h1></body></html>`, want: classify.ReasonTransient, rule: "http/502"},
		{name: "what a page shows", body: `<html><body><h1>insufficient_quota</h1></body></html>`, want: classify.ReasonBudgetExceeded},
		{name: "text", body: `insufficient_quota`, want: classify.ReasonBudgetExceeded},
		{name: "cut off", status: 429, body: `{"error":{"message":"no","type":"insufficient_quota","par`, want: classify.ReasonBudgetExceeded},
		{name: "an unknown form", body: `{"oops":"insufficient_quota"}`, want: classify.ReasonBudgetExceeded},
		{name: "the request's echo", status: 400, body: `{"error":{"message":"no","params":{"message":"authentication_error"},"input":"invalid_api_key"}}`, want: classify.ReasonInvalidRequest, rule: "http/400"},
		{name: "beside an error", status: 500, body: `{"error":{"message":"no"},"last":{"message":"authentication_error"}}`, want: classify.ReasonTransient, rule: "http/500"},
		{name: "embedded status in a gateway's 502", status: 502, body: `{"error":{"code":401,"message":"no"}}`, want: classify.ReasonAuthentication, after: classify.Result{Status: 502}},
		{name: "embedded status beside a 4xx", status: 404, body: `{"error":{"code":503,"message":"no"}}`, want: classify.ReasonInvalidRequest, rule: "http/404"},
		{name: "null error", status: 200, body: `{"error":null,"message":"rate_limit_exceeded"}`},
		{name: "empty errors", status: 200, body: `{"errors":[],"data":{"message":"insufficient_quota"}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := classify.Standard.Classify(classify.Evidence{Status: tt.status, Body: []byte(tt.body)})
			assert.Equal(t, tt.want, got.Reason, "rule %s", got.Rule)
			if tt.rule != "" {
				assert.Equal(t, tt.rule, got.Rule)
			}
			assert.Equal(t, tt.after.HasRetryAfter, got.HasRetryAfter)
			assert.Equal(t, tt.after.RetryAfter, got.RetryAfter)
			if tt.after.Status != 0 {
				assert.Equal(t, tt.after.Status, got.Status)
			}
			if tt.after.Provider != "" {
				assert.Equal(t, tt.after.Provider, got.Provider)
			}
		})
	}
}

func hint(wait time.Duration) classify.Result {
	return classify.Result{RetryAfter: wait, HasRetryAfter: true}
}

func TestProvider(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		e    classify.Evidence
		want string
	}{
		{"given", classify.Evidence{Status: 429, Provider: "mine", Header: map[string][]string{"Anthropic-Organization-Id": {"x"}}}, "mine"},
		{"anthropic's headers", classify.Evidence{Status: 429, Header: map[string][]string{"anthropic-ratelimit-requests-limit": {"1"}}}, "anthropic"},
		{"openai's headers", classify.Evidence{Status: 429, Header: map[string][]string{"Openai-Organization": {"x"}}}, "openai"},
		{"a request id", classify.Evidence{Body: []byte(`{"type":"error","error":{"type":"api_error"},"request_id":"req_011CSx"}`)}, "anthropic"},
		{"the shape alone", classify.Evidence{Body: []byte(`{"type":"error","error":{"type":"api_error"}}`)}, ""},
		{"nothing", classify.Evidence{Status: 429}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, classify.Standard.Classify(tt.e).Provider)
		})
	}
}

// TestHostileBodies classifies expensive bodies. With a slow parser, go test times
// out.
func TestHostileBodies(t *testing.T) {
	t.Parallel()
	n := 1 << 20
	for name, body := range map[string]string{
		"open arrays":   strings.Repeat("[", n),
		"open objects":  strings.Repeat(`{"error":`, n/8),
		"nested":        strings.Repeat(`{"error":`, 9000) + "1" + strings.Repeat("}", 9000),
		"open scripts":  "<" + strings.Repeat("<script", n/8),
		"open codes":    "<x>" + strings.Repeat("<Code>", n/8),
		"many braces":   strings.Repeat("{}", n),
		"many keys":     `{"a` + strings.Repeat(`":1,"a`, 8000) + `":2}`,
		"digits":        `{"error":{"code":` + strings.Repeat("9", 50_000) + `}}`,
		"waits":         "retry after " + strings.Repeat("9 ", n/2),
		"joints":        "retry after 1" + strings.Repeat(" {_-:", n/8),
		"binary":        strings.Repeat("\x00\xff{\"", n/4),
		"quotes inside": `{"message":"` + strings.Repeat(`{\"message\":\"`, 4000) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := classify.Standard.Classify(classify.Evidence{Status: 500, Body: []byte(body)})
			assert.NotEmpty(t, got.Category)
		})
	}
}

// FuzzResponse classifies a response twice. The results must be equal and valid.
func FuzzResponse(f *testing.F) {
	f.Add(429, "Retry-After", "30", `{"type":"error","error":{"type":"rate_limit_error","message":"try again in 1.2s"}}`)
	f.Add(429, "x-ratelimit-reset-requests", "6m0s", gemini("PerDay", "0", `"34s"`))
	f.Add(500, "Date", "Wed, 21 Oct 2015 07:28:00 GMT", `<Error><Code>SlowDown</Code></Error>`)
	f.Add(200, "retry-after", "-1e9", `data: {"error":{"message":"{\"error\":{\"code\":401}}"}}`)
	f.Add(0, "anthropic-ratelimit-tokens-reset", "2026-01-01T00:00:00Z", `retry_delay { seconds: 99999999999999999999 }`)
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	f.Fuzz(func(t *testing.T, status int, name, value, body string) {
		e := classify.Evidence{Status: status, Header: map[string][]string{name: {value}}, Body: []byte(body)}
		got := classify.Standard.At(now).Classify(e)
		if got != classify.Standard.At(now).Classify(e) {
			t.Fatal("the same evidence, another answer")
		}
		if got.Category == "" && got != (classify.Result{}) || got.Category != "" && !got.Reason.Valid() {
			t.Fatalf("%+v", got)
		}
		if strings.Contains(got.Rule, "+panic") {
			t.Fatal(got.Rule)
		}
		if got.RetryAfter < 0 || got.RetryAfter > 365*24*time.Hour {
			t.Fatalf("a wait of %s", got.RetryAfter)
		}
	})
}
