package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/errclass/errclass/classify/internal/ruledoc"
	"github.com/errclass/errclass/classify/internal/signal"
)

// ruleOf converts a rule of a document to a rule of package signal.
func ruleOf(r ruledoc.Rule) *signal.Rule {
	strength := signal.NoStrength
	for strength < signal.Strengths && strength.String() != r.Strength {
		strength++
	}
	return &signal.Rule{
		ID: r.ID, Reason: signal.ReasonOf(r.Reason), Category: signal.CategoryOf(r.Category), Strength: strength,
		Status: signal.StatusOf(r.ID), Vetoes: r.Vetoes, Beats: r.Beats,
	}
}

// signalOf returns the signal that the rule r gives when it matches a text.
func signalOf(r ruledoc.Rule) *signal.Signal {
	s := signal.Match(ruleOf(r), 0)
	return &s
}

// checkRelations checks the lists Vetoes and Beats of all rules. The error describes
// every fault:
//
//   - a rule with a reason has Vetoes, or a rule without a reason has Beats
//   - an entry does not exist, or an entry of Beats has no reason
//   - an entry of Beats is not needed, because [signal.Order] has the same effect
//   - some rules list each other in Beats, in a cycle
func checkRelations(rules []ruledoc.Rule) error {
	var faults []string
	byID := map[string]*signal.Signal{}
	for _, r := range rules {
		byID[r.ID] = signalOf(r)
	}
	say := func(r ruledoc.Rule, format string, args ...any) {
		faults = append(faults, fmt.Sprintf("rule %q: ", r.ID)+fmt.Sprintf(format, args...))
	}
	for _, r := range rules {
		if r.Reason != "" && len(r.Vetoes) > 0 {
			say(r, "it has a reason, so it beats and does not veto")
		}
		if r.Reason == "" && len(r.Beats) > 0 {
			say(r, "it has no reason, so it vetoes and does not beat")
		}
		for _, target := range r.Vetoes {
			if family, ok := strings.CutSuffix(target, "*"); ok && slices.ContainsFunc(rules, func(r ruledoc.Rule) bool { return strings.HasPrefix(r.ID, family) }) {
				continue
			}
			if byID[target] == nil && signal.ReasonOf(target) == signal.NoReason {
				say(r, "vetoes %q, which is neither a rule nor a reason", target)
			}
		}
		for _, target := range r.Beats {
			other := byID[target]
			switch {
			case target == signal.Refusals:
			case other == nil:
				say(r, "beats %q, which is no rule", target)
			case other.Reason == signal.NoReason:
				say(r, "beats %q, which has no reason", target)
			case signal.Order(byID[r.ID], other) < 0 && !other.Beats(signalOf(ruledoc.Rule{ID: r.ID, Reason: r.Reason, Category: r.Category, Strength: r.Strength})):
				say(r, "beats %q, which comes behind it in the order anyway", target)
			}
		}
	}
	for _, r := range rules {
		if path := cycle(byID, []string{r.ID}); len(path) > 0 && path[0] == slices.Min(path) {
			faults = append(faults, "edges in a circle: "+strings.Join(path, " beats "))
		}
	}
	if faults != nil {
		return fmt.Errorf("%s", strings.Join(faults, "\n"))
	}
	return nil
}

// cycle looks for rules that list each other in Beats, in a cycle that begins with
// path. It returns the cycle or nil.
func cycle(rules map[string]*signal.Signal, path []string) []string {
	last := rules[path[len(path)-1]]
	if last == nil || last.Text == nil {
		return nil
	}
	for _, next := range last.Text.Beats {
		if next == path[0] {
			return append(path, next)
		}
		if !slices.Contains(path, next) {
			if found := cycle(rules, append(slices.Clone(path), next)); found != nil {
				return found
			}
		}
	}
	return nil
}
