package otelclass

import "github.com/errclass/errclass/classify"

// pair is a category and reason that a classifier can return.
type pair struct {
	category classify.Category
	reason   classify.Reason
}

// pairs has all pairs. Each reason has one category. Only the reason timeout has a
// second category, timeout, for the program's own deadline. User rules cannot
// change the category of a reason.
var pairs = func() []pair {
	var all []pair
	for _, r := range classify.Reasons() {
		all = append(all, pair{r.Policy().Category, r})
		if r == classify.ReasonTimeout {
			all = append(all, pair{classify.CategoryTimeout, r})
		}
	}
	return all
}()

func knownPair(category classify.Category, reason classify.Reason) bool {
	for _, p := range pairs {
		if p.category == category && p.reason == reason {
			return true
		}
	}
	return false
}
