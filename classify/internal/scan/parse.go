package scan

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
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

// Limits on how far a pattern is taken apart. One with loops that is beyond
// them is refused.
const (
	maxChains = 64 // ways to match one pattern
	maxCount  = 4  // optional repetitions of a class without letters
)

var (
	errGroup = errors.New("repeats a group without bound: write how often at most, as in {1,9}")
	errLoops = errors.New("has a loop such as .* in a group that is repeated, or too many alternatives around such loops: split it into several patterns")
)

// A parser takes patterns apart.
type parser struct {
	*Budget
	pattern int32
	loops   map[*syntax.Regexp]bool               // what hasLoop has found out
	ways    map[*syntax.Regexp][][]*syntax.Regexp // what sequences has found out
}

// parse reads a pattern. Its error says what is wrong, not where the pattern
// came from.
func (b *Budget) parse(pattern int32, expr string) ([]chain, error) {
	if re := phrase(expr); re != nil {
		b.spend(pattern, len(expr))
		return []chain{{pieces: []*syntax.Regexp{re}, gaps: []gap{nil}}}, nil
	}
	b.spend(pattern, min(weigh(expr), 2*reserveOne)) // beyond that it is refused anyway
	re, err := syntax.Parse(expr, syntax.Perl|syntax.FoldCase)
	if err != nil {
		return nil, explain(expr, err)
	}
	if contains(re, isLoopOfCapture) {
		return nil, errGroup
	}
	p := &parser{Budget: b, pattern: pattern, loops: map[*syntax.Regexp]bool{}, ways: map[*syntax.Regexp][][]*syntax.Regexp{}}
	all := p.sequences(ungroup(re))
	chains := make([]chain, len(all))
	for i, seq := range all {
		if chains[i], err = p.assemble(seq); err != nil {
			return nil, err
		}
	}
	return chains, nil
}

// phrase returns what package syntax makes of a pattern of ASCII that is nothing
// but literal text, or nil. Most patterns of a large set are such.
func phrase(expr string) *syntax.Regexp {
	for i := range len(expr) {
		if c := expr[i]; c >= utf8.RuneSelf || strings.IndexByte(`\.+*?()|[]{}^$`, c) >= 0 {
			return nil
		}
	}
	if expr == "" {
		return nil
	}
	runes := []rune(strings.ToUpper(expr)) // the least of the runes that fold to each other
	return &syntax.Regexp{Op: syntax.OpLiteral, Flags: syntax.Perl | syntax.FoldCase, Rune: runes}
}

// explain turns an error of regexp/syntax into a short text that unwraps to it.
func explain(expr string, err error) error {
	var at *syntax.Error
	if !errors.As(err, &at) {
		return err
	}
	if at.Expr == "" || at.Expr == expr || at.Code == syntax.ErrMissingParen {
		return &parseError{string(at.Code), at}
	}
	const most = 200
	return &parseError{fmt.Sprintf("%s: %s", at.Code, at.Expr[:min(len(at.Expr), most)]), at}
}

type parseError struct {
	text string
	err  *syntax.Error
}

func (e *parseError) Error() string { return e.text }

func (e *parseError) Unwrap() error { return e.err }

// isLoopOfCapture reports whether re repeats what stands in parentheses without
// bound. Of such a group package syntax may have made a class, as of (a|b)*,
// which the matcher could take; that it takes one and not the next would be
// hard to foretell.
func isLoopOfCapture(re *syntax.Regexp) bool {
	switch {
	case re.Op != syntax.OpStar && re.Op != syntax.OpPlus && (re.Op != syntax.OpRepeat || re.Max >= 0):
		return false
	default:
		return re.Sub[0].Op == syntax.OpCapture
	}
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

// sequences returns the ways to match re as lists of parts: loops that become
// gaps, and everything else.
func (p *parser) sequences(re *syntax.Regexp) [][]*syntax.Regexp {
	if !p.hasLoop(re) || isLoop(re) {
		return [][]*syntax.Regexp{{re}}
	}
	if all, ok := p.ways[re]; ok {
		return all
	}
	var all [][]*syntax.Regexp
	ok := true
	switch re.Op {
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			all = append(all, p.sequences(sub)...)
		}
	case syntax.OpQuest:
		all = append(all, p.sequences(re.Sub[0])...)
		all = append(all, nil)
	case syntax.OpConcat:
		all, ok = p.sequencesOfConcat(re.Sub)
	case syntax.OpRepeat:
		ok = re.Max >= 0 && re.Max <= maxCount
		for n := re.Min; ok && n <= re.Max; n++ {
			var some [][]*syntax.Regexp
			some, ok = p.sequencesOfConcat(p.copies(re.Sub[0], n))
			all = append(all, some...)
		}
	default: // OpStar, OpPlus of a group with a gap in it
		ok = false
	}
	if !ok || len(all) > maxChains {
		all = [][]*syntax.Regexp{{re}}
	}
	p.ways[re] = all
	return all
}

