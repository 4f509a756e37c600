package signal

// precedence lists the reasons from the most specific to the least. Between signals
// of one level, the more specific reason decides.
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
	levelWrapper // a code that only says that something failed elsewhere, such as a 5xx
	levelTelling // a phrase that outranks such a code: see telling
	levelCode
	levelCause
	levelFact
	levelUser
	levelOwn
	levelOwnBudget
)

// perLevel is greater than the number of reasons.
const perLevel = 32

// ranks holds the rank of every strength and reason. The last index is 1 for
// wrappers, otherwise 0.
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

// Rank returns the rank of a kind of signal. The signal with the highest rank
// decides. A wrapper is a code that only says that something failed elsewhere, such
// as a 5xx of HTTP or Unavailable of gRPC. It ranks below phrases that name the
// cause of the failure.
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
			return levelOwnBudget // outranks a cancellation, because the program may have cancelled for this
		}
		return levelOwn
	}
	return levelNone
}

// telling reports whether a phrase with this reason outranks a 5xx. The reasons
// before network do: their phrases are unambiguous.
func telling(r Reason) bool { return precedenceOf(r) > precedenceOf(ReasonNetwork) }

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

// Wraps reports whether s is a wrapper: see [Rank]. A 4xx never is.
func (s *Signal) Wraps() bool {
	return s.Strength == Code && s.Reason == ReasonTransient && !s.is4xx()
}

func (s *Signal) rank() uint16 {
	if s.listed() {
		return Rank(s.Strength, NoReason, false)
	}
	return Rank(s.Strength, s.Reason, s.Wraps())
}
