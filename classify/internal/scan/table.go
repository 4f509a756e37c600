package scan

import (
	"fmt"
	"slices"
)

// A state is a place in table.edges, and whether it accepts something. The
// zero state leads nowhere.
type state uint32

const acceptFlag state = 1 << 31

// table is the deterministic automaton. The edges of a state stand at its
// place plus the class of the byte that they read; the edges of all states are
// laid over each other, so each says whose it is: the upper half of an entry
// is its state's place, the lower half the next state. Column classes holds
// the index of what a state accepts.
type table struct {
	classes [256]uint8
	edges   []uint64
	roots   [kinds]state // where a match begins, by the kind of the byte before
	column  uint32       // of the accepts
	accepts [][]accept
	states  int
}

// step returns the state behind s over a column.
func (t *table) step(s state, column uint32) state {
	place := uint32(s &^ acceptFlag)
	if e := t.edges[place+column]; uint32(e>>32) == place {
		return state(e)
	}
	return 0
}

// acceptsOf returns what a state accepts.
func (t *table) acceptsOf(s state) []accept {
	if s&acceptFlag == 0 {
		return nil
	}
	return t.accepts[t.step(s, t.column)]
}

// layOut places the states of a builder.
func (b *builder) layOut() (*table, error) {
	t := &table{classes: b.classes, column: uint32(len(b.sample)), states: len(b.items)}
	numbers := make([]state, len(b.items))
	accepts := make([]uint64, len(b.items)) // by state: index of what it accepts
	known := map[string]uint64{}
	var place placer
	for _, s := range b.largestFirst() {
		items := b.items[s]
		var columns []uint32
		for _, e := range b.edges[s] {
			columns = append(columns, uint32(e.class))
		}
		if all := b.acceptsOf(items); all != nil {
			key := fmt.Sprint(all)
			if _, ok := known[key]; !ok {
				known[key] = uint64(len(t.accepts))
				t.accepts = append(t.accepts, all)
			}
			accepts[s] = known[key]
			columns = append(columns, t.column)
			numbers[s] = acceptFlag
		}
		if columns != nil {
			numbers[s] |= state(place.find(columns))
		}
	}
	// The zero state owns nothing: an empty entry has an owner that cannot be.
	t.edges = slices.Repeat([]uint64{1<<64 - 1}, len(place.used)+int(t.column)+1)
	for s, edges := range b.edges {
		at := uint32(numbers[s] &^ acceptFlag)
		for _, e := range edges {
			t.edges[at+uint32(e.class)] = uint64(at)<<32 | uint64(numbers[e.next])
		}
		if numbers[s]&acceptFlag != 0 {
			t.edges[at+t.column] = uint64(at)<<32 | accepts[s]
		}
	}
	for k, s := range b.roots {
		t.roots[k] = numbers[s]
	}
	return t, nil
}

// largestFirst returns the states by falling number of edges, so that the small
// ones fill the holes that the large ones leave.
func (b *builder) largestFirst() []int {
	order := make([]int, len(b.items))
	for s := range order {
		order[s] = s
	}
	slices.SortStableFunc(order, func(s, t int) int { return len(b.edges[t]) - len(b.edges[s]) })
	return order
}

func (b *builder) acceptsOf(items []int32) []accept {
	var all []accept
	for _, n := range items {
		if nd := b.nodes[n]; nd.op == opMatch {
			all = append(all, accept{piece: nd.out, when: nd.assert})
		}
	}
	return all
}

// placer finds room for sets of columns in one long row, each set at a place
// of its own.
type placer struct {
	used  []bool      // by entry: taken
	owned []bool      // by place: a set begins there
	from  [257]uint32 // by lowest column: places before are not tried again
}

// find takes the first place that it comes to for columns, which are sorted.
func (p *placer) find(columns []uint32) uint32 {
	low, high := columns[0], columns[len(columns)-1]
	for at := max(1, p.from[low]); ; at++ {
		for need := int(at + high + 1); len(p.used) < need; {
			p.used, p.owned = append(p.used, false), append(p.owned, false)
		}
		if !p.fits(at, columns) {
			continue
		}
		for _, c := range columns {
			p.used[at+c] = true
		}
		p.owned[at] = true
		p.from[low] = at + 1
		if len(columns) > 1 { // the next may be smaller
			p.from[low] = max(p.from[low], 64) - 63
		}
		return at
	}
}

func (p *placer) fits(at uint32, columns []uint32) bool {
	if p.owned[at] {
		return false
	}
	for _, c := range columns {
		if p.used[at+c] {
			return false
		}
	}
	return true
}
