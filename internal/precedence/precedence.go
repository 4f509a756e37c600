// Package precedence chooses among the results for several sources about one error.
// These kinds of results take precedence in this order:
//
//  1. A rule finds the reason.
//  2. The model finds the reason.
//  3. Any result.
//
// Among results of the same kind, the first one is chosen.
package precedence

import "github.com/errclass/errclass/classify"

// Known reports whether a rule, and not only the model, has found the reason.
func Known(r *classify.Result) bool {
	return r.Category != "" && r.Reason != classify.ReasonUnknown && r.Rule != classify.RuleModel
}

// Replaces reports whether r takes precedence over best. best is the best result for
// the earlier sources, or zero if there are none. Do not call Replaces if an earlier
// result is [Known].
func Replaces(r, best *classify.Result) bool {
	return Known(r) || best.Category == "" || best.Reason == classify.ReasonUnknown && r.Rule == classify.RuleModel
}
