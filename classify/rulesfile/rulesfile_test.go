package rulesfile_test

import (
	"errors"
	"fmt"
	"io"
	"regexp/syntax"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/classify/rulesfile"
	"github.com/errclass/errclass/internal/cputime"
	"github.com/errclass/errclass/internal/race"
)

func ExampleLoad() {
	rules, err := rulesfile.Load(strings.NewReader(`
rules:
  - id: shop/stock-locked
    reason: transient
    pattern: 'stock .{0,20} is locked'
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := classify.New(classify.WithRules(rules...))
	if err != nil {
		fmt.Println(err)
		return
	}
	r := c.Message("Stock 17 is locked")
	fmt.Println(r.Category, r.Reason, r.Rule)
	// Output: retryable transient shop/stock-locked
}

func ExampleError() {
	_, err := rulesfile.Load(strings.NewReader("rules:\n  - id: quota-x\n    pattern: '(abc'\n    reason: budget_exceeded\n"))
	fmt.Println(err)
	// Output: line 3: rule "quota-x": pattern "(abc": missing closing )
}

func TestLoad(t *testing.T) {
	t.Parallel()
	rules, err := rulesfile.Load(strings.NewReader(`# ours
rules:
  - id: a
    reason: policy
    pattern: 'x|y'
    source: nowhere
    match: [X, "a y"]
    miss: ['z', '']
  - {id: b, reason: unknown, pattern: "b\\d"}
`))
	require.NoError(t, err)
	assert.Equal(t, []classify.Rule{
		{ID: "a", Reason: classify.ReasonPolicy, Pattern: "x|y"},
		{ID: "b", Reason: classify.ReasonUnknown, Pattern: `b\d`},
	}, rules)
	for _, empty := range []string{"", "# nothing\n", "rules:\n", "rules: []\n", "---\n", "\ufeffrules: []\r\n"} {
		rules, err := rulesfile.Load(strings.NewReader(empty))
		require.NoError(t, err, "%q", empty)
		assert.Empty(t, rules)
	}
}

func TestLoadFaults(t *testing.T) {
	t.Parallel()
	rule := func(more string) string { return "rules:\n  - id: x\n    reason: policy\n    " + more + "\n" }
	for _, tt := range []struct{ name, file, want string }{
		{"no id", "rules:\n  - reason: policy\n    pattern: x\n", `line 2: rule 1: it has no id; give it`},
		{"no pattern", "rules:\n  - id: x\n    reason: policy\n", `line 2: rule "x": it has no pattern; add`},
		{"no reason", "rules:\n  - id: x\n    pattern: policy\n", `line 2: rule "x": it has no reason; use one of rate_limit, `},
		{"unknown reason", "rules:\n  - id: x\n    reason: ratelimit\n    pattern: a\n", `line 3: rule "x": unknown reason "ratelimit"; use one of rate_limit, `},
		{"same id", "rules:\n- {id: x, reason: policy, pattern: a}\n- {id: x, reason: policy, pattern: b}\n", `line 3: rule "x": the id occurs twice, first on line 2; give`},
		{"look-ahead", rule("pattern: 'a(?!b)'"), `line 4: rule "x": pattern "a(?!b)": invalid or unsupported Perl syntax: "(?!"; Go's`},
		{"repeat", rule("pattern: '*a'"), `line 4: rule "x": pattern "*a": missing argument to repetition operator: "*"; write \`},
		{"match", rule("pattern: abc\n    match:\n      - zABC\n      - ab"), `rule "x": pattern "abc" does not match "ab", which is listed under match; correct`},
		{"miss", rule("pattern: abc\n    miss: ['an ABC']"), `line 5: rule "x": pattern "abc" matches "ABC" in "an ABC", which is listed under miss; correct`},
		{"strength", rule("pattern: a\n    strength: cause"), `line 5: rule "x": remove strength: `},
		{"category", rule("pattern: a\n    category: fatal"), `line 5: rule "x": remove category: it follows`},
		{"vetoes", rule("pattern: a\n    vetoes: [policy]"), `line 5: rule "x": remove vetoes: `},
		{"codes", rule("pattern: a\n    codes: http"), `line 5: rule "x": remove codes: `},
		{"tables", "tables: {http: {'400': policy}}\n", `tables belong to the standard rules; remove them`},
		{"parts", "parts: {who: 'server|proxy'}\n", `parts belong to the standard rules; remove them`},
		{"unknown key of a rule", rule("patern: a"), `line 4: unknown key "patern"; a rule has id`},
		{"key twice", rule("pattern: a\n    pattern: b"), `line 5: key "pattern" stands twice`},
		{"unknown key", "rule: []\n", `line 1: unknown key "rule"; a rules file has the key rules`},
		{"no list", "rules: x\n", `line 1: rules is not a list`},
		{"a list at the top", "- id: x\n", `line 1: expected keys with values`},
		{"null text", rule("pattern:"), `line 4: expected a text`},
		{"no list of texts", rule("pattern: a\n    match: a"), `line 5: expected a list of texts`},
		{"no YAML", "rules:\n  - id: 'x\n", `line 2: invalid YAML: found unexpected end of stream`},
		{"tab", "rules:\n\t- id: x\n", `line 2: invalid YAML: `},
		{"two documents", "rules: []\n---\nrules: []\n", `more than one YAML document`},
		{"fault after the document", "rules: []\n---\n'x\n", `invalid YAML`},
		{"alias", "rules:\n- &a {id: x, reason: policy, pattern: a}\n- *a\n", `line 3: alias *a; write the value out instead`},
		{"merge", "rules:\n- &a {id: x, reason: policy, pattern: a}\n- {<<: *a, id: y}\n", `line 3: unknown key "<<"`},
		{"alias as key", "rules:\n- {&a id: x, reason: policy, pattern: a}\n- {*a : y}\n", `line 3: alias *a`},
		{"control characters", "rules:\n- id: \x01\n", `control characters are not allowed`},
		{"no UTF-8", "rules:\n- id: \xff\xfe\n", `invalid`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			rules, err := rulesfile.Load(strings.NewReader(tt.file))
			require.ErrorContains(t, err, tt.want)
			assert.Empty(t, rules)
			var fault *rulesfile.Error
			require.ErrorAs(t, err, &fault)
			assert.Error(t, errors.Unwrap(err))
		})
	}
}

// TestLoadFoundIDsTwice checks a file that Load reads twice, because only the YAML
// library supports the escape sequence \u0013. The second time, the ids must not count as
// duplicates.
func TestLoadFoundIDsTwice(t *testing.T) {
	t.Parallel()
	rules, err := rulesfile.Load(strings.NewReader("rules:\n- id: a\n  reason: logic\n  pattern: abc\n- id: b\n  reason: logic\n  pattern: x\n  match: [\"x \\u0013\"]\n"))
	require.NoError(t, err)
	assert.Len(t, rules, 2)
}

func TestPatternFaultKeepsTheParsersError(t *testing.T) {
	t.Parallel()
	_, err := rulesfile.Load(strings.NewReader("rules: [{id: x, reason: policy, pattern: '(abc'}]"))
	var fault *syntax.Error
	require.ErrorAs(t, err, &fault)
	assert.Equal(t, syntax.ErrMissingParen, fault.Code)
}

// TestLoadHostile checks that files with disproportionate costs are refused.
func TestLoadHostile(t *testing.T) {
	t.Parallel()
	bomb := "rules:\n- &a {id: x, reason: policy, pattern: a, match: [" + strings.Repeat("a,", 1<<19) + "a]}\n" + strings.Repeat("- *a\n", 1<<19)
	for name, tt := range map[string]struct{ file, want string }{
		"aliases": {bomb, "line 2: only plain YAML is read in a file of more than 524288 bytes"},
		"huge":    {"rules: [] #" + strings.Repeat("x", rulesfile.MaxBytes), "larger than 4194304 bytes"},
		"deep":    {"rules: " + strings.Repeat("[", 1<<18), "exceeded max depth"},
		"deeper":  {strings.Repeat("{a: ", 1<<16), "exceeded max depth"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := rulesfile.Load(strings.NewReader(tt.file))
			require.ErrorContains(t, err, tt.want)
		})
	}
	t.Run("endless", func(t *testing.T) {
		t.Parallel()
		_, err := rulesfile.Load(endless{})
		require.ErrorContains(t, err, "larger than")
	})
	t.Run("unreadable", func(t *testing.T) {
		t.Parallel()
		_, err := rulesfile.Load(iotest.ErrReader(io.ErrUnexpectedEOF))
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	})
}

// TestLoadTooLarge checks that a pattern with too many states is refused, with its
// line.
func TestLoadTooLarge(t *testing.T) {
	t.Parallel()
	const file = `rules:
  - {id: fine, reason: policy, pattern: 'fine'}
  - {id: large, reason: policy, pattern: 'x(?:ab|cd){0,30}ab(?:ab|cd){30}y'}
`
	_, err := rulesfile.Load(strings.NewReader(file))
	require.Error(t, err)
	assert.Regexp(t, `^line 3: rule "large": pattern ".*": it needs too many states`, err.Error())
}

// TestLoadCostly checks that the error for a costly file names the costly rule.
func TestLoadCostly(t *testing.T) {
	t.Parallel()
	rule := func(id, pattern, more string) string {
		return fmt.Sprintf("  - id: %s\n    reason: policy\n    pattern: '%s'\n%s", id, pattern, more)
	}
	example := func(text string) string { return "    miss: ['" + text + "']\n" }
	for _, tt := range []struct{ name, rule, want string }{
		{"empty alternatives", rule("bad", `(?:^|$){24}x`, ""), ""},
		{"a long example", rule("bad", `(?:a{0,50}){0,20}b`, example(strings.Repeat("a", 3<<20))), ""},
		{"long pieces", rule("bad", `(?:ab){500}y`, example(strings.Repeat("ab", 1<<20))), `pattern "(?:ab){500}y": its examples are too much work`},
		{"classes", rule("bad", strings.Repeat(`\pL`, 300), ""), `" and so on (900 bytes): its character classes and loops are too much work`},
		{"ranges", rule("bad", strings.Repeat(`[b-\x{1e940}]`, 100), ""), `its character classes and loops are too much work`},
		{"long", rule("bad", strings.Repeat(`a`, 1<<20), ""), `is longer than 65536 bytes`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := "rules:\n" + rule("fine", "fine", "") + tt.rule + rule("last", "last", "")
			_, err := rulesfile.Load(strings.NewReader(file))
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, `line 7: rule "bad": pattern "`)
			require.ErrorContains(t, err, tt.want)
			assert.Less(t, len(err.Error()), 600)
		})
	}
}

