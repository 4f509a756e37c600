// Package signal has the types between the collection of evidence and the decision:
// the [Signal], the [List] to which collectors add signals, and the reasons,
// categories and strengths.
package signal

import (
	"cmp"
	"strconv"
	"strings"
)

// Signal is one piece of evidence. Its Reason is the reason of the failure if there
// is no other evidence.
type Signal struct {
	Rule     string // an id such as "http/429" or "errno/ECONNRESET"
	Text     *Rule  // the text rule that matched; nil for evidence other than text
	Place    int32  // index of Text in its rule set
	Offset   int32  // position of the match in its text, if the order matters; else 0
	Part     uint16 // number of the text that Text matched in, from 1; 0 if Text is nil
	Status   uint16 // the HTTP status of the signal, 0 = none
	Reason   Reason // NoReason = it only vetoes others or only gives a hint
	Category Category
	Strength Strength
	Source   Source
	// If Faint is true, the signal counts only if all signals are faint. It comes
	// from an earlier one of several attempts, or from the frame of a stack trace.
	Faint bool

	// Package resolve sets Fate and By.
	Fate Fate
	By   int16 // the signal that vetoed or beat this one, as an index in the list
}

// Fate says whether a signal takes part in the decision.
type Fate uint8

// These are the values of [Fate].
const (
	Counts Fate = iota // it takes part
	Vetoed             // a hint vetoed it
	Beaten             // another signal beat it
	IsHint             // it is a hint and has no reason
)

// Of returns a signal from evidence other than text, with the category of its
// reason.
func Of(rule string, r Reason, s Strength) Signal {
	return Signal{Rule: rule, Reason: r, Category: r.Category(), Strength: s}
}

// Rule is a rule about the text of an error.
type Rule struct {
	ID       string
	Pattern  string
	Reason   Reason   // NoReason = the rule only hints or vetoes
	Category Category // NoCategory = the reason's own
	Strength Strength
	// If Listed is true, the order of the list decides between this rule and the
	// other listed rules. The user's rules are listed.
	Listed bool
	Status uint16 // the HTTP status that the rule is about, 0 = none
	Vetoes []string
	Beats  []string
}

// Meaning returns the category of r, or of its reason. It returns NoCategory if r
// has neither.
func (r *Rule) Meaning() Category {
	if r.Category != NoCategory {
		return r.Category
	}
	return r.Reason.Category()
}

// Order compares two signals. If the result is negative, a comes first and decides.
// The result is 0 only for signals with the same meaning.
func Order(a, b *Signal) int {
	if a.Faint != b.Faint {
		if a.Faint {
			return 1
		}
		return -1
	}
	if c := cmp.Compare(b.rank(), a.rank()); c != 0 {
		return c
	}
	if a.listed() && b.listed() && a.Place != b.Place {
		return cmp.Compare(a.Place, b.Place)
	}
	return cmp.Or(
		cmp.Compare(a.Rule, b.Rule),
		cmp.Compare(a.Category, b.Category),
		cmp.Compare(a.Part, b.Part),
		cmp.Compare(a.Source, b.Source),
		cmp.Compare(a.Offset, b.Offset),
	)
}

func (s *Signal) listed() bool { return s.Text != nil && s.Text.Listed }

// Match returns the signal of a rule that matched. place is the index of the rule in
// its set.
func Match(r *Rule, place int) Signal {
	return Signal{
		Rule: r.ID, Text: r, Place: int32(place), Status: r.Status,
		Reason: r.Reason, Category: r.Meaning(), Strength: r.Strength,
	}
}

// StatusOf returns the HTTP status in the id of a rule, such as "http/404",
// "http/404-not-found" or "http-near/404". It returns 0 for all other rules.
func StatusOf(id string) uint16 {
	code, ok := strings.CutPrefix(id, "http/")
	if !ok {
		if code, ok = strings.CutPrefix(id, "http-near/"); !ok {
			return 0
		}
	}
	code, _, _ = strings.Cut(code, "-")
	if n, err := strconv.Atoi(code); err == nil && 400 <= n && n <= 599 {
		return uint16(n)
	}
	return 0
}
