package scan

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/internal/cputime"
)

// numbered returns n copies of form. In each copy, a different number replaces %d.
func numbered(form string, n int) []string {
	exprs := make([]string, n)
	for i := range exprs {
		exprs[i] = strings.ReplaceAll(form, "%d", fmt.Sprint(i*7919%1_000_003))
	}
	return exprs
}

// justOver returns patterns of the given form. Their total weight exceeds the limit
// by about a thousandth.
func justOver(form string) []string {
	total, n := 0, 0
	for ; total <= maxWeight+maxWeight/1000; n++ {
		total += weigh(strings.ReplaceAll(form, "%d", fmt.Sprint(n*7919%1_000_003))).steps
	}
	return numbered(form, n)
}

// letters are patterns of one character. They make the automaton distinguish many
// classes of bytes.
var letters = strings.Split("abcdefghijklmnopqrstuvwxyz0123456789 !#%&',-/:;<=>@_`~\"", "")

// beside returns n patterns with the same prefix. After this prefix, any subset of
// the patterns may still match. So the automaton needs very many states.
func beside(prefix string, n int) (exprs []string) {
	for i := range n {
		exprs = append(exprs, prefix+strings.Repeat("[a-z ]", i)+"e"+strings.Repeat("[a-z ]", n-i)+"x")
	}
	return exprs
}

func besides(groups, n int) (exprs []string) {
	for i := range groups {
		exprs = append(exprs, beside(fmt.Sprint("shop", i), n)...)
	}
	return exprs
}

// tooLarge returns sets that exceed the limits, often only a little.
func tooLarge() map[string][]string {
	const ways = `x(?:ab|cd){0,30}ab(?:ab|cd){30}y`
	shops := numbered(`shop%d order (?:is|was) locked`, 20_000)
	sets := map[string][]string{
		"many":                  slices.Repeat([]string{"too many"}, MaxPatterns+1),
		"far too many":          slices.Repeat([]string{"a"}, 3_000_000),
		"bytes":                 slices.Repeat([]string{strings.Repeat("a", 50_000)}, 84),
		"one of many states":    append(phrases(50_000), ways),
		"the same, beside ways": append(shops, ways),
		"some of many states":   numbered(`x(?:ab|cd){0,12}ab(?:ab|cd){12}y%d`, 500),
		"all of more states":    numbered(`x(?:ab|cd){0,5}ab(?:ab|cd){5}y%d`, 20_000),
		"optional letters":      numbered(`x(?:a?){300}y%d`, 5000),
		"assertions":            numbered(`(?:^|$){24}x%d`, 20_000),
		"classes in a row":      append(numbered(`shop%d order (?:is|was) locked`, 20_000), strings.Repeat(`\pL`, 300)),
		"a class beside all":    append(phrases(20_000), strings.Repeat(".", 40)+"x"),
		"classes beside all":    append(phrases(20_000), beside("", 16)...),
		"classes, few":          beside("", 20),
		"classes, many":         besides(200, 16),
	}
	for _, form := range []string{
		`shop%d order (?:is|was) locked`, `(?:foo|bar) w%d timeout`, `order \d+ of shop%d (?:is|was) locked`, `colou?r %d lock(?:ed)?s`,
		`\p{L}%d`, `\p{Han}%d`, `x\pL*%d`, `x(?:\p{L}|\p{N}%d)`, `(?:(?:ab){9}c){9}%d`, `(?:ab){3,9}%d`, `w%d[a-z]{3}x?(?:foo|bar)%d`,
		`a%d.`, `..........%d`, `\S\S\S\S%d`, `[a-z]\d[a-z]%d`, `%d\pN\pS`, `日本%d語`,
	} {
		sets["just over: "+form] = slices.Concat(letters, justOver(form))
	}
	return sets
}

// An oversized set must be refused in few steps and with little memory. The test is
// not parallel, because it measures the whole process.
func TestOversizedSetIsRefused(t *testing.T) {
	for name, exprs := range tooLarge() {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			b := NewBudget(exprs)
			_, err := b.Compile(exprs)
			runtime.ReadMemStats(&after)
			var at *PatternError
			require.ErrorAs(t, err, &at)
			assert.Regexp(t, `(too many|too much|more than|longer than) .*: .*\b(use|shorten|split)\b`, err.Error(), "the limit and the remedy")
			assert.LessOrEqual(t, b.Work(), mostRefused)
			assert.LessOrEqual(t, after.TotalAlloc-before.TotalAlloc, uint64(32<<20))
		})
	}
}

