package classify

// strength says how far a signal is to be trusted against others. The order
// is the first half of the decision; reasonOrder is the second.
type strength uint8

const (
	noStrength     strength = iota
	wordStrength            // a bare word in its company: "network error"
	phraseStrength          // what software says of itself: "connection refused"
	codeStrength            // a code: HTTP 429, SQLSTATE 40001, code = Unavailable
	causeStrength           // the specific cause, which any wrapper may surround: insufficient_quota, x509
	factStrength            // a typed fact about the failure itself: an errno, a DNS answer, a certificate
	userStrength            // a rule of the user's
	ownStrength             // the program's own doing: its deadline, its cancellation, its budget
)

// signal is one piece of evidence: what the failure would mean if nothing
// else were known.
type signal struct {
	rule     string
	reason   Reason
	category Category // "" = the reason's own
	strength strength
}

// stronger reports whether s decides against other. Of two equals the one
// that was found first keeps the decision.
func (s signal) stronger(other signal) bool {
	if wraps(other.reason, other.strength) && wrapped(s.reason, s.strength) {
		return true
	}
	if wraps(s.reason, s.strength) && wrapped(other.reason, other.strength) {
		return false
	}
	if s.strength != other.strength {
		return s.strength > other.strength
	}
	return s.strength > noStrength && s.reason != other.reason && precedence(s.reason) < precedence(other.reason)
}

// claimsEnd reports whether s is a cancellation or a timeout that a peer may
// have written. What this program did or measured itself is a fact, or its own.
func (s signal) claimsEnd() bool {
	return (s.reason == ReasonAborted || s.reason == ReasonTimeout) && s.strength < factStrength
}

// refusesCaller reports whether s is a status or a code by which a server refuses
// the caller. A server that answers so was neither cancelled nor too slow,
// whatever its body says: a dead key must not look like either.
func (s signal) refusesCaller() bool {
	if s.strength < codeStrength || s.strength >= userStrength {
		return false
	}
	switch s.reason {
	case ReasonAuthentication, ReasonBudgetExceeded, ReasonPolicy:
		return true
	}
	return false
}

// precedence is the rank of a reason among signals of equal strength.
func precedence(r Reason) int {
	for i, o := range reasonOrder {
		if o == r {
			return i
		}
	}
	return len(reasonOrder)
}

// codeTable maps codes to reasons; it is sorted by code.
type codeTable []struct {
	code   string
	reason Reason
}

// reason looks code up by binary search; "" means that it is not in the table.
func (t codeTable) reason(code string) Reason {
	lo, hi := 0, len(t)
	for lo < hi {
		if mid := int(uint(lo+hi) >> 1); t[mid].code < code {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(t) && t[lo].code == code {
		return t[lo].reason
	}
	return ""
}
