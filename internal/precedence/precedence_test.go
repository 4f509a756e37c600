package precedence_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/precedence"
)

func TestReplaces(t *testing.T) {
	t.Parallel()
	var none classify.Result
	rule := classify.Result{Category: classify.CategoryRetryable, Reason: classify.ReasonNetwork, Rule: "text/reset"}
	model := classify.Result{Category: classify.CategoryFatal, Reason: classify.ReasonPolicy, Rule: classify.RuleModel}
	unknown := classify.Result{Category: classify.CategoryFatal, Reason: classify.ReasonUnknown, Rule: "default"}
	assert.True(t, precedence.Known(&rule))
	for _, r := range []*classify.Result{&none, &model, &unknown} {
		assert.False(t, precedence.Known(r))
		assert.True(t, precedence.Replaces(&rule, r))
		assert.True(t, precedence.Replaces(r, &none))
		assert.False(t, precedence.Replaces(r, &model))
	}
	assert.True(t, precedence.Replaces(&model, &unknown))
	assert.False(t, precedence.Replaces(&unknown, &unknown))
}
