package classify

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify/internal/ruledoc"
)

// TestExamplesDecide classifies the examples of all rules that have a reason. The result
// must have this reason. The exception is a result whose rule is listed under the key
// "decides" of the tested rule.
func TestExamplesDecide(t *testing.T) {
	t.Parallel()
	rules, err := New(WithModel(false))
	require.NoError(t, err)
	examples, overruled := 0, 0
	paths, err := filepath.Glob("rules/*.yaml")
	require.NoError(t, err)
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		doc, err := ruledoc.Read(strings.NewReader(string(data)))
		require.NoError(t, err)
		for _, r := range doc.Rules {
			decided := map[string]bool{}
			for _, text := range r.Match {
				got := rules.Message(text)
				examples++
				if Message(text).Category != got.Category {
					overruled++
				}
				if r.Decides[got.Rule] != "" {
					decided[got.Rule] = true
					continue
				}
				if r.Reason != "" {
					assert.Equal(t, r.Reason, string(got.Reason), "%s:%d: rule %s, example %q: %s decides", path, r.Line, r.ID, text, got.Rule)
				}
			}
			for rule := range r.Decides {
				assert.True(t, decided[rule], "%s:%d: rule %s: %s decides none of its examples", path, r.Line, r.ID, rule)
			}
		}
	}
	assert.LessOrEqual(t, overruled, examples/100, "of %d examples the model overrules the rules", examples)
}
