package classify

import (
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify/internal/standard"
	"github.com/errclass/errclass/internal/cputime"
)

// rulesOf returns n rules with the given pattern. In the pattern of each rule, the
// rule's index replaces %d.
func rulesOf(n int, pattern string) []Rule {
	rules := make([]Rule, n)
	for i := range rules {
		rules[i] = Rule{ID: fmt.Sprint("r", i), Reason: ReasonTransient, Pattern: strings.ReplaceAll(pattern, "%d", fmt.Sprint(i))}
	}
	return rules
}

// TestRulesAreWithinTheLimits checks that ordinary large rule sets are accepted.
func TestRulesAreWithinTheLimits(t *testing.T) {
	t.Parallel()
	var set, phrases []Rule
	text := regexp.MustCompile(`[a-zA-Z ]{8,}`)
	for _, r := range standard.Rules {
		if r.Pattern == "" {
			continue
		}
		set = append(set, Rule{ID: r.ID, Reason: ReasonTransient, Pattern: r.Pattern})
		for i, phrase := range text.FindAllString(r.Pattern, -1) {
			for n := range 10 {
				phrases = append(phrases, Rule{ID: fmt.Sprint(r.ID, i, n), Reason: ReasonTransient, Pattern: fmt.Sprint(phrase, n)})
			}
		}
	}
	require.Greater(t, len(phrases), 40_000)
	for name, rules := range map[string][]Rule{
		"the standard set": set, "ten times its phrases": phrases, "20,000 phrases": rulesOf(20_000, "connection to host%d refused"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := New(WithBase(None), WithRules(rules...))
			require.NoError(t, err)
			assert.Equal(t, "default", c.Message("so it goes").Rule)
		})
	}
}

// TestRefusedRulesTakeLittleMemory checks that refusing rules allocates at most 64
// MiB. The test isn't parallel, because it measures the whole process.
func TestRefusedRulesTakeLittleMemory(t *testing.T) {
	Standard.Message("so it goes") // loads the rules
	for name, tt := range map[string]struct {
		rules []Rule
		want  string
	}{
		"too many":            {rulesOf(1_000_000, "%d"), "more than 150000 rules: use fewer"},
		"as many as may be":   {rulesOf(150_000, "shop%d order (?:is|was)"), "need more than 200 million steps to compile, and this one the most of them: use fewer or shorter rules"},
		"just over":           {rulesOf(90_000, "shop%d order (?:is|was) locked"), "need more than 200 million steps"},
		"too long":            {rulesOf(100_000, "connection to host%d refused by someone somewhere"), "longer than 4194304 bytes"},
		"one of many classes": {append(rulesOf(20_000, "host%d"), Rule{ID: "x", Reason: ReasonPolicy, Pattern: strings.Repeat(`\pL`, 300)}), `rule "x": pattern`},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := New(WithRules(tt.rules...))
			runtime.ReadMemStats(&after)
			require.ErrorContains(t, err, tt.want)
			assert.LessOrEqual(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20))
		})
	}
}

// BenchmarkRefuseRules refuses 150,000 rules. The target is less than 100 ms.
func BenchmarkRefuseRules(b *testing.B) {
	rules := rulesOf(150_000, "shop%d order (?:is|was)")
	b.ReportAllocs()
	var cpu time.Duration
	for b.Loop() {
		var err error
		cpu += cputime.Of(func() { _, err = New(WithRules(rules...)) })
		if err == nil {
			b.Fatal("accepted")
		}
	}
	b.ReportMetric(float64(cpu.Microseconds())/1000/float64(b.N), "cpu-ms/op")
}
