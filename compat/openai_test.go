package compat_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/errclass/errclass/classify"
)

func openaiClient(url string, client *http.Client, opts ...option.RequestOption) openai.Client {
	return openai.NewClient(append([]option.RequestOption{
		option.WithAPIKey("sk-none"), option.WithBaseURL(url), option.WithHTTPClient(client), option.WithMaxRetries(0),
	}, opts...)...)
}

var openaiParams = openai.ChatCompletionNewParams{
	Model:    "gpt-5",
	Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("hello")},
}

func callOpenAI(ctx context.Context, url string, client *http.Client) error {
	c := openaiClient(url, client)
	_, err := c.Chat.Completions.New(ctx, openaiParams)
	return err
}

func streamOpenAI(ctx context.Context, url string, client *http.Client) error {
	c := openaiClient(url, client)
	s := c.Chat.Completions.NewStreaming(ctx, openaiParams)
	defer s.Close()
	for s.Next() {
	}
	return s.Err()
}

func TestOpenAITransport(t *testing.T) {
	t.Parallel()
	transportFailures(t, callOpenAI)
	deadlineInBody(t, callOpenAI)
	garbledAnswers(t, callOpenAI)
}

func TestOpenAIRequestTimeout(t *testing.T) {
	t.Parallel()
	url, client := serve(t, hang(false))
	c := openaiClient(url, client, option.WithRequestTimeout(shortDeadline))
	_, err := c.Chat.Completions.New(t.Context(), openaiParams)
	check(t, err, ownDeadline)
}

// openaiError returns the body of an OpenAI error. An empty code becomes null.
func openaiError(kind, code, message string) string {
	if code == "" {
		code = "null"
	} else {
		code = `"` + code + `"`
	}
	return `{"error":{"message":"` + message + `","type":"` + kind + `","param":null,"code":` + code + `}}`
}

