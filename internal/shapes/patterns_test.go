package shapes

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPatternsRuleOutNoMatch checks that patterns.match never excludes a matching pattern
// because of a single byte of the line. The test changes each sample near the start and
// near the first separator.
func TestPatternsRuleOutNoMatch(t *testing.T) {
	t.Parallel()
	for _, line := range textSamples(t) {
		requireFirst(t, line)
		for _, i := range []int{0, 1, bytes.IndexByte(line, ' '), 1 + bytes.IndexByte(line, ' '), bytes.IndexByte(line, '\t'), bytes.IndexByte(line, ':')} {
			if i < 0 || i >= len(line) {
				continue
			}
			for c := range 256 {
				changed := bytes.Clone(line)
				changed[i] = byte(c)
				requireFirst(t, changed)
			}
			for _, insert := range []string{" ", "\t", "\t ", "\x1b[31m", "\x1b"} {
				requireFirst(t, []byte(string(line[:i])+insert+string(line[i:])))
			}
			requireFirst(t, line[:i])
		}
	}
}

func FuzzPatterns(f *testing.F) {
	for _, line := range textSamples(f) {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line []byte) { requireFirst(t, line) })
}

// textSamples returns the lines of the text logs in testdata, and the text after
// each prefix.
func textSamples(tb testing.TB) (samples [][]byte) {
	tb.Helper()
	for _, name := range []string{"testdata/printed-text.txt", "testdata/documented.txt"} {
		data, err := os.ReadFile(name)
		require.NoError(tb, err)
		for line := range bytes.Lines(data) {
			line = bytes.TrimRight(line, "\r\n")
			if len(line) > 120 {
				line = line[:120]
			}
			samples = append(samples, line, line[readPrefix(line).end:])
		}
	}
	return samples
}

// requireFirst compares patterns.match with matching the patterns one by one.
func requireFirst(t *testing.T, line []byte) {
	t.Helper()
	for _, p := range []*patterns{prefixPatterns, textPatterns} {
		want, first := -1, matched{}
		for i := range p.all {
			if m, ok := p.all[i].match(line, new(lead)); ok && len(line) > 0 {
				want, first = i, m
				break
			}
		}
		got, m := p.match(line, new(lead))
		require.Equal(t, want, got, "%q", line)
		require.Equal(t, first, m, "%q", line)
	}
}