func (p *parser) sequencesOfConcat(subs []*syntax.Regexp) (all [][]*syntax.Regexp, ok bool) {
	all = [][]*syntax.Regexp{nil}
	for i, sub := range subs {
		ways := p.sequences(sub)
		if sub.Op == syntax.OpQuest && len(ways) == 1 && (i > 0 && isLoop(subs[i-1]) || i+1 < len(subs) && isLoop(subs[i+1])) {
			ways = [][]*syntax.Regexp{{sub.Sub[0]}, nil} // a piece of its own should not be empty
		}
		if len(all)*len(ways) > maxChains {
			return nil, false
		}
		if len(ways) == 1 { // no list shares its memory with another: each can grow
			for i := range all {
				p.spend(p.pattern, 1+len(ways[0]))
				all[i] = append(all[i], ways[0]...)
			}
			continue
		}
		var longer [][]*syntax.Regexp
		for _, head := range all {
			for _, tail := range ways {
				p.spend(p.pattern, 1+len(head)+len(tail))
				longer = append(longer, slices.Concat(head, tail))
			}
		}
		all = longer
	}
	return all, true
}

// hasLoop reports whether re is a loop or has one in it.
func (p *parser) hasLoop(re *syntax.Regexp) bool {
	has, ok := p.loops[re]
	if !ok {
		p.spend(p.pattern, 4+len(re.Rune))
		has = isLoop(re) || slices.ContainsFunc(re.Sub, p.hasLoop)
		p.loops[re] = has
	}
	return has
}

// contains reports whether f holds for re or a part of it.
func contains(re *syntax.Regexp, f func(*syntax.Regexp) bool) bool {
	return f(re) || slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return contains(sub, f) })
}

// isGap reports whether re repeats a class without bound, far, or with letters
// in it: spelt out in an automaton, such a loop is alive beside everything
// else, and the states of the two would multiply.
func isGap(re *syntax.Regexp) bool {
	least, most, ok := repeated(re)
	return ok && (most < 0 || most-least > maxCount || most > 1 && broad(re.Sub[0]))
}

// isLoop reports whether re is a gap or repeats a group without bound.
func isLoop(re *syntax.Regexp) bool {
	return isGap(re) || re.Op == syntax.OpStar || re.Op == syntax.OpPlus || re.Op == syntax.OpRepeat && re.Max < 0
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
	bounds := boundsOf(class)
	for i := 0; i+1 < len(bounds); i += 2 {
		if bounds[i] <= 'z' && bounds[i+1] >= 'a' {
			return true
		}
	}
	return false
}

// boundsOf returns the runes of a class as pairs of bounds.
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
// least goes into the pieces around them.
func (p *parser) assemble(parts []*syntax.Regexp) (chain, error) {
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
		*last = concat(append([]*syntax.Regexp{*last}, p.copies(open[0].class, open[0].min)...))
		open[0] = open[0].atLeastNone()
	}
	parts = trim(flatten(nil, parts))
	for i, part := range parts {
		if !isGap(part) {
			piece = append(piece, part)
			continue
		}
		least, most, _ := repeated(part)
		class := part.Sub[0]
		switch {
		case len(piece) == 0 && len(c.pieces) == 0, i == len(parts)-1: // at an end
			piece = append(piece, p.copies(class, least)...)
		case len(piece) == 0: // right behind another gap
			grow()
			open = append(open, loop{class, least, most}.atLeastNone())
			piece = p.copies(class, least)
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
	for i, re := range c.pieces {
		var err error
		if c.pieces[i], err = p.bounded(re, i == 0, i == len(c.pieces)-1); err != nil {
			return chain{}, err
		}
	}
	return c, nil
}

// bounded returns re without repetitions of groups that have no bound. They can
// go from the two ends of a pattern, where one more time changes nothing.
func (p *parser) bounded(re *syntax.Regexp, first, last bool) (*syntax.Regexp, error) {
	switch {
	case isLoop(re):
		switch {
		case p.hasLoop(re.Sub[0]):
			return nil, errLoops
		case !first && !last:
			return nil, errGroup
		}
		return concat(p.copies(re.Sub[0], map[syntax.Op]int{syntax.OpPlus: 1, syntax.OpRepeat: re.Min}[re.Op])), nil
	case !p.hasLoop(re):
		return re, nil
	case re.Op != syntax.OpConcat:
		return nil, errLoops
	}
	parts := make([]*syntax.Regexp, len(re.Sub))
	for i, sub := range re.Sub {
		var err error
		if parts[i], err = p.bounded(sub, first && i == 0, last && i == len(re.Sub)-1); err != nil {
			return nil, err
		}
	}
	return concat(parts), nil
}

// trim drops what may be left out at the two ends of a pattern: a search that
// succeeds with it succeeds without it.
func trim(parts []*syntax.Regexp) []*syntax.Regexp {
	mayGo := func(re *syntax.Regexp) bool {
		return re.Op == syntax.OpQuest || re.Op == syntax.OpStar || re.Op == syntax.OpRepeat && re.Min == 0
	}
	for len(parts) > 0 && mayGo(parts[0]) {
		parts = parts[1:]
	}
	for len(parts) > 0 && mayGo(parts[len(parts)-1]) {
		parts = parts[:len(parts)-1]
	}
	return parts
}

// flatten appends parts to flat, with nested concatenations unfolded.
func flatten(flat, parts []*syntax.Regexp) []*syntax.Regexp {
	for _, p := range parts {
		if p.Op == syntax.OpConcat {
			flat = flatten(flat, p.Sub)
		} else {
			flat = append(flat, p)
		}
	}
	return flat
}

func (p *parser) copies(re *syntax.Regexp, n int) []*syntax.Regexp {
	p.spend(p.pattern, n)
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
