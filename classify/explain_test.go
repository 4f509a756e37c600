package classify_test

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
)

func ExampleClassifier_Explain() {
	const text = "network unreachable: HTTP 429 rate limit"
	x := classify.Minimal.Explain(classify.Evidence{Message: text})
	for _, s := range x.Signals {
		fmt.Printf("%-15s %-10s %q decided=%t\n", s.Rule, s.Reason, text[s.Start:s.End], s.Decided)
	}
	// Output:
	// 000/rate-limit  rate_limit "rate limit" decided=true
	// 000/429         rate_limit "429" decided=false
	// 000/network     network    "network" decided=false
}

func ExampleClassifier_Rules() {
	first := classify.Minimal.Rules()[0]
	fmt.Println(first.ID, first.Pattern, first.Reason, first.Category)
	// Output: 000/rate-limit (?i)rate.?limit rate_limit retryable
}

func TestRulesAreByPrecedence(t *testing.T) {
	t.Parallel()
	c, err := classify.New(classify.WithRules(classify.Rule{ID: "mine", Reason: classify.ReasonPolicy, Pattern: "boom"}))
	require.NoError(t, err)
	rules := c.Rules()
	require.Len(t, rules, 1+len(classify.Standard.Rules()))
	assert.Equal(t, classify.RuleInfo{
		ID: "mine", Pattern: "(?i)boom", Reason: classify.ReasonPolicy, Category: classify.CategoryFatal, Strength: "user",
	}, rules[0])
	seen := map[string]bool{}
	for _, r := range rules {
		assert.False(t, seen[r.ID], "rule %s stands twice", r.ID)
		seen[r.ID] = true
		_, err := regexp.Compile(r.Pattern)
		assert.NoError(t, err, r.ID)
		assert.Equal(t, r.Reason == "", r.Category == "", r.ID)
		assert.NotEmpty(t, r.ID)
	}
	rules[0].ID = "changed"
	assert.Equal(t, "mine", c.Rules()[0].ID, "the slice is the caller's")
}

func TestExplain(t *testing.T) {
	t.Parallel()
	t.Run("nothing failed", func(t *testing.T) {
		t.Parallel()
		assert.Equal(t, classify.Explanation{}, classify.Standard.Explain(classify.Evidence{}))
	})
	t.Run("nothing matched", func(t *testing.T) {
		t.Parallel()
		x := classify.Standard.Explain(classify.Evidence{Message: "zzz"})
		assert.Equal(t, classify.Standard.Message("zzz"), x.Result)
		assert.Empty(t, x.Signals)
	})
	t.Run("a user's rule beats and is told from what it beat", func(t *testing.T) {
		t.Parallel()
		c, err := classify.New(classify.WithBase(classify.Minimal),
			classify.WithRules(classify.Rule{ID: "mine", Reason: classify.ReasonPolicy, Pattern: "window"}))
		require.NoError(t, err)
		x := c.Explain(classify.Evidence{Message: "the context window"})
		require.Len(t, x.Signals, 2)
		assert.Equal(t, classify.Signal{
			Rule: "mine", Reason: classify.ReasonPolicy, Category: classify.CategoryFatal, Strength: "user",
			Source: "message", Start: 12, End: 18, Text: "window", Decided: true,
		}, x.Signals[0])
		assert.Equal(t, "000/context-window", x.Signals[1].Rule)
		assert.Equal(t, "mine", x.Signals[1].BeatenBy)
		assert.False(t, x.Signals[1].Decided)
	})
	t.Run("status and error text", func(t *testing.T) {
		t.Parallel()
		x := classify.Standard.Explain(classify.Evidence{Err: errors.New("boom"), Status: 503})
		require.NotEmpty(t, x.Signals)
		assert.Equal(t, "status", x.Signals[0].Source)
		assert.True(t, x.Signals[0].Decided)
		assert.Equal(t, -1, x.Signals[0].Start)
	})
	t.Run("the end of a long text keeps its place", func(t *testing.T) {
		t.Parallel()
		text := strings.Repeat("x", 200_000) + " Too Many Requests"
		x := classify.Standard.Explain(classify.Evidence{Message: text})
		require.NotEmpty(t, x.Signals)
		s := x.Signals[0]
		assert.Equal(t, "Too Many Requests", text[s.Start:s.End])
	})
}

// TestExplainAgrees holds Explain to Classify: the same result, the deciding
// rule first, and every span inside its text.
func TestExplainAgrees(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "429", "HTTP 503 Service Unavailable\x00\xff", "rate limit, context window, forbidden",
		"error 429: too many requests", strings.Repeat("status 500 ", 20_000),
	} {
		for _, c := range []*classify.Classifier{classify.Standard, classify.Minimal, classify.None} {
			x := c.Explain(classify.Evidence{Message: text})
			require.Equal(t, c.Classify(classify.Evidence{Message: text}), x.Result)
			for i, s := range x.Signals {
				require.Equal(t, i == 0, s.Decided)
				if s.Decided {
					require.Equal(t, x.Result.Rule, s.Rule)
				}
				require.LessOrEqual(t, s.End, len(text))
				require.Less(t, s.Start, s.End)
			}
		}
	}
}
