// Package signal has what stands between collecting evidence and deciding: the
// words of both sides, the [Signal], and the [List] that collectors append to.
package signal

import (
	"cmp"
	"strconv"
	"strings"
)

// Signal is one piece of evidence: what the failure would mean if nothing else
// were known.
type Signal struct {
	Rule     string // the id of what was found: "http/429", "errno/ECONNRESET"
	Text     *Rule  // the text rule that matched; nil for what no text shows
	Place    int32  // Text's place in its rule set
	Offset   int32  // where in its text it stands, as far as the order matters; else 0
	Part     uint16 // the text that Text matched in, counted from 1; 0 where Text is nil
	Status   uint16 // the HTTP status that it stands for, 0 = none
	Reason   Reason // NoReason = it only rules others out, or only carries a hint
	Category Category
	Strength Strength
	Source   Source
	// Faint: it only counts where nothing else does. It is from an earlier one
	// of several tries, or from the frame of a stack trace.
	Faint bool

	// By and Fate say what became of it, once the list is resolved.
	Fate Fate
	By   int16 // the place in the list of what took it out
}

// Fate is what became of a signal.
type Fate uint8

// The fates.
const (
	Counts   Fate = iota // it took part in the order
	Vetoed               // a hint ruled it out
	Beaten               // an edge took it out
	NotAWord             // it has no reason
)

// Of returns a signal that no text shows. Its category is that of its reason.
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
	// Listed: the rule stands in a list whose order decides, as the user's do.
	Listed bool
	Status uint16 // the HTTP status that it is about, 0 = none
	Vetoes []string
	Beats  []string
}

// Meaning is the category that the rule stands for; NoCategory where it has no
// reason.
func (r *Rule) Meaning() Category {
	if r.Category != NoCategory {
		return r.Category
	}
	return r.Reason.Category()
}

// Order compares two signals in the one total order; the result is negative
// where a comes before b, and so decides against it. Two signals are equal in
// it only where they say the same.
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

// Match returns the signal of a rule that matched; place is the rule's place in
// its set.
func Match(r *Rule, place int) Signal {
	return Signal{
		Rule: r.ID, Text: r, Place: int32(place), Status: r.Status,
		Reason: r.Reason, Category: r.Meaning(), Strength: r.Strength,
	}
}

// StatusOf is the HTTP status that a rule is about, by its id: "http/404" or
// "http-near/404"; 0 for all other rules.
func StatusOf(id string) uint16 {
	code, ok := strings.CutPrefix(id, "http/")
	if !ok {
		if code, ok = strings.CutPrefix(id, "http-near/"); !ok {
			return 0
		}
	}
	if n, err := strconv.Atoi(code); err == nil && 400 <= n && n <= 599 {
		return uint16(n)
	}
	return 0
}
