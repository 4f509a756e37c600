package scan

import (
	"fmt"
	"slices"
)

// A state is a place in table.edges, and whether it accepts something. The
// zero state leads nowhere.
type state uint32

const (
	acceptFlag   state = 1 << 23
	placeMask          = acceptFlag - 1
	stateMask          = acceptFlag<<1 - 1
	maxPlace           = int(placeMask)
	columnOf           = 24 // of an entry: its column stands above its state
	acceptColumn       = 0  // where in accepts that stands which a state accepts; then come the classes
	noColumn           = 255
)

// table is the deterministic automaton. The edges of a state stand at its
// place plus the class of the byte that they read. Those of all states are laid
// over each other, so an entry says for which column it stands: that tells
// whose it is.
type table struct {
	classes [256]uint8
	edges   []uint32
	roots   [kinds]state // where a match begins, by the kind of the byte before
	columns uint32       // classes, and that of the accepts
	accepts []accept
	states  int
}

// step returns the state behind s over a column.
func (t *table) step(s state, column uint32) state {
	if e := t.edges[uint32(s&placeMask)+column]; e>>columnOf == column {
		return state(e) & stateMask
	}
	return 0
}

// layOut places the states of a builder.
func (b *builder) layOut() (*table, error) {
	t := &table{classes: b.classes, columns: b.columns, states: len(b.items)}
	numbers := make([]state, len(b.items))
	accepts := make([]uint32, len(b.items)) // by state: index of what it accepts
	known := map[string]uint32{}
	var place placer
	for _, s := range b.order() {
		items := b.items[s]
		var columns []uint32
		if all := b.acceptsOf(items); all != nil {
			for i := range all[1:] {
				all[i].more = true
			}
			key := fmt.Sprint(all)
			if _, ok := known[key]; !ok {
				known[key] = uint32(len(t.accepts))
				t.accepts = append(t.accepts, all...)
			}
			accepts[s] = known[key]
			columns = append(columns, acceptColumn)
			numbers[s] = acceptFlag
		}
		for _, e := range b.edges[s] {
			columns = append(columns, uint32(e.class))
		}
		if columns != nil {
			numbers[s] |= state(place.find(columns))
		}
	}
	if len(place.used) > maxPlace || len(t.accepts) > maxPlace || t.columns > noColumn {
		return nil, errTooLarge
	}
	t.edges = slices.Repeat([]uint32{noColumn << columnOf}, len(place.used)+int(t.columns))
	for s, edges := range b.edges {
		at := uint32(numbers[s] & placeMask)
		for _, e := range edges {
			t.edges[at+uint32(e.class)] = uint32(e.class)<<columnOf | uint32(numbers[e.next])
		}
		if numbers[s]&acceptFlag != 0 {
			t.edges[at+acceptColumn] = acceptColumn<<columnOf | accepts[s]
		}
	}
	for k, s := range b.roots {
		t.roots[k] = numbers[s]
	}
	return t, nil
}

// order returns the states in the order of their placing: first those with
// many edges, which are hard to place; then the others, each followed by the
// one that it leads to, so that a walk finds its next entries beside each other.
func (b *builder) order() []int32 {
	const many = 4
	order := make([]int32, 0, len(b.items))
	seen := make([]bool, len(b.items))
	for s := range b.items {
		if len(b.edges[s]) > many {
			seen[s] = true
			order = append(order, int32(s))
		}
	}
	slices.SortStableFunc(order, func(s, t int32) int { return len(b.edges[t]) - len(b.edges[s]) })
	stack := []int32{}
	for s := range b.items {
		for stack = append(stack, int32(s)); len(stack) > 0; {
			s := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if seen[s] {
				continue
			}
			seen[s] = true
			order = append(order, s)
			for _, e := range slices.Backward(b.edges[s]) {
				stack = append(stack, e.next)
			}
		}
	}
	return order
}

func (b *builder) acceptsOf(items []int32) []accept {
	var all []accept
	for _, n := range items {
		nd := b.nodes[n]
		if nd.op != opMatch {
			continue
		}
		begin := len(all)
		for _, pattern := range b.pieces[nd.out].patterns {
			all = append(all, accept{when: nd.assert, exact: nd.exact, id: pattern})
		}
		for _, at := range b.pieces[nd.out].stages {
			all = append(all, accept{when: nd.assert, exact: nd.exact, isStage: true, id: at})
		}
		for i := begin; i < len(all)-1; i++ {
			all[i].same = true
		}
	}
	return all
}

// placer finds room for sets of columns in one long row, each set at a place
// of its own.
type placer struct {
	used  []bool // by entry: taken
	owned []bool // by place: a set begins there
	first int    // the entries before are taken, or hard to use
}

// find takes the first place that it comes to for columns, which are sorted.
func (p *placer) find(columns []uint32) uint32 {
	const tries = 1 << 10
	for p.first < len(p.used) && p.used[p.first] {
		p.first++
	}
	begin := max(1, p.first-int(columns[0]))
	for at := begin; ; at++ {
		for need := at + int(columns[len(columns)-1]) + 1; len(p.used) < need; {
			p.used, p.owned = append(p.used, false), append(p.owned, false)
		}
		if !p.fits(at, columns) {
			continue
		}
		for _, c := range columns {
			p.used[at+int(c)] = true
		}
		p.owned[at] = true
		if at-begin > tries {
			p.first += tries / 2
		}
		return uint32(at)
	}
}

func (p *placer) fits(at int, columns []uint32) bool {
	if p.owned[at] {
		return false
	}
	for _, c := range columns {
		if p.used[at+int(c)] {
			return false
		}
	}
	return true
}
