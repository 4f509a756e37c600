package cputime_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errclass/errclass/internal/cputime"
)

// square takes time in proportion to the square of the length of s.
func square(s string) (n int) {
	for range []byte(s) {
		for range []byte(s) {
			n++
		}
	}
	return n
}

func TestScaling(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		forEachB func(rest string) int // does the work for one "b"; rest begins with that "b"
		size     int
		maxRatio float64
		want     string
	}{
		{"linear", func(string) int { return 1 }, 1 << 10, 1000, ""},
		{"expensive", func(string) int { return strings.Count(strings.Repeat("xy", 1000), "y") }, 1 << 10, 10, "a byte of ordinary text"},
		{"cubic", square, 1 << 7, 1e9, "the cost grows by a factor of "},
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
			err := s.Check(func(size int) string { return strings.Repeat("b", size) }, tt.size, 4*tt.size)
			if tt.want == "" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, tt.want)
			}
			assert.Positive(t, sum)
		})
	}
}
