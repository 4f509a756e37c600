package scan

import (
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A sequence is the estimate for consecutive subexpressions (parts) of a pattern.
type sequence struct {
	part
	paths int // log2 of the number of paths that may be active at once
	parts int
}

// sequence reads parts until a bar, a closing parenthesis or the end of the pattern.
func (w *weigher) sequence() part {
	s := sequence{part: part{empty: true, literal: true}}
	for !w.ends() {
		if text := w.text(); text != "" {
			s.addText(text)
			continue
		}
		p := w.atom()
		least, most, endless := w.quantifier()
		repeated := endless || least != 1 || most != 1
		if p.class && repeated && (endless || most-least > maxCount || most > 1 && p.broad) {
			copies := min(least, 1) // all of them if the gap is first or last, or after another gap
			if s.parts == 0 || s.gap || w.ends() {
				copies = least
			}
			s.addGap(p, least, copies)
			s.reach += max(least, most)
		} else {
			s.add(p, least, max(least, most))
		}
		s.literal = s.literal && p.literal && !repeated
		s.class = s.class && !repeated
	}
	return s.part
}

// ends reports whether the sequence has no more parts.
func (w *weigher) ends() bool {
	return w.at == len(w.expr) || w.expr[w.at] == '|' || w.expr[w.at] == ')'
}

// text reads literal ASCII bytes. It stops before a special byte or a byte with a
// quantifier.
func (w *weigher) text() string {
	rest := w.expr[w.at:]
	n := 0
	for n < len(rest) && !special[rest[n]] {
		n++
	}
	if n > 0 && n < len(rest) && strings.IndexByte("?*+{", rest[n]) >= 0 {
		n-- // the quantifier applies to the last byte
	}
	w.at += n
	return rest[:n]
}

// special has the bytes that may have a special meaning in a pattern, and all
// non-ASCII bytes.
var special = func() (is [256]bool) {
	for c := range is {
		is[c] = c >= utf8.RuneSelf || strings.IndexByte(`\.+*?()|[]{}^$`, byte(c)) >= 0
	}
	return is
}()

// begin updates s.paths and s.first before a part is added. firstBytes are the bytes
// with which the part may begin. If an earlier alternative may continue with one of
// these bytes, the number of paths grows.
func (s *sequence) begin(firstBytes byteSet) {
	if s.open&firstBytes != 0 {
		s.paths = min(s.paths+s.forks, mostForks)
	}
	if s.empty {
		s.first |= firstBytes
	}
}

// close ends all alternatives of earlier parts. It is called for a part that no match
// can skip.
func (s *sequence) close() { s.empty, s.open, s.forks = false, 0, 0 }

// grow adds the estimated steps of a part.
func (s *sequence) grow(steps, worst int) {
	s.steps, s.worst = bounded(s.steps+steps), bounded(s.worst+worst)
}

func (s *sequence) addText(text string) {
	steps := weightByte * len(text)
	for i := range len(text) {
		steps += int(foldedWeights[text[i]])
	}
	s.begin(setOf(text[0]))
	s.close()
	s.grow(steps, times(steps, s.paths))
	s.class = s.parts == 0 && len(text) == 1
	s.broad, s.gap = false, false
	s.parts += len(text)
	s.reach += len(text)
}

// addGap adds a repeated class that becomes a gap: see isGap. No alternatives are
// active after the gap.
func (s *sequence) addGap(p part, least, copies int) {
	steps := weightGap + p.steps/16 + bounded(copies*p.steps)
	s.grow(steps, steps)
	if s.empty {
		s.first |= p.first
	}
	s.empty = s.empty && least == 0
	s.paths, s.open, s.forks = 0, 0, 0
	s.gap = true
	s.parts++
}

// add adds a part that is repeated from least to most times.
func (s *sequence) add(p part, least, most int) {
	optional := most - least
	s.begin(p.first)
	if !p.asserts && !p.empty && least > 0 {
		s.close()
	}
	// Repeating a part adds paths in two cases:
	//
	//   - An alternative of the part may continue with a first byte of the part.
	//   - The part may match the empty string.
	paths := s.paths
	if p.open&p.first != 0 {
		paths += p.forks * max(most-1, 0)
	}
	if p.empty && most > 1 {
		paths += 3 + bits.Len(uint(most))
	}
	s.grow(most*p.steps+optional*weightSplit, most*times(p.worst, paths)+optional*weightSplit)
	s.open |= p.open
	s.forks += p.forks
	if optional > 0 || p.empty && !p.asserts {
		s.open |= p.first
		if p.class { // the paths differ only in the number of repeats
			s.forks += bits.Len(uint(max(optional, 1)))
		} else {
			s.forks += max(optional, 1)
		}
	}
	s.forks = min(s.forks, mostForks)
	if p.class && !p.literal {
		p.wide = 1
	}
	s.wide = bounded(s.wide + most*p.wide)
	s.reach = bounded(s.reach + most*max(p.reach, 1))
	s.class, s.broad = s.parts == 0 && p.class, p.broad
	s.gap = false
	s.parts++
}

// quantifier reads the quantifier after an atom. Without a quantifier, least and most
// are 1. endless is true if there is no upper bound.
func (w *weigher) quantifier() (least, most int, endless bool) {
	least, most = 1, 1
	if w.at == len(w.expr) {
		return least, most, false
	}
	switch w.expr[w.at] {
	case '?':
		least = 0
	case '*':
		least, endless = 0, true
	case '+':
		endless = true
	case '{':
		text, _, ok := strings.Cut(w.expr[w.at+1:min(len(w.expr), w.at+12)], "}")
		if !ok {
			return 1, 1, false
		}
		lower, upper, ranged := strings.Cut(text, ",")
		n, err := strconv.ParseUint(lower, 10, 16)
		if err != nil {
			return 1, 1, false
		}
		least = min(int(n), mostCount)
		most = least
		if ranged && upper == "" {
			endless = true
		} else if ranged {
			n, err := strconv.ParseUint(upper, 10, 16)
			if err != nil {
				return 1, 1, false
			}
			most = max(least, min(int(n), mostCount))
		}
		w.at += len(text) + 1
	default:
		return 1, 1, false
	}
	if w.at++; w.at < len(w.expr) && w.expr[w.at] == '?' {
		w.at++
	}
	return least, most, endless
}
