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
		// A package that genai's credentials import starts it in its init.
		goleak.IgnoreTopFunction("go.opencensus.io/stats/view.(*worker).start"))
}

// want is what classify has to say about the error of a client.
type want struct {
	reason   classify.Reason
	category classify.Category // "" = the reason's own
	status   int               // 0 = the client has none; the text may name one
	wait     time.Duration     // 0 = no hint, unless zeroWait
	zeroWait bool              // a hint of 0: call again at once
	derived  bool              // the hint is computed from a reset header
	textWait bool              // the text names the wait too
	provider string            // "" = the client does not say; the text may name one
	// text is the reason that the error's text alone has to give; "" = the
	// same. Another one stands only where the text does not carry the fact,
	// with the text or the cause in a comment.
	text classify.Reason
}

// ownDeadline is what ends a call that this program gave too little time for.
// In text nobody can tell whose deadline it was.
var ownDeadline = want{reason: classify.ReasonTimeout, category: classify.CategoryTimeout}

// check classifies err as programs pass it on: bare, wrapped, and joined with
// other errors; then as its text alone.
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

// checkTyped holds classify to every field that want has.
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

// describe puts a result into one line, which reads well where it differs.
func describe(r classify.Result) string {
	s := fmt.Sprintf("%s/%s status=%d provider=%s", r.Category, r.Reason, r.Status, r.Provider)
	if r.HasRetryAfter {
		s += fmt.Sprintf(" wait=%s derived=%t", r.RetryAfter, r.Derived)
	}
	return s
}

// String is what describe says of a result that is as wanted.
func (w want) String() string {
	return describe(classify.Result{
		Category: w.category, Reason: w.reason, Status: w.status, Provider: w.provider,
		RetryAfter: w.wait, HasRetryAfter: w.wait > 0 || w.zeroWait, Derived: w.derived,
	})
}

// checkText holds the text to the reason. What else it tells may be less than
// what the types tell, but nothing else.
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
