package scan

import (
	"math"
	"math/rand/v2"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// dense has sets of patterns, each with a string. If a text repeats the string many
// times, parts of the patterns match at nearly every offset.
var dense = map[string]struct {
	exprs []string
	piece string
}{
	"gap":            {[]string{`rate.{0,40}limit`}, "rate limit "},
	"nothing waits":  {[]string{`rate.{0,40}limit`}, "limit rate\n"},
	"three pieces":   {[]string{`ab.*cd.*ef`}, "ab cd "},
	"every byte":     {[]string{`a.{0,9}b`, `a\w*b.*c`, `a.*a.*a.*d`}, "a"},
	"at least":       {[]string{`ab.{900,}cd.*ef`}, "ab cd "},
	"at least, wide": {[]string{`é.{300,}à.*ef`}, "éà"},
	"broken gap":     {[]string{`ab\w*cd.*ef`}, "ab-cd "},
	"shared":         {manyBehind(60), "error "},
	"empty pieces":   {[]string{`a?.*b?.*c`, `(?:a|).{0,5}\b.*d`}, "a "},
	"long pieces":    {[]string{`(?:ab ?){1,30}.*(?:ab|c){9}.*d`}, "ab"},
}

// manyBehind returns patterns that share their second part "error". Their first
// parts differ.
func manyBehind(n int) (exprs []string) {
	for i := range n {
		exprs = append(exprs, strings.Repeat("er", i%5)+"ro"+strings.Repeat(".", i/5)+`r.{0,9}error.*x`)
	}
	return exprs
}

// bytesOf returns the number of bytes that f allocates. It calls f twice and returns
// the smaller number, because the garbage collector may disturb one call.
func bytesOf(f func()) uint64 {
	least := uint64(math.MaxUint64)
	for range 2 {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.GC() // the second call empties the pool for good
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least
}

// The memory of a match must not grow with the text. The test is not parallel,
// because it measures the whole process.
func TestDenseTextTookMemoryByItsLength(t *testing.T) {
	for name, tt := range dense {
		t.Run(name, func(t *testing.T) {
			m, err := Compile(tt.exprs)
			require.NoError(t, err)
			set := make([]uint64, m.Words())
			most, sizes := uint64(512<<10), []int{64 << 10, 1 << 20, 16 << 20}
			switch name {
			case "long pieces": // they need more memory, but no more for longer texts
				most, sizes = 1<<20, sizes[:2]
			case "gap", "broken gap":
			default: // their many piece matches take too long for 16 MiB
				sizes = sizes[:2]
			}
			for _, size := range sizes {
				text := strings.Repeat(tt.piece, size/len(tt.piece))
				got := bytesOf(func() { m.Match(set, text) })
				t.Logf("%d KiB: %d KiB", size>>10, got>>10)
				require.LessOrEqual(t, got, most, "%d bytes of text", size)
			}
		})
	}
}

// matchedListing is like matched, with maxLen instead of maxListed as the limit of
// the matcher's lists.
func matchedListing(m *Matcher, text string, maxLen int) []bool {
	small := *m
	small.listed = maxLen
	return matched(&small, text)
}

// The matcher shortens full lists of matches before the end of the text. This must not
// change the result.
func TestShortListsMatchAlike(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "patterns"), 1))
		exprs := make([]string, 1+r.IntN(4))
		for i := range exprs {
			exprs[i] = randomExpr(r, 4)
		}
		m, err := Compile(exprs)
		if err != nil {
			return
		}
		text := randomText(r, rapid.IntRange(0, 300).Draw(t, "length"))
		want := matched(m, text)
		for i, expr := range exprs {
			require.Equal(t, regexp.MustCompile("(?i:"+expr+")").MatchString(text), want[i], "pattern %q, text %q", expr, text)
		}
		most := rapid.IntRange(1, 20).Draw(t, "most")
		require.Equal(t, want, matchedListing(m, text, most), "patterns %q, text %q", exprs, text)
	})
}

// Some texts need long lists of matches. After such a text, the pool must not keep
// these lists.
func TestLongListsLeaveThePool(t *testing.T) {
	t.Parallel()
	m, err := Compile([]string{`(?:ab ?){1,90}.*(?:ab|c){40}.*d`, `a.{900,}b`})
	require.NoError(t, err)
	var w walk
	for _, most := range []int{1, maxListed, 8 * maxListed} {
		m.listed = most
		w.begin(m, strings.Repeat("ab", 1<<14))
		w.scan()
		w.join()
		require.LessOrEqual(t, cap(w.matches), 2*maxListed)
		require.LessOrEqual(t, cap(w.joiner.stageMatches), 2*maxListed)
		require.Empty(t, w.joiner.pending)
	}
}