// These are limits on the steps of loading a file. A step takes 10 to 20 ns.
const (
	stepsAByte   = 2_500      // for each byte of a file that loads
	stepsFree    = 40_000_000 // for any file, in addition to stepsAByte
	stepsRefused = 18_000_000 // for a refused file; 4 million of them are for its bytes
)

// TestLoadTookStepsWithoutBound checks how many steps and how much memory the loading of
// costly files takes. The test isn't parallel, because it measures the whole process.
func TestLoadTookStepsWithoutBound(t *testing.T) {
	rules := func(n int, pattern, more string) string {
		var b strings.Builder
		b.WriteString("rules:\n")
		for i := range n {
			fmt.Fprintf(&b, "- {id: a%d, reason: policy, pattern: '%s'%s}\n", i, strings.ReplaceAll(pattern, "%d", strconv.Itoa(i)), more)
		}
		return b.String()
	}
	for name, tt := range map[string]struct {
		file, want string
		most       int
	}{
		"classes of many ranges":      {rules(20_000, `\p{L}%d`, ""), "need more than 200 million steps", stepsRefused},
		"gaps of many ranges":         {rules(50_000, `\p{Greek}*x%d\pL+`, ""), "need more than 200 million steps", stepsRefused},
		"folded classes":              {rules(20_000, `x(?:\p{L}|\p{N}%d)`, ""), "need more than 200 million steps", stepsRefused},
		"nested repetitions":          {rules(20_000, `(?:(?:ab){9}c){9}%d`, ""), "need more than 200 million steps", stepsRefused},
		"a piece that all share":      {rules(10_000, `x(?:abc){300}.*y%d`, ", miss: [a]"), "need more than 200 million steps", stepsRefused},
		"ways of many rules":          {rules(20_000, `x(?:ab|cd){0,5}ab(?:ab|cd){5}y%d`, ""), "need more than 200 million steps", stepsRefused},
		"one of many states":          {rules(20_000, `shop %d (?:is|was)`, "") + "- {id: x, reason: policy, pattern: 'x(?:ab|cd){0,30}ab(?:ab|cd){30}y'}\n", `rule "x": pattern "x(?:ab|cd){0,30}ab(?:ab|cd){30}y": it needs too many states`, stepsRefused},
		"invalid escapes":             {rules(50_000, `host\y%d`, ""), `line 2: rule "a0": pattern "host\\y0": invalid escape sequence`, stepsRefused},
		"many matches of many rules":  {rules(10, `rate.{0,900}limit.{0,900}x%d`, ", miss: ['"+strings.Repeat("rate limit','", 10_000)+"']"), "its examples are too much work", stepsRefused},
		"matches of the last rule":    {rules(20_000, `shop %d is locked`, "") + "- {id: x, reason: policy, pattern: 'a.{0,900}b.{0,900}c', miss: ['" + strings.Repeat("ab", 100_000) + "']}\n", "its examples are too much work", stepsRefused},
		"more rules than may be":      {"rules:\n" + strings.Repeat("- {id: a}\n", 400_000), "it has no pattern", stepsRefused},
		"repetitions in repetitions":  {rules(1, strings.Repeat("(?:", 200)+"a"+strings.Repeat("){1,2}", 200), ""), "invalid repeat count", stepsRefused},
		"a class in each alternative": {rules(1, strings.TrimSuffix(strings.Repeat(`\p{L}x|`, 5000), "|"), ""), "too much work", stepsRefused},
		"phrases":                     {rules(20_000, `shop %d is locked`, ""), "", stepsFree},
		"phrases with examples":       {rules(10_000, `shop %d is locked`, ", match: ['SHOP 1 IS LOCKED']"), "does not match", stepsFree},
		"larger than a file may be":   {strings.Repeat("# comment\n", 5<<20), "larger than", rulesfile.MaxBytes + 1},
		"a comment":                   {strings.Repeat("# comment\n", 400_000), "", rulesfile.MaxBytes},
		"a huge id":                   {"rules: [{reason: policy, pattern: a, id: " + strings.Repeat("i", 4_000_000) + "}]", "", rulesfile.MaxBytes + 100_000},
		"a deep document":             {"rules:\n" + strings.Repeat("- ", 9_000) + "x", "expected keys with values", rulesfile.MaxBytes},
		"a long document of anchors":  {"rules:\n" + strings.Repeat("# comment\n", 60_000) + "- {id: &a x, reason: policy, pattern: y}", "line 60002: only plain YAML is read in a file of more than 524288 bytes; write", rulesfile.MaxBytes},
		"anchors of anchors":          {"rules: [{id: &a x, reason: *a, pattern: *a}]", "alias *a", 100},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			rules, steps, err := rulesfile.LoadCounted(strings.NewReader(tt.file))
			runtime.ReadMemStats(&after)
			assert.LessOrEqual(t, steps, tt.most)
			if tt.want == "" {
				require.NoError(t, err)
				assert.LessOrEqual(t, steps, stepsFree+stepsAByte*len(tt.file))
				return
			}
			require.ErrorContains(t, err, tt.want)
			assert.Empty(t, rules)
			assert.Less(t, len(err.Error()), 1000)
			if tt.most <= stepsRefused {
				assert.LessOrEqual(t, after.TotalAlloc-before.TotalAlloc, uint64(race.PoolFactor*64<<20))
			}
		})
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '#'
	}
	return len(p), nil
}

