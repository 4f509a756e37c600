package runbook_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/cmd/errclass/internal/runbook"
)

// TestFresh checks that the embedded copy of the page equals docs/reasons.md.
func TestFresh(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("../../../../docs/reasons.md")
	require.NoError(t, err)
	got, err := os.ReadFile("reasons.md")
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got), "run go generate ./internal/runbook")
}

func TestFor(t *testing.T) {
	t.Parallel()
	for _, reason := range classify.Reasons() {
		a := runbook.For(reason)
		assert.NotEmpty(t, a.Meaning, reason)
		assert.NotEmpty(t, a.First, reason)
		assert.Regexp(t, "^Do not [a-z]", a.Not, reason)
		for _, text := range append([]string{a.Meaning, a.Not}, a.First...) {
			assert.NotRegexp(t, "[\n`]|\\]\\(|\\*\\*", text, reason)
		}
	}
	a := runbook.For(classify.ReasonNetwork)
	assert.Equal(t, "From the machine that fails: curl -sv --max-time 5 https://HOST/ -o /dev/null and dig HOST. Compare with another machine.", a.First[0])
	assert.Equal(t, "https://github.com/errclass/errclass/blob/main/docs/reasons.md#network", a.Link)
	assert.Equal(t, runbook.Advice{Link: runbook.URL("x")}, runbook.For("x"))
}
