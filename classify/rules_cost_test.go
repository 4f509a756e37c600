package classify

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify/internal/scan"
	"github.com/errclass/errclass/classify/internal/standard"
)

// These constants limit scan.Stats.Short: the number of pairs of bytes that make the
// matcher run its automaton without further tests.
const (
	maxRuleShort = 100
	maxSetShort  = 1500
)

const costRemedy = "rule %s: the matcher would look for it nearly everywhere. Every piece between two gaps " +
	"([^\\n]{0,40}, \\w*, \\d+, l+) should begin with three letters: spell out the few separators ([: ]{1,3}), " +
	"drop \\w*\\b before a gap and what stands behind the last telling word, begin with the literal"

// TestStandardRulesAreCheap checks that few pairs of bytes pass the matcher's
// filter.
func TestStandardRulesAreCheap(t *testing.T) {
	t.Parallel()
	patterns := make([]string, len(standard.Rules))
	for i, r := range standard.Rules {
		patterns[i] = r.Pattern
		m, err := scan.Compile(patterns[i : i+1])
		require.NoError(t, err, "rule %s", r.ID)
		stats := m.Stats()
		assert.False(t, stats.Anywhere, costRemedy, r.ID)
		assert.LessOrEqual(t, stats.Short, maxRuleShort, costRemedy, r.ID)
	}
	m, err := scan.Compile(patterns)
	require.NoError(t, err)
	assert.LessOrEqual(t, m.Stats().Short, maxSetShort, "the rules together: see those with the most pairs of their own")
}
