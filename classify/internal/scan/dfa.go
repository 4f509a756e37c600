package scan

import (
	"encoding/binary"
	"errors"
	"regexp/syntax"
	"slices"
)

// errPlaces: the table has room for so many edges. Shares are such that a set of
// nearly [maxSet] bytes may need more.
var errPlaces = errors.New("all patterns together need too many states, and this one the most: use fewer rules")

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
	leaves  []int32 // by state: where its edges begin; and where the last ones end
	columns uint32  // of the table
	roots   [kinds]int32

	mark  []uint32 // by node: the last closure that visited it
	round uint32
	stack []int32
	key   []byte
	outs  [256][]int32 // by class: where a state leads
	met   []uint8      // the classes that it leads anywhere over
}

// An edge says where a class of bytes leads. A class without one leads nowhere.
// The class stands above the state, as in the table: a large set has millions of
// edges, and maxAll leaves no room for more than 1<<24 states.
type edge uint32

func newEdge(class uint8, next int32) edge { return edge(class)<<columnOf | edge(next) }

func (e edge) class() uint8 { return uint8(e >> columnOf) }

func (e edge) next() int32 { return int32(e & (1<<columnOf - 1)) }

func (b *builder) count() int { return len(b.bounds) - 1 }

func (b *builder) itemsOf(s int) []int32 { return b.items[b.bounds[s]:b.bounds[s+1]] }

func (b *builder) edgesOf(s int) []edge { return b.edges[b.leaves[s]:b.leaves[s+1]] }

// tables builds the two automata of a program.
func (p *program) tables() (all, exact *table, err error) {
	p.nodeIDs, p.asserted, p.pieceIDs, p.stageIDs = nil, nil, nil, nil // no node comes any more
	if all, err = determinize(p, p.starts, len(p.nodes)).layOut(); err == nil {
		exact, err = determinize(p, p.exact, 0).layOut()
	}
	return all, exact, err
}

// determinize finds the states of those pieces of a program that begin at starts.
// It has room for so many: lists that grow would need twice the memory.
func determinize(p *program, starts []int32, room int) *builder {
	b := newBuilder(p, room)
	for k := range kinds {
		b.round++
		b.roots[k] = b.state(b.closure(nil, starts), k)
	}
	for s := 0; s < b.count(); s++ {
		b.leave(s)
	}
	b.states, b.single, b.mark = nil, nil, nil // no state comes any more
	b.renumber()
	return b
}

func newBuilder(p *program, room int) *builder {
	b := &builder{
		program: p, states: map[string]int32{},
		bounds: make([]int32, 1, room+1), leaves: make([]int32, 1, room+1),
		items: make([]int32, 0, room), kind: make([]kind, 0, room), edges: make([]edge, 0, 2*room),
		mark: make([]uint32, len(p.nodes)), single: make([]int32, len(p.nodes)),
	}
	b.classify()
	return b
}

// manyNodes is from how many nodes on the whole set takes so long that its
// pieces are first tried by themselves.
const manyNodes = 10_000

// rehearse builds the states of each piece alone, the largest first, within a
// budget of its own. So a piece that needs too many is found before the states
// of all others are built. The states of literals are as many as their letters.
func (p *program) rehearse() {
	alone := *p
	alone.Budget = p.clone()
	b := newBuilder(&alone, 0)
	done := false
	defer func() {
		if !done {
			*p.Budget = *alone.Budget // it knows the pattern
		}
	}()
	slices.SortStableFunc(alone.loose, func(l, m loose) int { return int(m.nodes - l.nodes) })
	for _, l := range alone.loose {
		b.forgetStates()
		b.round++
		b.state(b.closure(nil, []int32{l.start}), textEdge)
		for s := len(b.leaves) - 1; s < b.count(); s++ {
			b.leave(s)
		}
	}
	done = true
}

