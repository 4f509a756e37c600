// Package signal has the types that connect the two steps of a classification:
//
//  1. Each part of an error is searched for a [Signal], which is added to a [List].
//  2. Package resolve selects the signal that gives the result.
//
// The package also has the reasons, categories and strengths.
package signal

import (
	"cmp"
	"strconv"
	"strings"
)

// Signal is one fact about an error, such as a status or a matched rule. If it is
// the only signal, its Reason is the reason of the error.
type Signal struct {
	Rule     string // an id such as "http/429" or "errno/ECONNRESET"
	Text     *Rule  // the text rule that matched; nil for a signal without a text
	Place    int32  // index of the rule Text in the set of rules
	Offset   int32  // position of the match in the text, if it matters; otherwise 0
	Part     uint16 // number of the text that the rule matched, from 1; 0 if Text is nil
	Status   uint16 // the HTTP status of the signal, 0 = none
	Reason   Reason // NoReason = the signal is a hint, which may veto other signals
	Category Category
	Strength Strength
	Source   Source
	// Faint is true for a signal from an earlier attempt or from a stack trace. In
	// [Order], it comes after every signal that is not faint.
	Faint bool

	// Package resolve sets Fate and By.
	Fate Fate
	By   int16 // index of the signal that vetoed or beat this one
}

// Fate is whether a signal takes part in the decision.
type Fate uint8

// These are the values of [Fate].
const (
	Counts Fate = iota // the signal takes part
	Vetoed             // a hint vetoed it
	Beaten             // another signal beat it
	IsHint             // the signal has no reason, so it cannot decide
)

// Of returns a signal without a text rule. It has the category of the reason.
func Of(rule string, r Reason, s Strength) Signal {
	return Signal{Rule: rule, Reason: r, Category: r.Category(), Strength: s}
}

// Rule is a rule about the text of an error.
type Rule struct {
	ID       string
	Pattern  string
	Reason   Reason   // NoReason = the rule only vetoes, or recognises a request to wait, a provider or a report
	Category Category // NoCategory = the category of the reason
	Strength Strength
	// Listed is true for the user's rules. If several of them match, the first in
	// the set of rules decides.
	Listed bool
	Status uint16 // the HTTP status that the rule is about, 0 = none
	Vetoes []string
	Beats  []string
}

// Meaning returns the category of r. If r has no category, it returns the category
// of the reason. If r has neither, it returns NoCategory.
func (r *Rule) Meaning() Category {
	if r.Category != NoCategory {
		return r.Category
	}
	return r.Reason.Category()
}

// Order compares two signals. If the result is negative, a comes first and decides.
// If the result is 0, both signals mean the same.
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

// Match returns the signal of a rule that matched. index is the index of the rule in
// the set of rules.
func Match(r *Rule, index int) Signal {
	return Signal{
		Rule: r.ID, Text: r, Place: int32(index), Status: r.Status,
		Reason: r.Reason, Category: r.Meaning(), Strength: r.Strength,
	}
}

// StatusOf returns the HTTP status in the id of a rule, such as "http/404",
// "http/404-not-found" or "http-near/404". For other rules it returns 0.
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
