package scan

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// skim estimates from the text of each pattern what the set will cost it at least.
// To read 100,000 patterns takes package syntax half a second; to skim them takes
// a tenth of that.
//
// Only text that is certain to be charged counts. What a pattern shares with
// another is charged once, and the same piece can be written in many ways. So a
// run of a pattern is told from others by its witness: of the shortest texts that
// it matches, the first in the order of bytes. However a run is written, it has
// the same witness.
func skim(exprs []string) []int {
	least := make([]int, len(exprs))
	s := skimmer{seen: make(map[uint64]struct{}, len(exprs))}
	for i, expr := range exprs {
		if isPhrase(expr) {
			least[i] = stepsAPiece + 2*len(expr) + s.readPhrase(expr) // read, and written out
		} else {
			least[i] = stepsAPiece + min(weigh(expr), 2*reserveOne) + s.read(expr)
		}
	}
	return least
}

// skimmer reads a subset of the syntax: ASCII, groups that hold alternatives of
// plain text, and classes. Of a pattern beyond that it knows nothing.
type skimmer struct {
	seen map[uint64]struct{} // hashes of witnesses

	expr    string
	at      int
	witness []byte // of the run so far
	best    []byte // of a group
	steps   int    // of the run so far
	loose   bool   // the run is more than a literal
	open    bool   // something optional stands behind the beginning of the run
	asserts bool
	way     int // steps of the states on the longest way through the run
	sum     int
}

// Steps of what a run is made of: see program.runes.
const (
	stepsALetter  = 3 * stepsANode  // two cases, and a split
	stepsTwoWides = 6 * stepsANode  // k and s have a third case, beyond ASCII; that of k takes one more
	stepsWide     = 11 * stepsANode // all runes beyond ASCII
)

// read returns what the runs of a pattern cost that no other had before.
func (s *skimmer) read(expr string) int {
	s.expr, s.at, s.sum = expr, 0, 0
	s.reset()
	if !s.sequence() {
		return 0
	}
	s.endRun()
	return s.sum
}

// readPhrase returns what the letters of a phrase cost that are not just bytes.
func (s *skimmer) readPhrase(expr string) (steps int) {
	s.reset()
	for i := range len(expr) {
		c := lower(expr[i])
		s.witness = append(s.witness, c)
		if c == 'k' || c == 's' {
			steps += stepsTwoWides
		}
	}
	if steps == 0 || !s.isNew() {
		return 0
	}
	return steps
}

func (s *skimmer) reset() {
	s.witness, s.steps, s.way, s.loose, s.open, s.asserts = s.witness[:0], 0, 0, false, false, false
}

// drop takes back what was read since s was as before.
func (s *skimmer) drop(before *skimmer) {
	s.witness, s.steps, s.way, s.loose = s.witness[:len(before.witness)], before.steps, before.way, before.loose
}

// isNew reports whether no run had the witness before.
func (s *skimmer) isNew() bool {
	hash := hashOf(s.witness)
	_, old := s.seen[hash]
	s.seen[hash] = struct{}{}
	return !old
}

// endRun counts a run. A literal counts nothing: its nodes are cheap.
func (s *skimmer) endRun() {
	if s.loose && len(s.witness) > 0 && s.isNew() {
		s.sum += s.steps
		if !s.asserts {
			s.sum += s.way
		}
	}
	s.reset()
}

// sequence reads a pattern. It is false where it knows nothing of it.
func (s *skimmer) sequence() bool {
	for s.at < len(s.expr) {
		begin := *s
		if !s.atom() {
			return false
		}
		if s.at == len(s.expr) {
			break
		}
		switch s.expr[s.at] {
		case '?': // none is the shortest
			s.drop(&begin)
			s.open = s.open || len(s.witness) > 0
		case '*', '+': // a gap may stand here
			s.drop(&begin)
			s.endRun()
		case '{':
			if !s.repeat(&begin) {
				return false
			}
		default:
			s.loose = s.loose || s.open && len(s.witness) > len(begin.witness)
			continue
		}
		if s.at++; s.at < len(s.expr) && s.expr[s.at] == '?' {
			s.at++
		}
		if s.at < len(s.expr) && strings.IndexByte("*+?{", s.expr[s.at]) >= 0 {
			return false
		}
	}
	return true
}

// repeat reads the counts behind an atom. A repeated class may be a gap.
func (s *skimmer) repeat(before *skimmer) bool {
	text, _, ok := strings.Cut(s.expr[s.at+1:], "}")
	if !ok {
		return false
	}
	s.at += len(text) + 1
	lower, upper, ranged := strings.Cut(text, ",")
	if !ranged {
		upper = lower
	}
	least, err := strconv.Atoi(lower)
	most, err2 := strconv.Atoi(upper)
	once := s.witness[len(before.witness):]
	if err != nil || err2 != nil || least < 1 || most > 1000 || len(once) < 2 {
		s.drop(before)
		s.endRun()
		return true
	}
	const enough = 8 // copies to tell the run from others
	s.steps += (s.steps - before.steps) * (most - 1)
	s.way += (s.way - before.way) * (most - 1)
	s.loose = true
	for range min(least, enough) - 1 {
		s.witness = append(s.witness, once...)
	}
	return true
}

// atom reads what a quantifier may stand behind.
func (s *skimmer) atom() bool {
	c := s.expr[s.at]
	s.at++
	switch c {
	case '(':
		return s.group()
	case '[':
		return s.class()
	case '.':
		s.add(0, stepsWide, true)
	case '^', '$':
		s.loose, s.asserts = true, true
		return s.at == len(s.expr) || strings.IndexByte("*+?{", s.expr[s.at]) < 0
	case '\\':
		return s.escape()
	case ')', ']', '|', '{', '}', '*', '+', '?':
		return false
	default:
		return s.letter(c)
	}
	return true
}

