package scan

import (
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// nodeOp is what a node of the nondeterministic automaton does.
type nodeOp uint8

const (
	opByte   nodeOp = iota // reads a byte from lo to hi, goes to out
	opSplit                // goes to out and to alt
	opAssert               // goes to out where the assertion holds
	opMatch                // ends a piece: out is its accept; where assert is set, only if it holds
)

// A node of the automaton over bytes. Texts are valid UTF-8 when they get
// here, so that a class of runes is a set of byte sequences.
type node struct {
	op       nodeOp
	lo, hi   byte
	assert   syntax.EmptyOp
	out, alt int32
}

// An accept is what the end of a piece means.
type accept struct {
	piece   int32          // index into program.pieces
	runes   int32          // length of the piece in runes; -1 where nobody asks
	when    syntax.EmptyOp // an assertion that has to hold there; 0 = none
	delayed bool           // seen one byte late, because an assertion looked ahead
}

// A piece is one piece of one chain of one pattern.
type piece struct {
	pattern int32
	gap     []byteLoop // between the piece before and this one; nil = the first piece
	last    bool       // the chain ends here: the pattern matches
	alone   bool       // its end needs no look at the text: it has no gaps and no empty \B
}

// program is the nondeterministic automaton of a whole set of patterns.
type program struct {
	nodes   []node
	ids     map[node]int32 // so that alternatives share their endings
	starts  []int32
	accepts []accept
	pieces  []piece // those of a chain stand in order
}

// add puts the chain of a pattern into the program.
func (p *program) add(pattern int, c chain) {
	for i, re := range c.pieces {
		index := int32(len(p.pieces))
		pc := piece{pattern: int32(pattern), last: i == len(c.pieces)-1}
		pc.alone = len(c.pieces) == 1 && !emptyInside(re)
		if i == 0 {
			p.starts = append(p.starts, p.compile(re, p.match(index, -1)))
			p.pieces = append(p.pieces, pc)
			continue
		}
		pc.gap = byteLoops(c.gaps[i])
		p.pieces = append(p.pieces, pc)
		all, _ := lengths(re) // assemble has asked before
		for _, n := range all {
			p.starts = append(p.starts, p.exactly(re, n, p.match(index, int32(n))))
		}
	}
}

// emptyInside reports whether re can match the empty text between two bytes
// of one rune. Only \B holds there.
func emptyInside(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpNoWordBoundary:
		return true
	case syntax.OpConcat:
		return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !mayBeEmpty(sub) }) &&
			slices.ContainsFunc(re.Sub, emptyInside)
	}
	return slices.ContainsFunc(re.Sub, emptyInside)
}

func mayBeEmpty(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpNoMatch, syntax.OpLiteral, syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return false
	case syntax.OpConcat:
		return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !mayBeEmpty(sub) })
	case syntax.OpAlternate:
		return slices.ContainsFunc(re.Sub, mayBeEmpty)
	case syntax.OpPlus:
		return mayBeEmpty(re.Sub[0])
	case syntax.OpRepeat:
		return re.Min == 0 || mayBeEmpty(re.Sub[0])
	}
	return true
}

func (p *program) node(n node) int32 {
	id, ok := p.ids[n]
	if !ok {
		id = p.newNode(n)
		p.ids[n] = id
	}
	return id
}

// newNode adds a node that will be changed, and so cannot be shared.
func (p *program) newNode(n node) int32 {
	p.nodes = append(p.nodes, n)
	return int32(len(p.nodes) - 1)
}

func (p *program) match(piece, runes int32) int32 {
	p.accepts = append(p.accepts, accept{piece: piece, runes: runes})
	return p.node(node{op: opMatch, out: int32(len(p.accepts) - 1)})
}

