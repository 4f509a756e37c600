package fingerprint

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The expected hashes come from the command xxhsum.
func TestDigest(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]uint64{
		"":    0xef46db3751d8e999,
		"a":   0xd24ec4f1a98c6e5b,
		"abc": 0x44bc2cf5ad770999,
		"Nobody inspects the spammish repetition": 0xfbcea83c8a378bf1,
	} {
		var d digest
		d.start()
		d.write(text)
		assert.Equal(t, want, d.sum(), text)
	}
}

// The hash does not depend on how a text is split over calls of write.
func TestDigestOfPieces(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("0123456789abcdefghijklmnopqrstuvwxyz", 30)
	var whole digest
	whole.start()
	whole.write(text)
	want := whole.sum()
	for _, n := range []int{1, 3, 7, 8, 31, 32, 33, 255, 256, 257, 1000} {
		var d digest
		d.start()
		for rest := text; rest != ""; rest = rest[min(n, len(rest)):] {
			d.write(rest[:min(n, len(rest))])
		}
		assert.Equal(t, want, d.sum(), "pieces of %d bytes", n)
	}
}
