// Package precedence chooses one of several results for an error. Each result is for a
// different source, such as the error value or the message of a log record. The kinds of
// results take precedence in this order:
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

// Replaces reports whether r takes precedence over best. The argument best is the best
// of the earlier results for the same error, or zero if there is none. Do not call
// Replaces if an earlier result is [Known].
func Replaces(r, best *classify.Result) bool {
	return Known(r) || best.Category == "" || best.Reason == classify.ReasonUnknown && r.Rule == classify.RuleModel
}
