package classify

import "slices"

// Rule is a user's own text rule. Pattern is a Go regular expression. It matches
// anywhere in the text. It ignores case, unless it contains (?-i). Groups do not
// capture.
//
// A matching rule beats nearly all other evidence. The program's own deadline,
// cancellation and spent budget are stronger. If several rules match, the first one
// wins.
type Rule struct {
	ID      string // unique; becomes Result.Rule
	Reason  Reason
	Pattern string
}

// RuleInfo describes one text rule of a [Classifier].
type RuleInfo struct {
	ID string
	// Pattern is a complete pattern for package regexp. It includes the default
	// (?i).
	Pattern string
	// Reason and Category are those of the result if this rule decides. If the rule
	// gives no reason, both are empty. Such a rule vetoes others or names a waiting
	// time.
	Reason   Reason
	Category Category
	// Strength is "word", "phrase", "code" or "cause". For a user's own rule it is
	// "user".
	Strength string
	// Vetoes lists reasons and rule ids. If this rule matches, signals with these
	// reasons or ids do not count.
	Vetoes []string
	// Beats lists rule ids. If this rule matches, these rules do not count, even if
	// they are stronger. "4xx" means the HTTP statuses from 400 to 499 that are not
	// retryable, except 401, 402, 407, 409, 424 and 451.
	Beats []string
}

// Rules returns the text rules of c. The user's rules come first, in their order.
// The rules of the base classifier follow, from the strongest to the weakest.
//
// Rules can veto or beat others, so the first match does not always decide.
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