// forgetStates drops all states, which no other piece has.
func (b *builder) forgetStates() {
	if len(b.states) > 0 {
		b.states = map[string]int32{}
	}
	for _, n := range b.items { // a state that is one node is known by it
		b.single[n] = 0
	}
	b.bounds, b.leaves = b.bounds[:1], b.leaves[:1]
	b.items, b.kind, b.edges = b.items[:0], b.kind[:0], b.edges[:0]
}

// classify finds the classes of bytes that no node and no assertion tells
// apart: it begins with one class and splits it by every range that is read.
func (b *builder) classify() {
	var seen [256][256]bool
	asserts := false
	split := func(lo, hi byte) {
		if !seen[lo][hi] {
			seen[lo][hi] = true
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
	if len(from) == 1 && b.nodes[from[0]].op != opSplit {
		b.spend(b.owner[from[0]], 1)
		return append(items, from[0])
	}
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

// state returns the number of the state with these items.
func (b *builder) state(items []int32, k kind) int32 {
	if len(items) == 1 && b.nodes[items[0]].op != opAssert {
		at := &b.single[items[0]]
		if *at == 0 {
			*at = b.newState(items, otherByte) + 1
		}
		return *at - 1
	}
	slices.Sort(items)
	if !slices.ContainsFunc(items, func(n int32) bool { return b.nodes[n].op == opAssert }) {
		k = otherByte // nobody asks
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
	return s
}

func (b *builder) newState(items []int32, k kind) int32 {
	s := int32(b.count())
	b.items = append(b.items, items...)
	b.bounds = append(b.bounds, int32(len(b.items)))
	b.kind = append(b.kind, k)
	if len(items) > 0 {
		b.spend(b.owner[items[0]], stepsAState)
	}
	return s
}

// leave works out where state s leads.
func (b *builder) leave(s int) {
	b.met = b.met[:0]
	for _, n := range b.itemsOf(s) {
		nd := &b.nodes[n]
		var need syntax.EmptyOp
		if nd.op == opAssert {
			need, nd = nd.assert, &b.nodes[nd.out]
		}
		lead := func(c byte) {
			b.spend(b.owner[n], 1)
			if need != 0 && !holds(need, b.kind[s], kindOf[c]) {
				return
			}
			class := b.classes[c]
			if len(b.outs[class]) == 0 {
				b.met = append(b.met, class)
			}
			b.outs[class] = append(b.outs[class], nd.out)
		}
		switch nd.op {
		case opPair:
			lead(nd.lo)
			lead(nd.hi)
		case opByte:
			for c := b.next[nd.lo]; c <= int16(nd.hi); c = b.next[c+1] {
				lead(byte(c))
			}
		}
	}
	slices.Sort(b.met)
	var items []int32
	for _, class := range b.met {
		out := b.outs[class]
		b.round++
		items = b.closure(items[:0], out)
		next := b.state(items, kindOf[b.sample[class]])
		b.spend(b.owner[out[0]], stepsAnEdge)
		b.edges = append(b.edges, newEdge(class, next))
		b.outs[class] = out[:0]
	}
	b.leaves = append(b.leaves, int32(len(b.edges)))
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
	const begin = acceptColumn + 1
	numbers := make([]uint8, len(counts)) // by class: its new number
	var kept []int                        // the classes that others are merged into, by new number
	for _, class := range order {
		i := slices.IndexFunc(kept, func(other int) bool { return group[other] == group[class] })
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
	end := int32(0)
	for s := range b.count() {
		begins := end
		for _, e := range b.edgesOf(s) {
			if number := numbers[e.class()]; kept[number-begin] == int(e.class()) {
				b.edges[end] = newEdge(number, e.next())
				end++
			}
		}
		if s > 0 {
			b.leaves[s] = begins
		}
		slices.SortFunc(b.edges[begins:end], func(e, f edge) int { return int(e.class()) - int(f.class()) })
	}
	b.leaves[b.count()] = end
	b.edges = b.edges[:end]
}
