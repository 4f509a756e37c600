package scan

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"unicode"
)

// A chain is one way to match a pattern: pieces in order, with gaps between
// them. gaps[i] stands before pieces[i]; the first is empty.
type chain struct {
	pieces []*syntax.Regexp
	gaps   []gap
}

// A gap is text between two pieces: a run of each loop, in order.
type gap []loop

// A loop is a run of at least min and at most max runes of a class; max < 0
// means any number. In a gap of several loops every min is 0.
type loop struct {
	class    *syntax.Regexp // OpCharClass, OpAnyChar or OpAnyCharNotNL
	min, max int
}

// Limits on how far a pattern is taken apart. What is beyond them stays in one
// piece, and the number of states decides whether it is accepted.
const (
	maxChains  = 64  // ways to match one pattern
	maxCount   = 4   // optional repetitions of a class without letters
	maxLengths = 48  // lengths of a piece behind a gap
	maxVariant = 256 // size of a piece once it is written out by length
)

// parse reads a pattern. Its error says what is wrong, not where the pattern
// came from.
func parse(expr string) ([]chain, error) {
	re, err := syntax.Parse(expr, syntax.Perl|syntax.FoldCase)
	if err != nil {
		return nil, explain(expr, err)
	}
	var chains []chain
	for _, seq := range sequences(ungroup(re)) {
		chains = append(chains, assemble(seq))
	}
	return chains, nil
}

// explain turns an error of regexp/syntax into a short text.
func explain(expr string, err error) error {
	var at *syntax.Error
	if !errors.As(err, &at) {
		return err
	}
	if at.Expr == "" || at.Expr == expr || at.Code == syntax.ErrMissingParen {
		return errors.New(string(at.Code))
	}
	return fmt.Errorf("%s: %s", at.Code, at.Expr)
}

// ungroup removes captures, which only group here.
func ungroup(re *syntax.Regexp) *syntax.Regexp {
	for re.Op == syntax.OpCapture {
		re = re.Sub[0]
	}
	for i, sub := range re.Sub {
		re.Sub[i] = ungroup(sub)
	}
	return re
}

// sequences returns the ways to match re as lists of parts: loops over broad
// classes, which become gaps, and everything else.
func sequences(re *syntax.Regexp) [][]*syntax.Regexp {
	if !hasGap(re) || isGap(re) {
		return [][]*syntax.Regexp{{re}}
	}
	var all [][]*syntax.Regexp
	switch re.Op {
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			all = append(all, sequences(sub)...)
		}
	case syntax.OpQuest:
		all = append(sequences(re.Sub[0]), nil)
	case syntax.OpConcat:
		all = [][]*syntax.Regexp{nil}
		for _, sub := range re.Sub {
			var longer [][]*syntax.Regexp
			ways := sequences(sub)
			if len(all)*len(ways) > maxChains {
				return [][]*syntax.Regexp{{re}}
			}
			for _, head := range all {
				for _, tail := range ways {
					longer = append(longer, append(head[:len(head):len(head)], tail...))
				}
			}
			all = longer
		}
	default: // a repeated group with a gap in it
		return [][]*syntax.Regexp{{re}}
	}
	if len(all) > maxChains {
		return [][]*syntax.Regexp{{re}}
	}
	return all
}

func hasGap(re *syntax.Regexp) bool {
	if isGap(re) {
		return true
	}
	for _, sub := range re.Sub {
		if hasGap(sub) {
			return true
		}
	}
	return false
}

// isGap reports whether re repeats a class that holds letters, or counts far:
// inside an automaton such a loop is alive beside everything else, and the
// states of the two would multiply.
func isGap(re *syntax.Regexp) bool {
	least, most, ok := repeated(re)
	switch {
	case !ok:
		return false
	case most >= 0 && most-least > maxCount:
		return true
	}
	return (most < 0 || most > 1) && broad(re.Sub[0])
}

// repeated returns the bounds of a loop over a class; most < 0: no bound.
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

// broad reports whether a class holds an ASCII letter among others.
func broad(class *syntax.Regexp) bool {
	if class.Op == syntax.OpLiteral {
		return false
	}
	for r := 'a'; r <= 'z'; r++ {
		if inClass(class, r) {
			return true
		}
	}
	return false
}

// inClass reports whether a class holds r.
func inClass(class *syntax.Regexp, r rune) bool {
	switch class.Op {
	case syntax.OpAnyChar:
		return true
	case syntax.OpAnyCharNotNL:
		return r != '\n'
	case syntax.OpLiteral:
		if class.Flags&syntax.FoldCase == 0 {
			return r == class.Rune[0]
		}
		for f := unicode.SimpleFold(r); ; f = unicode.SimpleFold(f) {
			if f == class.Rune[0] {
				return true
			}
			if f == r {
				return false
			}
		}
	}
	for i := 0; i+1 < len(class.Rune); i += 2 {
		if class.Rune[i] <= r && r <= class.Rune[i+1] {
			return true
		}
	}
	return false
}

// atLeastNone is what is left of l when its min is matched elsewhere.
func (l loop) atLeastNone() loop {
	if l.max > 0 {
		l.max -= l.min
	}
	l.min = 0
	return l
}

