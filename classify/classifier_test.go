package classify_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
)

// rulesAlone is like Standard, but has no model. It is for tests of rules.
var rulesAlone = func() *classify.Classifier {
	c, err := classify.New(classify.WithModel(false))
	if err != nil {
		panic(err)
	}
	return c
}()

func TestNewPanickedOnNilOptionAndOnZeroBase(t *testing.T) {
	t.Parallel()
	c, err := classify.New(nil, classify.WithBase(nil), classify.WithBase(new(classify.Classifier)))
	require.NoError(t, err)
	assert.Equal(t, classify.Message("HTTP 429"), c.Message("HTTP 429"))
}

func TestMaxBytesLostTheLastOfAnOddNumber(t *testing.T) {
	t.Parallel()
	rule := classify.Rule{ID: "x", Reason: classify.ReasonPolicy, Pattern: `x`}
	for _, n := range []int{1, 3} {
		c, err := classify.New(classify.WithBase(classify.None), classify.WithRules(rule), classify.WithMaxBytes(n))
		require.NoError(t, err)
		half := strings.Repeat("-", n/2)
		text := strings.Repeat("-", 10) + "x" + half // the last n/2+1 bytes begin with x
		assert.Equal(t, classify.ReasonPolicy, c.Message(text).Reason, "%d bytes of %q", n, text)
		assert.Equal(t, classify.ReasonPolicy, c.Explain(classify.Evidence{Message: text}).Result.Reason, "%d bytes of %q", n, text)
		assert.Len(t, c.Explain(classify.Evidence{Message: text}).Signals, 1, "%d bytes of %q", n, text)
	}
}

func TestWithRulesFollowedTheCallersSlice(t *testing.T) {
	t.Parallel()
	rules := []classify.Rule{{ID: "x", Reason: classify.ReasonPolicy, Pattern: `x`}}
	option := classify.WithRules(rules...)
	rules[0] = classify.Rule{}
	c, err := classify.New(option)
	require.NoError(t, err)
	assert.Equal(t, "x", c.Message("x").Rule)
}

// A classifier with its own limits or rules must not use the cache of its base.
func TestMemoryIsNotSharedWithTheBase(t *testing.T) {
	t.Parallel()
	const text = "------------------ HTTP 429 ------------------"
	require.Equal(t, classify.ReasonRateLimit, classify.Message(text).Reason)
	short, err := classify.New(classify.WithMaxBytes(10))
	require.NoError(t, err)
	own, err := classify.New(classify.WithRules(classify.Rule{ID: "x", Reason: classify.ReasonPolicy, Pattern: `-{9}`}))
	require.NoError(t, err)
	for range 2 {
		assert.Equal(t, classify.ReasonUnknown, short.Message(text).Reason)
		assert.Equal(t, classify.ReasonPolicy, own.Message(text).Reason)
		assert.Equal(t, classify.ReasonRateLimit, classify.Message(text).Reason)
	}
}

// BenchmarkHugeText measures a text that is far longer than the limit.
func BenchmarkHugeText(b *testing.B) {
	text := strings.Repeat("x", 100<<20) + " HTTP 429"
	b.ReportAllocs()
	for b.Loop() {
		classify.Message(text)
	}
}

// TestUserRuleIsNotVetoed checks that a standard rule cannot veto a user's rule.
func TestUserRuleIsNotVetoed(t *testing.T) {
	t.Parallel()
	const text = "src/a.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'."
	require.Equal(t, classify.ReasonLogic, classify.Message(text).Reason)
	c, err := classify.New(classify.WithRules(classify.Rule{ID: "own", Reason: classify.ReasonTransient, Pattern: "TS2322"}))
	require.NoError(t, err)
	assert.Equal(t, "own", c.Message(text).Rule)
}

// TestFirstUserRuleWinsAcrossTexts matches user rules in different texts. The first
// rule in the list must decide.
func TestFirstUserRuleWinsAcrossTexts(t *testing.T) {
	t.Parallel()
	reasons := []classify.Reason{classify.ReasonRateLimit, classify.ReasonAuthentication, classify.ReasonRateLimit}
	for i := range 2 {
		c, err := classify.New(classify.WithRules(
			classify.Rule{ID: "first", Reason: reasons[i], Pattern: "so it goes"},
			classify.Rule{ID: "second", Reason: reasons[i+1], Pattern: "poo-tee-weet"},
		))
		require.NoError(t, err)
		for _, e := range []classify.Evidence{
			{Err: errors.New("so it goes"), Message: "poo-tee-weet"},
			{Err: errors.New("poo-tee-weet"), Message: "so it goes"},
			{Type: "poo-tee-weet", Status: 401, Body: []byte("so it goes")},
		} {
			assert.Equal(t, "first", c.Classify(e).Rule, "%+v", e)
			x := c.Explain(e)
			assert.Equal(t, "first", x.Result.Rule)
			assert.Equal(t, "first", x.Signals[0].Rule)
		}
	}
}

