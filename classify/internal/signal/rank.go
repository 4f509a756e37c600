package signal

// precedence lists the reasons from the most telling to the least: what names
// something that a person must change before what only waits.
var precedence = [...]Reason{
	ReasonAborted, ReasonPolicy, ReasonBudgetExceeded, ReasonAuthentication, ReasonContextOverflow, ReasonNetworkPermanent,
	ReasonResource, ReasonRateLimit, ReasonTimeout, ReasonNetwork, ReasonTransient, ReasonMCP, ReasonSpawn, ReasonParsing,
	ReasonLogic, ReasonInvalidRequest, ReasonUnknown,
}

// The levels of the order, from the lowest. Within a level, the reason's
// precedence decides.
const (
	levelNone = iota
	levelWord
	levelPhrase
	levelWrapper // a code that says no more than that something failed elsewhere
	levelTelling // a phrase of what may have failed there: see telling
	levelCode
	levelCause
	levelFact
	levelUser
	levelOwn
	levelOwnBudget
)

// perLevel is more than there are reasons.
const perLevel = 32

// ranks holds the rank of every strength and reason, first of those that wrap
// nothing.
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

// Rank is the place of a kind of signal in the order: the higher decides. A
// wrapper is a code that says no more than that something failed elsewhere: a
// 5xx of HTTP, Unavailable of gRPC. It ranks below the phrases of what may have
// failed there.
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
		if telling(r) {
			return levelTelling
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
			return levelOwnBudget // also where the call was cancelled because of it
		}
		return levelOwn
	}
	return levelNone
}

// telling reports whether a phrase of this reason outranks a 5xx: someone must
// change something, or wait for a known end, and these words are said of nothing
// else. These are the reasons before network.
func telling(r Reason) bool { return precedenceOf(r) > precedenceOf(ReasonNetwork) }

// precedenceOf is higher for the more telling reason, 0 for none.
func precedenceOf(r Reason) int {
	for i, o := range precedence {
		if o == r {
			return len(precedence) - i
		}
	}
	return 0
}

// Wraps reports whether s is a wrapper: see [Rank]. A 4xx is none.
func (s *Signal) Wraps() bool {
	return s.Strength == Code && s.Reason == ReasonTransient && !s.is4xx()
}

func (s *Signal) rank() uint16 {
	if s.listed() {
		return Rank(s.Strength, NoReason, false)
	}
	return Rank(s.Strength, s.Reason, s.Wraps())
}
