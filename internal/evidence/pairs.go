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

// Pairs has every valid pair of a category and a reason. A reason has one category,
// which user rules cannot change. The exception is the reason timeout: its category
// can also be timeout, for the program's own deadline.
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

// PairIndex returns the index of a pair in [Pairs], or -1 if no classifier can
// return the pair.
func PairIndex(category classify.Category, reason classify.Reason) int {
	return slices.Index(Pairs, Pair{category, reason})
}

// KnownPair reports whether a classifier can return the pair.
func KnownPair(category classify.Category, reason classify.Reason) bool {
	return PairIndex(category, reason) >= 0
}
