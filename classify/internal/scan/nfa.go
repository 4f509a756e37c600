package scan

import (
	"fmt"
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// nodeOp is what a node of the nondeterministic automaton does.
type nodeOp uint8

const (
	opByte   nodeOp = iota // reads a byte from lo to hi, goes to out
	opPair                 // reads lo or hi, the two cases of a letter in a piece that is a literal, goes to out
	opSplit                // goes to out and to alt
	opAssert               // goes to out, which reads a byte, where the assertions hold
	opMatch                // ends the piece out where the assertions hold
)

// A node of the automaton over bytes. Texts are valid UTF-8 when they get
// here, so that a class of runes is a set of byte sequences.
type node struct {
	op       nodeOp
	lo, hi   byte
	assert   syntax.EmptyOp
	exact    bool // of opMatch: the case of its letters is still to be looked at
	out, alt int32
}

// An accept is what the end of a piece means: that a pattern matches, or that a
// stage may have been reached.
type accept struct {
	when    syntax.EmptyOp // assertions that have to hold there
	same    bool           // the next one belongs to the same piece
	more    bool           // the next one belongs to the same state
	isStage bool
	exact   bool  // only where the exact automaton accepts it as well
	id      int32 // index of a pattern, or into program.stages

	// What a walk asks of a stage stands here too, so that it is at hand.
	parent int32 // the stage before; -1 = none
	ends   bool  // patterns end at it
}

// A piece is a part of patterns between gaps. Equal pieces are one.
type piece struct {
	patterns []int32 // those that it is all of
	stages   []int32 // those that it is a part of, as indices into program.stages
}

// A stage is a chain up to one of its pieces. Chains that begin alike share
// their stages.
type stage struct {
	parent   int32      // the stage before; -1 = none
	gap      []byteLoop // between the two
	patterns []int32    // those that end here
	inner    bool       // other stages follow
	near     int        // bytes: closer than this, a gap behind it may be too short
}

// program is the nondeterministic automaton of a whole set of patterns. It has
// no loops: what repeats without bound has become a gap.
type program struct {
	*Budget
	nodes    []node
	owner    []int32            // by node: the pattern that pays for it
	nodeIDs  map[node]int32     // of the piece that is being built, so that alternatives share their endings
	asserted map[asserted]int32 // what assert has built of it
	nowhere  int32              // the node that never returns; 0 = not built, because the first node is a match
	fold     bool               // pieces are read in both cases
	pattern  int32              // the one that is being added
	starts   []int32            // of the pieces
	exact    []int32            // of those that tell cases apart, as they are
	loose    []loose            // the pieces that are not just a literal
	pieces   []piece
	pieceIDs map[string]int32
	key      []byte // of a piece; kept to spare its memory
	stages   []stage
	stageIDs map[string]int32

	exactPieces bool // there are some, even where the budget ended before they came
}

// loose is where a piece begins that is not just a literal, and how many nodes it
// has.
type loose struct{ start, nodes int32 }

// asserted is what assert is asked for.
type asserted struct {
	kind syntax.EmptyOp
	next int32
}

// What steps are charged for work that takes longer than most.
const (
	stepsANode  = 16 // a look-up and a new node
	stepsAPiece = 50 // and as many steps as its text has bytes
)

// newProgram builds the automaton of a list of patterns, with their letters in
// both cases where fold says so.
func newProgram(b *Budget, fold bool) *program {
	return &program{
		Budget: b, fold: fold, nodeIDs: map[node]int32{}, asserted: map[asserted]int32{},
		pieceIDs: map[string]int32{}, stageIDs: map[string]int32{},
	}
}

// grow makes room for the nodes of all literals, which are most of a large set.
func (p *program) grow(parsed [][]chain) {
	letters := 0
	for _, chains := range parsed {
		for _, c := range chains {
			for _, re := range c.pieces {
				if re.Op == syntax.OpLiteral {
					letters += 1 + len(re.Rune)
				}
			}
		}
	}
	p.nodes, p.owner = make([]node, 0, letters), make([]int32, 0, letters)
	p.starts, p.pieces = make([]int32, 0, len(parsed)), make([]piece, 0, len(parsed))
}

// add puts the chains of a pattern into the program.
func (p *program) add(pattern int32, chains []chain) {
	p.pattern = pattern
	for _, c := range chains {
		p.addChain(c)
	}
}

func (p *program) addChain(c chain) {
	if len(c.pieces) == 1 && !mayBeEmpty(c.pieces[0]) {
		pc := &p.pieces[p.piece(c.pieces[0])]
		pc.patterns = append(pc.patterns, p.pattern)
		return
	}
	at := int32(-1)
	for i, re := range c.pieces {
		at = p.stage(at, c.gaps[i], re)
	}
	p.stages[at].patterns = append(p.stages[at].patterns, p.pattern)
}

// piece returns the number of a piece.
func (p *program) piece(re *syntax.Regexp) int32 {
	p.spend(p.pattern, stepsAPiece)
	p.spendText(re)
	p.key = appendKey(p.key[:0], re)
	id, ok := p.pieceIDs[string(p.key)]
	if !ok {
		p.forgetNodes()
		id = int32(len(p.pieces))
		p.pieceIDs[string(p.key)] = id
		p.pieces = append(p.pieces, piece{})
		both := re
		if p.fold {
			both = folded(re)
			p.exactPieces = p.exactPieces || both != re
		}
		match := p.node(node{op: opMatch, out: id, exact: both != re})
		if both.Op == syntax.OpLiteral {
			p.starts = append(p.starts, p.literal(both, match))
		} else {
			start := p.compile(both, match)
			p.starts = append(p.starts, start)
			p.loose = append(p.loose, loose{start, int32(len(p.nodes)) - match})
		}
		if both != re {
			p.exact = append(p.exact, p.compile(re, p.node(node{op: opMatch, out: id})))
		}
	}
	return id
}

// forgetNodes empties the look-ups of the piece before. Nodes lead to the match
// of their own piece, so no other piece can share them. A table that became large
// is replaced: to clear it would take as long for every small piece behind it.
func (p *program) forgetNodes() {
	const large = 1 << 10
	if len(p.nodeIDs)+len(p.asserted) > large {
		p.nodeIDs, p.asserted = map[node]int32{}, map[asserted]int32{}
		return
	}
	clear(p.nodeIDs)
	clear(p.asserted)
}

// spendText counts what it takes to write out re, whose parts may be repeated
// by reference.
func (p *program) spendText(re *syntax.Regexp) {
	p.spend(p.pattern, 2+len(re.Rune))
	for _, sub := range re.Sub {
		p.spendText(sub)
	}
}

// stage returns the number of the stage behind parent.
func (p *program) stage(parent int32, g gap, re *syntax.Regexp) int32 {
	id := p.piece(re)
	key := fmt.Appendln(nil, parent, id)
	for _, l := range g {
		p.spend(p.pattern, stepsAPiece+4*len(l.class.Rune))
		key = fmt.Appendln(key, l.class.Op, l.class.Flags&syntax.FoldCase, l.class.Rune, l.min, l.max)
	}
	at, ok := p.stageIDs[string(key)]
	if !ok {
		at = int32(len(p.stages))
		p.stageIDs[string(key)] = at
		p.stages = append(p.stages, stage{parent: parent, gap: byteLoops(g)})
		p.pieces[id].stages = append(p.pieces[id].stages, at)
		if parent >= 0 {
			p.stages[parent].inner = true
		}
	}
	return at
}

func mayBeEmpty(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpNoMatch, syntax.OpLiteral, syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return false
	case syntax.OpConcat:
		return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !mayBeEmpty(sub) })
	case syntax.OpAlternate:
		return slices.ContainsFunc(re.Sub, mayBeEmpty)
	case syntax.OpRepeat:
		return re.Min == 0 || mayBeEmpty(re.Sub[0])
	}
	return true
}

