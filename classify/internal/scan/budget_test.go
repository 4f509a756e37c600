package scan

import (
	"fmt"
	"reflect"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hostile has patterns that take far more steps than most patterns of the same
// length.
var hostile = map[string]string{
	"empty alternatives":    `(?:^|$){24}x`,
	"more empty ones":       `(?:^|$){1000}x`,
	"nested empty ones":     `(?:(?:^|$){10}){10}x`,
	"all assertions":        `(?:\b|^|$|\B|(?m:^)|(?m:$)){50}x`,
	"optional empty ones":   strings.Repeat(`(?:^|$)?`, 1000) + "x",
	"optional letters":      `x(?:a?){1000}y`,
	"optional pairs":        `x(?:aa?){0,500}y`,
	"ways at every letter":  `x(?:ab|cd){0,30}ab(?:ab|cd){30}y`,
	"case to tell":          `(?-i)x(?:ab|cd){0,30}ab(?:ab|cd){30}y`,
	"classes in a row":      strings.Repeat(`\pL`, 300),
	"classes, counted":      `x\pL{200}y`,
	"alternative classes":   `(?:\pL\pN|\pN\pL|\pL\pS){20}`,
	"ranges":                strings.Repeat(`[b-\x{1e940}]`, 4000),
	"ranges in odd classes": strings.Repeat(`[]-\x{1e940}]`, 2000) + strings.Repeat(`[[:alpha:]-\x{1e940}]`, 1000),
	"names":                 strings.Repeat(`\pL`, 20_000),
	"copies of classes":     strings.Repeat(`x\pL{900,}`, 500) + "y",
	"loops in a row":        strings.Repeat(`\pL*`, 16_000) + "x",
	"ways of ways":          strings.Repeat(`(?:`, 9) + `a.*b` + strings.Repeat(`){0,2}`, 9),
	"branches":              "(?:" + strings.Repeat("ab|", 10_000) + "x)",
	"a prefix's prefixes":   strings.Join(prefixes(350), "|"),
	"groups in groups":      strings.Repeat("(", 10_000) + "a" + strings.Repeat(")", 10_000),
	"groups in groups, few": strings.Repeat("(?:b", 900) + "a*" + strings.Repeat(")", 900),
	"stars of stars":        `(?:(?:a*)*)*`,
	"far gaps":              `a.{0,1000}b.{0,1000}c`,
	"open gaps":             `.*x.*y.*z`,
	"everything and no":     `[^\x00-\x{10FFFF}]|[\x00-\x{10FFFF}]`,
	"other cases":           strings.Repeat("ſK", 10_000),
	"a megabyte":            strings.Repeat("x", 1<<20),
	"empty groups":          strings.Repeat(`(?:){1000}`, 6000),
}

func prefixes(n int) (all []string) {
	for i := range n {
		all = append(all, strings.Repeat("a", i+1))
	}
	return all
}

// mostRefused is the maximum number of steps that refusing a set may take. It is
// enough for two attempts to compile a pattern: see Budget.build.
const mostRefused = 12_000_000

// A hostile pattern may be refused or accepted. Refusing it must take few steps, and
// the error must name the pattern. Compiling it must take no more steps than its
// weight (the estimated number of steps) allows.
func TestHostilePatternsCostMoreThanTheirBudget(t *testing.T) {
	t.Parallel()
	for name, expr := range hostile {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			exprs := []string{"first", expr, "last"}
			b := NewBudget(exprs)
			_, err := b.Compile(exprs)
			if err == nil {
				assert.LessOrEqual(t, b.Steps(), freeSteps+stepsAgain*weigh(expr).steps)
				return
			}
			assert.LessOrEqual(t, b.Work(), mostRefused)
			var at *PatternError
			require.ErrorAs(t, err, &at)
			assert.Equal(t, 1, at.Index)
			assert.Less(t, len(err.Error()), 300)
		})
	}
}

// These patterns have many assertions but need few states. They must be accepted
// after few steps.
func TestAssertionsWereExponential(t *testing.T) {
	t.Parallel()
	for _, expr := range []string{`(?:^|$){24}x`, `(?:^|$){500}x`, `(?:\b|^|$|\B){12}x`, `x(?:$|\b){30}`} {
		b := NewBudget([]string{expr})
		m, err := b.Compile([]string{expr})
		require.NoError(t, err, expr)
		assert.Less(t, b.Steps(), 1_000_000, expr)
		for _, text := range []string{"x", "ax", "\nx", "x x", ""} {
			assert.Equal(t, reference(t, []string{expr}, text), matched(m, text), "%q in %q", expr, text)
		}
	}
}

// The error must name the expensive pattern, not the last pattern and not the
// largest one.
func TestWrongPatternWasBlamed(t *testing.T) {
	t.Parallel()
	exprs := make([]string, 5000)
	for i := range exprs {
		exprs[i] = fmt.Sprintf(`order \d+ of shop%04d (?:is|was) locked`, i)
	}
	for _, at := range []int{0, 17, 4999} {
		for _, expr := range []string{hostile["ways at every letter"], hostile["case to tell"], hostile["classes in a row"], hostile["names"]} {
			set := append([]string(nil), exprs...)
			set[at] = expr
			b := NewBudget(set)
			_, err := b.Compile(set)
			var fault *PatternError
			require.ErrorAs(t, err, &fault)
			assert.Equal(t, at, fault.Index, expr)
			var much *BudgetError
			require.ErrorAs(t, err, &much)
			assert.GreaterOrEqual(t, much.Steps, maxOne)
		}
	}
}

