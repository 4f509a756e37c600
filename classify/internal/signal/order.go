package signal

import (
	"strings"
)

// precedence lists the reasons from the most specific to the least specific. Between
// two signals of the same level, the signal with the more specific reason decides.
var precedence = [...]Reason{
	ReasonAborted, ReasonPolicy, ReasonBudgetExceeded, ReasonAuthentication, ReasonContextOverflow, ReasonNetworkPermanent,
	ReasonResource, ReasonRateLimit, ReasonTimeout, ReasonNetwork, ReasonTransient, ReasonMCP, ReasonSpawn, ReasonParsing,
	ReasonLogic, ReasonInvalidRequest, ReasonUnknown,
}

// These are the levels of signals, from the lowest. A signal outranks every signal
// of a lower level. Within a level, precedence decides.
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

// ranks has the rank of every strength and reason. The last index is 1 for
// wrappers (see [Rank]), otherwise 0.
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

// Rank returns the rank of signals with the given strength and reason. The signal
// with the highest rank decides. wrapper says whether the signal is a code that only
// says that something failed elsewhere, such as a 5xx status of HTTP or the code
// Unavailable of gRPC. Such a wrapper ranks below phrases that name the cause.
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
			return levelOwnBudget // outranks a cancellation, because the exceeded budget may be why the program cancelled
		}
		return levelOwn
	}
	return levelNone
}

// unambiguous reports whether a phrase with this reason outranks a wrapper. That is
// so if precedence lists the reason before ReasonNetwork.
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
// signal other. The rule of s must list the rule or the reason of other, and both
// rules must match in the same text. Signals from a user's rule, and from the
// program's own deadline, cancellation or budget, are never vetoed.
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

// targets reports whether target is id, or is a prefix of id followed by a star.
func targets(target, id string) bool {
	if family, ok := strings.CutSuffix(target, "*"); ok {
		return strings.HasPrefix(id, family)
	}
	return target == id
}

// Refusals is an entry of Rule.Beats that stands for every signal for which
// [Signal.Refuses] returns true, with the exceptions in [Signal.Beats].
const Refusals = "4xx"

// Beats reports whether s makes other irrelevant, even if other comes first in
// [Order]. A permanent 4xx is a status from 400 to 499 with which a retry fails too:
// see [Signal.Refuses]. The cases are:
//
//	s                           other
//	a rule                      a rule that the rule of s lists in Beats
//	a rule that lists Refusals  a permanent 4xx, except 401, 402, 407 and 451
//	a permanent 4xx             a retryable signal in the message of the 4xx: see the method passesWithin
//	a refusal of the caller     a cancellation or a timeout of a remote server: see claimsEnd
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

// declares reports whether the Beats of s name the rule of other.
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
// may have reported. A cancellation or a timeout in this program has the strength
// Fact or Own.
func (s *Signal) claimsEnd() bool {
	return (s.Reason == ReasonAborted || s.Reason == ReasonTimeout) && s.Strength < Fact
}

// refusesCaller reports whether s is a status or a code with which a server refuses
// the caller. Such a server has answered. So if the body of the response mentions a
// timeout or a cancellation, the request itself was not timed out or cancelled.
func (s *Signal) refusesCaller() bool {
	return s.Strength >= Code && s.Strength < User &&
		(s.Reason == ReasonAuthentication || s.Reason == ReasonBudgetExceeded || s.Reason == ReasonPolicy)
}

func (s *Signal) is4xx() bool { return 400 <= s.Status && s.Status <= 499 }

// Refuses reports whether s is a 4xx status with which a retry fails too. It returns
// false for 409, because a conflict may end, and for 424, because the other request
// on which this one depends may succeed later.
func (s *Signal) Refuses() bool {
	return s.is4xx() && s.Strength == Code && s.Category == CategoryFatal && s.Status != 409 && s.Status != 424
}

// isFinal reports whether s is a status that stays permanent whatever the message of
// the response says.
func (s *Signal) isFinal() bool {
	switch s.Status {
	case 401, 402, 407, 451:
		return true
	}
	return false
}

// passesWithin reports whether s must be ignored because of refusal, a signal for
// which Refuses returns true. That is so if s is retryable and was not found before
// refusal in the same text. If refusal is not final, another 4xx and a rate limit
// are not ignored, because some APIs report rate limits with a 403.
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
