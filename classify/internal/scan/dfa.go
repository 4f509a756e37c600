package scan

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
)

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
	sample  []byte     // a byte of each class
	next    [257]int16 // by byte: the least sample that is not below it
	states  map[string]int32
	single  []int32 // by node: one more than the state that is it alone; most states are such
	items   []int32 // of all states, one after the other
	bounds  []int32 // by state: where its items begin; and where the last ones end
	kind    []kind
	edges   []edge  // of all states, one after the other
	leaves  []leave // by state
	columns uint32  // of the table
	roots   [kinds]int32

	mark    []uint32 // by node: the last closure that visited it
	round   uint32
	stack   []int32
	found   []int32 // by closure
	waiting []int32 // states that leave has not seen
	key     []byte
	spans   []span     // of the state that is looked at
	spanOf  [257]int16 // by the byte that it begins with
}

// An edge says where a class of bytes leads. A class without one leads nowhere.
// The class stands above the state, as in the table: a large set has millions of
// edges. There are no more states than places.
type edge uint32

func newEdge(class uint8, next int32) edge { return edge(class)<<columnOf | edge(next) }

func (e edge) class() uint8 { return uint8(e >> columnOf) }

func (e edge) next() int32 { return int32(e & (1<<columnOf - 1)) }

func (b *builder) count() int { return len(b.bounds) - 1 }

func (b *builder) itemsOf(s int) []int32 { return b.items[b.bounds[s]:b.bounds[s+1]] }

func (b *builder) edgesOf(s int) []edge {
	l := b.leaves[s]
	return b.edges[l.begin : l.begin+l.count]
}

// leave is the edges of a state: where they begin, and how many they are.
type leave struct{ begin, count int32 }

// tables builds the two automata of a program.
func (p *program) tables() (all, exact *table) {
	p.nodeIDs, p.asserted, p.pieceIDs, p.stageIDs = nil, nil, nil, nil // no node comes any more
	return determinize(p, p.starts, len(p.nodes)).layOut(), determinize(p, p.exact, 0).layOut()
}

// determinize finds the states of those pieces of a program that begin at starts.
// It has room for so many: lists that grow would need twice the memory.
func determinize(p *program, starts []int32, room int) *builder {
	b := newBuilder(p, room)
	for k := range kinds {
		b.roots[k], _ = b.state(b.closure(nil, starts), k)
	}
	b.leaveAll()
	b.states, b.single, b.mark = nil, nil, nil // no state comes any more
	b.renumber()
	return b
}

func newBuilder(p *program, room int) *builder {
	b := &builder{
		program: p, states: map[string]int32{},
		bounds: make([]int32, 1, room+1), leaves: make([]leave, 0, room),
		items: make([]int32, 0, room), kind: make([]kind, 0, room), edges: make([]edge, 0, 2*room),
		mark: make([]uint32, len(p.nodes)), single: make([]int32, len(p.nodes)),
	}
	b.classify()
	return b
}

// classify finds the classes of bytes that no node and no assertion tells
// apart: it begins with one class and splits it by every range that is read.
func (b *builder) classify() {
	var seen [256][4]uint64
	asserts := false
	split := func(lo, hi byte) {
		if word := &seen[lo][hi>>6]; *word>>(hi&63)&1 == 0 {
			*word |= 1 << (hi & 63)
			b.splitClasses(func(c byte) uint8 { return oneIf(lo <= c && c <= hi) })
		}
	}
	for i := range b.nodes {
		switch n := &b.nodes[i]; n.op {
		case opByte:
			split(n.lo, n.hi)
		case opPair:
			split(n.lo, n.lo)
			split(n.hi, n.hi)
		case opAssert:
			asserts = true
		}
	}
	if asserts {
		b.splitClasses(func(c byte) uint8 { return uint8(kindOf[c]) })
	}
	for c, class := range b.classes {
		if int(class) == len(b.sample) {
			b.sample = append(b.sample, byte(c))
		}
	}
	b.next[256] = 256
	for c := 255; c >= 0; c-- {
		if b.next[c] = b.next[c+1]; b.sample[b.classes[c]] == byte(c) {
			b.next[c] = int16(c)
		}
	}
}

// splitClasses makes two bytes differ where f tells them apart: it gives one of
// few numbers to each. Classes are numbered in the order of their first bytes.
func (b *builder) splitClasses(f func(c byte) uint8) {
	var numbers [256][kinds]uint16 // by old class and number: one more than the new class
	count := uint16(0)
	for c, old := range b.classes {
		number := &numbers[old][f(byte(c))]
		if *number == 0 {
			count++
			*number = count
		}
		b.classes[c] = uint8(*number - 1)
	}
}

