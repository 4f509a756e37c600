package compat_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/genai"

	"github.com/errclass/errclass/classify"
)

func genaiClient(ctx context.Context, url string, client *http.Client) (*genai.Client, error) {
	return genai.NewClient(ctx, &genai.ClientConfig{
		APIKey: "none", Backend: genai.BackendGeminiAPI, HTTPClient: client,
		HTTPOptions: genai.HTTPOptions{BaseURL: url}, // no RetryOptions: one attempt
	})
}

func callGenAI(ctx context.Context, url string, client *http.Client) error {
	c, err := genaiClient(ctx, url, client)
	if err != nil {
		return err
	}
	_, err = c.Models.GenerateContent(ctx, "gemini-2.5-pro", genai.Text("hello"), nil)
	return err
}

func streamGenAI(ctx context.Context, url string, client *http.Client) error {
	c, err := genaiClient(ctx, url, client)
	if err != nil {
		return err
	}
	for _, err := range c.Models.GenerateContentStream(ctx, "gemini-2.5-pro", genai.Text("hello"), nil) {
		if err != nil {
			return err
		}
	}
	return nil
}

func TestGenAITransport(t *testing.T) {
	t.Parallel()
	transportFailures(t, callGenAI)
	deadlineInBody(t, callGenAI)
	garbledAnswers(t, callGenAI)
}

func TestGenAIRequestTimeout(t *testing.T) {
	t.Parallel()
	url, client := serve(t, hang(false))
	c, err := genaiClient(t.Context(), url, client)
	require.NoError(t, err)
	timeout := shortDeadline
	_, err = c.Models.GenerateContent(t.Context(), "gemini-2.5-pro", genai.Text("hello"),
		&genai.GenerateContentConfig{HTTPOptions: &genai.HTTPOptions{Timeout: &timeout}})
	check(t, err, ownDeadline)
}

// These are details of google.rpc errors, in the JSON form of the API.
const (
	retryIn34s  = `{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.074824224s"}`
	perMinute   = `{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaMetric":"generativelanguage.googleapis.com/generate_content_paid_tier_input_token_count","quotaId":"GenerateContentPaidTierInputTokensPerModelPerMinute","quotaDimensions":{"location":"global","model":"gemini-2.5-pro"},"quotaValue":"2000000"}]}`
	perDay      = `{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaMetric":"generativelanguage.googleapis.com/generate_content_free_tier_requests","quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier","quotaValue":"50"}]}`
	zeroQuota   = `{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaMetric":"generativelanguage.googleapis.com/generate_content_free_tier_requests","quotaId":"GenerateRequestsPerMinutePerProjectPerModel-FreeTier","quotaValue":"0"}]}`
	keyInvalid  = `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com","metadata":{"service":"generativelanguage.googleapis.com"}}`
	apiDisabled = `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"SERVICE_DISABLED","domain":"googleapis.com","metadata":{"service":"generativelanguage.googleapis.com"}}`
)

// googleError returns the body of an error response of Google's APIs.
func googleError(status, number, message string, details ...string) string {
	list := ""
	for i, d := range details {
		if i > 0 {
			list += ","
		}
		list += d
	}
	return `{"error":{"code":` + number + `,"message":"` + message + `","status":"` + status + `","details":[` + list + `]}}`
}

