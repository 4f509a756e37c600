package classify_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"regexp"
	"strings"
	"syscall"
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
	t.Run("a rule that only the last try matches has a source", func(t *testing.T) {
		t.Parallel()
		// In this text, the last attempt begins after "finally:". The ^ of a rule also
		// matches there.
		x := classify.Standard.Explain(classify.Evidence{Message: "HTTP 503, finally: 401"})
		require.NotEmpty(t, x.Signals)
		assert.Equal(t, x.Result.Rule, x.Signals[0].Rule)
		assert.Equal(t, "message", x.Signals[0].Source, x.Signals[0].Rule)
		assert.Equal(t, "code", x.Signals[0].Strength)
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

// TestExplainSources checks the sources of signals from typed errors, headers and
// bodies.
func TestExplainSources(t *testing.T) {
	t.Parallel()
	type found struct{ Rule, Source, Text string }
	for _, tt := range []struct {
		name string
		e    classify.Evidence
		want []found // the signal that decides comes first
	}{
		{
			"a fact of the chain, and its text", classify.Evidence{Err: fmt.Errorf("ask: %w", &net.OpError{Op: "read", Err: syscall.ECONNRESET})},
			[]found{{"errno/ECONNRESET", "error", ""}, {"errno/reset", "error", "connection reset"}, {"net/op", "error", ""}},
		},
		{
			"a body", classify.Evidence{Status: 429, Body: []byte(`{"error":{"code":"insufficient_quota","message":"You have \u0022no\u0022 credits left"}}`)},
			[]found{{"code/insufficient-quota", "body", "insufficient_quota"}, {"http/429", "status", ""}},
		},
		{
			"a header", classify.Evidence{Status: 403, Header: map[string][]string{"X-RateLimit-Remaining": {"0"}, "X-RateLimit-Reset": {"17"}}},
			[]found{{"header/ratelimit-remaining", "header", ""}, {"http/403", "status", ""}},
		},
		{
			"a type", classify.Evidence{Type: "RateLimitError", Message: "HTTP 503"},
			[]found{{"code/rate-limit-class", "type", "RateLimitError"}, {"http/503", "message", "HTTP 503"}},
		},
		{
			"the own deadline ends the search", classify.Evidence{Err: context.DeadlineExceeded, Message: "HTTP 503"},
			[]found{{"context/deadline-exceeded", "error", ""}},
		},
		{
			"a spent budget of a long wait", classify.Evidence{Message: "HTTP 429: try again in 2 hours"},
			[]found{{"http/429+long-wait", "message", "HTTP 429:"}, {"hint/retry-after", "message", "again in"}},
		},
		{
			"the last try", classify.Evidence{Message: "attempt 1: HTTP 401, attempt 2: HTTP 503"},
			[]found{{"http/503", "message", "HTTP 503"}, {"http/401", "message", "HTTP 401,"}, {"log/attempt", "message", "attempt 1"}},
		},
		{
			"what stands outside of frames", classify.Evidence{Message: "x\n    at timeout (/srv/a.js:1:2)\nTimed out."},
			[]found{{"timeout/timed-out", "message", "Timed out"}},
		},
		{
			"the frame that is all", classify.Evidence{Message: "    at FastTimer.onParserTimeout (node:a:1:2)\n    at f (node:b:1:2)"},
			[]found{{"timeout/class", "message", "onParserTimeout"}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			x := classify.Standard.Explain(tt.e)
			var got []found
			for i, s := range x.Signals {
				got = append(got, found{s.Rule, s.Source, s.Text})
				assert.Equal(t, i == 0, s.Decided)
				assert.NotEmpty(t, s.Strength+s.Rule)
			}
			assert.Subset(t, got, tt.want)
			require.NotEmpty(t, got)
			assert.Equal(t, tt.want[0], got[0])
			assert.Equal(t, x.Result.Rule, got[0].Rule)
		})
	}
}

// TestExplainPlacesBodies checks that Start and End are offsets in the body itself.
func TestExplainPlacesBodies(t *testing.T) {
	t.Parallel()
	const body = `{"error":{"message":"insufficient_quota","hint":"a"}}`
	s := classify.Standard.Explain(classify.Evidence{Body: []byte(body)}).Signals[0]
	assert.Equal(t, "insufficient_quota", body[s.Start:s.End])
	const escaped = `{"error":{"message":"invalid api\u0020key"}}`
	s = classify.Standard.Explain(classify.Evidence{Body: []byte(escaped)}).Signals[0]
	assert.Equal(t, "invalid api key", s.Text)
	assert.Equal(t, []int{-1, -1}, []int{s.Start, s.End}, "it does not stand so in the body")
}

// TestExplainAgrees checks that Explain and Classify have equal results. The
// deciding rule must be first.
func TestExplainAgrees(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "429", "HTTP 503 Service Unavailable\x00\xff", "rate limit, context window, forbidden",
		"error 429: too many requests", strings.Repeat("status 500 ", 20_000),
		"attempt 1: HTTP 401\nattempt 2: HTTP 503", "HTTP 404: ECONNRESET", "HTTP 502: permission denied", "HTTP 429: try again in 2 days",
		"Error: x\n    at timeout (/srv/a.js:1:2)", "attempt 1: x\nattempt 2: EOF\nattempt 3: x",
	} {
		for _, c := range []*classify.Classifier{classify.Standard, classify.Minimal, classify.None} {
			x := c.Explain(classify.Evidence{Message: text})
			require.Equal(t, c.Classify(classify.Evidence{Message: text}), x.Result)
			for i, s := range x.Signals {
				require.Equal(t, i == 0, s.Decided)
				if s.Decided {
					require.Equal(t, x.Result.Rule, s.Rule)
				}
				if s.Rule == classify.RuleModel {
					require.Equal(t, -1, s.Start, "the model has no place in the text")
					continue
				}
				require.LessOrEqual(t, s.End, len(text))
				require.Less(t, s.Start, s.End)
				require.Equal(t, text[s.Start:s.End], s.Text)
			}
		}
	}
}
