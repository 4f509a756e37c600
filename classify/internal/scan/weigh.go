package scan

import "strings"

// A weight estimates from the text of a pattern how many steps it takes to
// compile. Nothing is parsed or built for it.
type weight struct {
	steps int // if no two ways through the pattern read the same text
	worst int // if all ways that may overlap do
	wide  int // classes that stand side by side with what other patterns read
	reach int // runes that it may read of a text, with those of its gaps
}

// Steps for the parts of a pattern: what their nodes and states take together,
// rounded up.
const (
	weightPattern = 150
	weightPhrase  = 30    // each byte of a phrase
	weightByte    = 60    // each byte of another pattern
	weightFolded  = 130   // more for k and s, which have a third case beyond ASCII
	weightRune    = 200   // a rune beyond ASCII
	weightSplit   = 40    // an alternative, or something optional
	weightAssert  = 100   // an assertion
	weightGap     = 200   // a gap
	weightClass   = 100   // a class
	weightRange   = 60    // a range of a class
	weightMember  = 20    // a byte of ASCII in it
	weightRead    = 6     // a byte of a class
	weightWide    = 2_200 // a class of nearly all runes
	weightNamed   = 4_000 // a class of Unicode
	weightTable   = 400   // a range of its table
	weightMost    = 1 << 50
	mostForks     = 40
	mostDepth     = 1000 // package syntax refuses more
	mostCount     = 1000 // the same
)

// weigh estimates the weight of a pattern, in a time in proportion to its length.
// A pattern that package syntax refuses has any weight.
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
	for w.at < len(expr) { // behind a parenthesis too many
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

// readingSteps estimates what package syntax takes to read a pattern, before it
// does so: there is no way to stop it.
func readingSteps(expr string) int {
	w := weigher{expr: expr}
	for w.alternatives(); w.at < len(expr); w.alternatives() {
		w.at++
	}
	return len(expr) + w.read
}

// foldedWeights has weightFolded for the letters with a case beyond ASCII.
var foldedWeights = [256]uint8{'k': weightFolded, 'K': weightFolded, 's': weightFolded, 'S': weightFolded}

// bounded keeps a weight small enough to be multiplied.
func bounded(n int) int { return min(n, weightMost) }

// times returns a weight for so many ways, given as log2.
func times(n, ways int) int {
	if ways = min(ways, mostForks); n > weightMost>>ways {
		return weightMost
	}
	return n << ways
}

// A weigher reads a pattern once.
type weigher struct {
	expr  string
	at    int
	depth int
	read  int  // what package syntax takes for the classes, beyond their length
	exact bool // it may tell the cases of letters apart, for which it is built twice
}

// A heft is what a weigher knows of a part of a pattern.
type heft struct {
	steps, worst int
	first        byteSet // it may begin with
	empty        bool    // it may match nothing
	class        bool    // it is one rune, or one class
	broad        bool    // it is a class with letters: repeated, it becomes a gap
	literal      bool    // it is nothing but text
	asserts      bool    // it reads nothing
	gap          bool    // it ends in a gap
	wide         int     // classes that are read one after the other
	reach        int     // runes that are

	// After the part, so many ways may be open that go on with these bytes.
	open  byteSet
	forks int // log2 of the number of ways
}

// byteSet is a set of bytes; those that are equal in their lower six bits are one,
// and so are the two cases of a letter.
type byteSet uint64

const anyByte byteSet = 1<<64 - 1

func setOf(c byte) byteSet {
	if isASCIILetter(rune(c)) {
		c |= 0x20
	}
	return 1 << (c & 63)
}

// alternatives reads up to a closing parenthesis or the end.
func (w *weigher) alternatives() heft {
	all := heft{literal: true, class: true}
	overlaps, last := 0, ""
	for n := 0; ; n++ {
		begin := w.at
		p := w.sequence()
		text := w.expr[begin:w.at]
		if n > 0 {
			p.steps += weightSplit
		}
		if n > 0 && all.first&p.first != 0 {
			switch next, ok := goesOn(last, text); {
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

// goesOn returns the byte behind the shorter one of two texts, if the longer one
// begins with it.
func goesOn(a, b string) (next byte, ok bool) {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) == len(b) || !strings.EqualFold(a, b[:len(a)]) {
		return 0, false
	}
	return b[len(a)], true
}
