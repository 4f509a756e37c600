package scan

import (
	"regexp/syntax"
	"unicode"
)

// isGap reports whether re must become a gap, at which the pattern is cut. re must
// repeat a class, and one of these must be true:
//
//   - The repetition has no upper bound.
//   - The maximum exceeds the minimum by more than maxCount.
//   - The maximum is more than one, and the class has lower-case letters: see broad.
//
// Without the cut, the numbers of states would multiply.
func isGap(re *syntax.Regexp) bool {
	least, most, ok := repeated(re)
	return ok && (most < 0 || most-least > maxCount || most > 1 && broad(re.Sub[0]))
}

// isLoop reports whether re becomes a gap or is a repetition without upper bound.
func isLoop(re *syntax.Regexp) bool {
	return isGap(re) || re.Op == syntax.OpStar || re.Op == syntax.OpPlus || re.Op == syntax.OpRepeat && re.Max < 0
}

// repeated returns the minimum and the maximum of the repetition re. most is -1 if
// there is no maximum. ok is true if re repeats a class.
func repeated(re *syntax.Regexp) (least, most int, ok bool) {
	switch re.Op {
	case syntax.OpStar:
		least, most = 0, -1
	case syntax.OpPlus:
		least, most = 1, -1
	case syntax.OpQuest:
		least, most = 0, 1
	case syntax.OpRepeat:
		least, most = re.Min, re.Max
	default:
		return 0, 0, false
	}
	return least, most, isClass(re.Sub[0])
}

func isClass(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL, syntax.OpCharClass:
		return true
	}
	return re.Op == syntax.OpLiteral && len(re.Rune) == 1
}

// broad reports whether a class has a lower-case ASCII letter. A single literal is
// not broad.
func broad(class *syntax.Regexp) bool {
	if class.Op == syntax.OpLiteral {
		return false
	}
	bounds := boundsOf(class)
	for i := 0; i+1 < len(bounds); i += 2 {
		if bounds[i] <= 'z' && bounds[i+1] >= 'a' {
			return true
		}
	}
	return false
}

// boundsOf returns the first and the last rune of each range of a class.
func boundsOf(class *syntax.Regexp) []rune {
	switch class.Op {
	case syntax.OpAnyChar:
		return []rune{0, unicode.MaxRune}
	case syntax.OpAnyCharNotNL:
		return []rune{0, '\n' - 1, '\n' + 1, unicode.MaxRune}
	case syntax.OpLiteral:
		return orbit(class.Rune[0], class.Flags&syntax.FoldCase != 0)
	}
	return class.Rune
}

// withoutMin subtracts the minimum from both limits: {2,5} becomes {0,3}. The caller
// must match the first l.min runes elsewhere.
func (l loop) withoutMin() loop {
	if l.max > 0 {
		l.max -= l.min
	}
	l.min = 0
	return l
}