func (s *skimmer) add(c byte, steps int, loose bool) {
	s.witness = append(s.witness, c)
	s.steps += steps
	s.loose = s.loose || loose
	switch {
	case steps == stepsWide:
		s.way += utf8.UTFMax * stepsAByte
	case steps > stepsANode:
		s.way += stepsTwoCases
	default:
		s.way += stepsAByte
	}
}

// letter adds a byte that stands for itself.
func (s *skimmer) letter(c byte) bool {
	if c >= 0x80 {
		return false
	}
	s.add(lower(c), stepsOf(lower(c)), false)
	return true
}

// stepsOf is what a lower letter costs, or another byte.
func stepsOf(c byte) int {
	switch {
	case c == 'k' || c == 's':
		return stepsTwoWides
	case 'a' <= c && c <= 'z':
		return stepsALetter
	}
	return stepsANode
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c | 0x20
	}
	return c
}

// firsts gives the first byte of what an escape stands for.
var firsts = map[byte]byte{'d': '0', 'w': '0', 's': '\t', 'D': 0, 'W': 0, 'S': 0, 'n': '\n', 't': '\t', 'r': '\r'}

func (s *skimmer) escape() bool {
	if s.at == len(s.expr) {
		return false
	}
	c := s.expr[s.at]
	s.at++
	first, ok := firsts[c]
	switch {
	case c == 'b' || c == 'B':
		s.loose, s.asserts = true, true
		return s.at == len(s.expr) || strings.IndexByte("*+?{", s.expr[s.at]) < 0
	case ok:
		steps := stepsANode
		if first == 0 {
			steps = stepsWide
		}
		s.add(first, steps, strings.IndexByte("ntr", c) < 0)
		return true
	case kindOf[c] == wordByte:
		return false
	}
	return s.letter(c)
}

// class reads a class behind its bracket.
func (s *skimmer) class() bool {
	end := strings.IndexByte(s.expr[s.at:], ']')
	if end <= 0 {
		return false
	}
	text := s.expr[s.at : s.at+end]
	s.at += end + 1
	negated := text[0] == '^'
	if negated {
		text = text[1:]
	}
	if text == "" {
		return false
	}
	least, most := byte(0xff), byte(0)
	hold := func(c byte) {
		least, most = min(least, lower(c)), max(most, lower(c))
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c >= 0x80 || c == '[':
			return false
		case c == '\\':
			if i++; i == len(text) {
				return false
			}
			first, ok := firsts[text[i]]
			if !ok && kindOf[text[i]] == wordByte || ok && first == 0 {
				return false
			}
			if !ok {
				first = text[i]
			}
			hold(first)
			if strings.IndexByte("dws", text[i]) >= 0 {
				hold(first + 1)
			}
		case i+2 < len(text) && text[i+1] == '-':
			to := text[i+2]
			if to == '\\' || to < c || to >= 0x80 {
				return false
			}
			for ; c <= to; c++ {
				hold(c)
			}
			i += 2
		default:
			hold(c)
		}
	}
	if negated {
		s.add(0, stepsWide, true)
	} else {
		s.add(least, stepsANode, least != most)
	}
	return true
}

// group reads alternatives of plain text behind their parenthesis. Package
// syntax moves what neighbours begin with before the group, and makes a class of
// alternatives of one letter, so neither counts.
func (s *skimmer) group() bool {
	if strings.HasPrefix(s.expr[s.at:], "?") {
		if !strings.HasPrefix(s.expr[s.at:], "?:") {
			return false
		}
		s.at += 2
	}
	end := strings.IndexByte(s.expr[s.at:], ')')
	if end < 0 {
		return false
	}
	text := s.expr[s.at : s.at+end]
	s.at += end + 1
	most := 0 // the most that an alternative costs
	steps, alike := 0, true
	alternatives := strings.Split(text, "|")
	for n, one := range alternatives {
		alike = alike && strings.EqualFold(one, alternatives[0])
		shared := 0
		if n > 0 {
			shared = sharedPrefix(one, alternatives[n-1])
		}
		if n+1 < len(alternatives) {
			shared = max(shared, sharedPrefix(one, alternatives[n+1]))
		}
		begin := len(s.witness)
		for i := range len(one) {
			if c := one[i]; c >= 0x80 || strings.IndexByte(`\.+*?()[]{}^$`, c) >= 0 {
				return false
			}
			s.witness = append(s.witness, lower(one[i]))
			if i >= shared && len(one)-shared > 1 {
				steps += stepsOf(lower(one[i]))
			}
		}
		mine := s.witness[begin:]
		if n == 0 || len(mine) < len(s.best) || len(mine) == len(s.best) && string(mine) < string(s.best) {
			s.best = append(s.best[:0], mine...)
		}
		most = max(most, len(one))
		s.witness = s.witness[:begin]
	}
	s.witness = append(s.witness, s.best...)
	s.steps += max(steps, stepsANode*most)
	s.way += stepsAByte * most
	s.loose = s.loose || !alike
	return true
}

// sharedPrefix is how many bytes two texts of ASCII share in either case.
func sharedPrefix(a, b string) (n int) {
	for n < min(len(a), len(b)) && lower(a[n]) == lower(b[n]) {
		n++
	}
	return n
}