func FuzzLoad(f *testing.F) {
	f.Add("rules:\n  - id: x\n    reason: policy\n    pattern: '(abc'\n")
	f.Add("rules:\n  - id: x\n    reason: policy\n    pattern: '(?:^|$){24}x(?:a?){900}'\n    match: [x]\n    miss: [a, '']\n")
	f.Add("rules: [{id: &a x, reason: policy, pattern: a, match: [*a]}]")
	f.Fuzz(func(t *testing.T, file string) {
		rules, steps, err := rulesfile.LoadCounted(strings.NewReader(file))
		if err != nil {
			if len(rules) != 0 {
				t.Fatalf("rules beside an error: %v", err)
			}
			if steps > stepsRefused {
				t.Fatalf("%d steps until it is refused: %v", steps, err)
			}
			return
		}
		if most := stepsFree + stepsAByte*len(file); steps > most {
			t.Fatalf("%q takes %d steps to load, more than %d", file, steps, most)
		}
		c, err := classify.New(classify.WithRules(rules...))
		if err != nil {
			t.Fatalf("%q loads, but makes no classifier: %v", file, err)
		}
		if got := c.Message(file); strings.Contains(got.Rule, "+panic") {
			t.Fatalf("%q loads, and its classifier panics: rule %s", file, got.Rule)
		}
	})
}

