package scan

import (
	"encoding/binary"
	"errors"
	"regexp/syntax"
	"slices"
)

// Limits on what a set of patterns may need: states, items of all states
// together, items looked at while they are built, and nodes.
const (
	maxStates = 1 << 19
	maxItems  = 1 << 22
	maxWork   = 1 << 27
	maxNodes  = 1 << 20
)

var errTooLarge = errors.New("it needs too many states: shorten its counted repetitions, or make what stands before them more specific")

// A kind is what an assertion has to know about a byte.
type kind uint8

const (
	textEdge kind = iota // no byte: the text begins or ends
	newline
	wordByte
	otherByte
	kinds
)

// kindOf gives the kind of a byte.
var kindOf = func() (of [256]kind) {
	for b := range of {
		switch {
		case b == '\n':
			of[b] = newline
		case b == '_', '0' <= b && b <= '9', 'A' <= b && b <= 'Z', 'a' <= b && b <= 'z':
			of[b] = wordByte
		default:
			of[b] = otherByte
		}
	}
	return of
}()

// holds reports whether assertions hold between two bytes.
func holds(ops syntax.EmptyOp, before, after kind) bool {
	return ops&^met[before][after] == 0
}

// met gives the assertions that hold between two bytes, as between finds them.
var met = func() (ops [kinds][kinds]syntax.EmptyOp) {
	for before := range kinds {
		for after := range kinds {
			ops[before][after] = between(before, after)
		}
	}
	return ops
}()

func between(before, after kind) syntax.EmptyOp {
	ops := syntax.EmptyNoWordBoundary
	if (before == wordByte) != (after == wordByte) {
		ops = syntax.EmptyWordBoundary
	}
	if before == textEdge {
		ops |= syntax.EmptyBeginText | syntax.EmptyBeginLine
	}
	if after == textEdge {
		ops |= syntax.EmptyEndText | syntax.EmptyEndLine
	}
	if before == newline {
		ops |= syntax.EmptyBeginLine
	}
	if after == newline {
		ops |= syntax.EmptyEndLine
	}
	return ops
}

// builder makes a program deterministic by the subset construction. A state is
// a sorted list of nodes: those that read a byte, assertions in front of such,
// and matches; and, where assertions wait in it, the kind of the byte before.
type builder struct {
	*program
	classes [256]uint8
	sample  []byte // a byte of each class
	states  map[string]int32
	items   [][]int32
	kind    []kind
	edges   [][]edge // by state
	columns uint32   // of the table
	roots   [kinds]int32
	total   int // items of all states
	work    int // items looked at

	mark  []uint32 // by node: the last closure that visited it
	round uint32
	stack []int32
	key   []byte
}

// An edge says where a class of bytes leads. A class without one leads nowhere.
type edge struct {
	class uint8
	next  int32
}

// tables builds the two automata of a program.
func (p *program) tables() (all, exact *table, err error) {
	if all, err = determinize(p, p.starts); err == nil {
		exact, err = determinize(p, p.exact)
	}
	return all, exact, err
}

// determinize builds the table of those pieces of a program that begin at starts.
func determinize(p *program, starts []int32) (*table, error) {
	if len(p.nodes) > maxNodes {
		return nil, errTooLarge
	}
	b := &builder{program: p, states: map[string]int32{}, mark: make([]uint32, len(p.nodes))}
	b.classify()
	for k := range kinds {
		b.round++
		b.roots[k] = b.state(b.closure(nil, starts), k)
	}
	for s := 0; s < len(b.items); s++ {
		if len(b.items) > maxStates || b.total > maxItems || b.work > maxWork {
			return nil, errTooLarge
		}
		b.edges = append(b.edges, b.leave(s))
	}
	b.renumber()
	return b.layOut()
}

// classify finds the classes of bytes that no node and no assertion tells
// apart: it begins with one class and splits it by every range that is read.
func (b *builder) classify() {
	seen := map[byteRange]bool{}
	asserts := false
	for _, n := range b.nodes {
		if r := (byteRange{n.lo, n.hi}); n.op == opByte && !seen[r] {
			seen[r] = true
			b.splitClasses(func(c byte) uint8 { return oneIf(r.lo <= c && c <= r.hi) })
		}
		asserts = asserts || n.op == opAssert
	}
	if asserts {
		b.splitClasses(func(c byte) uint8 { return uint8(kindOf[c]) })
	}
	for c, class := range b.classes {
		if int(class) == len(b.sample) {
			b.sample = append(b.sample, byte(c))
		}
	}
}

