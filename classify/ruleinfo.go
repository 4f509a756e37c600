package classify

import "slices"

// RuleInfo describes one text rule of a [Classifier].
type RuleInfo struct {
	ID string
	// Pattern is a complete pattern for package regexp, including the (?i) that
	// rules have by default.
	Pattern string
	// Reason and Category are the rule's answer. Both are empty for a rule that
	// only vetoes others or only gives a hint.
	Reason   Reason
	Category Category
	// Strength ranks the rule: word, phrase, code or cause; user for a user's
	// own rule.
	Strength string
	// Vetoes lists the reasons, or the ids of rules, that do not count if this
	// rule matches.
	Vetoes []string
}

// Rules returns the text rules of c: the user's in their order, then those of the
// base from the strongest to the weakest. The order alone does not decide. A
// matching rule may veto others, and a specific cause outranks the error that
// wraps it; [Classifier.Explain] shows what decided. The caller owns the slice.
func (c *Classifier) Rules() []RuleInfo {
	var infos []RuleInfo
	c = c.current()
	for _, r := range c.rules().rules {
		if r.id == "" {
			continue // between two parts
		}
		infos = append(infos, RuleInfo{
			ID: r.id, Pattern: "(?i)" + r.pattern, Reason: r.reason, Category: r.meaning(),
			Strength: r.strength.String(), Vetoes: slices.Clone(r.vetoes),
		})
	}
	return infos
}

// meaning is the category that the rule stands for, "" where it has no reason.
func (r *textRule) meaning() Category {
	if r.category != "" || r.reason == "" {
		return r.category
	}
	return r.reason.Policy().Category
}

// strengthNames names the strengths for people and programs.
var strengthNames = [...]string{
	noStrength: "", wordStrength: "word", phraseStrength: "phrase", codeStrength: "code",
	causeStrength: "cause", factStrength: "fact", userStrength: "user", ownStrength: "own",
}

// String names the strength; it is empty where there is none.
func (s strength) String() string {
	if int(s) < len(strengthNames) {
		return strengthNames[s]
	}
	return ""
}

// strengthOf is the strength that is named so.
func strengthOf(name string) strength { return strength(max(0, slices.Index(strengthNames[:], name))) }