// If a large set has one expensive pattern, the set must be refused after few steps,
// before the whole set is compiled.
func TestExpensivePatternWasFoundLate(t *testing.T) {
	t.Parallel()
	for name, exprs := range map[string][]string{"phrases": phrases(50_000), "rules": nil} {
		for i := range 5000 {
			if name == "rules" {
				exprs = append(exprs, fmt.Sprintf(`w%d[a-z]{3}x?(?:foo|bar)%d`, i, i))
			}
		}
		for _, expr := range []string{hostile["ways at every letter"], hostile["classes in a row"], hostile["optional pairs"]} {
			set := slices.Concat(exprs, []string{expr})
			b := NewBudget(set)
			_, err := b.Compile(set)
			var at *PatternError
			require.ErrorAs(t, err, &at)
			assert.Equal(t, len(exprs), at.Index)
			assert.LessOrEqual(t, b.Work(), mostRefused, "%s: %.50s", name, expr)
		}
	}
}

// phrases returns n patterns without special characters.
func phrases(n int) []string {
	exprs := make([]string, n)
	for i := range exprs {
		exprs[i] = fmt.Sprintf("connection %d to host%d refused", i*7919%1_000_003, i)
	}
	return exprs
}

func TestPhrasesWereRefused(t *testing.T) {
	t.Parallel()
	exprs := phrases(20_000)
	m, err := Compile(exprs)
	require.NoError(t, err)
	found := matched(m, strings.ToUpper("x "+exprs[4711]+" "+exprs[12345]+"."))
	for i, is := range found {
		require.Equal(t, i == 4711 || i == 12345, is, exprs[i])
	}
}

func TestPhraseIsWhatPackageSyntaxReads(t *testing.T) {
	t.Parallel()
	for _, expr := range []string{"a", "Kelvin's", "connection refused: 17", "ALL", "x-y_z", "1"} {
		want, err := syntax.Parse(expr, syntax.Perl|syntax.FoldCase)
		require.NoError(t, err)
		got := phrase(expr)
		assert.Equal(t, want.Op, got.Op, expr)
		assert.Equal(t, want.Rune, got.Rune, expr)
		assert.Equal(t, want.String(), got.String(), expr)
	}
	for c := range byte(0x80) {
		expr := "a" + string(rune(c)) + "b"
		if re := phrase(expr); re != nil {
			want, err := syntax.Parse(expr, syntax.Perl|syntax.FoldCase)
			require.NoError(t, err)
			assert.True(t, reflect.DeepEqual(want.Rune, re.Rune) && want.Op == re.Op, "%q", expr)
		}
	}
}

// Matching a pattern against its examples must take a limited number of steps too. For
// some of these examples, package regexp would take a minute.
func TestExamplesHadNoBudget(t *testing.T) {
	t.Parallel()
	const size = 3 << 20
	for name, tt := range map[string]struct {
		expr, text    string
		want, refused bool
	}{
		"nothing to find":   {`(?:a{0,50}){0,20}b`, strings.Repeat("a", size), false, false},
		"at the end":        {`(?:a{0,50}){0,20}b`, strings.Repeat("a", size) + "b", true, false},
		"words":             {`rate.{0,40}limit`, strings.Repeat("limit rate ", size/11), true, false},
		"words of gaps":     {`rate.{0,900}limit.{0,900}x`, strings.Repeat("rate limit ", size/11), false, true},
		"long pieces":       {`x(?:ab){500}y`, strings.Repeat("xababab", size/7), false, false},
		"very long pieces":  {`(?:ab){500}y`, strings.Repeat("ab", size/2), false, true},
		"pieces and gaps":   {strings.Repeat(`a.{0,900}`, 50) + "b", strings.Repeat("a", size), false, true},
		"invalid text":      {`a\xffb|\x{fffd}c`, strings.Repeat("\xff", 1<<16) + "c", true, false},
		"gaps that fit not": {`x\w*\s*y`, "x-" + strings.Repeat("y", size), false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := NewBudget([]string{tt.expr})
			_, err := b.Compile([]string{tt.expr})
			require.NoError(t, err)
			tester, err := b.Tester(0, tt.expr)
			require.NoError(t, err)
			got, err := tester.Match(tt.text)
			if tt.refused {
				var much *BudgetError
				require.ErrorAs(t, err, &much)
				require.ErrorIs(t, err, errExamples)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	rules := make([]string, 1000)
	for i := range rules {
		rules[i] = fmt.Sprintf(`order \d+ of shop%04d.{0,40}(?:is|was) locked`, i)
	}
	for name, exprs := range map[string][]string{"rules=1000": rules, "phrases=100000": phrases(100_000)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Compile(exprs); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
