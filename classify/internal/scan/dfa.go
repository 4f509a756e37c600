package scan

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
)

// A kind is a class of bytes. Assertions such as ^ and \b depend only on kinds.
type kind uint8

const (
	textEdge kind = iota // no byte: the text begins or ends
	newline
	wordByte
	otherByte
	kinds
)

// kindOf maps a byte to its kind.
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

// holds reports whether the assertions in ops hold between bytes of these kinds.
func holds(ops syntax.EmptyOp, before, after kind) bool {
	return ops&^assertionsBetween[before][after] == 0
}

// assertionsBetween[k][l] caches the result of between(k, l).
var assertionsBetween = func() (ops [kinds][kinds]syntax.EmptyOp) {
	for before := range kinds {
		for after := range kinds {
			ops[before][after] = between(before, after)
		}
	}
	return ops
}()

// between returns the assertions that hold between bytes of these kinds.
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

// builder makes a program deterministic by the subset construction:
//
//   - A state is a sorted list of NFA nodes. Nodes with opSplit are left out.
//   - If a state has assertions, the kind of the previous byte is part of the state.
type builder struct {
	*program
	classes [256]uint8
	sample  []byte     // the first byte of each class
	next    [257]int16 // for each byte, the first byte of sample that is not smaller; 256 = none
	states  map[string]int32
	single  []int32 // for each node alone, the result of stateOf plus one; 0 = none yet
	items   []int32 // nodes of all states, one state after the other
	bounds  []int32 // for each state, the index of its first node in items; then the length of items
	kind    []kind
	edges   []edge      // edges of all states, one state after the other
	ranges  []edgeRange // the range of the edges of each state
	columns uint32      // number of columns of the table
	roots   [kinds]int32

	visited []uint32 // for each node, the last round in which the node was visited
	round   uint32
	stack   []int32
	found   []int32 // buffer for closure
	waiting []int32 // states without computed edges so far
	key     []byte
	spans   []span     // spans of the current state
	spanOf  [257]int16 // for the first byte of each span, the index of the span
}

// An edge is a transition of a state. The upper 8 bits are a class. The lower 24
// bits are the next state.
type edge uint32

func newEdge(class uint8, next int32) edge { return edge(class)<<columnOf | edge(next) }

func (e edge) class() uint8 { return uint8(e >> columnOf) }

func (e edge) next() int32 { return int32(e & (1<<columnOf - 1)) }

func (b *builder) count() int { return len(b.bounds) - 1 }

func (b *builder) itemsOf(s int) []int32 { return b.items[b.bounds[s]:b.bounds[s+1]] }

func (b *builder) edgesOf(s int) []edge {
	l := b.ranges[s]
	return b.edges[l.begin : l.begin+l.count]
}

// edgeRange is the part of builder.edges for one state.
type edgeRange struct{ begin, count int32 }

// tables builds the automaton of all pieces and the automaton of the case-sensitive
// pieces.
func (p *program) tables() (all, exact *table) {
	p.nodeIDs, p.asserted, p.pieceIDs, p.stageIDs = nil, nil, nil, nil // no nodes are added from here on
	return determinize(p, p.starts, len(p.nodes)).layOut(), determinize(p, p.exact, 0).layOut()
}

// determinize builds the states of the pieces that begin with the given nodes. room
// is the number of states for which memory is allocated first.
func determinize(p *program, starts []int32, room int) *builder {
	b := newBuilder(p, room)
	for k := range kinds {
		b.roots[k], _ = b.state(b.closure(nil, starts), k)
	}
	b.buildEdges()
	b.states, b.single, b.visited = nil, nil, nil // no states are added from here on
	b.renumber()
	return b
}

func newBuilder(p *program, room int) *builder {
	b := &builder{
		program: p, states: map[string]int32{},
		bounds: make([]int32, 1, room+1), ranges: make([]edgeRange, 0, room),
		items: make([]int32, 0, room), kind: make([]kind, 0, room), edges: make([]edge, 0, 2*room),
		visited: make([]uint32, len(p.nodes)), single: make([]int32, len(p.nodes)),
	}
	b.classify()
	return b
}

// classify divides the bytes into classes. No node and no assertion distinguishes
// two bytes of one class.
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

// splitClasses splits every class of bytes: two bytes stay in one class only if f
// returns the same number for both. The numbers must be less than the constant named
// kinds.
func (b *builder) splitClasses(f func(c byte) uint8) {
	var numbers [256][kinds]uint16 // the new class plus one, for each old class and each result of f
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

// The [Budget] counts this many steps for each state and each edge that is built. The
// numbers are proportional to the time that building a state and an edge takes.
const (
	stepsAState = 10
	stepsAnEdge = 4
)

// closure appends the nodes that are reached from the given nodes without reading a
// byte. It leaves out opSplit nodes.
func (b *builder) closure(items, start []int32) []int32 {
	b.round++
	b.stack = append(b.stack[:0], start...)
	for len(b.stack) > 0 {
		n := b.stack[len(b.stack)-1]
		b.stack = b.stack[:len(b.stack)-1]
		b.spend(b.owner[n], 1)
		if b.visited[n] == b.round {
			continue
		}
		b.visited[n] = b.round
		if nd := &b.nodes[n]; nd.op == opSplit {
			b.stack = append(b.stack, nd.alt, nd.out)
		} else {
			items = append(items, n)
		}
	}
	return items
}

// stateOf returns the state for the given nodes, after a byte of kind k. asserts
// reports whether the state has assertions. For one node without assertions, the
// result is cached.
func (b *builder) stateOf(start []int32, k kind) (s int32, asserts bool) {
	alone := len(start) == 1
	if alone {
		b.spend(b.owner[start[0]], 1)
		if s := b.single[start[0]]; s != 0 {
			return s - 1, false
		}
	}
	b.found = b.closure(b.found[:0], start)
	s, asserts = b.state(b.found, k)
	if alone && !asserts {
		b.single[start[0]] = s + 1
	}
	return s, asserts
}

// state returns the state with these nodes, and adds a new one if necessary. asserts
// reports whether the state has assertions.
func (b *builder) state(items []int32, k kind) (s int32, asserts bool) {
	slices.Sort(items)
	for _, n := range items {
		asserts = asserts || b.nodes[n].op == opAssert
	}
	if !asserts {
		k = otherByte // only assertions depend on the kind
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
	if s == int32(baseMask) {
		panic(errSpent{}) // the table has no room for more states
	}
	b.items = append(b.items, items...)
	b.bounds = append(b.bounds, int32(len(b.items)))
	b.kind = append(b.kind, k)
	b.ranges = append(b.ranges, edgeRange{})
	b.waiting = append(b.waiting, s)
	if len(items) > 0 {
		b.spend(b.owner[items[0]], stepsAState)
	}
	return s
}

// renumber merges classes with equal next states, such as both cases of a letter.
// Classes with many edges get low numbers.
func (b *builder) renumber() {
	group, counts := b.alike()
	order := make([]int, len(counts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return counts[j] - counts[i] })
	const first = acceptColumn + 1
	numbers := make([]uint8, len(counts)) // the new number of each class
	var kept []int                        // kept[n-first] is the old class that became class n
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
	b.sample = nil // sample belongs to the old classes
	b.columns = uint32(first + len(kept))
	for s := range b.count() {
		l := &b.ranges[s]
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
