package classify

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/internal/form"
)

func TestJoinLines(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ text, want string }{
		"one line":                    {"the credit balance of this account is too low", ""},
		"broken by a terminal":        {"the request failed: Your credit balance is\ntoo low to use the API", "the request failed: Your credit balance is too low to use the API"},
		"and indented":                {"the request failed: Your credit balance is\n  too low to use the API", "the request failed: Your credit balance is too low to use the API"},
		"beside a line":               {"│ the request failed: Your credit balance is\n│ too low to use the API", "│ the request failed: Your credit balance is too low to use the API"},
		"in a box":                    {"│ the request failed: Your credit balance is │\n│ too low to use the API                     │", "│ the request failed: Your credit balance is too low to use the API                     │"},
		"as a terminal sends it":      {"the request failed: Your credit balance is\r\ntoo low to use the API\r\n", "the request failed: Your credit balance is too low to use the API\r\n"},
		"indented, and again":         {"the request failed: Your credit balance is\n  too low to use the API, so add credits or\n  wait", "the request failed: Your credit balance is too low to use the API, so add credits or wait"},
		"another statement":           {"the request to the server has failed for good\nError: connection refused", ""},
		"a rune that ends like a box": {"the request to the server has failed ✔\ntoo low, and whatever else", "the request to the server has failed ✔ too low, and whatever else"},
		"the word had room":           {"the request failed: Your credit balance and whatever else is\ntoo low\nto use the API", "the request failed: Your credit balance and whatever else is too low\nto use the API"},
		"narrower than any":           {"request failed\nconnection refused", ""},
		"wider than any":              {strings.Repeat("x", form.MaxWidth+1) + "\nconnection refused", ""},
		"an empty line between":       {"the request to the server has failed and will not be\n\nrepeated", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			joined, ok := form.JoinLines(row.text)
			if row.want == "" {
				assert.False(t, ok, joined)
				return
			}
			assert.True(t, ok)
			assert.Equal(t, row.want, joined)
		})
	}
}

// TestExplainBrokenLine checks that the text of a match keeps its line break.
func TestExplainBrokenLine(t *testing.T) {
	t.Parallel()
	const text = "✗ the request to the model has failed with insufficient\n│ quota for all of it"
	x := Standard.Explain(Evidence{Message: text})
	require.NotEmpty(t, x.Signals)
	assert.Equal(t, ReasonBudgetExceeded, x.Result.Reason, x.Result.Rule)
	assert.Equal(t, "insufficient\n│ quota", x.Signals[0].Text)
	assert.Equal(t, x.Signals[0].Text, text[x.Signals[0].Start:x.Signals[0].End])
}
