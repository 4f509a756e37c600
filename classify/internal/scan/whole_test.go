package scan

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// randomLetters returns patterns that consist of prefix, followed by random letters.
func randomLetters(patterns, letters int, prefix string) (exprs []string) {
	random := rand.New(rand.NewPCG(1, 2))
	for range patterns {
		expr := make([]byte, letters)
		for i := range expr {
			expr[i] = byte('a' + random.IntN(26))
		}
		exprs = append(exprs, prefix+string(expr))
	}
	return exprs
}

func randomWays(patterns int) (exprs []string) {
	random := rand.New(rand.NewPCG(1, 2))
	for range patterns {
		var expr strings.Builder
		for expr.Len() < maxExpr-100 {
			fmt.Fprintf(&expr, "%06x|", random.IntN(1<<24))
		}
		exprs = append(exprs, expr.String()+"end")
	}
	return exprs
}

// Each of these patterns is within the limit for one pattern. Together they must be
// refused after few steps.
func TestSharesOfAllPatternsWereUnbounded(t *testing.T) {
	for name, exprs := range map[string][]string{
		"short alternatives": randomWays(64),
		"long gaps":          randomLetters(60, 65_000, "x.*"),
	} {
		t.Run(name, func(t *testing.T) {
			b := NewBudget(exprs)
			_, err := b.Compile(exprs)
			var at *PatternError
			require.ErrorAs(t, err, &at)
			most := 0
			for i := range b.spent {
				most = max(most, b.spent[i].total())
			}
			assert.Equal(t, most, b.spent[at.Index].total(), "it names one that spent less")
			assert.LessOrEqual(t, b.Work(), mostRefused)
		})
	}
}
