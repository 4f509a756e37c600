package classify

import "slices"

// Rule is a user's own text rule. Pattern is a Go regular expression. It matches
// anywhere in the text and ignores case, unless it contains (?-i). Groups do not
// capture. A matching rule beats all other evidence except the program's own
// deadline, cancellation and spent budget. If several rules match, the first one
// wins.
type Rule struct {
	ID      string // unique; becomes Result.Rule
	Reason  Reason
	Pattern string
}

// RuleInfo describes one text rule of a [Classifier].
type RuleInfo struct {
	ID string
	// Pattern is a complete pattern for package regexp, including the (?i) that
	// rules have by default.
	Pattern string
	// Reason and Category are those of the result if this rule decides. Both are
	// empty for a rule that only vetoes others, or only says something else, such as
	// how long to wait.
	Reason   Reason
	Category Category
	// Strength is the strength of the rule: word, phrase, code or cause. For a
	// user's own rule it is "user".
	Strength string
	// Vetoes lists reasons, and ids of rules. Signals with these reasons or rules
	// do not count if this rule matches.
	Vetoes []string
	// Beats lists ids of rules. These rules do not count if this rule matches, even
	// if they are stronger. "4xx" means the HTTP statuses from 400 to 499 with which
	// a retry fails too.
	Beats []string
}

// Rules returns the text rules of c: the user's rules in their order, then the rules
// of the base classifier from the strongest to the weakest. The first rule that
// matches does not always decide, because rules can veto or beat others.
// [Classifier.Explain] shows what decided. The caller owns the slice.
func (c *Classifier) Rules() []RuleInfo {
	var infos []RuleInfo
	c = c.current()
	for i := range c.rules().Rules {
		r := &c.rules().Rules[i]
		if r.ID == "" {
			continue // padding between two parts of the rule set
		}
		infos = append(infos, RuleInfo{
			ID: r.ID, Pattern: "(?i)" + r.Pattern, Reason: Reason(r.Reason.String()), Category: Category(r.Meaning().String()),
			Strength: r.Strength.String(), Vetoes: slices.Clone(r.Vetoes), Beats: slices.Clone(r.Beats),
		})
	}
	return infos
}