func oneIf(ok bool) uint8 {
	if ok {
		return 1
	}
	return 0
}

// Steps for what the construction does, by what it takes in time.
const (
	stepsAState = 10
	stepsAnEdge = 4
)

// closure appends to items what can be reached from the nodes without reading
// a byte.
func (b *builder) closure(items, from []int32) []int32 {
	b.round++
	b.stack = append(b.stack[:0], from...)
	for len(b.stack) > 0 {
		n := b.stack[len(b.stack)-1]
		b.stack = b.stack[:len(b.stack)-1]
		b.spend(b.owner[n], 1)
		if b.mark[n] == b.round {
			continue
		}
		b.mark[n] = b.round
		if nd := &b.nodes[n]; nd.op == opSplit {
			b.stack = append(b.stack, nd.alt, nd.out)
		} else {
			items = append(items, n)
		}
	}
	return items
}

// stateOf returns the number of the state that nodes lead to, behind a byte of the
// kind, and whether assertions wait in it. Most edges lead to one node, whose
// state is remembered if no assertion waits there.
func (b *builder) stateOf(from []int32, k kind) (s int32, asserts bool) {
	alone := len(from) == 1
	if alone {
		b.spend(b.owner[from[0]], 1)
		if s := b.single[from[0]]; s != 0 {
			return s - 1, false
		}
	}
	b.found = b.closure(b.found[:0], from)
	s, asserts = b.state(b.found, k)
	if alone && !asserts {
		b.single[from[0]] = s + 1
	}
	return s, asserts
}

// state returns the number of the state with these items, and whether assertions
// wait in it.
func (b *builder) state(items []int32, k kind) (s int32, asserts bool) {
	slices.Sort(items)
	for _, n := range items {
		asserts = asserts || b.nodes[n].op == opAssert
	}
	if !asserts {
		k = otherByte // nobody asks
		if len(items) == 1 {
			at := &b.single[items[0]]
			if *at == 0 {
				*at = b.newState(items, k) + 1
			}
			return *at - 1, false
		}
	}
	b.key = append(b.key[:0], byte(k))
	for _, n := range items {
		b.spend(b.owner[n], 2)
		b.key = binary.LittleEndian.AppendUint32(b.key, uint32(n))
	}
	s, ok := b.states[string(b.key)]
	if !ok {
		s = b.newState(items, k)
		b.states[string(b.key)] = s
	}
	return s, asserts
}

func (b *builder) newState(items []int32, k kind) int32 {
	s := int32(b.count())
	if s == int32(placeMask) {
		panic(errSpent{}) // the table has no place for it
	}
	b.items = append(b.items, items...)
	b.bounds = append(b.bounds, int32(len(b.items)))
	b.kind = append(b.kind, k)
	b.leaves = append(b.leaves, leave{})
	b.waiting = append(b.waiting, s)
	if len(items) > 0 {
		b.spend(b.owner[items[0]], stepsAState)
	}
	return s
}

// renumber makes one class of those that lead every state to the same place, as
// the two cases of most letters do, and gives the classes that lead anywhere
// most often the lowest numbers, which keeps what is looked at together.
func (b *builder) renumber() {
	group, counts := b.alike()
	order := make([]int, len(counts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return counts[j] - counts[i] })
	const first = acceptColumn + 1
	numbers := make([]uint8, len(counts)) // by class: its new number
	var kept []int                        // the classes that others are merged into, by new number
	for _, class := range order {
		i := slices.IndexFunc(kept, func(other int) bool { return group[other] == group[class] })
		if i < 0 {
			i = len(kept)
			kept = append(kept, class)
		}
		numbers[class] = uint8(first + i)
	}
	for c, class := range b.classes {
		b.classes[c] = numbers[class]
	}
	b.sample = nil // of the old ones
	b.columns = uint32(first + len(kept))
	for s := range b.count() {
		l := &b.leaves[s]
		begin, edges := l.begin, b.edgesOf(s)
		l.count = 0
		for _, e := range edges {
			if number := numbers[e.class()]; kept[number-first] == int(e.class()) {
				b.edges[begin+l.count] = newEdge(number, e.next())
				l.count++
			}
		}
		slices.SortFunc(b.edgesOf(s), func(e, f edge) int { return int(e.class()) - int(f.class()) })
	}
}
