package scan

import (
	"fmt"
	"regexp/syntax"
	"slices"
)

// An accept says what the end of a piece means: its pattern matches, or a stage of
// the pattern may have been reached.
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
	pieces   []piece
	pieceIDs map[string]int32
	key      []byte // of a piece; kept to spare its memory
	stages   []stage
	stageIDs map[string]int32

	exactPieces bool // there are some, even where the budget ended before they came
}

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
	p.spendText(p.pattern, re)
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
			p.starts = append(p.starts, p.compile(both, match))
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
func (b *Budget) spendText(pattern int32, re *syntax.Regexp) {
	b.spend(pattern, 2+len(re.Rune))
	for _, sub := range re.Sub {
		b.spendText(pattern, sub)
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