// BenchmarkLoad reads 1,000 rules with examples. The target is less than a second.
func BenchmarkLoad(b *testing.B) {
	var file strings.Builder
	file.WriteString("rules:\n")
	for i := range 1000 {
		word := string([]byte{'a' + byte(i%26), 'a' + byte(i/26%26), 'a' + byte(i/676), 'e' + byte(i%7)})
		fmt.Fprintf(&file, "  - id: shop/rule-%d\n    reason: transient\n    pattern: '%s (?:is|was) locked'\n"+
			"    match: ['%s was locked']\n    miss: ['item is locked']\n", i, word, word)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := rulesfile.Load(strings.NewReader(file.String())); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRefuse measures how long Load takes to refuse a costly file. The target is
// less than 100 ms for each file.
func BenchmarkRefuse(b *testing.B) {
	file := func(rule string) string {
		var b strings.Builder
		b.WriteString("rules:\n")
		for i := 0; b.Len()+len(rule)+20 < rulesfile.MaxBytes; i++ {
			b.WriteString(strings.ReplaceAll(rule, "%d", strconv.Itoa(i)))
		}
		return b.String()
	}
	for name, file := range map[string]string{
		"classes":   file("- {id: a%d, reason: policy, pattern: '.%d'}\n"),
		"last":      file("- {id: a%d, reason: policy, pattern: 'shop%d'}\n")[:rulesfile.MaxBytes-200] + "'}\n- {id: x, reason: policy, pattern: '(?:ab|cd){0,30}ab(?:ab|cd){30}y'}\n",
		"examples":  file("- {id: a%d, reason: policy, pattern: 'a.{0,900}b.{0,900}c%d', miss: [" + strings.Repeat("ab", 100) + "]}\n"),
		"escapes":   file("- {id: a%d, reason: policy, pattern: 'host\\y%d'}\n"),
		"no_plain":  file("- {id: a%d, reason: &x policy, pattern: 'host%d'}\n"),
		"last_lies": file("- {id: a%d, reason: policy, pattern: 'shop%d'}\n") + "- {id: a1, reason: policy, pattern: x}\n",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var cpu time.Duration
			for b.Loop() {
				var err error
				cpu += cputime.Of(func() { _, err = rulesfile.Load(strings.NewReader(file)) })
				if err == nil {
					b.Fatal("accepted")
				}
			}
			b.ReportMetric(float64(cpu.Microseconds())/1000/float64(b.N), "cpu-ms/op")
		})
	}
}
