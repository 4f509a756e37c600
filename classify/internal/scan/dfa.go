package scan

import (
	"encoding/binary"
	"errors"
	"regexp/syntax"
	"slices"
)

const (
	// MaxStates is how many states a set of patterns may need.
	MaxStates = 1 << 19
	// maxItems bounds the sizes of all states together while they are built,
	// and maxWork how many items are looked at for it.
	maxItems = 1 << 21
	maxWork  = 1 << 26
	maxNodes = 1 << 20 // of the nondeterministic automaton
	maxDepth = 255

	// A state whose matches have all begun at most so many bytes ago has a
	// row of its own. The row of another state is that of the state without
	// its longer matches, but for the bytes that these go on with.
	rowDepth = 2
	// fewRows is how many states may have rows whatever their depth.
	fewRows = 1024
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

// builder makes a program deterministic by the subset construction. A state
// is the kind of the byte before it and a sorted list of items; the nodes that
// every position starts with are not part of the list.
type builder struct {
	*program
	depths  []uint8
	classes [256]uint8
	sample  []byte // a byte of each class
	shallow uint8  // states up to this depth have rows
	states  map[string]int32
	items   [][]int32
	kind    []kind
	rows    [][]int32 // by state: where it leads, by class; nil without a row
	deep    []deep    // by state: the same without a row
	total   int       // items of all states
	work    int       // items looked at

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

// deep is what a state without a row does: what the state base does, but for
// the exceptions.
type deep struct {
	base       int32
	exceptions []exception
}

type exception struct {
	class int
	next  int32
}

// determinize builds the table of a program. A small set gets a row a state,
// which is fastest; a large one gets rows for its shallow states only.
func determinize(p *program) (*table, error) {
	if len(p.nodes) > maxNodes {
		return nil, errTooLarge
	}
	t, err := newBuilder(p, maxDepth).build(fewRows)
	if errors.Is(err, errTooLarge) {
		t, err = newBuilder(p, rowDepth).build(MaxStates)
	}
	return t, err
}

func newBuilder(p *program, shallow uint8) *builder {
	return &builder{
		program: p, depths: p.depths(), shallow: shallow,
		states: map[string]int32{}, mark: make([]uint32, len(p.nodes)),
	}
}

// build makes the automaton, of at most so many states.
func (b *builder) build(most int) (*table, error) {
	b.classify()
	for k := range beyond {
		b.round++
		b.starts[k] = b.closure(nil, b.program.starts, k, k, false)
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
		if len(b.items) > most || b.total > maxItems || b.work > maxWork {
			return nil, errTooLarge
		}
		b.expand(s)
	}
	return b.layOut(first)
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
		b.work++
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
			switch {
			case !ahead:
				items = append(items, n)
			case nd.assert == 0 || holds(nd.assert, before, after):
				items = append(items, n|delayedItem)
			}
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

// expand works out where state s leads.
func (b *builder) expand(s int) {
	items := b.items[s]
	shallow := make([]int32, 0, len(items))
	for _, n := range items {
		if b.depths[n&^delayedItem] <= b.shallow {
			shallow = append(shallow, n)
		}
	}
	b.rows = append(b.rows, nil)
	b.deep = append(b.deep, deep{})
	if len(shallow) == len(items) {
		b.rows[s] = b.row(items, items, b.kind[s])
		return
	}
	// The state of the shallow items alone, without what they match.
	base := b.state(shallow, b.kind[s])
	b.deep[s].base = base
	longer := make([]int32, 0, len(items)-len(shallow))
	for _, n := range items {
		if b.depths[n&^delayedItem] > b.shallow {
			longer = append(longer, n)
		}
	}
	for c, touched := range b.touched(longer, b.kind[s]) {
		if touched {
			next := b.step(slices.Clone(b.startStep[b.kind[s]][c]), items, b.kind[s], c)
			b.deep[s].exceptions = append(b.deep[s].exceptions, exception{c, b.state(next, b.kindBehind(c))})
		}
	}
}

// row returns where a state leads, by class. Most classes lead where they lead
// from the start of a search; only those that an item reads are worked out.
func (b *builder) row(items, readers []int32, k kind) []int32 {
	row := slices.Clone(b.base[k])
	for c, touched := range b.touched(readers, k) {
		if touched {
			next := b.step(slices.Clone(b.startStep[k][c]), items, k, c)
			row[c] = b.state(next, b.kindBehind(c))
		}
	}
	return row
}

// touched reports, by class, whether one of the items goes on with it.
func (b *builder) touched(items []int32, k kind) []bool {
	touched := make([]bool, len(b.sample)+1)
	b.work += len(items) * len(touched) / 8
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
	return touched
}

// acceptsOf returns what a state accepts.
func (b *builder) acceptsOf(s int) []accept {
	var all []accept
	// A search that begins here may match nothing at all.
	for _, n := range append(slices.Clip(b.items[s]), b.starts[b.kind[s]]...) {
		id := n &^ delayedItem
		if b.nodes[id].op != opMatch {
			continue
		}
		a := b.program.accepts[b.nodes[id].out]
		if a.delayed = n&delayedItem != 0; !a.delayed {
			a.when = b.nodes[id].assert
		}
		all = append(all, a)
	}
	return all
}