// splitClasses makes two bytes differ where f tells them apart. Classes are
// numbered in the order of their first bytes.
func (b *builder) splitClasses(f func(c byte) uint8) {
	numbers := map[[2]uint8]uint8{}
	for c, old := range b.classes {
		pair := [2]uint8{old, f(byte(c))}
		number, ok := numbers[pair]
		if !ok {
			number = uint8(len(numbers))
			numbers[pair] = number
		}
		b.classes[c] = number
	}
}

func oneIf(ok bool) uint8 {
	if ok {
		return 1
	}
	return 0
}

// closure appends to items what can be reached from the nodes without reading
// a byte.
func (b *builder) closure(items, from []int32) []int32 {
	b.stack = append(b.stack[:0], from...)
	for len(b.stack) > 0 {
		n := b.stack[len(b.stack)-1]
		b.stack = b.stack[:len(b.stack)-1]
		if b.mark[n] == b.round {
			continue
		}
		b.mark[n] = b.round
		b.work++
		if nd := &b.nodes[n]; nd.op == opSplit {
			b.stack = append(b.stack, nd.alt, nd.out)
		} else {
			items = append(items, n)
		}
	}
	return items
}

// state returns the number of the state with these items.
func (b *builder) state(items []int32, k kind) int32 {
	slices.Sort(items)
	if !slices.ContainsFunc(items, func(n int32) bool { return b.nodes[n].op == opAssert }) {
		k = otherByte // nobody asks
	}
	b.key = append(b.key[:0], byte(k))
	for _, n := range items {
		b.key = binary.LittleEndian.AppendUint32(b.key, uint32(n))
	}
	if s, ok := b.states[string(b.key)]; ok {
		return s
	}
	s := int32(len(b.items))
	b.states[string(b.key)] = s
	b.items = append(b.items, slices.Clone(items))
	b.kind = append(b.kind, k)
	b.total += len(items)
	return s
}

// leave works out where state s leads.
func (b *builder) leave(s int) []edge {
	var outs [256][]int32 // by class
	for _, n := range b.items[s] {
		nd := &b.nodes[n]
		var need syntax.EmptyOp
		if nd.op == opAssert {
			need, nd = nd.assert, &b.nodes[nd.out]
		}
		if nd.op != opByte {
			continue
		}
		for c := int(nd.lo); c <= int(nd.hi); c++ {
			class := b.classes[c]
			if b.sample[class] == byte(c) && (need == 0 || holds(need, b.kind[s], kindOf[byte(c)])) {
				outs[class] = append(outs[class], nd.out)
			}
		}
	}
	var edges []edge
	for class, out := range outs {
		if out != nil {
			b.round++
			next := b.state(b.closure(nil, out), kindOf[b.sample[class]])
			edges = append(edges, edge{uint8(class), next})
		}
	}
	return edges
}

// renumber makes one class of those that lead every state to the same place, as
// the two cases of most letters do, and gives the classes that lead anywhere
// most often the lowest numbers, which keeps what is looked at together.
func (b *builder) renumber() {
	columns := make([][][2]int32, len(b.sample)) // by class: states, and where each leads
	for s, edges := range b.edges {
		for _, e := range edges {
			columns[e.class] = append(columns[e.class], [2]int32{int32(s), e.next})
		}
	}
	order := make([]int, len(columns))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return len(columns[j]) - len(columns[i]) })
	const begin = acceptColumn + 1
	numbers := make([]uint8, len(columns)) // by class: its new number
	var kept []int                         // the classes that others are merged into, by new number
	for _, class := range order {
		i := slices.IndexFunc(kept, func(other int) bool { return slices.Equal(columns[other], columns[class]) })
		if i < 0 {
			i = len(kept)
			kept = append(kept, class)
		}
		numbers[class] = uint8(begin + i)
	}
	for c, class := range b.classes {
		b.classes[c] = numbers[class]
	}
	b.sample = nil // of the old ones
	b.columns = uint32(begin + len(kept))
	for s := range b.edges {
		edges := b.edges[s][:0]
		for _, e := range b.edges[s] {
			if number := numbers[e.class]; kept[number-begin] == int(e.class) {
				edges = append(edges, edge{number, e.next})
			}
		}
		slices.SortFunc(edges, func(e, f edge) int { return int(e.class) - int(f.class) })
		b.edges[s] = edges
	}
}