// TestGenAIAnswers checks the documented errors
// (https://ai.google.dev/gemini-api/docs/troubleshooting and google.rpc.Code) and
// some known messages.
func TestGenAIAnswers(t *testing.T) {
	t.Parallel()
	const plan = "You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits."
	for _, tt := range []struct {
		name   string
		answer answer
		want   want
	}{
		{"argument", answer{400, nil, googleError("INVALID_ARGUMENT", "400", "Invalid JSON payload received. Unknown name 'contentz': Cannot find field.")},
			want{reason: classify.ReasonInvalidRequest}},
		{"too many tokens", answer{400, nil, googleError("INVALID_ARGUMENT", "400", "The input token count (1200334) exceeds the maximum number of tokens allowed (1048576).")},
			want{reason: classify.ReasonContextOverflow}},
		{"key", answer{400, nil, googleError("INVALID_ARGUMENT", "400", "API key not valid. Please pass a valid API key.", keyInvalid)},
			want{reason: classify.ReasonAuthentication, provider: "google"}},
		{"key has expired", answer{400, nil, googleError("INVALID_ARGUMENT", "400", "API key expired. Please renew the API key.", keyInvalid)},
			want{reason: classify.ReasonAuthentication, provider: "google"}},
		{"location", answer{400, nil, googleError("FAILED_PRECONDITION", "400", "User location is not supported for the API use.")},
			want{reason: classify.ReasonPolicy}},
		{"country, without billing", answer{400, nil, googleError("FAILED_PRECONDITION", "400", "Gemini API free tier is not available in your country. Please enable billing on your project in Google AI Studio.")},
			want{reason: classify.ReasonPolicy}},
		{"credentials", answer{401, nil, googleError("UNAUTHENTICATED", "401", "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.")},
			want{reason: classify.ReasonAuthentication}},
		{"permission", answer{403, nil, googleError("PERMISSION_DENIED", "403", "Permission denied on resource project x.")},
			want{reason: classify.ReasonAuthentication}},
		{"API disabled", answer{403, nil, googleError("PERMISSION_DENIED", "403", "Generative Language API has not been used in project 1 before or it is disabled.", apiDisabled)},
			want{reason: classify.ReasonAuthentication, provider: "google"}},
		{"no such model", answer{404, nil, googleError("NOT_FOUND", "404", "models/gemini-9 is not found for API version v1beta, or is not supported for generateContent.")},
			want{reason: classify.ReasonInvalidRequest}},
		{"quota of a minute", answer{429, nil, googleError("RESOURCE_EXHAUSTED", "429", plan, perMinute, retryIn34s)},
			want{reason: classify.ReasonRateLimit, wait: 34*time.Second + 74824*time.Microsecond, textWait: true}},
		{"quota of a day", answer{429, nil, googleError("RESOURCE_EXHAUSTED", "429", plan, perDay, retryIn34s)},
			want{reason: classify.ReasonBudgetExceeded, wait: 34*time.Second + 74824*time.Microsecond, textWait: true}},
		{"a quota of 0", answer{429, nil, googleError("RESOURCE_EXHAUSTED", "429", plan, zeroQuota)},
			want{reason: classify.ReasonBudgetExceeded}},
		{"resource exhausted", answer{429, nil, googleError("RESOURCE_EXHAUSTED", "429", "Resource has been exhausted (e.g. check quota).")},
			want{reason: classify.ReasonRateLimit}},
		{"cancelled by the client", answer{499, nil, googleError("CANCELLED", "499", "The operation was cancelled.")},
			want{reason: classify.ReasonAborted}},
		{"internal", answer{500, nil, googleError("INTERNAL", "500", "An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting")},
			want{reason: classify.ReasonTransient}},
		{"a gateway's 500 around a bad key", answer{500, nil, googleError("INTERNAL", "500", "upstream: API key not valid. Please pass a valid API key.")},
			want{reason: classify.ReasonAuthentication}},
		{"overloaded", answer{503, nil, googleError("UNAVAILABLE", "503", "The model is overloaded. Please try again later.")},
			want{reason: classify.ReasonTransient}},
		{"deadline", answer{504, nil, googleError("DEADLINE_EXCEEDED", "504", "Deadline expired before operation could complete.")},
			want{reason: classify.ReasonTimeout}},
		{"a page, 413", errorPage(413), want{reason: classify.ReasonInvalidRequest}},
		{"a page, 502", errorPage(502), want{reason: classify.ReasonTransient}},
		{"a page, 503", errorPage(503), want{reason: classify.ReasonTransient}},
		{"a page, 504", errorPage(504), want{reason: classify.ReasonTimeout}},
		{"no body, 401", answer{status: 401}, want{reason: classify.ReasonAuthentication}},
		{"no body, 402", answer{status: 402}, want{reason: classify.ReasonBudgetExceeded}},
		{"no body, 408", answer{status: 408}, want{reason: classify.ReasonTimeout}},
		{"no body, 429", answer{status: 429}, want{reason: classify.ReasonRateLimit}},
		{"no body, 529", answer{status: 529}, want{reason: classify.ReasonTransient}},
		{"another envelope", answer{503, nil, `{"message":"no healthy upstream"}`}, want{reason: classify.ReasonTransient}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.want.status = tt.answer.status
			url, client := serve(t, tt.answer)
			check(t, callGenAI(t.Context(), url, client), tt.want)
			check(t, streamGenAI(t.Context(), url, client), tt.want) // the response is not a stream
		})
	}
}

func TestGenAIStream(t *testing.T) {
	t.Parallel()
	const chunk = `data: {"candidates":[{"content":{"role":"model","parts":[{"text":"so"}]}}]}`
	for _, tt := range []struct {
		name   string
		answer http.Handler
		want   want
	}{
		{"overloaded", stream(chunk, "data: "+googleError("UNAVAILABLE", "503", "The model is overloaded. Please try again later.")),
			want{reason: classify.ReasonTransient, status: 503}},
		{"rate limit", stream(chunk, "data: "+googleError("RESOURCE_EXHAUSTED", "429", "Resource has been exhausted (e.g. check quota).", perMinute)),
			want{reason: classify.ReasonRateLimit, status: 429}},
		{"an error without data:", stream(chunk, googleError("INTERNAL", "500", "An internal error has occurred.")),
			want{reason: classify.ReasonTransient, status: 500}},
		{"an event that is no JSON", stream(chunk, `data: {"candidates":`), want{reason: classify.ReasonParsing}},
		{"no event", stream(chunk, "so it goes"), want{reason: classify.ReasonParsing}},
		{"closed within an event", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = w.Write([]byte(chunk + "\n\ndata: {\"candi"))
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}), want{reason: classify.ReasonParsing}}, // the SDK parses the truncated event before it checks for the read error
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			url, client := serve(t, tt.answer)
			check(t, streamGenAI(t.Context(), url, client), tt.want)
		})
	}
}
