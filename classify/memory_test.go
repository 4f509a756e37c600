package classify

import (
	"fmt"
	"strconv"
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
		set, hash := new(memory.Memory).VerdictOf("text")
		remembers(t, v, func(v memory.Verdict) { memory.Remember(set, hash, v) }, func() (memory.Verdict, bool) { return memory.Recall(set, hash) })
		_, ok := memory.Recall(set, hash^1<<memory.VerdictBits)
		assert.False(t, ok, "another text")
	}
	set, hash := new(memory.Memory).VerdictOf("text")
	memory.Remember(set, hash, memory.Verdict{Rule: 1 << memory.RuleBits})
	_, ok := memory.Recall(set, hash)
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
		set, hash := new(memory.Memory).MatchesOf("text")
		remembers(t, m, func(m memory.Matches) { set.Remember(hash, &m) }, func() (memory.Matches, bool) { return set.Recall(hash) })
		_, ok := set.Recall(hash + 1)
		assert.False(t, ok, "another text")
	}
	set, hash := new(memory.Memory).MatchesOf("text")
	set.Remember(hash, &memory.Matches{Places: [memory.MaxMatches]int{memory.MatchMask}, N: 1})
	_, ok := set.Recall(hash)
	assert.False(t, ok, "a place that does not fit")
}

// TestMemoryKeepsAnswers checks that the cache returns either the stored answer to
// the texts or none.
func TestMemoryKeepsAnswers(t *testing.T) {
	t.Parallel()
	for _, a := range []memory.Answer{{}, {Sure: true}, {Reason: memory.MaxReasons - 1, Step: memory.MaxSteps - 1, Sure: true}} {
		mem := new(memory.Memory)
		set, hash := mem.AnswerOf([]string{"one", "two"}, 7)
		remembers(t, a, func(a memory.Answer) { memory.RememberAnswer(set, hash, a) }, func() (memory.Answer, bool) { return memory.RecallAnswer(set, hash) })
		for _, other := range []struct {
			texts []string
			prior uint64
		}{{[]string{"two", "one"}, 7}, {[]string{"one", "two"}, 8}, {[]string{"onetwo", ""}, 7}} {
			_, hash := mem.AnswerOf(other.texts, other.prior)
			_, ok := memory.RecallAnswer(set, hash)
			assert.False(t, ok, "%q, %d", other.texts, other.prior)
		}
	}
}

// TestMemoryKeepsRecurringTexts checks that four texts of one cache set do not replace
// each other, and that a fifth one replaces the oldest.
func TestMemoryKeepsRecurringTexts(t *testing.T) {
	t.Parallel()
	mem := new(memory.Memory)
	first, _ := mem.VerdictOf("0")
	var hashes []uint64
	for i := 0; len(hashes) < 5; i++ {
		if set, hash := mem.VerdictOf(strconv.Itoa(i)); set == first {
			memory.Remember(set, hash, memory.Verdict{Rule: len(hashes)})
			hashes = append(hashes, hash)
		}
	}
	for i, hash := range hashes {
		v, ok := memory.Recall(first, hash)
		assert.Equal(t, i > 0, ok, i)
		if ok {
			assert.Equal(t, i, v.Rule)
		}
	}
	memory.Remember(first, hashes[1], memory.Verdict{Rule: 7}) // now the newest
	v, ok := memory.Recall(first, hashes[1])
	assert.True(t, ok)
	assert.Equal(t, 7, v.Rule)
	_, ok = memory.Recall(first, hashes[2])
	assert.True(t, ok)

	matches, _ := mem.MatchesOf("0")
	hashes = hashes[:0]
	for i := 0; len(hashes) < 5; i++ {
		if set, hash := mem.MatchesOf(strconv.Itoa(i)); set == matches {
			set.Remember(hash, &memory.Matches{Places: [memory.MaxMatches]int{len(hashes)}, N: 1})
			hashes = append(hashes, hash)
		}
	}
	for i, hash := range hashes {
		m, ok := matches.Recall(hash)
		assert.Equal(t, i > 0, ok, i)
		if ok {
			assert.Equal(t, i, m.Places[0])
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

// BenchmarkRecurring classifies a number of texts in turn.
func BenchmarkRecurring(b *testing.B) {
	for _, n := range []int{1, 50, 500} {
		b.Run(fmt.Sprintf("texts=%d", n), func(b *testing.B) {
			c, err := New()
			assert.NoError(b, err)
			texts := make([]string, n)
			for i := range texts {
				texts[i] = fmt.Sprintf("dial tcp 10.0.%d.%d:5432: connect: connection refused", i/200, i%200)
			}
			i := 0
			for b.Loop() {
				c.Classify(Evidence{Message: texts[i]})
				i = (i + 1) % n
			}
		})
	}
}
