package scan

import (
	"fmt"
	"regexp/syntax"
	"slices"
)

// An accept says what the match of a piece (a pattern's part between gaps) means: a
// whole pattern matches, or the piece is the last of a stage.
type accept struct {
	when    syntax.EmptyOp // assertions that must hold at the end of the piece
	same    bool           // the next accept belongs to the same piece
	more    bool           // the next accept belongs to the same state
	isStage bool
	exact   bool  // valid only if the case-sensitive automaton accepts the piece too
	id      int32 // index of a pattern, or of a stage in program.stages

	// These are copies of fields of the stage. They save a lookup of the stage for
	// each match.
	parent int32 // the previous stage; -1 = none
	ends   bool  // patterns end at this stage
}

// A piece is a part of a pattern between two gaps. Equal pieces, of one or several
// patterns, are stored once.
type piece struct {
	patterns []int32 // patterns that consist of this piece alone
	stages   []int32 // stages that end with this piece, as indices into program.stages
}

// A stage is the beginning of a chain, up to and including one of the chain's
// pieces. If several chains begin with the same pieces and gaps, they share the
// stage.
type stage struct {
	parent   int32      // the previous stage; -1 = none
	gap      []byteLoop // between the previous piece and the last piece
	patterns []int32    // patterns whose last piece is the last of this stage
	inner    bool       // some stage has this stage as its parent
	near     int        // a gap of at least this many bytes after this stage has enough runes for every following stage
}

// program is the nondeterministic automaton (NFA) of a whole set of patterns. It
// has no cycles, because repetitions without upper bound have become gaps.
type program struct {
	*Budget
	nodes    []node
	owner    []int32            // for each node, the pattern whose budget pays for it
	nodeIDs  map[node]int32     // nodes of the current piece: if alternatives end in the same way, they share nodes
	asserted map[asserted]int32 // results of assert for the current piece
	nowhere  int32              // index of the node that never matches; 0 = not built, because node 0 is always an opMatch
	fold     bool               // pieces match letters in both cases
	pattern  int32              // index of the pattern that is being added
	starts   []int32            // first node of each piece
	exact    []int32            // first node of each case-sensitive piece, as built for the small automaton: see exact.go
	pieces   []piece
	pieceIDs map[string]int32
	key      []byte // buffer for the key of a piece
	stages   []stage
	stageIDs map[string]int32

	exactPieces bool // some piece is case-sensitive; known even if building that piece fails
}

// asserted has the arguments of a call of the method assert. It is a map key.
type asserted struct {
	kind syntax.EmptyOp
	next int32
}

// These are the numbers of steps for work that takes longer than one step.
const (
	stepsANode  = 16 // a lookup and a new node
	stepsAPiece = 50 // for each piece, in addition to the steps of spendText
)

// newProgram returns an empty NFA. If fold is true, nodes ignores the case of
// letters: see exact.go.
func newProgram(b *Budget, fold bool) *program {
	return &program{
		Budget: b, fold: fold, nodeIDs: map[node]int32{}, asserted: map[asserted]int32{},
		pieceIDs: map[string]int32{}, stageIDs: map[string]int32{},
	}
}

// grow allocates memory for the nodes of all pieces that are literals, because most
// nodes of a large set belong to literals.
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

// add adds the chains of a pattern to the program.
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

// piece returns the index of the piece re in p.pieces. If the piece is new, it is
// built.
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

// forgetNodes empties the maps of nodes before a new piece is built. Different
// pieces cannot share nodes, because each node leads to the opMatch of its own
// piece. A large map is replaced by a new one: the time to clear a map depends on
// its largest size so far.
func (p *program) forgetNodes() {
	const large = 1 << 10
	if len(p.nodeIDs)+len(p.asserted) > large {
		p.nodeIDs, p.asserted = map[node]int32{}, map[asserted]int32{}
		return
	}
	clear(p.nodeIDs)
	clear(p.asserted)
}

// spendText spends one step of a pattern for each rune of re, and two for each
// subexpression. A subexpression that occurs several times is counted each time.
func (b *Budget) spendText(pattern int32, re *syntax.Regexp) {
	b.spend(pattern, 2+len(re.Rune))
	for _, sub := range re.Sub {
		b.spendText(pattern, sub)
	}
}

// stage returns the index of the stage that consists of the stage parent, the gap g
// and the piece re. If the stage is new, it is added.
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