// TestOpenAIAnswers checks the documented errors
// (https://platform.openai.com/docs/guides/error-codes) and some known messages. The
// text of the SDK's error has the HTTP status, but not the message.
func TestOpenAIAnswers(t *testing.T) {
	t.Parallel()
	const invalid = "invalid_request_error"
	for _, tt := range []struct {
		name   string
		answer answer
		want   want
	}{
		{"parameter", answer{400, nil, openaiError(invalid, "unsupported_parameter", "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.")},
			want{reason: classify.ReasonInvalidRequest}},
		{"context length", answer{400, nil, openaiError(invalid, "context_length_exceeded", "This model's maximum context length is 128000 tokens. However, your messages resulted in 130211 tokens. Please reduce the length of the messages.")},
			want{reason: classify.ReasonContextOverflow, text: classify.ReasonInvalidRequest}},
		{"content filter", answer{400, nil, openaiError(invalid, "content_filter", "The content was filtered due to policy violations")},
			want{reason: classify.ReasonPolicy, text: classify.ReasonInvalidRequest}},
		{"content policy", answer{400, nil, openaiError(invalid, "content_policy_violation", "Your request was rejected as a result of our safety system.")},
			want{reason: classify.ReasonPolicy, text: classify.ReasonInvalidRequest}},
		{"invalid prompt", answer{400, nil, openaiError(invalid, "invalid_prompt", "Invalid prompt: your prompt was flagged as potentially violating our usage policy.")},
			want{reason: classify.ReasonPolicy, text: classify.ReasonInvalidRequest}},
		{"billing limit", answer{400, nil, openaiError(invalid, "billing_hard_limit_reached", "Billing hard limit has been reached")},
			want{reason: classify.ReasonBudgetExceeded, text: classify.ReasonInvalidRequest}},
		{"key", answer{401, nil, openaiError(invalid, "invalid_api_key", "Incorrect API key provided: sk-none. You can find your API key at https://platform.openai.com/account/api-keys.")},
			want{reason: classify.ReasonAuthentication}},
		{"key, as the type alone says", answer{401, nil, openaiError("authentication_error", "", "Incorrect API key provided")},
			want{reason: classify.ReasonAuthentication}},
		{"no balance", answer{402, nil, openaiError("insufficient_balance", "insufficient_balance", "Insufficient Balance")},
			want{reason: classify.ReasonBudgetExceeded}},
		{"country", answer{403, nil, openaiError("request_forbidden", "unsupported_country_region_territory", "Country, region, or territory not supported")},
			want{reason: classify.ReasonPolicy, text: classify.ReasonAuthentication}},
		{"no access", answer{403, nil, openaiError(invalid, "model_not_found", "Project `proj_x` does not have access to model `gpt-5`")},
			want{reason: classify.ReasonAuthentication}},
		{"no such model", answer{404, nil, openaiError(invalid, "model_not_found", "The model 'gpt-9' does not exist or you do not have access to it.")},
			want{reason: classify.ReasonInvalidRequest}},
		{"request timeout", answer{408, nil, openaiError("server_error", "", "Request timed out.")},
			want{reason: classify.ReasonTimeout}},
		{"conflict", answer{409, nil, openaiError(invalid, "", "The resource was updated by another request.")},
			want{reason: classify.ReasonInvalidRequest}},
		{"too large", answer{413, nil, openaiError(invalid, "", "Maximum content size limit (26214400) exceeded (30000000 bytes read)")},
			want{reason: classify.ReasonInvalidRequest}},
		{"unprocessable", answer{422, nil, openaiError(invalid, "", "Unprocessable entity")},
			want{reason: classify.ReasonInvalidRequest}},
		{"rate limit", answer{429, header("Retry-After", "2"), openaiError("tokens", "rate_limit_exceeded", "Rate limit reached for gpt-5 in organization org-x on tokens per min (TPM): Limit 30000, Used 29500, Requested 1200. Please try again in 1.4s.")},
			want{reason: classify.ReasonRateLimit, wait: 2 * time.Second}},
		{"rate limit, in words", answer{429, nil, openaiError("requests", "rate_limit_exceeded", "Rate limit reached for gpt-5 in organization org-x on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 20s.")},
			want{reason: classify.ReasonRateLimit, wait: 20 * time.Second}},
		{"rate limit, in milliseconds", answer{429, header("Retry-After-Ms", "1850", "Retry-After", "1"), openaiError("requests", "rate_limit_exceeded", "Rate limit reached")},
			want{reason: classify.ReasonRateLimit, wait: 1850 * time.Millisecond}},
		{"rate limit, resets only", answer{429, header(
			"X-Ratelimit-Remaining-Requests", "59", "X-Ratelimit-Reset-Requests", "17s",
			"X-Ratelimit-Remaining-Tokens", "0", "X-Ratelimit-Reset-Tokens", "6m0s",
		), openaiError("tokens", "rate_limit_exceeded", "Rate limit reached")},
			want{reason: classify.ReasonRateLimit, wait: 6 * time.Minute, derived: true}},
		{"more than the window of a minute", answer{429, nil, openaiError("tokens", "rate_limit_exceeded", "Request too large for gpt-5 in organization org-x on tokens per min (TPM): Limit 30000, Requested 48211. The input or output tokens must be reduced in order to run successfully.")},
			want{reason: classify.ReasonContextOverflow, text: classify.ReasonRateLimit}},
		{"insufficient quota", answer{429, nil, openaiError("insufficient_quota", "insufficient_quota", "You exceeded your current quota, please check your plan and billing details.")},
			want{reason: classify.ReasonBudgetExceeded, text: classify.ReasonRateLimit}},
		{"requests of a day", answer{429, nil, openaiError("requests", "rate_limit_exceeded", "Rate limit reached for gpt-5 in organization org-x on requests per day (RPD): Limit 200, Used 200, Requested 1. Please try again in 7m12s.")},
			want{reason: classify.ReasonBudgetExceeded, text: classify.ReasonRateLimit, wait: 7*time.Minute + 12*time.Second}},
		{"server error", answer{500, nil, openaiError("server_error", "", "The server had an error while processing your request. Sorry about that!")},
			want{reason: classify.ReasonTransient}},
		{"a gateway's 500 around a bad key", answer{500, nil, openaiError("server_error", "", "Upstream said: Invalid API key provided")},
			want{reason: classify.ReasonAuthentication, text: classify.ReasonTransient}},
		{"overloaded", answer{503, header("Retry-After", "30"), openaiError("server_error", "", "The engine is currently overloaded, please try again later")},
			want{reason: classify.ReasonTransient, wait: 30 * time.Second}},
		{"slow down", answer{503, nil, openaiError("service_unavailable_error", "slow_down", "The model is currently under high load. Slow down.")},
			want{reason: classify.ReasonRateLimit, text: classify.ReasonTransient}},
		{"gateway timeout", answer{504, nil, openaiError("server_error", "", "Gateway timeout")},
			want{reason: classify.ReasonTimeout}},
		{"overloaded, of a gateway", answer{529, nil, openaiError("overloaded_error", "", "Overloaded")},
			want{reason: classify.ReasonTransient}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.want.status = tt.answer.status
			url, client := serve(t, tt.answer)
			check(t, callOpenAI(t.Context(), url, client), tt.want)

			// Repeat the call with a response header of the real API.
			tt.want.provider = "openai"
			url, client = serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Openai-Organization", "org-x")
				tt.answer.ServeHTTP(w, r)
			}))
			check(t, callOpenAI(t.Context(), url, client), tt.want)
		})
	}
}