func TestTextAloneHasNoProvider(t *testing.T) {
	t.Parallel()
	for range 2 { // the second result comes from the cache
		got := classify.Minimal.Classify(classify.Evidence{Message: "429", Provider: "acme", Status: 500})
		assert.Equal(t, classify.Result{Category: classify.CategoryRetryable, Reason: classify.ReasonRateLimit, Rule: "000/429"}, got)
		assert.Equal(t, "acme", classify.Standard.Classify(classify.Evidence{Message: "429", Provider: "acme"}).Provider)
	}
}

// If one of many rules is too costly, the error of New must name this rule, not the
// last one.
func TestNewBlamedTheWrongRule(t *testing.T) {
	t.Parallel()
	rules := make([]classify.Rule, 1000)
	for i := range rules {
		rules[i] = classify.Rule{ID: fmt.Sprintf("r%d", i), Reason: classify.ReasonPolicy, Pattern: fmt.Sprintf(`order \d+ of shop%03d`, i)}
	}
	rules[17].Pattern = `x(?:ab|cd){0,30}ab(?:ab|cd){30}y`
	_, err := classify.New(classify.WithRules(rules...))
	require.ErrorContains(t, err, `rule "r17": pattern "x(?:ab|cd){0,30}ab(?:ab|cd){30}y": rule 18 of 1000: it needs too many states: shorten`)
}

// A status of 400 or more is an error, even if all rules are for texts.
func TestNoneTookAStatusForNoError(t *testing.T) {
	t.Parallel()
	own, err := classify.New(classify.WithBase(classify.None), classify.WithRules(classify.Rule{ID: "x", Pattern: "x", Reason: classify.ReasonLogic}))
	require.NoError(t, err)
	for _, tt := range []struct {
		name   string
		e      classify.Evidence
		failed bool
	}{
		{"nothing", classify.Evidence{}, false},
		{"a status", classify.Evidence{Status: 503}, true},
		{"the lowest status", classify.Evidence{Status: 400}, true},
		{"a status of a success", classify.Evidence{Status: 204}, false},
		{"a status of a success, with a body", classify.Evidence{Status: 200, Body: []byte(`{}`)}, false},
		{"a type", classify.Evidence{Type: "*net.OpError"}, true},
		{"a code", classify.Evidence{Code: "insufficient_quota"}, true},
		{"a provider", classify.Evidence{Provider: "acme"}, false},
	} {
		for name, c := range map[string]*classify.Classifier{"None": classify.None, "Minimal": classify.Minimal, "own": own} {
			got := c.Classify(tt.e)
			if !tt.failed {
				assert.Zero(t, got, "%s, %s", name, tt.name)
				continue
			}
			assert.Equal(t, c.Message(""), got, "%s, %s", name, tt.name)
			assert.Equal(t, got, c.Explain(tt.e).Result, "%s, %s", name, tt.name)
		}
	}
	assert.Equal(t, "x", own.Classify(classify.Evidence{Status: 503, Message: "x"}).Rule)
}

// Classifier.Rules must list the user's rules first. The rules of the base follow, the
// strongest first.
func TestRulesAreInOrder(t *testing.T) {
	t.Parallel()
	c, err := classify.New(classify.WithRules(
		classify.Rule{ID: "z", Pattern: "z", Reason: classify.ReasonUnknown},
		classify.Rule{ID: "a", Pattern: "a", Reason: classify.ReasonPolicy}))
	require.NoError(t, err)
	rules := c.Rules()
	assert.Equal(t, "z", rules[0].ID)
	assert.Equal(t, "a", rules[1].ID)
	order := []string{"user", "cause", "code", "phrase", "word", ""}
	for i, r := range rules[1:] {
		before := rules[i]
		assert.LessOrEqual(t, slices.Index(order, before.Strength), slices.Index(order, r.Strength), "%s before %s", before.ID, r.ID)
	}
}
