package compat_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
)

func anthropicClient(url string, client *http.Client, opts ...option.RequestOption) anthropic.Client {
	return anthropic.NewClient(append([]option.RequestOption{
		option.WithAPIKey("sk-ant-none"), option.WithBaseURL(url), option.WithHTTPClient(client), option.WithMaxRetries(0),
	}, opts...)...)
}

var anthropicParams = anthropic.MessageNewParams{
	Model:     "claude-sonnet-4-5",
	MaxTokens: 64,
	Messages:  []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("hello"))},
}

func callAnthropic(ctx context.Context, url string, client *http.Client) error {
	c := anthropicClient(url, client)
	_, err := c.Messages.New(ctx, anthropicParams)
	return err
}

func streamAnthropic(ctx context.Context, url string, client *http.Client) error {
	c := anthropicClient(url, client)
	s := c.Messages.NewStreaming(ctx, anthropicParams)
	defer s.Close()
	for s.Next() {
	}
	return s.Err()
}

func TestAnthropicTransport(t *testing.T) {
	t.Parallel()
	transportFailures(t, callAnthropic)
	deadlineInBody(t, callAnthropic)
	garbledAnswers(t, callAnthropic)
}

func TestAnthropicRequestTimeout(t *testing.T) {
	t.Parallel()
	url, client := serve(t, hang(false))
	c := anthropicClient(url, client, option.WithRequestTimeout(shortDeadline))
	_, err := c.Messages.New(t.Context(), anthropicParams)
	check(t, err, ownDeadline)
}

// anthropicError returns the body of an error response of the Anthropic API.
func anthropicError(kind, message string) string {
	return `{"type":"error","error":{"type":"` + kind + `","message":"` + message + `"},"request_id":"req_011CSxY2a"}`
}

// TestAnthropicAnswers checks the errors in Anthropic's documentation
// (https://docs.anthropic.com/en/api/errors) and some known messages.
func TestAnthropicAnswers(t *testing.T) {
	t.Parallel()
	const (
		invalid = "invalid_request_error"
		date    = "Fri, 06 Nov 2026 08:50:07 GMT"
	)
	for _, tt := range []struct {
		name   string
		answer answer
		want   want
	}{
		{"max_tokens", answer{400, nil, anthropicError(invalid, "max_tokens: must be at least 1")},
			want{reason: classify.ReasonInvalidRequest}},
		{"prompt too long", answer{400, nil, anthropicError(invalid, "prompt is too long: 208310 tokens > 200000 maximum")},
			want{reason: classify.ReasonContextOverflow}},
		{"input and max_tokens too long", answer{400, nil, anthropicError(invalid, "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again")},
			want{reason: classify.ReasonContextOverflow}},
		{"credit balance", answer{400, nil, anthropicError(invalid, "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.")},
			want{reason: classify.ReasonBudgetExceeded}},
		{"own usage limit", answer{400, nil, anthropicError(invalid, "You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.")},
			want{reason: classify.ReasonBudgetExceeded}},
		{"content filtering", answer{400, nil, anthropicError(invalid, "Output blocked by content filtering policy")},
			want{reason: classify.ReasonPolicy}},
		{"organisation disabled", answer{400, nil, anthropicError(invalid, "This organization has been disabled.")},
			want{reason: classify.ReasonAuthentication}},
		{"key", answer{401, nil, anthropicError("authentication_error", "invalid x-api-key")},
			want{reason: classify.ReasonAuthentication}},
		{"token has expired", answer{401, nil, anthropicError("authentication_error", "OAuth token has expired. Please obtain a new token or refresh your existing token.")},
			want{reason: classify.ReasonAuthentication}},
		{"billing", answer{402, nil, anthropicError("billing_error", "There is an issue with your billing.")},
			want{reason: classify.ReasonBudgetExceeded}},
		{"permission", answer{403, nil, anthropicError("permission_error", "Your API key does not have permission to use the specified resource.")},
			want{reason: classify.ReasonAuthentication}},
		{"permission, for safety", answer{403, nil, anthropicError("permission_error", "Your request was flagged by our safety system.")},
			want{reason: classify.ReasonPolicy}},
		{"no such model", answer{404, nil, anthropicError("not_found_error", "model: claude-sonnet-9")},
			want{reason: classify.ReasonInvalidRequest}},
		{"request timeout", answer{408, nil, anthropicError("timeout_error", "Request timed out.")},
			want{reason: classify.ReasonTimeout}},
		{"too large", answer{413, nil, anthropicError("request_too_large", "Request exceeds the maximum size")},
			want{reason: classify.ReasonContextOverflow}}, // the body is the model's input
		{"rate limit", answer{429, header("Retry-After", "12"), anthropicError("rate_limit_error", "This request would exceed your organization's rate limit of 80,000 input tokens per minute.")},
			want{reason: classify.ReasonRateLimit, wait: 12 * time.Second}},
		{"rate limit, open again", answer{429, header("Retry-After", "0"), anthropicError("rate_limit_error", "Number of requests has exceeded your per-minute rate limit.")},
			want{reason: classify.ReasonRateLimit, zeroWait: true}},
		{"rate limit, a date", answer{429, header("Retry-After", "Fri, 06 Nov 2026 08:50:47 GMT", "Date", date), anthropicError("rate_limit_error", "Number of request tokens has exceeded your per-minute rate limit.")},
			want{reason: classify.ReasonRateLimit, wait: 40 * time.Second}},
		{"rate limit, resets only", answer{429, header("Date", date,
			"Anthropic-Ratelimit-Requests-Remaining", "41", "Anthropic-Ratelimit-Requests-Reset", "2026-11-06T08:59:07Z",
			"Anthropic-Ratelimit-Tokens-Remaining", "0", "Anthropic-Ratelimit-Tokens-Reset", "2026-11-06T08:50:37Z",
		), anthropicError("rate_limit_error", "Number of request tokens has exceeded your per-minute rate limit.")},
			want{reason: classify.ReasonRateLimit, wait: 30 * time.Second, derived: true}},
		{"resets of an overload say nothing", answer{529, header("Date", date,
			"Anthropic-Ratelimit-Tokens-Remaining", "0", "Anthropic-Ratelimit-Tokens-Reset", "2026-11-06T08:50:37Z",
		), anthropicError("overloaded_error", "Overloaded")},
			want{reason: classify.ReasonTransient}},
		{"api error", answer{500, nil, anthropicError("api_error", "Internal server error")},
			want{reason: classify.ReasonTransient}},
		{"a gateway's 500 around a bad key", answer{500, nil, anthropicError("api_error", "invalid x-api-key")},
			want{reason: classify.ReasonAuthentication}},
		{"unavailable", answer{503, header("Retry-After", "3"), anthropicError("api_error", "Service temporarily unavailable")},
			want{reason: classify.ReasonTransient, wait: 3 * time.Second}},
		{"gateway timeout", answer{504, nil, anthropicError("timeout_error", "Request timed out. Try streaming.")},
			want{reason: classify.ReasonTimeout}},
		{"overloaded", answer{529, nil, anthropicError("overloaded_error", "Overloaded")},
			want{reason: classify.ReasonTransient}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.want.status, tt.want.provider = tt.answer.status, "anthropic"
			url, client := serve(t, tt.answer)
			check(t, callAnthropic(t.Context(), url, client), tt.want)
		})
	}
}

