// Package precedence chooses among the results for several sources of evidence about
// one error. The sources are tried in order of importance. The first result in which
// a rule finds the reason is chosen; if there is none, the first result in which the
// model finds the reason; and if there is none either, the first result.
package precedence

import "github.com/errclass/errclass/classify"

// Known reports whether a rule, and not only the model, has found the reason. If so,
// the caller need not try further sources.
func Known(r *classify.Result) bool {
	return r.Category != "" && r.Reason != classify.ReasonUnknown && r.Rule != classify.RuleModel
}

// Replaces reports whether r, the result for a source, takes precedence over best.
// best is the best result for the earlier sources, or zero if there are none. The
// caller must not call Replaces if the result for an earlier source is [Known].
func Replaces(r, best *classify.Result) bool {
	return Known(r) || best.Category == "" || best.Reason == classify.ReasonUnknown && r.Rule == classify.RuleModel
}
