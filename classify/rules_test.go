package classify_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify/internal/ruledoc"
)

// TestRules checks every rule of the standard set against its own examples.
func TestRules(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("rules/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			f, err := os.Open(path)
			require.NoError(t, err)
			defer f.Close()
			doc, err := ruledoc.Read(f)
			require.NoError(t, err)
			doc.ExpandParts()
			for _, r := range doc.Rules {
				pattern := strings.ReplaceAll(r.Pattern, "{code}", `[A-Za-z0-9_-]+`)
				re, err := regexp.Compile("(?i)" + pattern)
				require.NoError(t, err, "line %d: rule %s", r.Line, r.ID)
				for _, s := range r.Match {
					assert.True(t, re.MatchString(s), "line %d: rule %s does not match %q", r.Line, r.ID, s)
				}
				for _, s := range r.Miss {
					assert.False(t, re.MatchString(s), "line %d: rule %s matches %q", r.Line, r.ID, s)
				}
			}
		})
	}
}
