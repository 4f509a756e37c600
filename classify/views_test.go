package classify_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errclass/errclass/classify"
)

func TestResultName(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name                              string
		res                               classify.Result
		provider, diagnostics, resilience string
	}{
		{"no error", classify.Result{}, "", "", ""},
		{"as its reason", classify.Message("Too Many Requests"), "rate_limit", "rate_limit", "ProviderRateLimit"},
		{"nothing known", classify.Message(""), "unknown", "unknown", "LogicError"},
		{"connection error of an SDK", classify.Message("openai.APIConnectionError: Connection error."), "timeout", "network", "NetworkTransient"},
		{
			"no address left",
			classify.Result{Category: classify.CategoryFatal, Reason: classify.ReasonResource, Rule: "errno/EADDRNOTAVAIL"},
			"invalid_request", "unknown", "LogicError",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.provider, tt.res.Name(classify.ViewProvider))
			assert.Equal(t, tt.diagnostics, tt.res.Name(classify.ViewDiagnostics))
			assert.Equal(t, tt.resilience, tt.res.Name(classify.ViewResilience))
		})
	}
}

func TestResultPolicy(t *testing.T) {
	t.Parallel()
	assert.Equal(t, classify.Policy{}, classify.Result{}.Policy())
	assert.Equal(t, 1, classify.Result{}.Policy().Calls())
	for _, r := range classify.Reasons() {
		res := classify.Result{Category: r.Policy().Category, Reason: r}
		assert.Equal(t, r.Policy(), res.Policy(), r)
	}
	own := classify.Error(fmt.Errorf("ask: %w", classify.ErrBudgetExceeded)).Policy()
	assert.Equal(t, classify.FallbackNo, own.Fallback, "another provider costs money too")
	theirs := classify.Standard.Classify(classify.Evidence{Err: errors.New("so it goes"), Status: 402}).Policy()
	assert.Equal(t, classify.FallbackOptional, theirs.Fallback)
}
