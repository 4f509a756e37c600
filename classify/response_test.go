package classify_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errclass/errclass/classify"
)

// TestStatus holds every HTTP status to ruling 7, which completes the tables of
// seed 001 (classifyHTTPStatus and the SDKs' status switches) and seed 003
// (IsRetryableStatusCode).
func TestStatus(t *testing.T) {
	t.Parallel()
	want := map[int]classify.Reason{
		401: classify.ReasonAuthentication, 402: classify.ReasonBudgetExceeded, 403: classify.ReasonAuthentication,
		407: classify.ReasonAuthentication, 408: classify.ReasonTimeout, 421: classify.ReasonTransient,
		423: classify.ReasonTransient, 425: classify.ReasonTransient, 429: classify.ReasonRateLimit,
		451: classify.ReasonPolicy, 499: classify.ReasonAborted,
		504: classify.ReasonTimeout, 507: classify.ReasonResource, 524: classify.ReasonTimeout,
		525: classify.ReasonNetworkPermanent, 526: classify.ReasonNetworkPermanent,
	}
	for status := 400; status <= 599; status++ {
		reason, ok := want[status]
		switch {
		case ok:
		case status < 500:
			reason = classify.ReasonInvalidRequest
		default:
			reason = classify.ReasonTransient
		}
		got := classify.Standard.Classify(classify.Evidence{Status: status})
		assert.Equal(t, reason, got.Reason, "status %d", status)
		assert.Equal(t, reason.Policy().Category, got.Category, "status %d", status)
		assert.Equal(t, status, got.Status)
		assert.Equal(t, "http/"+string([]byte{byte('0' + status/100), byte('0' + status/10%10), byte('0' + status%10)}), got.Rule)
	}
}

func TestStatusThatIsNoFailure(t *testing.T) {
	t.Parallel()
	for _, status := range []int{-1, 0, 100, 200, 204, 304, 399} {
		assert.Zero(t, classify.Standard.Classify(classify.Evidence{Status: status}), "status %d", status)
	}
	unknown := classify.Result{Category: classify.CategoryFatal, Reason: classify.ReasonUnknown, Rule: "default"}
	for _, status := range []int{600, 999, 1 << 40} {
		assert.Equal(t, unknown, classify.Standard.Classify(classify.Evidence{Status: status}), "status %d", status)
	}
	assert.Zero(t, classify.Standard.Classify(classify.Evidence{
		Status: 200, Body: []byte(`{"object":"chat.completion","choices":[{"message":{"content":"Error 429: rate_limit_error"}}]}`),
	}), "what a model wrote is no evidence")
}

