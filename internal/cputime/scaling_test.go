package cputime_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errclass/errclass/internal/cputime"
)

func TestScaling(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		forEachB func(rest string) int // does the work for one "b"; rest begins with that "b"
		maxRatio float64
		want     string
	}{
		{"linear", func(string) int { return 1 }, 1000, ""},
		{"expensive", func(string) int { return strings.Count(strings.Repeat("xy", 1000), "y") }, 10, "a byte of ordinary text"},
		{"quadratic", func(rest string) int { return len(strings.Fields(rest)) }, 1e9, "the cost grows by a factor of "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			sum := 0
			s := cputime.Scaling{Ordinary: strings.Repeat("a", 4<<10), MaxRatio: tt.maxRatio, Run: func(text string) {
				for i := range len(text) {
					if text[i] == 'b' {
						sum += tt.forEachB(text[i:])
					}
				}
			}}
			err := s.Check(func(size int) string { return strings.Repeat("b", size) }, 1<<10, 4<<10)
			if tt.want == "" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, tt.want)
			}
			assert.Positive(t, sum)
		})
	}
}
