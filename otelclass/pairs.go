package otelclass

import "github.com/errclass/errclass/classify"

// pair is a category and a reason that a classifier may give together.
type pair struct {
	category classify.Category
	reason   classify.Reason
}

// pairs are all of them: each reason with its own category, and the program's
// own deadline, the one reason that has a second. A user's rule gives a reason
// and cannot change its category.
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
