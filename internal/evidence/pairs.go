package evidence

import (
	"slices"

	"github.com/errclass/errclass/classify"
)

// Pair is a category and reason that a classifier can return.
type Pair struct {
	Category classify.Category
	Reason   classify.Reason
}

// Pairs has every valid pair of a category and a reason. A reason has one category.
// The only exception is the reason timeout. Its category is timeout if the deadline
// was the program's own, and otherwise retryable.
var Pairs = func() []Pair {
	var all []Pair
	for _, r := range classify.Reasons() {
		all = append(all, Pair{r.Policy().Category, r})
		if r == classify.ReasonTimeout {
			all = append(all, Pair{classify.CategoryTimeout, r})
		}
	}
	return all
}()

// PairIndex returns the index of a pair in [Pairs]. If no classifier can return the
// pair, it returns -1.
func PairIndex(category classify.Category, reason classify.Reason) int {
	return slices.Index(Pairs, Pair{category, reason})
}

// KnownPair reports whether a classifier can return the pair.
func KnownPair(category classify.Category, reason classify.Reason) bool {
	return PairIndex(category, reason) >= 0
}
