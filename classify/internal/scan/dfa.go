package scan

import (
	"encoding/binary"
	"errors"
	"regexp/syntax"
	"slices"
)

const (
	// MaxStates is how many states a set of patterns may need.
	MaxStates = 1<<16 - 1
	// maxItems bounds the sizes of all states together while they are built,
	// and maxWork how many items are looked at for it.
	maxItems = 1 << 20
	maxWork  = 1 << 26
	maxNodes = 1 << 17 // of the nondeterministic automaton
	maxDepth = 255
)

var errTooLarge = errors.New("it needs too many states: shorten its counted repetitions, or make what stands before them more specific")

// A kind is what an assertion has to know about a byte.
type kind uint8

const (
	textEdge kind = iota // no byte: the text begins or ends
	newline
	wordByte
	otherByte
	beyond // behind the end of the text, where no search begins
	kinds
)

func kindOf(b byte) kind {
	switch {
	case b == '\n':
		return newline
	case b == '_', '0' <= b && b <= '9', 'A' <= b && b <= 'Z', 'a' <= b && b <= 'z':
		return wordByte
	}
	return otherByte
}

// holds reports whether an assertion holds between two bytes.
func holds(op syntax.EmptyOp, before, after kind) bool {
	switch op {
	case syntax.EmptyBeginText:
		return before == textEdge
	case syntax.EmptyBeginLine:
		return before == textEdge || before == newline
	case syntax.EmptyEndText:
		return after == textEdge
	case syntax.EmptyEndLine:
		return after == textEdge || after == newline
	case syntax.EmptyWordBoundary:
		return (before == wordByte) != (after == wordByte)
	default: // syntax.EmptyNoWordBoundary
		return (before == wordByte) == (after == wordByte)
	}
}

func looksAhead(op syntax.EmptyOp) bool {
	return op != syntax.EmptyBeginText && op != syntax.EmptyBeginLine
}

// automaton is the deterministic automaton: the table and what its states mean.
type automaton struct {
	classes   [256]uint8 // of every byte
	stride    int        // columns of the table: the classes and, last, the end of the text
	table     []uint16   // next state by state*stride + class
	depth     []uint8    // by state: bytes of the longest match that has begun
	starts    [kinds]uint16
	accepting int        // states from here on have accepts
	accepts   [][]accept // by state - accepting
}

// builder makes a program deterministic by the subset construction. A state
// is the kind of the byte before it and a sorted list of items; the nodes that
// every position starts with are not part of the list.
type builder struct {
	*program
	depths  []uint8
	classes [256]uint8
	sample  []byte // a byte of each class
	states  map[string]int32
	items   [][]int32
	kind    []kind
	rows    [][]int32
	total   int // items of all states
	work    int // items looked at

	starts    [kinds][]int32   // leaves that a search begins with, by the byte before
	startStep [kinds][][]int32 // by class: where they lead
	base      [kinds][]int32   // by class: the state that they lead to alone

	mark  []uint32 // by node: the last closure that visited it
	round uint32
	stack []int32
	key   []byte
}

// A list of items holds nodes that read a byte, assertions that look ahead,
// and matches; a match that was seen one byte late has this bit.
const delayedItem = 1 << 30

