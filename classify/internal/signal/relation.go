package signal

import "strings"

// Vetoes reports whether a hint rules another signal out: it names its rule or
// its reason, and both are found in the same text. What the user, or the program
// itself, says is not ruled out.
func (s *Signal) Vetoes(other *Signal) bool {
	if s.Text == nil || s.Reason != NoReason || s.Part != other.Part || other.Text == nil || other.Reason == NoReason || other.Strength >= User {
		return false
	}
	for _, target := range s.Text.Vetoes {
		if targets(target, other.Rule) || target == other.Reason.String() {
			return true
		}
	}
	return false
}

// targets reports whether a target names a rule: by its id, or by the beginning
// of its id and a star.
func targets(target, rule string) bool {
	if family, ok := strings.CutSuffix(target, "*"); ok {
		return strings.HasPrefix(rule, family)
	}
	return target == rule
}

// Refusals is the target of an edge that stands for every status from 400 to 499
// that a later try does not change: see [Signal.Refuses].
const Refusals = "4xx"

// Beats reports whether an edge leads from s to other: other does not count
// where s stands beside it, whatever their order. The edges are
//
//	a rule                  the rules that it names
//	a rule that names 4xx   a refusal, but not one of the caller
//	a refusal               what would have the call repeated, within it
//	a refusal of the caller a cancellation or a timeout that a peer may have written
func (s *Signal) Beats(other *Signal) bool {
	if s.Reason == NoReason || other.Reason == NoReason || s.Strength >= User || other.Strength >= User {
		return false
	}
	if s.Faint && !other.Faint {
		return s.refusesCaller() && other.claimsEnd()
	}
	if s.declares(other) {
		return true
	}
	if other.declares(s) {
		return false
	}
	return s.refusesCaller() && other.claimsEnd() || s.Refuses() && other.passesWithin(s)
}

// declares reports whether the rule of s names the other's.
func (s *Signal) declares(other *Signal) bool {
	if s.Text == nil {
		return false
	}
	for _, target := range s.Text.Beats {
		if targets(target, other.Rule) || target == Refusals && other.Refuses() && !other.isFinal() {
			return true
		}
	}
	return false
}

// HasEdges reports whether s may beat anything by an edge.
func (s *Signal) HasEdges() bool {
	return s.Text != nil && len(s.Text.Beats) > 0 || s.Strength >= Code && s.Strength < User && (s.is4xx() || s.refusesCaller())
}

// claimsEnd reports whether s is a cancellation or a timeout that a peer may
// have written. What this program did or measured itself is a fact, or its own.
func (s *Signal) claimsEnd() bool {
	return (s.Reason == ReasonAborted || s.Reason == ReasonTimeout) && s.Strength < Fact
}

// refusesCaller reports whether s is a status or a code by which a server
// refuses the caller. A server that answers so was neither cancelled nor too
// slow, whatever its body says: a dead key must not look like either.
func (s *Signal) refusesCaller() bool {
	return s.Strength >= Code && s.Strength < User &&
		(s.Reason == ReasonAuthentication || s.Reason == ReasonBudgetExceeded || s.Reason == ReasonPolicy)
}

func (s *Signal) is4xx() bool { return 400 <= s.Status && s.Status <= 499 }

// Refuses reports whether s is a 4xx that no later try changes. A conflict (409) may
// be over by then. So may the failure of another request, which 424 reports.
func (s *Signal) Refuses() bool {
	return s.is4xx() && s.Strength == Code && s.Category == CategoryFatal && s.Status != 409 && s.Status != 424
}

// isFinal reports whether a refusal is one of the caller, which no word of its
// message refines: the same call is never repeated.
func (s *Signal) isFinal() bool {
	switch s.Status {
	case 401, 402, 407, 451:
		return true
	}
	return false
}

// passesWithin reports whether s would have the call repeated, though it stands
// within a refusal. Within 403 a rate limit may: that is how some APIs refuse the
// caller for now. What comes first in the same text was not within.
func (s *Signal) passesWithin(refusal *Signal) bool {
	if s.Category != CategoryRetryable || s.is4xx() && !refusal.isFinal() {
		return false
	}
	if s.Part != 0 && s.Part == refusal.Part && s.Offset < refusal.Offset {
		return false
	}
	switch {
	case s.Strength == Fact && s.Reason != ReasonNetwork:
		return refusal.isFinal() && refusal.Text == nil // a text quotes the data of others
	case refusal.isFinal():
		return true
	default:
		return s.Reason != ReasonRateLimit
	}
}
