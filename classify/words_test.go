package classify

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errclass/errclass/classify/internal/signal"
)

// TestWordsAgree compares the reasons and categories of this package and package
// signal.
func TestWordsAgree(t *testing.T) {
	t.Parallel()
	assert.Len(t, Reasons(), int(signal.Reasons)-1)
	for i, r := range Reasons() {
		inner := signal.ReasonOf(string(r))
		assert.Equal(t, signal.Reason(i+1), inner, r)
		assert.Equal(t, string(r.Policy().Category), inner.Category().String(), r)
	}
	assert.Len(t, Categories(), int(signal.Categories)-1)
	for i, c := range Categories() {
		assert.Equal(t, signal.Category(i+1), signal.CategoryOf(string(c)), c)
	}
}
