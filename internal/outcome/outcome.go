// Package outcome says in words what effect each signal had on a result. A signal is
// one match of a rule (see [classify.Signal]).
package outcome

import (
	"slices"
	"strings"

	"github.com/errclass/errclass/classify"
)

// Of says whether the signal s decided the result, and if not, why. The argument all
// has all signals of the explanation, including s.
func Of(s classify.Signal, all []classify.Signal) string {
	switch {
	case s.Decided:
		return "decided"
	case s.VetoedBy != "":
		return "ruled out by " + s.VetoedBy
	case s.BeatenBy == classify.RuleModel:
		return "beaten by the model"
	case s.BeatenBy != "":
		return "beaten by " + s.BeatenBy + ": " + whyBeaten(s, winner(s, all))
	}
	var out []string
	for _, other := range all {
		if other.VetoedBy == s.Rule {
			out = append(out, other.Rule)
		}
	}
	if len(out) == 0 {
		// A rule without a reason says how long to wait, or rules out other signals.
		return "has no reason of its own"
	}
	return "rules out " + strings.Join(out, ", ")
}

// winner returns the signal that beat s. If no signal has the rule s.BeatenBy, it
// returns the first signal.
func winner(s classify.Signal, all []classify.Signal) classify.Signal {
	i := slices.IndexFunc(all, func(other classify.Signal) bool { return other.Rule == s.BeatenBy })
	return all[max(i, 0)]
}

// strengths are the strengths of signals, from the weakest to the strongest.
var strengths = []string{"word", "phrase", "code", "cause", "fact", "user", "own"}

// whyBeaten says why the signal s was beaten by another signal, best.
func whyBeaten(s, best classify.Signal) string {
	switch {
	case slices.Index(strengths, s.Strength) > slices.Index(strengths, best.Strength):
		return "a wrapper, or an earlier attempt"
	case s.Strength != best.Strength:
		return best.Strength + " before " + s.Strength
	case s.Reason != best.Reason:
		return string(best.Reason) + " before " + string(s.Reason)
	}
	return "it comes first"
}