// TestProviderTables has a row for every row of the tables of seed 001, as
// the rulings on its conflicts read it.
func TestProviderTables(t *testing.T) {
	t.Parallel()
	body := func(s string) classify.Evidence { return classify.Evidence{Body: []byte(s)} }
	claude := func(kind, message string) classify.Evidence {
		return body(`{"type":"error","error":{"type":"` + kind + `","message":"` + message + `"}}`)
	}
	openai := func(code, kind, message string) classify.Evidence {
		return body(`{"error":{"message":"` + message + `","type":"` + kind + `","param":null,"code":"` + code + `"}}`)
	}
	kind := func(name string) classify.Evidence { return classify.Evidence{Type: name} }
	text := func(s string) classify.Evidence { return classify.Evidence{Message: s} }
	tests := []struct {
		name string
		e    classify.Evidence
		want classify.Reason
	}{
		// Claude, error.type
		{"claude rate_limit_error", claude("rate_limit_error", "No."), classify.ReasonRateLimit},
		{"claude authentication_error", claude("authentication_error", "No."), classify.ReasonAuthentication},
		{"claude invalid_request_error", claude("invalid_request_error", "No."), classify.ReasonInvalidRequest},
		{"claude permission_error, ruling 3", claude("permission_error", "Your API key may not use this."), classify.ReasonAuthentication},
		{"claude permission_error of safety", claude("permission_error", "Your request was flagged by our safety system."), classify.ReasonPolicy},
		{"claude permission_error of content policy", claude("permission_error", "This is against the content policy."), classify.ReasonPolicy},
		{"claude permission_error of usage policy", claude("permission_error", "This violates our usage policy."), classify.ReasonPolicy},
		{"claude permission_error with 403", classify.Evidence{Status: 403, Body: []byte(`{"error":{"type":"permission_error","message":"Your request was flagged by our safety system."}}`)}, classify.ReasonPolicy},
		// Claude, message
		{"claude timeout", claude("", "The request ran into a timeout."), classify.ReasonTimeout},
		{"claude timed out", claude("", "The request timed out."), classify.ReasonTimeout},
		{"claude overloaded", claude("", "We are overloaded."), classify.ReasonTransient},
		{"claude capacity", claude("", "We are at capacity."), classify.ReasonTransient},
		{"claude safety", claude("", "Stopped for safety."), classify.ReasonPolicy},
		{"claude content policy", claude("", "This is against our content policy."), classify.ReasonPolicy},
		// Claude, example responses
		{"claude example 1", body(`{"error":{"type":"rate_limit_error","message":"Rate limit exceeded. Please wait before making another request."}}`), classify.ReasonRateLimit},
		{"claude example 2", body(`{"error":{"type":"authentication_error","message":"Invalid API key provided."}}`), classify.ReasonAuthentication},
		{"claude example 3", body(`{"error":{"type":"invalid_request_error","message":"max_tokens must be at least 1."}}`), classify.ReasonInvalidRequest},
		{"claude example 4", body(`{"error":{"type":"permission_error","message":"Your request was flagged by our safety system."}}`), classify.ReasonPolicy},
		// OpenAI, error.code
		{"openai rate_limit_exceeded", openai("rate_limit_exceeded", "", "No."), classify.ReasonRateLimit},
		{"openai invalid_api_key", openai("invalid_api_key", "", "No."), classify.ReasonAuthentication},
		{"openai model_not_found", openai("model_not_found", "", "No."), classify.ReasonInvalidRequest},
		{"openai context_length_exceeded, its own reason", openai("context_length_exceeded", "", "No."), classify.ReasonContextOverflow},
		{"openai content_filter", openai("content_filter", "", "No."), classify.ReasonPolicy},
		{"openai server_error", openai("server_error", "", "No."), classify.ReasonTransient},
		// OpenAI, class names
		{"APIConnectionError, ruling 6", kind("APIConnectionError"), classify.ReasonNetwork},
		{"AuthenticationError", kind("AuthenticationError"), classify.ReasonAuthentication},
		{"RateLimitError", kind("RateLimitError"), classify.ReasonRateLimit},
		{"BadRequestError", kind("BadRequestError"), classify.ReasonInvalidRequest},
		{"InternalServerError", kind("InternalServerError"), classify.ReasonTransient},
		{"class with its module", kind("openai.RateLimitError"), classify.ReasonRateLimit},
		// OpenAI, example responses
		{"openai example 1", openai("rate_limit_exceeded", "rate_limit_exceeded", "Rate limit reached for gpt-4 in organization org-xxx"), classify.ReasonRateLimit},
		{"openai example 2", openai("invalid_api_key", "invalid_request_error", "Incorrect API key provided"), classify.ReasonAuthentication},
		{"openai example 3", openai("model_not_found", "invalid_request_error", "The model 'gpt-5' does not exist"), classify.ReasonInvalidRequest},
		{"openai example 4", openai("content_filter", "invalid_request_error", "The content was filtered due to policy violations"), classify.ReasonPolicy},
		// Network errors
		{"ETIMEDOUT", kind("ETIMEDOUT"), classify.ReasonTimeout},
		{"ESOCKETTIMEDOUT", kind("ESOCKETTIMEDOUT"), classify.ReasonTimeout},
		{"ECONNABORTED", kind("ECONNABORTED"), classify.ReasonTimeout},
		{"message timeout", text("timeout"), classify.ReasonTimeout},
		{"message timed out", text("It timed out"), classify.ReasonTimeout},
		{"ECONNREFUSED, seed 004", kind("ECONNREFUSED"), classify.ReasonNetwork},
		{"ECONNRESET", kind("ECONNRESET"), classify.ReasonNetwork},
		{"EHOSTUNREACH", kind("EHOSTUNREACH"), classify.ReasonNetwork},
		{"ENETUNREACH", kind("ENETUNREACH"), classify.ReasonNetwork},
		{"ENOTFOUND, ruling 4", kind("ENOTFOUND"), classify.ReasonNetworkPermanent},
		{"EADDRNOTAVAIL, ruling 6", kind("EADDRNOTAVAIL"), classify.ReasonResource},
		// Parsing errors
		{"json", text("This is no JSON"), classify.ReasonParsing},
		{"parse", text("I cannot parse it"), classify.ReasonParsing},
		{"unexpected token", text("Unexpected token"), classify.ReasonParsing},
		{"unexpected end", text("Unexpected end"), classify.ReasonParsing},
		{"schema validation", text("It failed schema validation"), classify.ReasonParsing},
		{"zod", text("zod says no"), classify.ReasonParsing},
		// Unit tests of the specification
		{"claude 429", classify.Evidence{Status: 429, Message: "Rate limit exceeded", Provider: "claude"}, classify.ReasonRateLimit},
		{"openai ETIMEDOUT", classify.Evidence{Type: "ETIMEDOUT", Message: "Request timed out", Provider: "openai"}, classify.ReasonTimeout},
		// Seed 003
		{"prompt too long with an opaque 500", classify.Evidence{Status: 500, Body: []byte(`{"error":{"code":"context_length_exceeded"}}`)}, classify.ReasonContextOverflow},
		{"overloaded 529", classify.Evidence{Status: 529, Body: []byte(`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`)}, classify.ReasonTransient},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := classify.Standard.Classify(tt.e)
			assert.Equal(t, tt.want, got.Reason, "rule %s", got.Rule)
			assert.Equal(t, tt.want.Policy().Category, got.Category)
			assert.Equal(t, tt.e.Provider, got.Provider)
		})
	}
}