// Some servers imitate the OpenAI API, but send other error bodies.
func TestOpenAICompatible(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		answer answer
		want   want
	}{
		{"a code that is a number", answer{429, nil, `{"error":{"code":429,"message":"Provider returned error","metadata":{"raw":"rate limited upstream","provider_name":"Acme"}}}`}, want{reason: classify.ReasonRateLimit}},
		{"no credits", answer{402, nil, `{"error":{"code":402,"message":"This request requires more credits, or fewer max_tokens."}}`}, want{reason: classify.ReasonBudgetExceeded}},
		{"context, without a code", answer{400, nil, `{"error":{"message":"the request exceeds the available context size (8192 tokens), try increasing it","type":"exceed_context_size_error","code":400,"n_prompt_tokens":9001,"n_ctx":8192}}`},
			want{reason: classify.ReasonContextOverflow, text: classify.ReasonInvalidRequest}},
		{"loading", answer{503, nil, `{"error":{"message":"Loading model","type":"unavailable_error","code":503}}`}, want{reason: classify.ReasonTransient}},
		{"another envelope", answer{422, nil, `{"detail":[{"loc":["body","messages"],"msg":"field required","type":"value_error.missing"}]}`}, want{reason: classify.ReasonInvalidRequest}},
		{"no body, 401", answer{status: 401}, want{reason: classify.ReasonAuthentication}},
		{"no body, 503", answer{status: 503}, want{reason: classify.ReasonTransient}},
		{"no body, 524", answer{status: 524}, want{reason: classify.ReasonTimeout}},
		{"a page, 502", errorPage(502), want{reason: classify.ReasonTransient}},
		{"a page, 504", errorPage(504), want{reason: classify.ReasonTimeout}},
		{"a page, 413", errorPage(413), want{reason: classify.ReasonInvalidRequest}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.want.status = tt.answer.status
			url, client := serve(t, tt.answer)
			check(t, callOpenAI(t.Context(), url, client), tt.want)
		})
	}
}

// An error event in a stream becomes an error without a response.
func TestOpenAIStream(t *testing.T) {
	t.Parallel()
	const chunk = `data: {"id":"c1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"so"}}]}`
	event := func(kind, code, message string) string { return "data: " + openaiError(kind, code, message) }
	for _, tt := range []struct {
		name   string
		answer http.Handler
		want   want
	}{
		{"server error", stream(chunk, event("server_error", "", "The server had an error processing your request.")), want{reason: classify.ReasonTransient}},
		{"rate limit", stream(chunk, event("tokens", "rate_limit_exceeded", "Rate limit reached for gpt-5 on tokens per min (TPM): Limit 30000, Used 29500, Requested 1200. Please try again in 1.4s.")), want{reason: classify.ReasonRateLimit, wait: 1400 * time.Millisecond, textWait: true}},
		{"insufficient quota", stream(event("insufficient_quota", "insufficient_quota", "You exceeded your current quota, please check your plan and billing details.")), want{reason: classify.ReasonBudgetExceeded}},
		{"context length", stream(event("invalid_request_error", "context_length_exceeded", "This model's maximum context length is 128000 tokens.")), want{reason: classify.ReasonContextOverflow}},
		{"content filter", stream(chunk, event("invalid_request_error", "content_filter", "The response was filtered")), want{reason: classify.ReasonPolicy}},
		{"key", stream(event("invalid_request_error", "invalid_api_key", "Incorrect API key provided")), want{reason: classify.ReasonAuthentication}},
		{"gateway, midstream", stream(chunk, `data: {"id":"c1","error":{"code":502,"message":"Provider disconnected unexpectedly"},"choices":[]}`), want{reason: classify.ReasonTransient, status: 502}},
		{"an event that is no JSON", stream(chunk, `data: {"id":`), want{reason: classify.ReasonParsing}},
		{"closed within an event", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = w.Write([]byte(chunk + "\n\ndata: {\"id"))
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}), want{reason: classify.ReasonNetwork}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			url, client := serve(t, tt.answer)
			check(t, streamOpenAI(t.Context(), url, client), tt.want)
		})
	}
}

// TestOpenAIErrorThatIsAString sends {"error":"..."}. The SDK then returns only a
// decoding error.
func TestOpenAIErrorThatIsAString(t *testing.T) {
	t.Parallel()
	url, client := serve(t, answer{401, nil, `{"error":"unauthorized"}`})
	check(t, callOpenAI(t.Context(), url, client), want{reason: classify.ReasonParsing})
}