// compile builds the nodes of re in front of next and returns the first.
func (p *program) compile(re *syntax.Regexp, next int32) int32 {
	switch re.Op {
	case syntax.OpEmptyMatch:
		return next
	case syntax.OpLiteral:
		for _, r := range slices.Backward(re.Rune) {
			next = p.runes(orbit(r, re.Flags&syntax.FoldCase != 0), next)
		}
		return next
	case syntax.OpCharClass:
		return p.runes(re.Rune, next)
	case syntax.OpAnyCharNotNL:
		return p.runes([]rune{0, '\n' - 1, '\n' + 1, unicode.MaxRune}, next)
	case syntax.OpAnyChar:
		return p.runes([]rune{0, unicode.MaxRune}, next)
	case syntax.OpBeginLine:
		return p.assert(syntax.EmptyBeginLine, next)
	case syntax.OpEndLine:
		return p.assert(syntax.EmptyEndLine, next)
	case syntax.OpBeginText:
		return p.assert(syntax.EmptyBeginText, next)
	case syntax.OpEndText:
		return p.assert(syntax.EmptyEndText, next)
	case syntax.OpWordBoundary:
		return p.assert(syntax.EmptyWordBoundary, next)
	case syntax.OpNoWordBoundary:
		return p.assert(syntax.EmptyNoWordBoundary, next)
	case syntax.OpConcat:
		for _, sub := range slices.Backward(re.Sub) {
			next = p.compile(sub, next)
		}
		return next
	case syntax.OpAlternate:
		return p.any(re.Sub, next)
	case syntax.OpQuest:
		return p.node(node{op: opSplit, out: p.compile(re.Sub[0], next), alt: next})
	case syntax.OpStar, syntax.OpPlus:
		return p.loop(re.Sub[0], next, re.Op == syntax.OpStar)
	case syntax.OpRepeat:
		return p.repeat(re, next)
	}
	return p.never() // OpNoMatch
}

// exactly is compile for those matches of re that are n runes long.
func (p *program) exactly(re *syntax.Regexp, n int, next int32) int32 {
	all, ok := lengths(re)
	switch {
	case !ok || !slices.Contains(all, n):
		return p.never()
	case len(all) == 1:
		return p.compile(re, next)
	}
	entry := p.never()
	switch re.Op {
	case syntax.OpConcat:
		return p.exactlyConcat(re.Sub, n, next)
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			entry = p.either(entry, p.exactly(sub, n, next))
		}
	case syntax.OpQuest:
		entry = p.either(entry, p.exactly(re.Sub[0], n, next))
		if n == 0 {
			entry = p.either(entry, next)
		}
	case syntax.OpRepeat:
		for times := re.Min; times <= re.Max; times++ {
			entry = p.either(entry, p.exactlyConcat(copies(re.Sub[0], times), n, next))
		}
	}
	return entry
}

// exactlyConcat builds, from the last part to the first, the nodes for every
// number of runes that the parts from there on may have to match.
func (p *program) exactlyConcat(subs []*syntax.Regexp, n int, next int32) int32 {
	rest := make([]int32, n+1) // by runes left: the nodes behind the part
	for r := range rest {
		rest[r] = p.never()
	}
	rest[0] = next
	for _, sub := range slices.Backward(subs) {
		all, _ := lengths(sub)
		before := make([]int32, n+1)
		for r := range before {
			before[r] = p.never()
			for _, m := range all {
				if m > r || rest[r-m] == p.never() {
					continue
				}
				before[r] = p.either(before[r], p.exactly(sub, m, rest[r-m]))
			}
		}
		rest = before
	}
	return rest[n]
}

// either goes both ways.
func (p *program) either(a, b int32) int32 {
	switch p.never() {
	case a:
		return b
	case b:
		return a
	}
	return p.node(node{op: opSplit, out: a, alt: b})
}

// never is a node that reads no byte at all.
func (p *program) never() int32 { return p.node(node{op: opByte, lo: 1, hi: 0}) }

func (p *program) assert(kind syntax.EmptyOp, next int32) int32 {
	if n := p.nodes[next]; n.op == opMatch && n.assert == 0 && looksAhead(kind) {
		// The walk can look ahead by itself, which saves a state for every
		// byte that may follow.
		return p.node(node{op: opMatch, assert: kind, out: n.out})
	}
	return p.node(node{op: opAssert, assert: kind, out: next})
}

func (p *program) any(subs []*syntax.Regexp, next int32) int32 {
	entry := p.compile(subs[len(subs)-1], next)
	for _, sub := range slices.Backward(subs[:len(subs)-1]) {
		entry = p.node(node{op: opSplit, out: p.compile(sub, next), alt: entry})
	}
	return entry
}

func (p *program) loop(sub *syntax.Regexp, next int32, mayBeEmpty bool) int32 {
	again := p.newNode(node{op: opSplit, alt: next})
	entry := p.compile(sub, again)
	p.nodes[again].out = entry
	if mayBeEmpty {
		return again
	}
	return entry
}

func (p *program) repeat(re *syntax.Regexp, next int32) int32 {
	if re.Max < 0 {
		next = p.loop(re.Sub[0], next, true)
	}
	for range re.Max - re.Min {
		next = p.node(node{op: opSplit, out: p.compile(re.Sub[0], next), alt: next})
	}
	for range re.Min {
		next = p.compile(re.Sub[0], next)
	}
	return next
}