// assemble cuts a list of parts into pieces and gaps.
//
// A gap at either end is dropped but for what it asks for at least: the search
// begins and ends anywhere. Where loops follow each other, what they ask for at
// least goes into the pieces around them. A piece behind a gap must tell where
// it began, so it is kept only if it has few lengths; unbounded loops in it
// become gaps too.
func assemble(parts []*syntax.Regexp) chain {
	var c chain
	var piece []*syntax.Regexp
	var open gap // before the piece that is being put together
	closePiece := func() {
		c.pieces = append(c.pieces, concat(piece))
		c.gaps = append(c.gaps, open)
		piece, open = nil, nil
	}
	grow := func() { // gives the last piece what the gap behind it asks for at least
		last := &c.pieces[len(c.pieces)-1]
		*last = concat(append([]*syntax.Regexp{*last}, copies(open[0].class, open[0].min)...))
		open[0] = open[0].atLeastNone()
	}
	parts = flatten(parts)
	for i, part := range parts {
		least, most, ok := repeated(part)
		behindGap := len(c.pieces) > 0
		if !ok || !(isGap(part) || behindGap && most < 0) {
			piece = append(piece, part)
			continue
		}
		class := part.Sub[0]
		switch {
		case len(piece) == 0 && !behindGap, i == len(parts)-1: // at an end
			piece = append(piece, copies(class, least)...)
		case len(piece) == 0: // right behind another gap
			grow()
			open = append(open, loop{class, least, most}.atLeastNone())
			piece = copies(class, least)
		default:
			closePiece()
			open = gap{{class, least, most}}
		}
	}
	switch {
	case len(piece) > 0 || len(c.pieces) == 0:
		closePiece()
	case open[0].min > 0:
		grow()
	}
	for _, p := range c.pieces[1:] {
		if _, ok := byLength(p); !ok {
			return whole(parts)
		}
	}
	return c
}

// whole is the chain of a pattern that is not taken apart.
func whole(parts []*syntax.Regexp) chain {
	return chain{pieces: []*syntax.Regexp{concat(parts)}, gaps: []gap{nil}}
}

// flatten unfolds nested concatenations.
func flatten(parts []*syntax.Regexp) []*syntax.Regexp {
	var flat []*syntax.Regexp
	for _, p := range parts {
		if p.Op == syntax.OpConcat {
			flat = append(flat, flatten(p.Sub)...)
		} else {
			flat = append(flat, p)
		}
	}
	return flat
}

func copies(re *syntax.Regexp, n int) []*syntax.Regexp {
	parts := make([]*syntax.Regexp, n)
	for i := range parts {
		parts[i] = re
	}
	return parts
}

func concat(parts []*syntax.Regexp) *syntax.Regexp {
	if len(parts) == 1 {
		return parts[0]
	}
	return &syntax.Regexp{Op: syntax.OpConcat, Sub: parts}
}

// byLength writes re out as one expression for each length, in runes, that it
// can match; ok is false when it has too many lengths, or no bound.
func byLength(re *syntax.Regexp) (variants map[int]*syntax.Regexp, ok bool) {
	switch re.Op {
	case syntax.OpNoMatch:
		return nil, true
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText,
		syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return map[int]*syntax.Regexp{0: re}, true
	case syntax.OpLiteral:
		return map[int]*syntax.Regexp{len(re.Rune): re}, true
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return map[int]*syntax.Regexp{1: re}, true
	case syntax.OpConcat:
		return lengthsOfConcat(re.Sub)
	case syntax.OpAlternate:
		variants = map[int]*syntax.Regexp{}
		for _, sub := range re.Sub {
			more, ok := byLength(sub)
			if !ok || !addVariants(variants, more) {
				return nil, false
			}
		}
		return variants, true
	case syntax.OpQuest:
		variants, ok = byLength(re.Sub[0])
		if !ok {
			return nil, false
		}
		all := map[int]*syntax.Regexp{0: {Op: syntax.OpEmptyMatch}}
		return all, addVariants(all, variants)
	case syntax.OpRepeat:
		if re.Max < 0 || re.Max > maxVariant {
			return nil, false
		}
		all := map[int]*syntax.Regexp{}
		for n := re.Min; n <= re.Max; n++ {
			variants, ok := lengthsOfConcat(copies(re.Sub[0], n))
			if !ok || !addVariants(all, variants) {
				return nil, false
			}
		}
		return all, true
	}
	return nil, false // OpStar, OpPlus
}

func lengthsOfConcat(subs []*syntax.Regexp) (map[int]*syntax.Regexp, bool) {
	all := map[int]*syntax.Regexp{0: {Op: syntax.OpEmptyMatch}}
	for _, sub := range subs {
		variants, ok := byLength(sub)
		if !ok {
			return nil, false
		}
		longer := map[int]*syntax.Regexp{}
		for n, head := range all {
			for m, tail := range variants {
				both := concat([]*syntax.Regexp{head, tail})
				if !addVariants(longer, map[int]*syntax.Regexp{n + m: both}) {
					return nil, false
				}
			}
		}
		all = longer
	}
	return all, true
}

// addVariants merges from into all; it reports whether all is still small.
func addVariants(all, from map[int]*syntax.Regexp) bool {
	for n, re := range from {
		if old := all[n]; old != nil {
			re = &syntax.Regexp{Op: syntax.OpAlternate, Sub: []*syntax.Regexp{old, re}}
		}
		all[n] = re
		if size(re) > maxVariant {
			return false
		}
	}
	return len(all) <= maxLengths
}

func size(re *syntax.Regexp) int {
	n := 1 + len(re.Rune)
	if re.Op == syntax.OpCharClass {
		n = 1
	}
	for _, sub := range re.Sub {
		n += size(sub)
	}
	return n
}
