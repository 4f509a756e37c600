package form_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/errclass/errclass/internal/form"
)

// TestTextsWithoutGapsAreUnchanged checks the quick test of SingleSpaced against EachGap.
func TestTextsWithoutGapsAreUnchanged(t *testing.T) {
	t.Parallel()
	texts := rapid.StringOfN(rapid.SampledFrom([]rune("aaaaaaaaaaaaaaaaaaab!!!!.~          \n\t\r\u00a0")), 0, 60, -1)
	rapid.Check(t, func(t *rapid.T) {
		text := texts.Draw(t, "text")
		gaps := false
		form.EachGap(text, func(int, int, string) { gaps = true })
		assert.Equal(t, gaps, form.SingleSpaced(text) != text)
	})
}

// TestInvisibleCharactersAreRemoved checks that PlainText finds an invisible character at
// any offset.
func TestInvisibleCharactersAreRemoved(t *testing.T) {
	t.Parallel()
	plain := rapid.StringOfN(rapid.SampledFrom([]rune("aZ0 .~\t\n")), 0, 40, -1)
	rapid.Check(t, func(t *rapid.T) {
		before, after := plain.Draw(t, "before"), plain.Draw(t, "after")
		assert.Equal(t, before+after, form.PlainText(before+"\u200b"+after))
	})
}
