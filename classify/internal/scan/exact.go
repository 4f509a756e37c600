package scan

import (
	"regexp/syntax"
	"slices"
)

// A case-sensitive piece is built twice: ignoring case in the main automaton, and as
// written in a small automaton.

// folded returns re, changed to match every ASCII letter in both cases. If nothing
// changes, the result is re itself.
func folded(re *syntax.Regexp) *syntax.Regexp {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase != 0 || !slices.ContainsFunc(re.Rune, isASCIILetter) {
			return re
		}
		return &syntax.Regexp{Op: syntax.OpLiteral, Flags: re.Flags | syntax.FoldCase, Rune: re.Rune}
	case syntax.OpCharClass:
		missing := []rune{}
		ascii := asciiOf(re.Rune)
		for r := 'a'; r <= 'z'; r++ {
			lower, upper := ascii[r], ascii[r-'a'+'A']
			if lower && !upper {
				missing = append(missing, r-'a'+'A', r-'a'+'A')
			} else if upper && !lower {
				missing = append(missing, r, r)
			}
		}
		if len(missing) == 0 {
			return re
		}
		return &syntax.Regexp{Op: syntax.OpCharClass, Flags: re.Flags, Rune: slices.Concat(re.Rune, missing)}
	}
	both := *re
	both.Sub = make([]*syntax.Regexp, len(re.Sub))
	for i, sub := range re.Sub {
		both.Sub[i] = folded(sub)
	}
	if slices.Equal(both.Sub, re.Sub) {
		return re
	}
	return &both
}

func isASCIILetter(r rune) bool { return 'a' <= r|0x20 && r|0x20 <= 'z' }

// hasExactCase reports whether text[start:end] has the case that the piece requires.
// The main automaton has already matched the text.
func (w *walk) hasExactCase(a *accept, start, end int) bool {
	t := &w.m.exact
	s := t.roots[w.kindAt(start-1)]
	for i := start; i < end; i++ {
		s = t.step(s, uint32(t.classes[w.text[i]]))
	}
	if s&acceptFlag == 0 {
		return false
	}
	before, after := w.kindAt(end-1), w.kindAt(end)
	for at := t.step(s, acceptColumn); ; at++ {
		b := &t.accepts[at]
		if b.id == a.id && b.isStage == a.isStage && holds(b.when, before, after) {
			return true
		}
		if !b.more {
			return false
		}
	}
}
