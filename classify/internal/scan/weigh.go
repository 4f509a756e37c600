package scan

import "strings"

// A weight is an estimate of the steps to compile a pattern.
type weight struct {
	steps int // steps if no two alternatives match the same text
	worst int // steps if all alternatives that can match the same text do so
	wide  int // number of consecutive classes that a match of the pattern reads
	reach int // number of runes that a match can have
}

// These are the estimated steps to compile the elements of a pattern, rounded up.
// They include the steps for nodes and states.
const (
	weightPattern = 150
	weightPhrase  = 30    // a byte of a phrase (a literal ASCII pattern)
	weightByte    = 60    // a byte of any other pattern
	weightFolded  = 130   // extra for k and s, which also match a non-ASCII character
	weightRune    = 200   // a non-ASCII rune
	weightSplit   = 40    // an alternative or an optional operand
	weightAssert  = 100   // an assertion
	weightGap     = 200   // a gap (a repeated class: see isGap)
	weightClass   = 100   // a class
	weightRange   = 60    // a range of a class
	weightMember  = 20    // an ASCII byte in a range
	weightRead    = 6     // a byte of the text of a class
	weightWide    = 2_200 // a class of nearly all runes
	weightNamed   = 4_000 // a named class of Unicode
	weightTable   = 400   // a range in the Unicode table of the class
	weightMost    = 1 << 50
	mostForks     = 40
	mostDepth     = 1000 // package syntax refuses more
	mostCount     = 1000 // the same
)

// weigh returns the weight of a pattern in linear time. The result is arbitrary if
// package syntax refuses the pattern.
func weigh(expr string) weight {
	if isPhrase(expr) {
		steps := weightPattern + weightPhrase*len(expr)
		for i := range len(expr) {
			steps += int(foldedWeights[expr[i]])
		}
		return weight{steps, steps, 0, len(expr)}
	}
	w := weigher{expr: expr}
	all := w.alternatives()
	for w.at < len(expr) { // after an unmatched closing parenthesis
		w.at++
		p := w.alternatives()
		all.steps, all.worst = bounded(all.steps+p.steps), bounded(all.worst+p.worst)
	}
	if w.exact {
		all.steps, all.worst = 2*all.steps, 2*all.worst
	}
	steps := bounded(weightPattern + len(expr) + w.read + all.steps)
	return weight{steps, max(steps, all.worst), all.wide, all.reach}
}

// readingSteps estimates the steps of package syntax to parse a pattern. Once parsing
// has begun, it cannot be stopped.
func readingSteps(expr string) int {
	w := weigher{expr: expr}
	for w.alternatives(); w.at < len(expr); w.alternatives() {
		w.at++
	}
	return len(expr) + w.read
}

// foldedWeights has the extra steps for k and s. If case is ignored, they also match
// U+212A and U+017F.
var foldedWeights = [256]uint8{'k': weightFolded, 'K': weightFolded, 's': weightFolded, 'S': weightFolded}

// bounded returns n, but at most weightMost, so that a product does not overflow.
func bounded(n int) int { return min(n, weightMost) }

// times returns n times 2 to the power of exponent, but at most weightMost.
func times(n, exponent int) int {
	if exponent = min(exponent, mostForks); n > weightMost>>exponent {
		return weightMost
	}
	return n << exponent
}

// A weigher reads the text of a pattern once and estimates its weight.
type weigher struct {
	expr  string
	at    int
	depth int
	read  int  // extra steps of package syntax to parse the classes
	exact bool // the pattern may be case-sensitive: then it is built twice
}

// part is the estimate for a subexpression of a pattern.
type part struct {
	steps, worst int
	first        byteSet // bytes with which a match may begin
	empty        bool    // may match the empty string
	class        bool    // is a single rune or a single class
	broad        bool    // is a class with letters; repeated, it becomes a gap
	literal      bool    // is literal text
	asserts      bool    // is an assertion
	gap          bool    // ends in a gap
	wide         int     // number of consecutive classes that a match reads
	reach        int     // number of runes that a match can have

	// After the part, 2 to the power of forks alternatives may be active. Each
	// continues with a byte in the set open.
	open  byteSet
	forks int
}

// byteSet is a set of bytes. It does not distinguish bytes with equal lower six bits
// or the two cases of a letter.
type byteSet uint64

const anyByte byteSet = 1<<64 - 1

func setOf(c byte) byteSet {
	if isASCIILetter(rune(c)) {
		c |= 0x20
	}
	return 1 << (c & 63)
}

// alternatives reads alternatives such as a|b. It stops at a closing parenthesis or
// the end of the pattern.
func (w *weigher) alternatives() part {
	all := part{literal: true, class: true}
	overlaps, last := 0, ""
	for n := 0; ; n++ {
		begin := w.at
		p := w.sequence()
		text := w.expr[begin:w.at]
		if n > 0 {
			p.steps += weightSplit
		}
		if n > 0 && all.first&p.first != 0 {
			switch next, ok := isPrefix(last, text); {
			case !all.literal || !p.literal:
				overlaps++
				all.open |= anyByte
				all.forks++
			case ok:
				all.open |= setOf(next)
				all.forks++
			}
		}
		last = text
		all.steps, all.worst = bounded(all.steps+p.steps), bounded(all.worst+p.worst)
		all.first |= p.first
		all.open |= p.open
		all.forks = min(max(all.forks, p.forks), mostForks)
		all.wide, all.reach = max(all.wide, p.wide), max(all.reach, p.reach)
		all.empty = all.empty || p.empty
		all.broad = all.broad || p.broad
		all.class = all.class && p.class
		all.literal = all.literal && p.literal
		if w.at == len(w.expr) || w.expr[w.at] != '|' {
			break
		}
		w.at++
	}
	all.worst = times(all.worst, overlaps)
	return all
}

// isPrefix reports whether the longer text begins with the shorter one, ignoring
// case. next is the byte after that prefix.
func isPrefix(a, b string) (next byte, ok bool) {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) == len(b) || !strings.EqualFold(a, b[:len(a)]) {
		return 0, false
	}
	return b[len(a)], true
}
