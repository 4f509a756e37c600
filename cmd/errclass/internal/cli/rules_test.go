package cli_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
)

func TestRules(t *testing.T) {
	t.Parallel()
	r := run(t, "", "rules", "--rules", "minimal")
	assert.True(t, strings.HasPrefix(r.out, ` RULE                  CATEGORY          REASON            STRENGTH  PATTERN
-------------------------------------------------------------------------------------------
 000/rate-limit        retryable         rate_limit        phrase    (?i)rate.?limit
`), r.out)
	assert.Equal(t, 22, strings.Count(r.out, "\n"))
}

func TestRulesJSON(t *testing.T) {
	t.Parallel()
	r := run(t, "", "rules", "--rules", "minimal", "--format", "json")
	first, _, _ := strings.Cut(r.out, "\n")
	assert.Equal(t, `{"id":"000/rate-limit","pattern":"(?i)rate.?limit","reason":"rate_limit","category":"retryable"}`, first)

	mine := file(t, "mine.yaml", "rules:\n  - {id: mine, reason: policy, pattern: 'a<b'}\n")
	r = run(t, "", "rules", "--rules", mine, "--format", "json")
	all := strings.Split(strings.TrimSuffix(r.out, "\n"), "\n")
	require.Len(t, all, 1+len(classify.Standard.Rules()))
	assert.Equal(t, `{"id":"mine","pattern":"(?i)a<b","reason":"policy","category":"fatal"}`, all[0])
	for _, line := range all {
		var rule struct{ ID, Pattern, Reason, Category string }
		require.NoError(t, json.Unmarshal([]byte(line), &rule))
		_, err := regexp.Compile(rule.Pattern)
		require.NoError(t, err, rule.ID)
	}
	assert.Equal(t, all[0]+"\n", run(t, "", "rules", "--rules-only", mine, "--format", "json").out)
	empty := file(t, "empty.yaml", "")
	assert.Empty(t, run(t, "", "rules", "--rules-only", empty, "--format", "json").out)
}
