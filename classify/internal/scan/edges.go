package scan

import (
	"math/bits"
	"regexp/syntax"
	"slices"
)

// A span is a range of bytes. From one state, all these bytes lead to the same nodes.
type span struct {
	first, last int16
	outs        []int32
	asserts     bool // the next state depends on the kind of the byte
}

// buildEdges computes the edges of all states. It always takes the newest state next, so
// that the states of a path are close together in b.items and b.edges.
func (b *builder) buildEdges() {
	for len(b.waiting) > 0 {
		s := b.waiting[len(b.waiting)-1]
		b.waiting = b.waiting[:len(b.waiting)-1]
		b.buildEdgesOf(int(s))
	}
}

// buildEdgesOf computes the edges of state s. It divides the 256 bytes into spans.
// All bytes of a span lead to the same nodes.
func (b *builder) buildEdgesOf(s int) {
	b.cut(s)
	for _, n := range b.itemsOf(s) {
		nd := &b.nodes[n]
		var need syntax.EmptyOp
		if nd.op == opAssert {
			need, nd = nd.assert, &b.nodes[nd.out]
		}
		switch nd.op {
		case opPair:
			b.addTarget(s, n, need, nd.lo, nd.lo, nd.out)
			b.addTarget(s, n, need, nd.hi, nd.hi, nd.out)
		case opByte:
			b.addTarget(s, n, need, nd.lo, nd.hi, nd.out)
		}
	}
	begin := int32(len(b.edges))
	for i := range b.spans {
		sp := &b.spans[i]
		if len(sp.outs) == 0 {
			continue
		}
		var next int32
		for c := sp.first; c <= sp.last; c = b.next[c+1] {
			if c == sp.first || sp.asserts {
				next, sp.asserts = b.stateOf(sp.outs, kindOf[c])
			}
			b.spend(b.owner[sp.outs[0]], stepsAnEdge)
			b.edges = append(b.edges, newEdge(b.classes[c], next))
		}
	}
	b.ranges[s] = edgeRange{begin, int32(len(b.edges)) - begin}
}

// cut finds the spans of state s. It looks only at the first byte of each class (bytes
// that the automaton does not distinguish).
func (b *builder) cut(s int) {
	var cuts [5]uint64
	at := func(c int16) {
		c = b.next[c]
		cuts[c>>6] |= 1 << (c & 63)
	}
	for _, n := range b.itemsOf(s) {
		nd := &b.nodes[n]
		if nd.op == opAssert {
			nd = &b.nodes[nd.out]
			for _, c := range kindEdges {
				at(c)
			}
		}
		switch nd.op {
		case opPair:
			at(int16(nd.lo))
			at(int16(nd.lo) + 1)
			at(int16(nd.hi))
			at(int16(nd.hi) + 1)
		case opByte:
			at(int16(nd.lo))
			at(int16(nd.hi) + 1)
		}
	}
	count := 0
	for w, word := range cuts[:4] {
		for ; word != 0; word &= word - 1 {
			c := int16(w<<6 + bits.TrailingZeros64(word))
			if count > 0 {
				b.spans[count-1].last = c - 1
			}
			b.spans = slices.Grow(b.spans[:count], 1)[:count+1]
			b.spans[count] = span{first: c, last: 255, outs: b.spans[count].outs[:0]}
			b.spanOf[c] = int16(count)
			count++
		}
	}
	b.spans = b.spans[:count]
}

// kindEdges lists every byte c whose kind differs from the kind of the byte c-1.
var kindEdges = func() (edges []int16) {
	for c := 1; c < len(kindOf); c++ {
		if kindOf[c] != kindOf[c-1] {
			edges = append(edges, int16(c))
		}
	}
	return edges
}()

// addTarget adds the node target to the spans of the bytes from lo to hi. It leaves out
// the spans before which the required assertions do not hold.
func (b *builder) addTarget(s int, n int32, required syntax.EmptyOp, lo, hi byte, target int32) {
	c := b.next[lo]
	if c > int16(hi) {
		return
	}
	for i := int(b.spanOf[c]); i < len(b.spans) && b.spans[i].first <= int16(hi); i++ {
		b.spend(b.owner[n], 1)
		if sp := &b.spans[i]; required == 0 || holds(required, b.kind[s], kindOf[sp.first]) {
			sp.outs = append(sp.outs, target)
		}
	}
}
