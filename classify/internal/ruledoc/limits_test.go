package ruledoc

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const fileSize = 4 << 20

func fill(before, part, after string, n int) string {
	return before + strings.Repeat(part, n) + after
}

// These files must be refused before the YAML library builds a large syntax tree.
func TestTreeWasBuiltBeforeTheFirstLook(t *testing.T) {
	for name, file := range map[string]string{
		"nulls":              fill("rules: [", "~,", "]", fileSize/2-8),
		"nothing":            fill("rules: [", "[],", "]", fileSize/3-8),
		"maps":               fill("rules: [", "{},", "]", fileSize/3-8),
		"letters":            fill("rules: [\n", "aa,\n", "]", fileSize/4-8),
		"nested":             fill("rules: ", "[", "", 1_000_000),
		"items":              fill("rules:\n", "- b\n", "", 1_000_000),
		"empty items":        fill("rules:\n", "-\n", "", 1_000_000),
		"items in items":     fill("rules:\n", "- - - - - b\n", "", 300_000),
		"empty maps":         fill("rules:\n", "- {}\n", "", 800_000),
		"short maps":         fill("rules:\n", "- id: b\n", "", 500_000),
		"anchors":            fill("rules:\n", "- &a b\n", "", 500_000),
		"merges":             fill("x: &x {a: b}\nrules:\n", "- {<<: *x}\n", "", 200_000),
		"tags":               fill("rules:\n", "- !!str aaaaaaaaaaaaaaaaaaaa\n", "", 100_000),
		"behind a plain one": fill("source: a\n  'b\nrules:\n", "- &a b\n", "", 500_000),
		"in a plain one":     fill("rules: [a\n  'b,", "~,", "]", fileSize/2-20),
		"behind a return":    fill("# c\rrules: [", "~,", "]", fileSize/2-20),
		"in a document":      fill("--- [", "~,", "]", fileSize/2-20),
		"behind a mark":      fill("\ufeff[", "~,", "]", fileSize/2-20),
		"in UTF-16":          "\xff\xfe[\x00" + strings.Repeat("~\x00,\x00", fileSize/4-8),
		"behind a tag":       fill("rules: [!a,'b ~,", "~,", "]", fileSize/2-20),
		"behind a colon":     fill("rules: [a:'b,", "~,", "]", fileSize/2-20),
		"behind a comment":   fill("# it's\nrules: [", "~,", "]", fileSize/2-20),
		"examples":           fill("rules:\n- id: a\n  reason: policy\n  pattern: a\n  miss:\n", "  - b\n", "", 150_000),
		"examples in flow":   fill("rules:\n- {id: a, reason: policy, pattern: a, miss: [", "bbbbbb, ", "]}", 150_000),
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Parse([]byte(file), func(_ int, r *Rule) error {
				if r.ID == "" || r.Pattern == "" {
					return &Error{r.Line, assert.AnError}
				}
				return nil
			})
			runtime.ReadMemStats(&after)
			var at *Error
			require.ErrorAs(t, err, &at)
			assert.Positive(t, at.Line)
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(14*fileSize))
		})
	}
}

// These files resemble oversized files, but are ordinary lists of rules. They must
// be accepted.
func TestOrdinaryFilesKeepWithinTheLimits(t *testing.T) {
	t.Parallel()
	var block, flow, short, quoted strings.Builder
	for i := range 60_000 {
		fmt.Fprintf(&block, "- id: r%d\n  reason: policy\n  pattern: 'it''s %d'\n", i, i)
		fmt.Fprintf(&flow, "{id: r%d, reason: policy, pattern: \"a\\\"%d\"},\n", i, i)
		fmt.Fprintf(&short, "- {id: %x, reason: policy, pattern: %x}\n", i, i)
	}
	for i := range 10_000 {
		fmt.Fprintf(&quoted, "  - id: r%d\n    reason: policy\n    pattern: '[{,:]%d'\n    source: a, b: 'c, [d\n    match: ['[,,,,,,,,,,,,,,,{', \"*,&\"]\n    miss:\n    - |\n      - a, [b\n      - &c d\n    - plain\n      'text\n", i, i)
	}
	for name, file := range map[string]string{
		"block": "rules:\n" + block.String(), "flow": "rules: [\n" + flow.String() + "]", "short": "rules:\n" + short.String(),
		"quoted": "rules:\n" + strings.ReplaceAll(quoted.String(), "b: 'c", "b 'c"), "no end of line": "rules: []",
		"json": `{"rules": [` + strings.TrimSuffix(strings.Repeat(`{"id":"a","reason":"policy","pattern":"b"},`, 60_000), ",") + "]}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.LessOrEqual(t, len(file), fileSize)
			require.NoError(t, checkLimits([]byte(file)))
		})
	}
}