// Ordinary sets must be accepted, even large ones.
func TestPrecheckAcceptsOrdinarySets(t *testing.T) {
	t.Parallel()
	mixed := phrases(20_000)
	for _, form := range []string{`shop%d order (?:is|was) locked`, `order \d+ of shop%d .{0,40}locked`, `\bE%d\b`, `code \d\d\d in shop%d`, `\[w%d\] [a-z0-9_]+: (?:time[- ]?out|refused)`} {
		mixed = append(mixed, numbered(form, 3000)...)
	}
	for name, exprs := range map[string][]string{
		"phrases": phrases(100_000), "mixed": mixed, "alternatives": numbered(`(?:foo|bar) w%d timeout`, 50_000),
		"short": numbered("E%d", MaxPatterns), "long": randomLetters(60, 65_000, ""),
		"beside each other": slices.Concat(numbered(`code \d\d\d in shop%d`, 5000), numbered("code %d at host", 5000)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.NoError(t, NewBudget(exprs).Precheck(exprs))
		})
	}
}

// The weight of a pattern is the estimated number of steps. If its alternatives do not
// overlap, the actual number must be at most 5/4 of the weight for the forms below, and
// at most twice the weight for random patterns.
func TestWeightBoundsTheSteps(t *testing.T) {
	t.Parallel()
	forms := []string{
		"a", "connection refused", "sks", "[ab]", "[a-z]", "[^a]", ".", `\d\w\s`, `\W`, `\D`, `\S\S`, `\pL`, `\p{Greek}`, `\pL\pL`, "é", "ſ", "日本", "[а-я]",
		"(?:is|was) locked", "(?:foo|bar|baz)", "colou?r", "(?:ab){9}", "(?:ab){3,9}x", `\bfoo\b`, "^foo$", "a.*b", "a.{0,40}b.{0,40}c", "(?:a.*b|c.*d).*e", "[a-z]{3}x",
		`x\pL*y`, "[[:alpha:]]x", `\x41\x{42}\.\Qa.b\E`, "(?i)ab(?-i)Cd", "(a)(?P<n>b)", `[]a]`, `[^]a]`, `[\d\s-]`, "x{", "x{1", "x{,2}", "a{3}b", "[0-9]{2}c", "(?s:.)",
	}
	for _, one := range forms {
		for _, expr := range []string{one, "x" + one + "y", one + " " + one, "(?:" + one + "|zq)9"} {
			b := NewBudget([]string{expr})
			if _, err := b.build([]string{expr}); err != nil {
				continue
			}
			if w := weigh(expr); w.stratum() == 0 {
				require.LessOrEqual(t, b.Steps(), w.steps*5/4, expr)
			}
		}
	}
	r := rand.New(rand.NewPCG(5, 6))
	for range 10_000 {
		expr := randomExpr(r, 3)
		b := NewBudget([]string{expr})
		if _, err := b.build([]string{expr}); err != nil {
			continue
		}
		if w := weigh(expr); w.stratum() == 0 {
			require.LessOrEqual(t, b.Steps(), 2*w.steps, expr)
		}
	}
}

// FuzzWeigh checks that weigh accepts any text and returns a valid weight.
func FuzzWeigh(f *testing.F) {
	for _, expr := range []string{"a(b|c)?", `[\d-z]\x{1e940}`, "((((", "))))", `\p{^Greek}[[:alpha:]-\x{1e940}]`, "{9}{9,}{,3}", `\Qa\E+`, "[^]-]", "\\"} {
		f.Add(expr)
	}
	f.Fuzz(func(t *testing.T, expr string) {
		if w := weigh(expr); w.steps <= 0 || w.worst < w.steps || w.wide < 0 {
			t.Fatalf("%q weighs %v", expr, w)
		}
	})
}

// BenchmarkRefuse measures the time to refuse a set. It should be less than 100 ms.
func BenchmarkRefuse(b *testing.B) {
	sets := tooLarge()
	for _, name := range slices.Sorted(maps.Keys(sets)) {
		b.Run(strings.ReplaceAll(name, " ", "_"), func(b *testing.B) {
			b.ReportAllocs()
			var cpu time.Duration
			for b.Loop() {
				var err error
				cpu += cputime.Of(func() { _, err = Compile(sets[name]) })
				if err == nil {
					b.Fatal("accepted")
				}
			}
			b.ReportMetric(float64(cpu.Microseconds())/1000/float64(b.N), "cpu-ms/op")
		})
	}
}
