package scan

import (
	"fmt"
	"slices"
)

// A state of the walk is a number of 41 bits: where its exceptions begin in
// table.sparse (0 = it has none), where its row begins in table.rows, and
// whether it accepts something. All that a step needs is in it.
type state uint64

const (
	sparseBits = 20
	rowBits    = 20
	sparseMask = 1<<sparseBits - 1
	rowMask    = 1<<rowBits - 1

	acceptFlag state = 1 << (sparseBits + rowBits)
	// An entry of table.sparse is a state below this bit; above it stands whose
	// exception it is.
	ownerShift = 64 - sparseBits
	stateMask  = 1<<ownerShift - 1
	nobodys    = uint64(sparseMask) << ownerShift
)

func (s state) sparse() uint { return uint(s) & sparseMask }

func (s state) row() uint { return uint(s) >> sparseBits & rowMask }

// table is the deterministic automaton. Rows and exceptions have a column for
// every class of bytes, one for the end of the text and one for the index of
// what the state accepts.
type table struct {
	classes [256]uint8
	stride  uint
	rows    []uint64
	sparse  []uint64 // the exceptions of all states, laid over each other
	starts  [beyond]state
	accepts [][]accept
	states  int
	depth   int // a state without exceptions has matches of at most so many bytes
}

// step returns the state behind s over column c.
func (t *table) step(s state, c uint) state {
	if e := t.sparse[s.sparse()+c]; uint(e>>ownerShift) == s.sparse() {
		return state(e & stateMask)
	}
	return state(t.rows[s.row()+c])
}

func (t *table) endColumn() uint    { return t.stride - 2 }
func (t *table) acceptColumn() uint { return t.stride - 1 }

// layOut places the states of a builder.
func (b *builder) layOut(first [kinds]int32) (*table, error) {
	t := &table{
		classes: b.classes, stride: uint(len(b.sample) + 2), states: len(b.items), depth: int(b.shallow),
		accepts: [][]accept{nil},
	}
	place := placer{used: make([]bool, t.stride), owners: []bool{true}}
	numbers := make([]state, len(b.items))
	accepts := make([]uint64, len(b.items)) // by state: index of its accepts
	known := map[string]uint64{}
	rows := uint(0)
	for s := range b.items {
		if all := b.acceptsOf(s); all != nil {
			key := fmt.Sprint(all)
			if known[key] == 0 {
				known[key] = uint64(len(t.accepts))
				t.accepts = append(t.accepts, all)
			}
			accepts[s] = known[key]
		}
		if b.rows[s] != nil {
			numbers[s] = state(rows * t.stride << sparseBits)
			rows++
		}
	}
	for s, d := range b.deep {
		if b.rows[s] == nil {
			columns := make([]uint, 0, len(d.exceptions)+1)
			for _, e := range d.exceptions {
				columns = append(columns, uint(e.class))
			}
			columns = append(columns, t.acceptColumn())
			numbers[s] = state(place.at(columns)) | numbers[d.base]&^sparseMask
		}
		if accepts[s] != 0 {
			numbers[s] |= acceptFlag
		} else {
			numbers[s] &^= acceptFlag
		}
	}
	t.rows = make([]uint64, rows*t.stride)
	t.sparse = slices.Repeat([]uint64{nobodys}, len(place.used)+int(t.stride))
	if len(t.sparse) >= sparseMask || len(t.rows) > rowMask {
		return nil, errTooLarge
	}
	for s, row := range b.rows {
		if row != nil {
			at := numbers[s].row()
			for c, next := range row {
				t.rows[at+uint(c)] = uint64(numbers[next])
			}
			t.rows[at+t.acceptColumn()] = accepts[s]
			continue
		}
		at := numbers[s].sparse()
		owner := uint64(at) << ownerShift
		for _, e := range b.deep[s].exceptions {
			t.sparse[at+uint(e.class)] = owner | uint64(numbers[e.next])
		}
		t.sparse[at+t.acceptColumn()] = owner | accepts[s]
	}
	for k := range beyond {
		t.starts[k] = numbers[first[k]]
	}
	return t, nil
}

// placer finds room for sets of columns in one long row, each set at a place
// of its own.
type placer struct {
	used   []bool // by place: taken
	owners []bool // by place: a set begins there
	free   int    // all places before are taken
}

func (p *placer) at(columns []uint) uint {
	low := slices.Min(columns)
	for ; p.free < len(p.used) && p.used[p.free]; p.free++ {
	}
	for at := max(1, p.free-int(low)); ; at++ {
		if p.fits(at, columns) {
			for _, c := range columns {
				p.used[at+int(c)] = true
			}
			p.owners[at] = true
			return uint(at)
		}
	}
}

func (p *placer) fits(at int, columns []uint) bool {
	for len(p.owners) <= at {
		p.owners = append(p.owners, false)
	}
	if p.owners[at] {
		return false
	}
	for _, c := range columns {
		for len(p.used) <= at+int(c) {
			p.used = append(p.used, false)
		}
		if p.used[at+int(c)] {
			return false
		}
	}
	return true
}
