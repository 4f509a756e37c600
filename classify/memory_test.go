package classify

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestMemoryKeepsMatches: what a text says beside other evidence is recalled as it
// was, or not at all.
func TestMemoryKeepsMatches(t *testing.T) {
	t.Parallel()
	for _, m := range []matches{
		{},
		{places: [maxMatches]int{0, 1, 4094 - 1}, n: 3, utterance: utterance{status: 400, provider: 1}},
		{places: [maxMatches]int{1, 2, 3, 4, 5, 6, 7, 8, 9}, n: 9, utterance: utterance{status: 599, provider: 3}},
	} {
		mem := new(memory)
		slot, hash := mem.matchesOf("text")
		_, ok := slot.recall(hash)
		assert.False(t, ok, "nothing is remembered yet")
		slot.remember(hash, &m)
		got, ok := slot.recall(hash)
		assert.True(t, ok)
		assert.Equal(t, m, got)
		_, ok = slot.recall(hash + 1)
		assert.False(t, ok, "another text")
	}
	slot, hash := new(memory).matchesOf("text")
	slot.remember(hash, &matches{places: [maxMatches]int{matchMask}, n: 1})
	_, ok := slot.recall(hash)
	assert.False(t, ok, "a place that does not fit")
}

// TestRecalledTextsSayTheSame: a text beside a status comes to the same, read and
// recalled.
func TestRecalledTextsSayTheSame(t *testing.T) {
	t.Parallel()
	for _, text := range corpusMessages(t) {
		c, err := New()
		assert.NoError(t, err)
		e := Evidence{Status: 503, Message: text}
		read := c.Classify(e)
		assert.Equal(t, read, c.Classify(e), text)
	}
}
