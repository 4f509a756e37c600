package scan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// quadratic has patterns and texts for which a naive matcher takes quadratic time.
// The second part of each pattern matches many times.
var quadratic = map[string]struct{ pattern, head, piece string }{
	"bounded":           {`ab.{0,20}cd.{0,9}ef`, "ab", "cd "},
	"unbounded":         {`ab.*cd.*ef`, "ab", "cd "},
	"broken line":       {`ab.*cd`, "ab\n", "cd "},
	"class":             {`ab\w*cd\w*ef`, "ab", "cd"},
	"broken class":      {`ab\w*cd`, "ab-", "cd"},
	"two loops, broken": {`ab\w*\s*cd`, "ab-", "cd"},
	"two loops":         {`ab\w*\s*cd`, "ab", "cd"},
	"at least":          {`ab.{3,}cd.*ef`, "ab", "cd "},
	"at least, wide":    {`é.{90,}à.*ef`, "é", "éà"},
	"long pieces":       {`(?:cd ?){1,90}.*(?:cd ?|ab){40}.*ef`, "ab", "cd "},
}

// The matcher must find the same matches as package regexp in texts with many gaps.
func TestGapsWereQuadratic(t *testing.T) {
	t.Parallel()
	for name, tt := range quadratic {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, err := Compile([]string{tt.pattern})
			require.NoError(t, err)
			for _, end := range []string{"", "ef", "\nef", "\ncd", "\nab cd ef", " abcdef"} {
				for _, n := range []int{1, 2, 7, 40} {
					text := tt.head + strings.Repeat(tt.piece, n) + end
					require.Equal(t, reference(t, []string{tt.pattern}, text), matched(m, text), "%q", text)
				}
			}
		})
	}
}

// BenchmarkGaps should take the same time per byte for 1 KiB and 64 KiB.
func BenchmarkGaps(b *testing.B) {
	for name, tt := range quadratic {
		m, err := Compile([]string{tt.pattern})
		require.NoError(b, err)
		set := make([]uint64, m.Words())
		for size, n := range map[string]int{"1KiB": 1 << 10, "64KiB": 64 << 10} {
			text := tt.head + strings.Repeat(tt.piece, n/len(tt.piece))
			b.Run(strings.ReplaceAll(name, " ", "-")+"/"+size, func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					clear(set)
					m.Match(set, text)
				}
			})
		}
	}
}

// Many patterns share the piece "error". Each occurrence must be recorded only once.
func TestSharedPieceHadAHitForEachPattern(t *testing.T) {
	t.Parallel()
	exprs, text := []string{}, ""
	for i := range 100 {
		exprs = append(exprs, fmt.Sprintf("q%dz.*error", i))
		text += fmt.Sprintf("q%dz ", i)
	}
	m, err := Compile(exprs)
	require.NoError(t, err)
	var w walk
	w.begin(m, text+strings.Repeat("error ", 50))
	w.scan()
	require.Len(t, w.matches, 100+50)
	w.join()
	require.Equal(t, reference(t, exprs, text+"error"), matched(m, text+"error"))
}

// This pattern is case-sensitive and needs few states. If case were ignored, the
// number of states would be exponential. Compile must accept the pattern.
func TestPatternWasRefusedForTheOtherCase(t *testing.T) {
	t.Parallel()
	exprs := []string{`(?-i)x(?:ab|cd){0,30}AB(?:ab|cd){30}y`}
	m, err := Compile(exprs)
	require.NoError(t, err)
	text := "xababAB" + strings.Repeat("cd", 30) + "y"
	for _, text := range []string{text, strings.ToLower(text)} {
		require.Equal(t, reference(t, exprs, text), matched(m, text), text)
	}
}
