package classify

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errclass/errclass/classify/internal/memory"
)

// TestMemoryKeepsMatches checks that the cache returns matches only for the text
// that was stored.
func TestMemoryKeepsMatches(t *testing.T) {
	t.Parallel()
	for _, m := range []memory.Matches{
		{},
		{Places: [memory.MaxMatches]int{0, 1, 4094 - 1}, N: 3, Mention: memory.Mention{Status: 400, Provider: 1}},
		{Places: [memory.MaxMatches]int{1, 2, 3, 4, 5, 6, 7, 8, 9}, N: 9, Mention: memory.Mention{Status: 599, Provider: 3}},
	} {
		mem := new(memory.Memory)
		slot, hash := mem.MatchesOf("text")
		_, ok := slot.Recall(hash)
		assert.False(t, ok, "nothing is remembered yet")
		slot.Remember(hash, &m)
		got, ok := slot.Recall(hash)
		assert.True(t, ok)
		assert.Equal(t, m, got)
		_, ok = slot.Recall(hash + 1)
		assert.False(t, ok, "another text")
	}
	slot, hash := new(memory.Memory).MatchesOf("text")
	slot.Remember(hash, &memory.Matches{Places: [memory.MaxMatches]int{memory.MatchMask}, N: 1})
	_, ok := slot.Recall(hash)
	assert.False(t, ok, "a place that does not fit")
}

// TestMemoryKeepsAnswers checks that the cache returns either the stored answer to
// the texts or none.
func TestMemoryKeepsAnswers(t *testing.T) {
	t.Parallel()
	for _, a := range []memory.Answer{{}, {Sure: true}, {Reason: memory.MaxReasons - 1, Step: memory.MaxSteps - 1, Sure: true}} {
		mem := new(memory.Memory)
		entry, hash := mem.AnswerOf([]string{"one", "two"}, 7)
		_, ok := memory.RecallAnswer(entry, hash)
		assert.False(t, ok, "nothing is remembered yet")
		memory.RememberAnswer(entry, hash, a)
		got, ok := memory.RecallAnswer(entry, hash)
		assert.True(t, ok)
		assert.Equal(t, a, got)
		for _, other := range []struct {
			texts []string
			prior uint64
		}{{[]string{"two", "one"}, 7}, {[]string{"one", "two"}, 8}, {[]string{"onetwo", ""}, 7}} {
			_, hash := mem.AnswerOf(other.texts, other.prior)
			_, ok := memory.RecallAnswer(entry, hash)
			assert.False(t, ok, "%q, %d", other.texts, other.prior)
		}
	}
}

// TestRecalledTextsSayTheSame compares results with and without the cache.
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
