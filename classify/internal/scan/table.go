package scan

import (
	"encoding/binary"
	"slices"
)

// A state of the table is a number: its base, which is an index into table.edges. If a
// piece ends in the state, acceptFlag is added to the base.
type state uint32

const (
	acceptFlag   state = 1 << 23
	baseMask           = acceptFlag - 1
	stateMask          = acceptFlag<<1 - 1
	maxBase            = int(baseMask)
	columnOf           = 24  // an entry is column<<columnOf | state
	acceptColumn       = 0   // the entry in this column is an index into accepts; the other columns are classes
	noColumn           = 255 // column of a free entry
	freeEntry          = noColumn << columnOf
)

// table is the deterministic automaton (DFA):
//
//   - The edge of a state for a class is the entry at index base+class.
//   - Every entry contains its column. If the column is not the class, the state has
//     no such edge.
type table struct {
	classes [256]uint8
	edges   []uint32
	roots   [kinds]state // initial states, by the kind of the previous byte
	columns uint32       // number of classes, plus one for acceptColumn
	accepts []accept
	states  int
}

// step returns the entry of s in a column: the next state, or an index in accepts.
// It returns 0 if there is no entry.
func (t *table) step(s state, column uint32) state {
	if e := t.edges[uint32(s&baseMask)+column]; e>>columnOf == column {
		return state(e) & stateMask
	}
	return 0
}

// layOut finds a base (an index into the table's edges) for every state of b. It
// returns the table.
func (b *builder) layOut() *table {
	t := &table{classes: b.classes, columns: b.columns, states: b.count()}
	numbers := make([]state, b.count())
	accepts := make([]uint32, b.count()) // for each state, the index of its first accept entry
	lists := acceptLists{table: t, byNodes: map[string]uint32{}, byContent: map[string]uint32{}}
	var rows placer
	var columns []uint32
	for _, s := range b.order() {
		columns = columns[:0]
		if at, ok := lists.index(b, b.itemsOf(int(s))); ok {
			accepts[s] = at
			columns = append(columns, acceptColumn)
			numbers[s] = acceptFlag
		}
		for _, e := range b.edgesOf(int(s)) {
			columns = append(columns, uint32(e.class()))
		}
		if len(columns) > 0 {
			base, tests := rows.find(columns)
			b.spend(b.owner[b.itemsOf(int(s))[0]], 1+tests*(1+len(columns))/4)
			numbers[s] |= state(base)
		}
	}
	if rows.end > maxBase || len(t.accepts) > maxBase || t.columns > noColumn {
		panic(errSpent{}) // the table would be too large
	}
	t.edges = slices.Repeat([]uint32{freeEntry}, rows.end+int(t.columns))
	for s := range b.count() {
		at := uint32(numbers[s] & baseMask)
		for _, e := range b.edgesOf(s) {
			t.edges[at+uint32(e.class())] = uint32(e.class())<<columnOf | uint32(numbers[e.next()])
		}
		if numbers[s]&acceptFlag != 0 {
			t.edges[at+acceptColumn] = acceptColumn<<columnOf | accepts[s]
		}
	}
	for k, s := range b.roots {
		t.roots[k] = numbers[s]
	}
	return t
}

// order returns the states in the order in which layOut finds bases for them. States
// with many edges are first. Other states are followed by their next states.
func (b *builder) order() []int32 {
	const many = 4
	order := make([]int32, 0, b.count())
	seen := make([]bool, b.count())
	for s := range b.count() {
		if len(b.edgesOf(s)) > many {
			seen[s] = true
			order = append(order, int32(s))
		}
	}
	slices.SortStableFunc(order, func(s, t int32) int { return len(b.edgesOf(int(t))) - len(b.edgesOf(int(s))) })
	stack := []int32{}
	for s := range b.count() {
		for stack = append(stack, int32(s)); len(stack) > 0; {
			s := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if seen[s] {
				continue
			}
			seen[s] = true
			order = append(order, s)
			for _, e := range slices.Backward(b.edgesOf(int(s))) {
				stack = append(stack, e.next())
			}
		}
	}
	return order
}

// acceptLists fills table.accepts with a list for each accepting state. Equal lists
// are shared.
type acceptLists struct {
	table              *table
	byNodes, byContent map[string]uint32 // index of the first entry of a list
	key                []byte
	list               []accept
}

// index returns the index of a state's list in table.accepts. items are the nodes of
// the state. ok is false if the state accepts nothing.
func (l *acceptLists) index(b *builder, items []int32) (at uint32, ok bool) {
	l.key = l.key[:0]
	for _, n := range items {
		if b.nodes[n].op == opMatch {
			l.key = binary.LittleEndian.AppendUint32(l.key, uint32(n))
		}
	}
	if len(l.key) == 0 {
		return 0, false
	}
	if at, ok = l.byNodes[string(l.key)]; ok {
		return at, true
	}
	nodes := string(l.key)
	l.list = b.acceptsOf(l.list[:0], items)
	if len(l.list) == 0 { // no pattern uses the piece
		return 0, false
	}
	l.key = l.key[:0]
	for i := range l.list {
		a := &l.list[i]
		a.more = i+1 < len(l.list)
		l.key = append(l.key, byte(a.when), oneIf(a.same)|oneIf(a.isStage)<<1|oneIf(a.exact)<<2)
		l.key = binary.LittleEndian.AppendUint32(l.key, uint32(a.id))
	}
	if at, ok = l.byContent[string(l.key)]; !ok {
		at = uint32(len(l.table.accepts))
		l.byContent[string(l.key)] = at
		l.table.accepts = append(l.table.accepts, l.list...)
	}
	l.byNodes[nodes] = at
	return at, true
}

// acceptsOf appends the accept entries of a state to list. items are the nodes of
// the state.
func (b *builder) acceptsOf(list []accept, items []int32) []accept {
	for _, n := range items {
		nd := b.nodes[n]
		if nd.op != opMatch {
			continue
		}
		begin := len(list)
		for _, pattern := range b.pieces[nd.out].patterns {
			b.spend(pattern, 2)
			list = append(list, accept{when: nd.assert, exact: nd.exact, id: pattern})
		}
		for _, at := range b.pieces[nd.out].stages {
			b.spend(b.owner[n], 2)
			list = append(list, accept{when: nd.assert, exact: nd.exact, isStage: true, id: at})
		}
		for i := begin; i < len(list)-1; i++ {
			list[i].same = true
		}
	}
	return list
}