// node returns the number of a node; equal ones are one.
func (p *program) node(n node) int32 {
	p.spend(p.pattern, stepsANode)
	id, ok := p.nodeIDs[n]
	if !ok {
		id = p.newNode(n)
		p.nodeIDs[n] = id
	}
	return id
}

// newNode adds a node that is equal to no other.
func (p *program) newNode(n node) int32 {
	p.spend(p.pattern, 1)
	p.nodes = append(p.nodes, n)
	p.owner = append(p.owner, p.pattern)
	return int32(len(p.nodes) - 1)
}

// literal is compile for a literal that is a whole piece: no other way leads to
// its nodes, so they are not looked up.
func (p *program) literal(re *syntax.Regexp, next int32) int32 {
	for _, r := range slices.Backward(re.Rune) {
		n := node{op: opByte, lo: byte(r), hi: byte(r), out: next}
		fold := re.Flags&syntax.FoldCase != 0
		switch {
		case r >= utf8.RuneSelf, fold && (r|0x20 == 'k' || r|0x20 == 's'): // with cases beyond ASCII
			next = p.runes(orbit(r, fold), next)
			continue
		case fold && isASCIILetter(r):
			n = node{op: opPair, lo: byte(r &^ 0x20), hi: byte(r | 0x20), out: next}
		}
		next = p.newNode(n)
	}
	return next
}

// compile builds the nodes of re in front of next and returns the first.
func (p *program) compile(re *syntax.Regexp, next int32) int32 {
	p.spend(p.pattern, 1)
	switch re.Op {
	case syntax.OpEmptyMatch:
		return next
	case syntax.OpLiteral:
		for _, r := range slices.Backward(re.Rune) {
			next = p.runes(orbit(r, re.Flags&syntax.FoldCase != 0), next)
		}
		return next
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return p.runes(boundsOf(re), next)
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
	case syntax.OpRepeat:
		for range re.Max - re.Min {
			next = p.node(node{op: opSplit, out: p.compile(re.Sub[0], next), alt: next})
		}
		for range re.Min {
			next = p.compile(re.Sub[0], next)
		}
		return next
	}
	return p.never() // OpNoMatch
}

// never is a node that reads no byte at all. All pieces share it.
func (p *program) never() int32 {
	if p.nowhere == 0 {
		p.nowhere = p.node(node{op: opByte, lo: 1, hi: 0})
	} else {
		p.spend(p.pattern, stepsANode)
	}
	return p.nowhere
}

// assert builds an assertion. It is moved behind what reads nothing, so that
// it stands before a byte or becomes a condition of the match: the walk knows
// both sides there. What it has built is kept: behind alternatives of assertions
// the same node is met along exponentially many ways.
func (p *program) assert(kind syntax.EmptyOp, next int32) int32 {
	p.spend(p.pattern, stepsANode)
	key := asserted{kind, next}
	if id, ok := p.asserted[key]; ok {
		return id
	}
	n := p.nodes[next]
	switch n.op {
	case opMatch, opAssert:
		n.assert |= kind
	case opSplit:
		n = node{op: opSplit, out: p.assert(kind, n.out), alt: p.assert(kind, n.alt)}
	default:
		n = node{op: opAssert, assert: kind, out: next}
	}
	id := p.node(n)
	p.asserted[key] = id
	return id
}

func (p *program) any(subs []*syntax.Regexp, next int32) int32 {
	entry := p.compile(subs[len(subs)-1], next)
	for _, sub := range slices.Backward(subs[:len(subs)-1]) {
		entry = p.node(node{op: opSplit, out: p.compile(sub, next), alt: entry})
	}
	return entry
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
