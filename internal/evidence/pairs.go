package evidence

import "github.com/errclass/errclass/classify"

// Pair is a category and reason that a classifier can return.
type Pair struct {
	Category classify.Category
	Reason   classify.Reason
}

// Pairs has all pairs. Each reason has one category. Only the reason timeout has a
// second category, timeout, for the program's own deadline. User rules cannot
// change the category of a reason.
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

// KnownPair reports whether a classifier can return the pair.
func KnownPair(category classify.Category, reason classify.Reason) bool {
	for _, p := range Pairs {
		if p.Category == category && p.Reason == reason {
			return true
		}
	}
	return false
}
