package scan

import (
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

// nodeOp is the operation of an NFA node.
type nodeOp uint8

const (
	opByte   nodeOp = iota // reads a byte from lo to hi, then goes to out
	opPair                 // reads lo or hi, the two cases of a letter, then goes to out
	opSplit                // goes to out and to alt without reading a byte
	opAssert               // goes to out if the assertions hold; the node out reads a byte
	opMatch                // ends piece number out if the assertions hold
)

// A node is a state of the NFA. It reads a byte, checks an assertion, leads to two
// nodes, or ends a piece.
type node struct {
	op       nodeOp
	lo, hi   byte
	assert   syntax.EmptyOp
	exact    bool // for opMatch: the piece is case-sensitive, so hasExactCase must check the case
	out, alt int32
}

// node returns the index of a node equal to n. If the current piece has none, n is
// added.
func (p *program) node(n node) int32 {
	p.spend(p.pattern, stepsANode)
	id, ok := p.nodeIDs[n]
	if !ok {
		id = p.newNode(n)
		p.nodeIDs[n] = id
	}
	return id
}

// newNode adds a node without looking for an equal one.
func (p *program) newNode(n node) int32 {
	p.spend(p.pattern, 1)
	p.nodes = append(p.nodes, n)
	p.owner = append(p.owner, p.pattern)
	return int32(len(p.nodes) - 1)
}

// literal compiles a piece that is one literal. It does not look for equal nodes,
// because there are none.
func (p *program) literal(re *syntax.Regexp, next int32) int32 {
	for _, r := range slices.Backward(re.Rune) {
		n := node{op: opByte, lo: byte(r), hi: byte(r), out: next}
		fold := re.Flags&syntax.FoldCase != 0
		switch {
		case r >= utf8.RuneSelf, fold && (r|0x20 == 'k' || r|0x20 == 's'): // not ASCII, or equal to a non-ASCII rune except for case
			next = p.runes(orbit(r, fold), next)
			continue
		case fold && isASCIILetter(r):
			n = node{op: opPair, lo: byte(r &^ 0x20), hi: byte(r | 0x20), out: next}
		}
		next = p.newNode(n)
	}
	return next
}

// compile builds nodes that match re and then lead to the given next node. It
// returns the index of the first node.
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

// never returns a node that matches no byte. All pieces share this node.
func (p *program) never() int32 {
	if p.nowhere == 0 {
		p.nowhere = p.node(node{op: opByte, lo: 1, hi: 0})
	} else {
		p.spend(p.pattern, stepsANode)
	}
	return p.nowhere
}

// assert builds an assertion before the node with index next:
//
//   - If that node is an opSplit, it builds one assertion for each branch after the
//     split.
//   - So every assertion is before a node that reads a byte, or at the end of a
//     match.
//   - Results are cached, because exponentially many paths may lead to one node.
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