// TestAnthropicGateway checks error responses of a gateway or proxy, whose bodies do not
// have the form of the Anthropic API.
func TestAnthropicGateway(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		answer answer
		want   want
	}{
		{"bad gateway", errorPage(502), want{reason: classify.ReasonTransient}},
		{"unavailable", errorPage(503), want{reason: classify.ReasonTransient}},
		{"timeout", errorPage(504), want{reason: classify.ReasonTimeout}},
		{"too large", errorPage(413), want{reason: classify.ReasonInvalidRequest}},
		{"no body", answer{status: 401}, want{reason: classify.ReasonAuthentication}},
		{"no body, 529", answer{status: 529}, want{reason: classify.ReasonTransient}},
		{"no body, 524", answer{status: 524}, want{reason: classify.ReasonTimeout}},
		{"text", answer{503, header("Content-Type", "text/plain"), "upstream connect error or disconnect/reset before headers. reset reason: connection failure"},
			want{reason: classify.ReasonNetwork}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.want.status = tt.answer.status
			url, client := serve(t, tt.answer)
			check(t, callAnthropic(t.Context(), url, client), tt.want)
		})
	}
}

// A stream with status 200 may contain an error event.
func TestAnthropicStream(t *testing.T) {
	t.Parallel()
	const start = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[]}}"
	event := func(kind, message string) string { return "event: error\ndata: " + anthropicError(kind, message) }
	for _, tt := range []struct {
		name   string
		answer http.Handler
		want   want
	}{
		{"overloaded", stream(start, event("overloaded_error", "Overloaded")), want{reason: classify.ReasonTransient, provider: "anthropic"}},
		{"rate limit", stream(start, event("rate_limit_error", "Number of output tokens has exceeded your per-minute rate limit.")), want{reason: classify.ReasonRateLimit, provider: "anthropic"}},
		{"api error", stream(start, event("api_error", "Internal server error")), want{reason: classify.ReasonTransient, provider: "anthropic"}},
		{"key", stream(event("authentication_error", "invalid x-api-key")), want{reason: classify.ReasonAuthentication, provider: "anthropic"}},
		{"too long", stream(event("invalid_request_error", "prompt is too long: 208310 tokens > 200000 maximum")), want{reason: classify.ReasonContextOverflow, provider: "anthropic"}},
		{"filtered", stream(start, event("invalid_request_error", "Output blocked by content filtering policy")), want{reason: classify.ReasonPolicy, provider: "anthropic"}},
		{"status", answer{529, nil, anthropicError("overloaded_error", "Overloaded")}, want{reason: classify.ReasonTransient, status: 529, provider: "anthropic"}},
		{"an event that is no JSON", stream("event: message_start\ndata: {\"type\":"), want{reason: classify.ReasonParsing}},
		{"closed within an event", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = w.Write([]byte(start + "\n\nevent: content_bl"))
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}), want{reason: classify.ReasonNetwork}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			url, client := serve(t, tt.answer)
			err := streamAnthropic(t.Context(), url, client)
			require.Error(t, err)
			check(t, err, tt.want)
		})
	}
}
