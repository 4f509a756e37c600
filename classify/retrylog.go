package classify

import "strings"

// logPrefix begins the ids of the rules that tell a report of several tries.
const logPrefix = "log/"

// lastTry returns the parts of a text that reports several tries, from the last
// one backwards: what is said behind "final error", else what each numbered try
// says. before is where the part begins, which the next call takes; ok is false
// where no further part is left.
//
//	attempt 1: HTTP 503, attempt 2: HTTP 401    →  2: HTTP 401   1: HTTP 503
//	HTTP 401 (attempt 1), HTTP 503 (attempt 2)  →  2)   1), HTTP 503 (   HTTP 401 (
//
// The number of a try may stand before or behind what it says: the caller takes
// the last part that says something.
func lastTry(text string, end int) (part string, before int, ok bool) {
	for at := end - 1; at >= 0; at-- {
		if from := markAt(text, at); from > 0 {
			return text[from:end], at, true
		}
	}
	return text[:max(end, 0)], 0, end > 0
}

// tries counts the marks of a text, and tells whether one of them calls what
// follows final; if so, last is what follows the last such mark.
func tries(text string) (n int, last string) {
	for at := 0; at < len(text); at++ {
		from := markAt(text, at)
		if from == 0 {
			continue
		}
		n++
		if isFinal(text[at:]) {
			last = text[from:]
		}
		at = from - 1
	}
	return n, last
}

// finals and attempts are the marks: a word that names, or numbers, a try.
var (
	finals   = [...]string{"final ", "last ", "most recent "}
	ends     = [...]string{"error", "failure", "exception", "cause", "attempt"}
	attempts = [...]string{"attempt", "retry", "try"}
)

// markAt returns where a mark that begins at a place ends; 0 where none does.
func markAt(text string, at int) int {
	switch text[at] | 0x20 {
	case 'f', 'l', 'm', 'a', 'r', 't', 'g':
	default:
		return 0
	}
	if at > 0 && (isLetter(text[at-1]) || isDigit(text[at-1]) || text[at-1] == '_') {
		return 0
	}
	rest := text[at:]
	if n := finalLength(rest); n > 0 {
		return at + n
	}
	for _, word := range attempts {
		if !hasPrefixFold(rest, word) {
			continue
		}
		n := len(word)
		gap := len(rest[n:]) - len(strings.TrimLeft(rest[n:], " #=:"))
		if gap == 0 || gap > 3 {
			return 0
		}
		number := digits(rest[n+gap:])
		after := rest[n+gap+number:]
		if number == 0 || hasPrefixFold(after, " time") || hasPrefixFold(after, " more") {
			return 0 // "retry 3 times"
		}
		return at + n + gap + number
	}
	return 0
}

func isFinal(s string) bool { return finalLength(s) > 0 }

func finalLength(s string) int {
	for _, word := range [...]string{"final: ", "finally: ", "giving up: ", "gave up: "} {
		if hasPrefixFold(s, word) {
			return len(word)
		}
	}
	for _, word := range finals {
		if !hasPrefixFold(s, word) {
			continue
		}
		for _, end := range ends {
			if rest := s[len(word):]; hasPrefixFold(rest, end) && (len(rest) == len(end) || !isLetter(rest[len(end)])) {
				return len(word) + len(end)
			}
		}
	}
	return 0
}

// ofLastTry returns the number of the rule that decides what a report of
// several tries says last, and the status that is named there; -1 where it is no
// such report or says nothing there. It reads the text backwards, try by try,
// until one says more than a bare word.
func (s *ruleSet) ofLastTry(text string) (rule, status int) {
	n, last := tries(text)
	if last != "" {
		if rule, status = s.said(last); rule >= 0 {
			return rule, status
		}
	}
	if n < 2 {
		return -1, 0 // a single try is all of the text
	}
	const most = 8 // tries that are read again
	end := len(text)
	for range most {
		part, before, ok := lastTry(text, end)
		if !ok {
			break
		}
		if rule, status = s.said(part); rule >= 0 {
			return rule, status
		}
		end = before
	}
	return -1, 0
}

// said returns the number of the rule that decides a part of a text, unless it
// is a bare word, and the status that the part names; else -1. The user's rules
// have seen the whole.
func (s *ruleSet) said(part string) (rule, status int) {
	var fixed [stackWords]uint64
	scratch := fixed[:]
	if n := s.words(); n > stackWords {
		scratch = make([]uint64, n)
	}
	for _, p := range s.parts {
		if p.standard {
			p.match(scratch[p.word:], part)
		}
	}
	s.veto(scratch)
	rule = s.decider(scratch, part)
	if rule < 0 || s.rules[rule].strength <= wordStrength {
		return -1, 0
	}
	return rule, s.status(scratch, rule, part)
}