func TestType(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		category classify.Category
		reason   classify.Reason
		rule     string
	}{
		{"context.deadlineExceededError", classify.CategoryTimeout, classify.ReasonTimeout, "type/context.DeadlineExceeded"},
		{"context.DeadlineExceeded", classify.CategoryTimeout, classify.ReasonTimeout, "type/context.DeadlineExceeded"},
		{"*poll.DeadlineExceededError", classify.CategoryTimeout, classify.ReasonTimeout, "type/context.DeadlineExceeded"},
		{"context.Canceled", classify.CategoryAborted, classify.ReasonAborted, "type/context.Canceled"},
		{"*errors.errorString", classify.CategoryFatal, classify.ReasonUnknown, "default"},
		{"*fmt.wrapError", classify.CategoryFatal, classify.ReasonUnknown, "default"},
		{"*errors.joinError", classify.CategoryFatal, classify.ReasonUnknown, "default"},
		{"_OTHER", classify.CategoryFatal, classify.ReasonUnknown, "default"},
		{"429", classify.CategoryRetryable, classify.ReasonRateLimit, "http/429"},
		{"200", classify.CategoryFatal, classify.ReasonUnknown, "default"},
		{"UNAVAILABLE", classify.CategoryRetryable, classify.ReasonTransient, "code/unavailable"},
		{"com.amazonaws.v2#ModelNotReadyException", classify.CategoryRetryable, classify.ReasonTransient, "code/modelnotreadyexception"},
		{"timeout", classify.CategoryRetryable, classify.ReasonTimeout, "code/timeout"},
		{"insufficient_quota", classify.CategoryFatal, classify.ReasonBudgetExceeded, "code/insufficient-quota"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := classify.Standard.Classify(classify.Evidence{Type: tt.name})
			assert.Equal(t, tt.category, got.Category)
			assert.Equal(t, tt.reason, got.Reason)
			assert.Equal(t, tt.rule, got.Rule)
		})
	}
	got := classify.Standard.Classify(classify.Evidence{Type: "context.deadlineExceededError", Status: 429, Message: "HTTP 401"})
	assert.Equal(t, classify.CategoryTimeout, got.Category, "the own deadline is looked at before a peer's word")
}
