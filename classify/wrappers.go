package classify

import (
	"math/bits"
	"slices"
)

// wrapped is a cause that holds whatever server error is put around it, though
// it is only a phrase: someone must change something, and these words are said
// of nothing else; or what the server waited for took too long.
func wrapped(r Reason, s strength) bool {
	if s != phraseStrength {
		return false
	}
	switch r {
	case ReasonPolicy, ReasonBudgetExceeded, ReasonAuthentication, ReasonContextOverflow, ReasonNetworkPermanent, ReasonResource, ReasonTimeout:
		return true
	}
	return false
}

// wraps reports whether a signal says no more than that something failed
// elsewhere: a 5xx of HTTP, Unavailable of gRPC.
func wraps(r Reason, s strength) bool { return r == ReasonTransient && s == codeStrength }

// decider is the number of the rule that decides among those that count, -1 if
// there are none: the first by precedence, with three exceptions, as in
// signal.stronger and for the loss of a connection.
func (s *ruleSet) decider(matched []uint64, text string) int {
	rule := first(matched)
	if rule < 0 {
		return rule
	}
	switch r := &s.rules[rule]; {
	case r.signal().claimsEnd():
		if status := firstOf(matched, s.unwelcome); status >= 0 {
			return status
		}
	case wraps(r.reason, r.strength):
		if cause := firstOf(matched, s.wrapped); cause >= 0 {
			return cause
		}
	case r.reason == ReasonNetwork && r.strength < causeStrength:
		if status := s.refusal(matched, rule, text); status >= 0 {
			return status
		}
	}
	return rule
}

// refused reports whether a rule about the last try of a report only claims that
// the call was ended, while the text says that the caller was refused: what looks
// like a report may be a part of the refusal.
func (s *ruleSet) refused(matched []uint64, rule int) bool {
	return s.rules[rule].signal().claimsEnd() && meets(matched, s.unwelcome)
}

// refusal is the number of the rule about a 4xx which the loss of a connection
// stands within, -1 where there is none: what answered 400 has answered, however
// its body ended. That holds for no 4xx that a later try may change.
func (s *ruleSet) refusal(matched []uint64, network int, text string) int {
	if !meets(matched, s.refusals) {
		return -1
	}
	var codes, rules [8]int
	n := 0
	for i := range s.rules {
		if n < len(codes) && hasBit(s.refusals, i) && hasBit(matched, i) {
			codes[n], rules[n] = ruleStatus(s.rules[i].id), i
			n++
		}
	}
	at := statusAt(text, codes[:n])
	if at < 0 {
		return -1
	}
	var fixed [stackWords]uint64
	before := fixed[:]
	if n := s.words(); n > stackWords {
		before = make([]uint64, n)
	}
	if s.matchSpeech(before, text[:at]); hasBit(before, network) {
		return -1 // the connection was lost before
	}
	status, _ := statusCode(text[at : at+3])
	return rules[slices.Index(codes[:n], status)]
}

// refuses reports whether a rule is about a 4xx that no later try changes.
func refuses(r *textRule) bool {
	if r.strength != codeStrength || r.meaning() != CategoryFatal {
		return false
	}
	switch status := ruleStatus(r.id); status {
	case 408, 409, 425, 429:
		return false
	default:
		return 400 <= status && status < 500
	}
}

// firstOf is the lowest bit that is set in both, or -1.
func firstOf(set, among []uint64) int {
	for w := range among {
		if both := set[w] & among[w]; both != 0 {
			return w*64 + bits.TrailingZeros64(both)
		}
	}
	return -1
}
