package collect

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestCutAtSpace checks that Cut leaves out a word instead of splitting it, because the
// beginning of the word might match a rule.
func TestCutAtSpace(t *testing.T) {
	word := "insufficient_quotadial"
	text := strings.Repeat(word+" ", 100)
	for limit := 1; limit < 200; limit++ {
		q := &Inquiry{Budget: NewBudget(limit)}
		q.Budget.ShareText()
		q.Budget.ShareNames() // with less than shortest bytes left, Cut would read nothing
		head, tail := Cut(q, text)
		assert.LessOrEqual(t, len(head)+len(tail), limit)
		if limit > 4*len(word) {
			for _, w := range append(strings.Fields(head), strings.Fields(tail)...) {
				assert.Equal(t, word, w, "limit %d", limit)
			}
		}
	}
	long := strings.Repeat("x", 1000)
	q := &Inquiry{Budget: NewBudget(100)}
	q.Budget.ShareNames()
	head, tail := Cut(q, long)
	assert.Equal(t, 100, len(head)+len(tail), "no space is near")
}
