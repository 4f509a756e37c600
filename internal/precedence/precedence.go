// Package precedence chooses between the results for several sources of evidence
// about one error. The sources are tried in order of importance. The first
// source for which a rule finds the reason decides. If there is none, the first
// source for which the model finds the reason decides. If there is none either,
// the first source decides.
package precedence

import "github.com/errclass/errclass/classify"

// Known reports whether a rule, and not only the model, has found the reason. If so,
// no further sources need be read.
func Known(r *classify.Result) bool {
	return r.Category != "" && r.Reason != classify.ReasonUnknown && r.Rule != classify.RuleModel
}

// Replaces reports whether r, the result for a source, takes precedence over
// best. best is the best result for the earlier sources, or zero if there are
// none. No result for an earlier source may be [Known].
func Replaces(r, best *classify.Result) bool {
	return Known(r) || best.Category == "" || best.Reason == classify.ReasonUnknown && r.Rule == classify.RuleModel
}
