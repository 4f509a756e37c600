package classify_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errclass/errclass/classify"
)

// TestStatus checks the reason of every HTTP status in docs/specifications.md.
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
	unknown := classify.Result{Category: classify.CategoryFatal, Reason: classify.ReasonUnknown, Rule: "default", Confidence: 0.5}
	for _, status := range []int{600, 999, 1 << 40} {
		assert.Equal(t, unknown, classify.Standard.Classify(classify.Evidence{Status: status}), "status %d", status)
	}
	assert.Zero(t, classify.Standard.Classify(classify.Evidence{
		Status: 200, Body: []byte(`{"object":"chat.completion","choices":[{"message":{"content":"Error 429: rate_limit_error"}}]}`),
	}), "what a model wrote is no evidence")
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
		{"com.amazonaws.v2#ModelNotReadyException", classify.CategoryRetryable, classify.ReasonTransient, "aws/transient"},
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
