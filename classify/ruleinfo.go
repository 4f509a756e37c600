package classify

import "slices"

// RuleInfo describes one text rule of a [Classifier].
type RuleInfo struct {
	ID string
	// Pattern is in the syntax of package regexp and stands for itself: it
	// begins with (?i), because rules ignore case unless they say otherwise.
	Pattern string
	// Reason and Category are what the rule means; both are empty for a rule
	// that only rules others out or only carries a hint.
	Reason   Reason
	Category Category
	// Strength is how far the rule is trusted against others: word, phrase,
	// code, cause or, for a user's own rule, user.
	Strength string
	// Vetoes are the reasons, or the ids of the rules, that do not count
	// where this rule matches.
	Vetoes []string
}

// Rules returns the text rules of c by precedence: of all that match a text
// and are not vetoed, the first decides. The caller may keep and change the
// slice.
func (c *Classifier) Rules() []RuleInfo {
	var infos []RuleInfo
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