func determinize(p *program) (*automaton, error) {
	if len(p.nodes) > maxNodes {
		return nil, errTooLarge
	}
	b := &builder{program: p, depths: p.depths(), states: map[string]int32{}, mark: make([]uint32, len(p.nodes))}
	b.classify()
	for k := range beyond {
		b.round++
		b.starts[k] = b.closure(nil, p.starts, k, k, false)
		slices.Sort(b.starts[k])
	}
	end := len(b.sample)
	for k := range kinds {
		b.startStep[k] = make([][]int32, end+1)
		for c := range end + 1 {
			b.startStep[k][c] = b.step(nil, b.starts[k], k, c)
		}
	}
	var first [kinds]int32
	for k := range kinds {
		first[k] = b.state(nil, k)
	}
	for k := range kinds {
		b.base[k] = make([]int32, end+1)
		for c := range end + 1 {
			b.base[k][c] = b.state(b.startStep[k][c], b.kindBehind(c))
		}
	}
	for s := 0; s < len(b.items); s++ {
		if len(b.items) > MaxStates || b.total > maxItems || b.work > maxWork {
			return nil, errTooLarge
		}
		b.rows = append(b.rows, b.row(s))
	}
	return b.finish(first), nil
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
		b.splitClasses(func(c byte) uint8 { return uint8(kindOf(c)) })
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

// kindBehind is the kind of a state that is reached over class c.
func (b *builder) kindBehind(c int) kind {
	if c == len(b.sample) {
		return beyond
	}
	return kindOf(b.sample[c])
}

// kindOfClass is what an assertion sees of class c.
func (b *builder) kindOfClass(c int) kind {
	if c == len(b.sample) {
		return textEdge
	}
	return kindOf(b.sample[c])
}

// closure appends to items what can be reached from the nodes without reading
// a byte. before is the kind of the byte before, after that of the byte behind
// if ahead says that it is known.
func (b *builder) closure(items, from []int32, before, after kind, ahead bool) []int32 {
	b.stack = append(b.stack[:0], from...)
	for len(b.stack) > 0 {
		n := b.stack[len(b.stack)-1]
		b.stack = b.stack[:len(b.stack)-1]
		if b.mark[n] == b.round {
			continue
		}
		b.mark[n] = b.round
		switch nd := &b.nodes[n]; nd.op {
		case opSplit:
			b.stack = append(b.stack, nd.alt, nd.out)
		case opAssert:
			switch {
			case looksAhead(nd.assert) && !ahead:
				items = append(items, n)
			case holds(nd.assert, before, after):
				b.stack = append(b.stack, nd.out)
			}
		case opMatch:
			if ahead {
				n |= delayedItem
			}
			items = append(items, n)
		case opByte:
			items = append(items, n)
		}
	}
	return items
}

// step appends to items where a list leads over a byte of class c, or over the
// end of the text, and returns all of it sorted and without doubles.
func (b *builder) step(items, list []int32, before kind, c int) []int32 {
	b.work += len(items) + len(list)
	after := b.kindOfClass(c)
	readers := list
	if pending := b.pending(list); len(pending) > 0 {
		// What the assertions of the list lead to, now that the byte is known.
		b.round++
		outs := make([]int32, 0, len(pending))
		for _, n := range pending {
			if holds(b.nodes[n].assert, before, after) {
				outs = append(outs, b.nodes[n].out)
			}
		}
		found := b.closure(nil, outs, before, after, true)
		readers = append(slices.Clip(list), found...)
		for _, n := range found {
			if n&delayedItem != 0 {
				items = append(items, n)
			}
		}
	}
	if c == len(b.sample) {
		return sorted(items)
	}
	b.round++
	sample := b.sample[c]
	for _, n := range readers {
		if n&delayedItem != 0 {
			continue
		}
		if nd := &b.nodes[n]; nd.op == opByte && nd.lo <= sample && sample <= nd.hi {
			items = b.closure(items, []int32{nd.out}, after, after, false)
		}
	}
	return sorted(items)
}

// pending returns the assertions of a list that wait for the next byte.
func (b *builder) pending(list []int32) []int32 {
	var all []int32
	for _, n := range list {
		if n&delayedItem == 0 && b.nodes[n].op == opAssert {
			all = append(all, n)
		}
	}
	return all
}

func sorted(items []int32) []int32 {
	slices.Sort(items)
	return slices.Compact(items)
}

// state returns the number of the state with these items.
func (b *builder) state(items []int32, k kind) int32 {
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

// row returns where state s leads, by class. Most classes lead where they lead
// from the start of a search; only those that an item reads are worked out.
func (b *builder) row(s int) []int32 {
	items, k := b.items[s], b.kind[s]
	row := slices.Clone(b.base[k])
	b.work += len(items) * len(row) / 8
	touched := make([]bool, len(row))
	for _, n := range items {
		if n&delayedItem != 0 {
			continue
		}
		switch nd := &b.nodes[n]; nd.op {
		case opByte:
			for c, sample := range b.sample {
				touched[c] = touched[c] || nd.lo <= sample && sample <= nd.hi
			}
		case opAssert:
			for c := range touched {
				touched[c] = touched[c] || holds(nd.assert, k, b.kindOfClass(c))
			}
		}
	}
	for c, ok := range touched {
		if ok {
			next := b.step(slices.Clone(b.startStep[k][c]), items, k, c)
			row[c] = b.state(next, b.kindBehind(c))
		}
	}
	return row
}

// finish numbers the states so that those with accepts come last, and lays the
// table out.
func (b *builder) finish(first [kinds]int32) *automaton {
	accepts := make([][]accept, len(b.items))
	number := make([]uint16, len(b.items))
	var plain, accepting uint16
	for s, items := range b.items {
		// A search that begins here may match nothing at all.
		for _, n := range append(slices.Clip(items), b.starts[b.kind[s]]...) {
			if id := n &^ delayedItem; b.nodes[id].op == opMatch {
				a := b.program.accepts[b.nodes[id].out]
				a.delayed = n&delayedItem != 0
				accepts[s] = append(accepts[s], a)
			}
		}
		if accepts[s] == nil {
			number[s] = plain
			plain++
		}
	}
	a := &automaton{
		classes: b.classes, stride: len(b.sample) + 1, accepting: int(plain),
		table: make([]uint16, len(b.items)*(len(b.sample)+1)),
		depth: make([]uint8, len(b.items)),
	}
	for s := range b.items {
		if accepts[s] != nil {
			number[s] = plain + accepting
			accepting++
			a.accepts = append(a.accepts, accepts[s])
		}
	}
	for s, row := range b.rows {
		at := int(number[s]) * a.stride
		for c, next := range row {
			a.table[at+c] = number[next]
		}
		for _, n := range b.items[s] {
			if n&delayedItem == 0 {
				a.depth[number[s]] = max(a.depth[number[s]], b.depths[n])
			}
		}
	}
	for k, s := range first {
		a.starts[k] = number[s]
	}
	return a
}
