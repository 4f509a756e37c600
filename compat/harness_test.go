package compat_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/errclass/errclass/classify"
)

func TestMain(m *testing.M) {
	if actAsChild() {
		return
	}
	goleak.VerifyTestMain(m,
		// An init function in a dependency of genai starts this goroutine.
		goleak.IgnoreTopFunction("go.opencensus.io/stats/view.(*worker).start"))
}

// want is the expected result for a client's error.
type want struct {
	reason   classify.Reason
	category classify.Category // "" = the category of the reason
	status   int               // 0 = no status, except perhaps in the text
	wait     time.Duration     // retry-after time; 0 = none, unless zeroWait is set
	zeroWait bool              // the retry-after time is 0: call again at once
	derived  bool              // the retry-after time is computed from a reset header
	textWait bool              // the text names the retry-after time too
	provider string            // "" = no provider, except perhaps in the text
	// text is the expected reason if only the error's text is classified. Set text only
	// if this reason differs from the field reason, and say why in a comment.
	text classify.Reason
}

// ownDeadline is the expected result when this program's own deadline has passed.
var ownDeadline = want{reason: classify.ReasonTimeout, category: classify.CategoryTimeout}

// check classifies err alone, in wrappers, joined with other errors, and as text.
func check(t *testing.T, err error, want want) {
	t.Helper()
	require.Error(t, err)
	if want.category == "" {
		want.category = want.reason.Policy().Category
	}
	for form, err := range map[string]error{
		"bare":         err,
		"wrapped":      fmt.Errorf("refresh the summary: %w", fmt.Errorf("call: %w", err)),
		"joined first": errors.Join(err, errors.New("two more items were left alone")),
		"joined last":  errors.Join(errors.New("the first item was left alone"), err),
	} {
		checkTyped(t, form, err, want)
	}
	checkText(t, err.Error(), want)
	checkText(t, "refresh the summary: call: "+err.Error(), want)
}

// checkTyped compares every field of the result with want.
func checkTyped(t *testing.T, form string, err error, want want) {
	t.Helper()
	got := classify.Error(err)
	if want.status == 0 {
		got.Status = 0
	}
	if want.provider == "" {
		got.Provider = ""
	}
	assert.Equal(t, want.String(), describe(got), "%s: rule %s of %T: %v", form, got.Rule, err, err)
}

// describe formats a result as one line.
func describe(r classify.Result) string {
	s := fmt.Sprintf("%s/%s status=%d provider=%s", r.Category, r.Reason, r.Status, r.Provider)
	if r.HasRetryAfter {
		s += fmt.Sprintf(" wait=%s derived=%t", r.RetryAfter, r.Derived)
	}
	return s
}

// String formats w like describe.
func (w want) String() string {
	return describe(classify.Result{
		Category: w.category, Reason: w.reason, Status: w.status, Provider: w.provider,
		RetryAfter: w.wait, HasRetryAfter: w.wait > 0 || w.zeroWait, Derived: w.derived,
	})
}

// checkText compares the reason of the text with want. Other fields may be empty, but
// must not contradict want.
func checkText(t *testing.T, text string, want want) {
	t.Helper()
	reason := want.text
	if reason == "" {
		reason = want.reason
	}
	got := classify.Message(text)
	of := fmt.Sprintf("text, rule %s: %s", got.Rule, text)
	assert.Equal(t, fmt.Sprint(reason.Policy().Category, "/", reason), fmt.Sprint(got.Category, "/", got.Reason), of)
	if got.Status != 0 && want.status != 0 {
		assert.Equal(t, want.status, got.Status, "status, %s", of)
	}
	if got.Provider != "" && want.provider != "" {
		assert.Equal(t, want.provider, got.Provider, "provider, %s", of)
	}
	if want.textWait {
		assert.Equal(t, want.wait, got.RetryAfter, "wait, %s", of)
	}
	assert.LessOrEqual(t, got.RetryAfter, want.wait, "wait, %s", of)
}
