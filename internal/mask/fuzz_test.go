package mask_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/errclass/errclass/internal/mask"
)

// FuzzText checks masking on any text.
//   - There is no panic.
//   - Masking the result again changes nothing, and so does naming a name.
//   - A secret between two random texts is masked.
func FuzzText(f *testing.F) {
	for i, s := range allShapes {
		f.Add(s.text, uint16(i), innocent[i%len(innocent)])
	}
	for i, text := range allInnocent {
		f.Add(text, uint16(i*7), "password=\"")
	}
	f.Fuzz(func(t *testing.T, before string, which uint16, after string) {
		got := mask.Unguarded(before)
		assert.Equal(t, got, mask.Text(got), "masking again changes nothing: %q", before)
		s := shapes[int(which)%len(shapes)]
		planted := before + "\n" + s.text + "\n" + after
		assert.NotContains(t, strip(mask.Text(planted), before, after), s.secret, "%q", planted)
		name := mask.UnguardedEndpoint(before)
		assert.Equal(t, name, mask.Endpoint(name), "%q", before)
		name = mask.Endpoint(before)
		assert.Equal(t, name, mask.Endpoint(name), "the name of a name: %q", before)
		key := mask.Name(before)
		assert.Equal(t, key, mask.Name(key), "the name of a name: %q", before)
		assert.Equal(t, got == before, key == before)
		if strings.Contains(before, "://") {
			assert.NotContains(t, name, "?", "%q", before)
		}
	})
}

// strip returns masked, or "" if one of the neighbours contains the secret of a shape.
// The neighbours are the texts around the secret. In a neighbour, the same characters can
// be an ordinary word, which is not masked.
func strip(masked string, neighbours ...string) string {
	for _, s := range shapes {
		for _, a := range neighbours {
			if strings.Contains(a, s.secret) {
				return ""
			}
		}
	}
	return masked
}

// TestPlanted mixes texts with and without a secret. Each secret must be masked.
func TestPlanted(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(t, "n")
		var text strings.Builder
		var planted []shape
		for range n {
			s := rapid.SampledFrom(shapes).Draw(t, "shape")
			text.WriteString(rapid.SampledFrom(innocent).Draw(t, "around") + rapid.SampledFrom([]string{"\n", "\n\n", "\n\t"}).Draw(t, "between") + s.text + "\n")
			planted = append(planted, s)
		}
		got := mask.Text(text.String())
		for _, s := range planted {
			assert.NotContains(t, got, s.secret, "%q", text.String())
		}
		assert.Equal(t, got, mask.Text(got))
	})
}