// runes builds a class of runes, given as pairs of bounds.
func (p *program) runes(bounds []rune, next int32) int32 {
	entry := int32(-1)
	for i := 0; i+1 < len(bounds); i += 2 {
		for _, seq := range utf8Ranges(bounds[i], bounds[i+1]) {
			first := next
			for _, b := range slices.Backward(seq) {
				first = p.node(node{op: opByte, lo: b.lo, hi: b.hi, out: first})
			}
			if entry < 0 {
				entry = first
			} else {
				entry = p.node(node{op: opSplit, out: entry, alt: first})
			}
		}
	}
	if entry < 0 {
		return p.never()
	}
	return entry
}

// orbit returns r as pairs of bounds, with all that folds to it if asked.
func orbit(r rune, fold bool) []rune {
	bounds := []rune{r, r}
	if fold {
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			bounds = append(bounds, f, f)
		}
	}
	return bounds
}

type byteRange struct{ lo, hi byte }

// utf8Ranges returns the byte sequences of the runes from lo to hi. Surrogates
// have none.
func utf8Ranges(lo, hi rune) [][]byteRange {
	var all [][]byteRange
	for lo <= hi {
		end := hi
		for _, edge := range [...]rune{0x7f, 0x7ff, 0xd7ff, 0xdfff, 0xffff} {
			if lo <= edge {
				end = min(hi, edge)
				break
			}
		}
		switch {
		case 0xd800 <= lo && lo <= 0xdfff: // surrogates
		case lo == 0x80 && end == 0x7ff: // whole lengths need no further split
			all = append(all, []byteRange{{0xc2, 0xdf}, {0x80, 0xbf}})
		case lo == 0x10000 && end == unicode.MaxRune:
			all = append(all, []byteRange{{0xf0, 0xf4}, {0x80, 0xbf}, {0x80, 0xbf}, {0x80, 0xbf}})
		case lo == 0x800 && end == 0xd7ff && hi >= 0xffff:
			// With the surrogates' bytes, which valid UTF-8 does not have.
			all = append(all, []byteRange{{0xe0, 0xef}, {0x80, 0xbf}, {0x80, 0xbf}})
			end = 0xffff
		default:
			all = append(all, split(lo, end)...)
		}
		lo = end + 1
	}
	return all
}

// split returns the byte sequences of runes that are encoded in equally many
// bytes.
func split(lo, hi rune) [][]byteRange {
	if hi < utf8.RuneSelf {
		return [][]byteRange{{{byte(lo), byte(hi)}}}
	}
	for shift := 6; shift <= 18; shift += 6 {
		low := rune(1)<<shift - 1 // the bits below shift
		if lo&^low == hi&^low {
			break // all bytes above are equal
		}
		if lo&low != 0 {
			return append(split(lo, lo|low), split(lo|low+1, hi)...)
		}
		if hi&low != low {
			return append(split(lo, hi&^low-1), split(hi&^low, hi)...)
		}
	}
	from, to := utf8.AppendRune(nil, lo), utf8.AppendRune(nil, hi)
	seq := make([]byteRange, len(from))
	for i := range seq {
		seq[i] = byteRange{from[i], to[i]}
	}
	return [][]byteRange{seq}
}

// depths returns for every node the number of bytes on the longest way to it
// from a start; maxDepth where a loop lets it grow, or it is that long.
func (p *program) depths() []uint8 {
	state := make([]uint8, len(p.nodes)) // 0 new, 1 open, 2 done
	order := make([]int32, 0, len(p.nodes))
	cyclic := make([]bool, len(p.nodes))
	var visit func(n int32)
	edges := func(n int32) []int32 {
		switch nd := p.nodes[n]; nd.op {
		case opByte:
			if nd.lo > nd.hi {
				return nil
			}
			return []int32{nd.out}
		case opSplit:
			return []int32{nd.out, nd.alt}
		case opAssert:
			return []int32{nd.out}
		default:
			return nil
		}
	}
	visit = func(n int32) {
		state[n] = 1
		for _, m := range edges(n) {
			switch state[m] {
			case 0:
				visit(m)
			case 1:
				cyclic[m] = true
			}
		}
		state[n] = 2
		order = append(order, n)
	}
	for _, s := range p.starts {
		if state[s] == 0 {
			visit(s)
		}
	}
	depth := make([]uint8, len(p.nodes))
	for _, n := range slices.Backward(order) {
		if cyclic[n] {
			depth[n] = maxDepth
		}
		step := 0
		if p.nodes[n].op == opByte {
			step = 1
		}
		for _, m := range edges(n) {
			depth[m] = max(depth[m], uint8(min(int(depth[n])+step, maxDepth)))
		}
	}
	return depth
}
