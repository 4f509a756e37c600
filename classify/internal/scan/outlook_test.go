package scan

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// foreseen is what is charged for a set ahead of the work, without and with its
// patterns read.
func foreseen(t *testing.T, exprs []string) (skimmed, read int) {
	t.Helper()
	for _, steps := range skim(exprs) {
		skimmed += steps
	}
	b := NewBudget(exprs)
	ahead, err := b.newOutlook(exprs)
	require.NoError(t, err)
	for i, expr := range exprs {
		chains, err := b.parse(int32(i), expr)
		require.NoError(t, err)
		require.NoError(t, ahead.add(int32(i), b.spent[i][reading], chains))
	}
	return skimmed, maxAll - *ahead.left
}

// charged is what compiling a set is charged, or 0 where it is refused.
func charged(exprs []string) int {
	b := NewBudget(exprs)
	if _, err := b.Compile(exprs); err != nil {
		return 0
	}
	return maxAll - *b.left
}

// many makes a set of a pattern that is large enough to be rehearsed.
func many(expr string) []string {
	exprs := make([]string, 300)
	for i := range exprs {
		exprs[i] = fmt.Sprintf(`(?:ab|cd)%05d abcdefghijklmnopq%s`, i*7919, expr)
	}
	return exprs
}

// What is charged ahead is never more than what the work is charged: no set is
// refused that the work would accept.
func checkForeseen(t *testing.T, exprs []string) {
	t.Helper()
	actual := charged(exprs)
	if actual == 0 {
		return
	}
	skimmed, read := foreseen(t, exprs)
	require.LessOrEqual(t, skimmed, actual, "skimmed %.300q", exprs)
	require.LessOrEqual(t, read, actual, "read %.300q", exprs)
}

func TestOutlookRefusesNoSetThatTheWorkAccepts(t *testing.T) {
	t.Parallel()
	for _, expr := range []string{
		"", "x", "sksk", "x?y", "[ab]", "[^a]", ".", "...", `\d\w\s`, `\D`, `\bfoo\b`, `foo\Bbar`, "^a$", "[a]", "[Aa]", "[k]b", `[\d-]x`,
		"(?:is|was)", "(?:rate|request|roads)", "(?:a|b|c)x", "(?:ab|ab)", "(?:abc|abd|xbd)", "(?:|s)x", "(?:a|)x", "(?:ab)c", "(?:ab){3}", "(?:ab){2,5}c",
		"(?:ab){0}c", "(?:ab){0,3}c", "(?:a){3}", "a{3}b", "[0-9]{2}c", "(?:ab)?c", "(?:ab)*c", "a*b", "a.{0,9}b", "a.*b", `a\.b`, `a\x41b`, "(?-i)aB", "é", "ſ",
		`\pLx`, `\pL*x`, "x{", "x{a}", "x{1", "[]a]", "[^]a]", `(?:\pL\pN|\pN\pL)`, "(?:ab|cd){1,9}e", "(?s:.)", `[^\x00-\x{10FFFF}]`, "a??b", "a+?b", "(a|b)c|d",
	} {
		t.Run(expr, func(t *testing.T) {
			t.Parallel()
			for _, exprs := range [][]string{many(expr), many(expr + "x" + expr + " end")} {
				if _, err := Compile([]string{exprs[0]}); err == nil {
					checkForeseen(t, exprs)
				}
			}
		})
	}
}

// However a pattern is written, its pieces are charged once.
func TestOutlookKnowsTheSamePieceInOtherWords(t *testing.T) {
	t.Parallel()
	for _, alike := range [][]string{
		{"(?:rate|request) [ab]x", "r(?:ate|equest) [ba]x", "r(?:ate|equest) (?:a|b)x", "(?:rate|request) (?:b|a)x", "(rate|request) [a-b]x"},
		{"a[b]c.", "abc.", "(?:ab)c.", "a[b-b]c.", "[Aa]bc.", "(ab)c.", "ab(?:c)."},
		{`x\d.y`, "x[0-9].y", "x[0-9][^\\n]y", "[xX][[:digit:]].y"},
		{"(?:abc|abd)e", "ab[cd]e", "ab(?:c|d)e", "(?:ab(?:c|d))e", "a(?:bc|bd)e"},
		{"xab?yz", "x(?:ab?)yz", "xa(?:b)?yz", "xa[b]?yz"},
		{"(?:ab){3,4}cd", "(ab){3,4}cd", "(?:(?:ab)){3,4}cd"},
	} {
		var exprs []string
		for i := range 200 {
			for _, expr := range alike {
				exprs = append(exprs, fmt.Sprintf("%05d lead[lm]ing %s", i*7919, expr))
			}
		}
		checkForeseen(t, exprs)
	}
}

func TestOutlookOfRandomSets(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for range 10 {
		checkForeseen(t, many(randomExpr(r, 3)))
		exprs := make([]string, 300)
		for i := range exprs {
			exprs[i] = fmt.Sprintf("w%d%s%d more of the same.", i%50, randomExpr(r, 3), i)
		}
		checkForeseen(t, exprs)
	}
}

// oversized are sets far beyond the limit, which took seconds and gigabytes to be
// refused. They are refused before anything is built.
var oversized = map[string]struct {
	rules int
	form  string // %d is the number of the rule
	steps int    // of reading, at most
}{
	"classes of many ranges":  {20_000, `\p{L}%d`, 2_500_000},
	"Han":                     {50_000, `\p{Han}%d`, 4_000_000},
	"gaps of many ranges":     {100_000, `x\pL*%d`, 0},
	"alternatives behind":     {100_000, `shop%d order (?:is|was) locked`, 0},
	"alternatives before":     {100_000, `(?:foo|bar) w%d timeout`, 0},
	"alike alternatives":      {60_000, `(?:alpha|beta|gamma|delta|eps) %d (?:one|two|three)`, 3_000_000},
	"repetitions":             {100_000, `(?:ab){3,9}%d`, 0},
	"repetitions and classes": {100_000, `w%d[a-z]{3}x?(?:foo|bar)%d`, 10_000_000},
	"optional letters":        {100_000, `colou?r %d lock(?:ed)?s`, 3_000_000},
	"short rules":             {400_000, `a%d.`, 0},
	"nested repetitions":      {20_000, `(?:(?:ab){9}c){9}%d`, 1_000_000},
	"folded alternatives":     {20_000, `x(?:\p{L}|\p{N}%d)`, 4_000_000},
}

func TestOversizedSetWasBuiltFirst(t *testing.T) {
	t.Parallel()
	for name, tt := range oversized {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			exprs := make([]string, tt.rules)
			for i := range exprs {
				exprs[i] = strings.ReplaceAll(tt.form, "%d", fmt.Sprint(i*7919%1_000_003))
			}
			b := NewBudget(exprs)
			_, err := b.Compile(exprs)
			var much *BudgetError
			require.ErrorAs(t, err, &much)
			assert.LessOrEqual(t, b.Steps(), tt.steps)
		})
	}
}
