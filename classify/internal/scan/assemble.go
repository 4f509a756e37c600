package scan

import "regexp/syntax"

// assemble divides consecutive subexpressions into pieces and gaps: see chain.
//
//   - A gap at either end of the pattern is replaced by its minimum number of runes.
//   - If one gap directly follows another, the minimum number of runes of the first
//     gap becomes part of the piece before both gaps, and the minimum of the second
//     gap becomes part of the piece after them.
func (p *parser) assemble(parts []*syntax.Regexp) (chain, error) {
	var c chain
	var piece []*syntax.Regexp
	var open gap // the gap before the current piece
	closePiece := func() {
		c.pieces = append(c.pieces, concat(piece))
		c.gaps = append(c.gaps, open)
		piece, open = nil, nil
	}
	grow := func() { // adds the minimum of the open gap to the last piece
		last := &c.pieces[len(c.pieces)-1]
		*last = concat(append([]*syntax.Regexp{*last}, p.copies(open[0].class, open[0].min)...))
		open[0] = open[0].withoutMin()
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
		case len(piece) == 0 && len(c.pieces) == 0, i == len(parts)-1: // at the beginning or the end of the pattern
			piece = append(piece, p.copies(class, least)...)
		case len(piece) == 0: // directly after another gap
			grow()
			open = append(open, loop{class, least, most}.withoutMin())
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

// bounded replaces an unbounded repetition of a group by the minimum number of
// repetitions. This is enough at the beginning and at the end of a pattern. Elsewhere
// the repetition is an error.
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

// trim drops optional subexpressions at both ends of a pattern. The pattern still
// matches the same texts.
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

// flatten appends parts to flat. It replaces each concatenation by its
// subexpressions.
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
