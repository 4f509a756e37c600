package signal

import (
	"strings"
)

// precedence lists the reasons from the most specific to the least specific. It
// decides between two signals of one level.
var precedence = [...]Reason{
	ReasonAborted, ReasonPolicy, ReasonBudgetExceeded, ReasonAuthentication, ReasonContextOverflow, ReasonNetworkPermanent,
	ReasonResource, ReasonRateLimit, ReasonTimeout, ReasonNetwork, ReasonTransient, ReasonMCP, ReasonSpawn, ReasonParsing,
	ReasonLogic, ReasonInvalidRequest, ReasonUnknown,
}

// These are the levels of signals, from the lowest. Within a level, precedence
// decides.
const (
	levelNone = iota
	levelWord
	levelPhrase
	levelWrapper     // a wrapper, such as a 5xx: see [Rank]
	levelUnambiguous // a phrase that outranks a wrapper: see the function unambiguous
	levelCode
	levelCause
	levelFact
	levelUser
	levelOwn
	levelOwnBudget
)

// perLevel is greater than the number of reasons.
const perLevel = 32

// ranks has the rank of every strength and reason. The last index is 1 for wrappers
// (see [Rank]), otherwise 0.
var ranks = func() (all [Strengths][Reasons][2]uint16) {
	for s := range all {
		for r := range all[s] {
			for w := range all[s][r] {
				all[s][r][w] = uint16(level(Strength(s), Reason(r), w == 1)*perLevel + precedenceOf(Reason(r)))
			}
		}
	}
	return all
}()

// Rank returns the rank of signals with this strength and reason. The signal with
// the highest rank decides. A wrapper is a code which says only that something
// failed elsewhere. Examples are a 5xx status and the gRPC code Unavailable. A
// wrapper ranks below phrases that name the cause.
func Rank(s Strength, r Reason, wrapper bool) uint16 {
	w := 0
	if wrapper {
		w = 1
	}
	return ranks[s][r][w]
}

func level(s Strength, r Reason, wrapper bool) int {
	switch s {
	case Word:
		return levelWord
	case Phrase:
		if unambiguous(r) {
			return levelUnambiguous
		}
		return levelPhrase
	case Code:
		if wrapper {
			return levelWrapper
		}
		return levelCode
	case Cause:
		return levelCause
	case Fact:
		return levelFact
	case User:
		return levelUser
	case Own:
		if r == ReasonBudgetExceeded {
			return levelOwnBudget // outranks a cancellation, because the program may have cancelled for this reason
		}
		return levelOwn
	}
	return levelNone
}

// unambiguous reports whether a phrase with this reason outranks a wrapper:
// precedence lists the reason before ReasonNetwork.
func unambiguous(r Reason) bool { return precedenceOf(r) > precedenceOf(ReasonNetwork) }

// precedenceOf returns a number that is higher for a more specific reason, and 0
// for NoReason.
func precedenceOf(r Reason) int {
	for i, o := range precedence {
		if o == r {
			return len(precedence) - i
		}
	}
	return 0
}

// Wraps reports whether s is a wrapper: see [Rank]. A 4xx is never a wrapper.
func (s *Signal) Wraps() bool {
	return s.Strength == Code && s.Reason == ReasonTransient && !s.is4xx()
}

func (s *Signal) rank() uint16 {
	if s.listed() {
		return Rank(s.Strength, NoReason, false)
	}
	return Rank(s.Strength, s.Reason, s.Wraps())
}

// Vetoes reports whether s is a hint (a signal without a reason) that vetoes the
// other signal. The rule of s must list the rule or the reason of the other signal.
// Both rules must match in the same text. These signals are never vetoed:
//
//   - signals from a user's rule
//   - the program's own deadline, cancellation or budget
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

// targets reports whether target is id, or a prefix of id followed by a star.
func targets(target, id string) bool {
	if family, ok := strings.CutSuffix(target, "*"); ok {
		return strings.HasPrefix(id, family)
	}
	return target == id
}

// Refusals is an entry of Rule.Beats. It means every signal for which
// [Signal.Refuses] returns true, with the exceptions in [Signal.Beats].
const Refusals = "4xx"

// Beats reports whether the other signal must be ignored because of s. The place of
// the signals in [Order] does not matter. A permanent 4xx is a signal for which
// [Signal.Refuses] returns true. The cases are:
//
//	s                           other
//	a rule                      a rule that the rule of s lists in Beats
//	a rule that lists Refusals  a permanent 4xx, except 401, 402, 407 and 451
//	a permanent 4xx             a retryable signal in the message of the 4xx: see the method passesWithin
//	a refusal of the caller     a cancellation or a timeout of a remote server: see claimsEnd
//
// Three kinds of signals never beat others and are never beaten: signals without a
// reason, signals of a user's rule, and the program's own signals. If s is faint (from
// a stack trace, for example) and the other signal is not, only the last case of the
// table applies.
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

// declares reports whether the rule of s lists the other signal in Beats.
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

// HasEdges reports whether [Signal.Beats] may return true for s and some other
// signal.
func (s *Signal) HasEdges() bool {
	return s.Text != nil && len(s.Text.Beats) > 0 || s.Strength >= Code && s.Strength < User && (s.is4xx() || s.refusesCaller())
}

// claimsEnd reports whether s is a cancellation or a timeout that a remote server
// may have reported. A cancellation or a timeout of this program has the strength Fact
// or Own.
func (s *Signal) claimsEnd() bool {
	return (s.Reason == ReasonAborted || s.Reason == ReasonTimeout) && s.Strength < Fact
}

// refusesCaller reports whether s is a status or a code with which a server refuses
// the caller.
func (s *Signal) refusesCaller() bool {
	return s.Strength >= Code && s.Strength < User &&
		(s.Reason == ReasonAuthentication || s.Reason == ReasonBudgetExceeded || s.Reason == ReasonPolicy)
}

func (s *Signal) is4xx() bool { return 400 <= s.Status && s.Status <= 499 }

// Refuses reports whether s is a 4xx status that is permanent: a retry fails too. It
// returns false for 409 and 424.
func (s *Signal) Refuses() bool {
	return s.is4xx() && s.Strength == Code && s.Category == CategoryFatal && s.Status != 409 && s.Status != 424
}

// isFinal reports whether s is a status that is permanent whatever the response
// says.
func (s *Signal) isFinal() bool {
	switch s.Status {
	case 401, 402, 407, 451:
		return true
	}
	return false
}

// passesWithin reports whether s must be ignored because of refusal, a permanent 4xx:
//
//   - s must be retryable.
//   - s must not come before refusal in the same text.
//   - Another 4xx or a rate limit is ignored only if refusal.isFinal() is true.
//   - A signal with the strength Fact, such as an errno, is ignored only if its reason
//     is ReasonNetwork, or if refusal is final and not from a text.
func (s *Signal) passesWithin(refusal *Signal) bool {
	if s.Category != CategoryRetryable || s.is4xx() && !refusal.isFinal() {
		return false
	}
	if s.Part != 0 && s.Part == refusal.Part && s.Offset < refusal.Offset {
		return false
	}
	switch {
	case s.Strength == Fact && s.Reason != ReasonNetwork:
		return refusal.isFinal() && refusal.Text == nil // a status in a text may be quoted data
	case refusal.isFinal():
		return true
	default:
		return s.Reason != ReasonRateLimit
	}
}
