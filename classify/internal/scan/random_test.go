package scan

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMatchRandom compares the matcher with package regexp. The patterns and texts
// have few symbols, so near misses are frequent.
func TestMatchRandom(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	refused := 0
	const rounds = 500
	for range rounds {
		exprs := make([]string, 1+r.IntN(4))
		for i := range exprs {
			exprs[i] = randomExpr(r, 3)
		}
		m, err := Compile(exprs)
		if err != nil {
			refused++
			continue
		}
		data, err := m.AppendBinary(nil)
		require.NoError(t, err)
		loaded, err := Load(string(data))
		require.NoError(t, err)
		again, err := loaded.AppendBinary(nil)
		require.NoError(t, err)
		require.True(t, bytes.Equal(data, again))
		for range 4 {
			text := randomText(r, r.IntN(12))
			if r.IntN(2) == 0 {
				text = randomText(r, 60+r.IntN(200))
			}
			require.Equal(t, reference(t, exprs, text), matched(loaded, text), "patterns %q, text %q", exprs, text)
		}
	}
	require.Less(t, refused, rounds/20, "most of these patterns are small")
}

func pick(r *rand.Rand, from ...string) string { return from[r.IntN(len(from))] }

func randomExpr(r *rand.Rand, depth int) string {
	if depth == 0 || r.IntN(4) == 0 {
		return pick(r, "a", "b", "ab", "ba", "k", "s", "1", "é", " ", `\n`, ".", "[ab]", "[^a]", `\w`, `\d`, `\s`, `\x{FFFD}`, "(?-i:K)", "(?-i:a)", "(?-i:[AK])", `\W`)
	}
	sub := func() string { return randomExpr(r, depth-1) }
	switch r.IntN(12) {
	case 0, 1, 2, 3:
		return sub() + sub()
	case 4:
		return "(?:" + sub() + "|" + sub() + ")"
	case 5:
		return "(?:" + sub() + ")" + pick(r, "?", "*", "+", "{0,2}", "{2}", "{1,3}")
	case 6, 7, 8:
		return sub() + pick(r, ".{0,3}", ".*", `[^\n]{0,5}`, `\w*`, `[a-z]+`, ".{2,4}", `[^b]{1,4}`, `\d+`, `\s*`, `.{1,3}\s+`, `(?s:.{0,4})`, `[\d\s]{0,9}`) + sub()
	case 9:
		return pick(r, "^", "(?m:^)", `\b`, `\B`, `\A`, `\Ba?`) + sub() + pick(r, "", "", "*")
	case 10:
		return sub() + pick(r, "$", "(?m:$)", `\b`, `\B`, `\z`)
	default:
		return sub()
	}
}

func randomText(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		b.WriteString(pick(r, "a", "a", "b", "b", "A", "k", "K", "\u212a", "s", "ſ", "1", " ", " ", "\n", "é", "€", "\xff", "\xe2\x82", "ab", "ba"))
	}
	return b.String()
}
