package scan

import (
	"fmt"
	"regexp/syntax"
	"slices"
)

// An accept entry says what a match of a piece means: a whole pattern matches, or a
// stage ends.
type accept struct {
	when    syntax.EmptyOp // assertions that must hold at the end of the piece
	same    bool           // the next entry belongs to the same piece
	more    bool           // the next entry belongs to the same state
	isStage bool
	exact   bool  // valid only if the case-sensitive automaton accepts the piece too
	id      int32 // index of a pattern, or of a stage in program.stages

	// These are copies of fields of the stage, to save a lookup for each match.
	parent int32 // the previous stage; -1 = none
	ends   bool  // patterns end at this stage
}

// A piece is the part of a pattern between two gaps. Equal pieces are stored once.
type piece struct {
	patterns []int32 // patterns that consist of this piece alone
	stages   []int32 // stages with this as the last piece, as indices into program.stages
}

// A stage is the beginning of a chain (an alternative of a pattern), and ends with a
// piece. Chains with the same beginning share the stage.
type stage struct {
	parent   int32      // the previous stage; -1 = none
	gap      []byteLoop // between the previous piece and the last piece
	patterns []int32    // patterns that end with this stage
	inner    bool       // some stage has this stage as its parent
	near     int        // any gap of at least this many bytes has enough runes for every following stage
}

// program is the nondeterministic automaton (NFA) of a set of patterns. It has no
// cycles: unbounded repetitions are gaps.
type program struct {
	*Budget
	nodes    []node
	owner    []int32            // for each node, the pattern that pays for it
	nodeIDs  map[node]int32     // nodes of the current piece, so that alternatives with the same end share nodes
	asserted map[asserted]int32 // results of assert for the current piece
	nowhere  int32              // index of the node that never matches; 0 = not built
	fold     bool               // pieces match letters in both cases
	pattern  int32              // index of the pattern that is being added
	starts   []int32            // first node of each piece
	exact    []int32            // first node of each case-sensitive piece in the small automaton: see exact.go
	pieces   []piece
	pieceIDs map[string]int32
	key      []byte // buffer for the key of a piece
	stages   []stage
	stageIDs map[string]int32

	exactPieces bool // whether a piece is case-sensitive; set even if building the piece fails
}

// asserted has the arguments of a call of the method assert. It is a map key.
type asserted struct {
	kind syntax.EmptyOp
	next int32
}

// These kinds of work take longer than one step. The constants are the numbers of steps
// that the [Budget] counts for them.
const (
	stepsANode  = 16 // a lookup and a new node
	stepsAPiece = 50 // for each piece, in addition to the steps of spendText
)

// newProgram returns an empty NFA. If fold is true, the pieces ignore the case of
// letters: see exact.go.
func newProgram(b *Budget, fold bool) *program {
	return &program{
		Budget: b, fold: fold, nodeIDs: map[node]int32{}, asserted: map[asserted]int32{},
		pieceIDs: map[string]int32{}, stageIDs: map[string]int32{},
	}
}

// grow allocates memory for the nodes of all literals. Most nodes of a large set
// belong to literals.
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

// piece returns the index of the piece re in p.pieces, and builds a new piece if
// necessary.
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

// forgetNodes empties the maps of nodes before a new piece is built. A large map is
// replaced, because clearing it is slow.
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
// subexpression.
func (b *Budget) spendText(pattern int32, re *syntax.Regexp) {
	b.spend(pattern, 2+len(re.Rune))
	for _, sub := range re.Sub {
		b.spendText(pattern, sub)
	}
}

// stage returns the index of the stage with this parent, gap and last piece. It adds
// a new stage if necessary.
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
