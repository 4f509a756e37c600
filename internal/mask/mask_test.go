package mask_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errclass/errclass/internal/mask"
)

var (
	allShapes   = slices.Concat(shapes, moreShapes, yamlShapes, sentenceShapes, codeShapes, callShapes, commandShapes, colourShapes, elementShapes, stringShapes)
	allInnocent = slices.Concat(innocent, moreInnocent, yamlInnocent, sentenceInnocent, codeInnocent, callInnocent, commandInnocent, pemInnocent, colourInnocent, elementInnocent, stringInnocent)
)

func TestShapes(t *testing.T) {
	t.Parallel()
	assert.GreaterOrEqual(t, len(shapes), 80)
	for _, s := range allShapes {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			got := mask.Text(s.text)
			assertGone(t, got, s)
			assert.Equal(t, got, mask.Text(got), "masking again changes nothing")
		})
	}
}

// assertGone checks that no four neighbouring bytes of the secret remain. It ignores
// bytes that s.text also has outside the secret.
func assertGone(t assert.TestingT, got string, s shape) {
	const part = 4
	for i := 0; i+part <= len(s.secret); i++ {
		if piece := s.secret[i : i+part]; strings.Count(s.text, piece) == strings.Count(s.secret, piece) {
			assert.NotContains(t, got, piece, "%s: %s", s.name, s.text)
		}
	}
	assert.NotContains(t, got, s.secret)
	assert.Contains(t, got, mask.Masked)
}

func TestInnocent(t *testing.T) {
	t.Parallel()
	assert.GreaterOrEqual(t, len(innocent), 60)
	for _, text := range allInnocent {
		assert.Equal(t, text, mask.Text(text))
	}
}

// TestInnocentAllocations checks that masking allocates nothing for a text without
// a secret.
func TestInnocentAllocations(t *testing.T) {
	for _, text := range allInnocent {
		assert.Zero(t, testing.AllocsPerRun(1, func() { mask.Text(text) }), "%q", text)
	}
}
