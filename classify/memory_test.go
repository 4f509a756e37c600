package classify

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errclass/errclass/classify/internal/memory"
	"github.com/errclass/errclass/classify/internal/standard"
)

// remembers checks that recall returns nothing before remember is called, and value
// after that.
func remembers[T any](t *testing.T, value T, remember func(T), recall func() (T, bool)) {
	t.Helper()
	_, ok := recall()
	assert.False(t, ok, "nothing is remembered yet")
	remember(value)
	got, ok := recall()
	assert.True(t, ok)
	assert.Equal(t, value, got)
}

// TestMemoryKeepsVerdicts checks that the cache returns results only for the text
// that was stored.
func TestMemoryKeepsVerdicts(t *testing.T) {
	t.Parallel()
	for _, v := range []memory.Verdict{
		{Rule: -1, Status: 0, Provider: 0}, {Rule: 0, Status: 400, Provider: 1}, {Rule: -1, Status: 599, Provider: 3}, {Rule: 1<<memory.RuleBits - 3, Status: 599, Provider: 3}, {Rule: 7, Status: 0, Provider: 2},
	} {
		place, hash := new(memory.Memory).Slot("text")
		remembers(t, v, func(v memory.Verdict) { memory.Remember(place, hash, v) }, func() (memory.Verdict, bool) { return memory.Recall(place, hash) })
		_, ok := memory.Recall(place, hash^1<<memory.VerdictBits)
		assert.False(t, ok, "another text")
	}
	place, hash := new(memory.Memory).Slot("text")
	memory.Remember(place, hash, memory.Verdict{Rule: 1 << memory.RuleBits})
	_, ok := memory.Recall(place, hash)
	assert.False(t, ok, "a number that does not fit")
	assert.Less(t, len(standard.Rules)+64, 1<<memory.RuleBits)
}

// TestMemoryKeepsMatches checks that the cache returns matches only for the text
// that was stored.
func TestMemoryKeepsMatches(t *testing.T) {
	t.Parallel()
	for _, m := range []memory.Matches{
		{},
		{Places: [memory.MaxMatches]int{0, 1, 4094 - 1}, N: 3, Mention: memory.Mention{Status: 400, Provider: 1}},
		{Places: [memory.MaxMatches]int{1, 2, 3, 4, 5, 6, 7, 8, 9}, N: 9, Mention: memory.Mention{Status: 599, Provider: 3}},
	} {
		slot, hash := new(memory.Memory).MatchesOf("text")
		remembers(t, m, func(m memory.Matches) { slot.Remember(hash, &m) }, func() (memory.Matches, bool) { return slot.Recall(hash) })
		_, ok := slot.Recall(hash + 1)
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
		remembers(t, a, func(a memory.Answer) { memory.RememberAnswer(entry, hash, a) }, func() (memory.Answer, bool) { return memory.RecallAnswer(entry, hash) })
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
