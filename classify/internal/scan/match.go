package scan

import (
	"fmt"
	"math/bits"
	"sync"
	"unicode/utf8"
)

// Matcher is a compiled set of patterns. It is immutable and safe for
// concurrent use.
type Matcher struct {
	table
	exact    table // the automaton of the case-sensitive pieces (parts of patterns between gaps)
	filter   filter
	stages   []stage
	patterns int
	none     []uint64 // an empty set of patterns, to copy
	listed   int      // maxListed, except in tests
}

// PatternError is the error of one pattern of a set.
type PatternError struct {
	Index int // index in the list given to Compile
	Err   error
}

func (e *PatternError) Error() string { return fmt.Sprintf("pattern %d: %v", e.Index, e.Err) }

func (e *PatternError) Unwrap() error { return e.Err }

// Compile builds a matcher for patterns in Go regexp syntax. The patterns ignore
// case unless they say (?-i). The error is a [*PatternError]. If compiling takes too
// many steps, the error wraps a [*BudgetError].
func Compile(exprs []string) (*Matcher, error) {
	return NewBudget(exprs).Compile(exprs)
}

// Compile is like the function [Compile], but takes the steps from b. b must come
// from [NewBudget] with the same exprs. [Budget.Precheck] is called first.
func (b *Budget) Compile(exprs []string) (*Matcher, error) {
	if err := b.Precheck(exprs); err != nil {
		return nil, err
	}
	m, err := b.matcher(exprs)
	if err != nil {
		return nil, err
	}
	m.filter.empty = false
	m.filter.build(&m.table)
	m.ready()
	return m, nil
}

// matcher builds a matcher without a filter. The matcher runs the automaton at every
// offset.
func (b *Budget) matcher(exprs []string) (*Matcher, error) {
	a, err := b.build(exprs)
	if err != nil {
		return nil, err
	}
	m := &Matcher{table: *a.all, exact: *a.exact, stages: a.stages, patterns: len(exprs)}
	m.filter.empty = true
	m.ready()
	return m, nil
}

// automata is the result of compiling a set of patterns.
type automata struct {
	all, exact *table
	stages     []stage
}

// build parses all patterns and builds their automata.
func (b *Budget) build(exprs []string) (a automata, err error) {
	defer b.recoverSpent(&err)
	b.phase = reading
	parsed := make([][]chain, len(exprs))
	for i, expr := range exprs {
		if parsed[i], err = b.parse(int32(i), expr); err != nil {
			return a, &PatternError{i, err}
		}
	}
	before, left := b.clone(), *b.left
	p, a, err := b.automata(parsed, true)
	if err != nil && p.exactPieces && *b.left < 0 {
		// Ignoring case may need far more states than the patterns as written. Try
		// again with an automaton that distinguishes case.
		*b, *b.left = *before, left
		_, a, err = b.automata(parsed, false)
	}
	return a, err
}

// automata builds the automata of parsed patterns. If fold is true, the main
// automaton ignores case.
func (b *Budget) automata(parsed [][]chain, fold bool) (p *program, a automata, err error) {
	p = newProgram(b, fold)
	defer b.recoverSpent(&err)
	b.phase = nodes
	p.grow(parsed)
	for i, chains := range parsed {
		p.add(int32(i), chains)
	}
	if !p.exactPieces {
		clear(parsed) // free memory: there is no second attempt
	}
	b.phase = states
	all, exact := p.tables()
	return p, automata{all, exact, p.stages}, nil
}

// ready computes the fields of m that AppendBinary does not encode.
func (m *Matcher) ready() {
	m.none, m.listed = make([]uint64, m.Words()), maxListed
	m.filter.shorts = m.filter.short != [len(m.filter.short)]uint64{}
	for i := range m.accepts {
		if a := &m.accepts[i]; a.isStage {
			a.parent, a.ends = m.stages[a.id].parent, len(m.stages[a.id].patterns) > 0
		}
	}
	for _, s := range m.stages {
		if s.parent >= 0 && len(s.gap) > 0 {
			near := &m.stages[s.parent].near
			*near = max(*near, utf8.UTFMax*s.gap[0].min)
		}
	}
}

// Words returns the length of the argument set of [Matcher.Match] in uint64s. The
// set has one bit per pattern.
func (m *Matcher) Words() int { return (m.patterns + 63) / 64 }

// Stats describes the size of a matcher.
type Stats struct {
	States int // states of both automata
	Bytes  int // bytes of the edges of both automata
	// Short is the number of pairs of bytes for which the filter does no further
	// tests. The maximum is 65,536. The automaton runs at every offset with such a
	// pair.
	Short int
	// Anywhere is true if a piece (a part of a pattern) may be empty. Then the
	// automaton runs at every offset.
	Anywhere bool
}

// Stats returns the size of the matcher.
func (m *Matcher) Stats() Stats {
	s := Stats{States: m.states + m.exact.states, Bytes: 4 * (len(m.edges) + len(m.exact.edges)), Anywhere: m.filter.empty}
	for _, word := range m.filter.short {
		s.Short += bits.OnesCount64(word)
	}
	return s
}

// Match sets the bit of every pattern that matches text. For pattern i, this is bit
// i%64 of set[i/64]. Other bits stay as they are. The length of set must be at least
// [Matcher.Words].
func (m *Matcher) Match(set []uint64, text string) {
	if !utf8.ValidString(text) {
		text = repair(text)
	}
	w := walks.Get().(*walk)
	w.begin(m, text)
	if m.filter.empty {
		for i := range len(text) + 1 {
			w.piecesAt(i)
		}
	} else {
		w.scan()
	}
	if len(w.matches) > 0 {
		w.join()
	}
	for i, word := range w.set {
		set[i] |= word
	}
	w.m, w.text = nil, ""
	walks.Put(w)
}

// repair replaces every byte of invalid UTF-8 with U+FFFD, as package regexp does.
func repair(text string) string {
	b := make([]byte, 0, len(text)+len(text)/8)
	for _, r := range text {
		b = utf8.AppendRune(b, r)
	}
	return string(b)
}

// walk is the state of one call of Match. It has its own set, because the caller's
// set would escape to the heap.
type walk struct {
	m       *Matcher
	text    string
	set     []uint64
	matches []pieceMatch // matches of pieces that have to be joined
	room    limit
	joiner  joiner
	offsets [block]int32 // offsets in the current block that pass the first test, relative to the block
}

// block is the number of offsets that the filter tests before the automaton runs.
const block = 256

// walks keeps the memory of finished walks, for later texts.
var walks = sync.Pool{New: func() any { return new(walk) }}

func (w *walk) begin(m *Matcher, text string) {
	w.m, w.text = m, text
	w.room = limitOf(w.matches, m.listed)
	w.set = append(w.set[:0], m.none...)
	w.joiner.begin(m)
}

// scan runs the automaton at every offset that passes the filter:
//
//  1. For a block of offsets, list those that pass the first test. This loop does
//     not branch on the text.
//  2. Apply the other tests to the listed offsets.
//  3. Run the automaton at the offsets that pass.
func (w *walk) scan() {
	text, f := w.text, &w.m.filter
	i := 0
	// Each step of the inner loop tests four offsets. passesRest may read eight bytes
	// from the last of these offsets on.
	const ahead = 8 + 3
	for i+ahead <= len(text) {
		// Offsets are relative to the block, because a text may be longer than 2
		// GiB.
		offsets, n := &w.offsets, uint64(0)
		near := text[i:min(len(text), i+block-1+ahead)]
		j := 0
		for end := min(len(near)-ahead+1, block); j < end; j += 4 {
			word := word64(near[j:j+8]) | fold
			offsets[n%block] = int32(j)
			n += f.begins(word)
			offsets[n%block] = int32(j + 1)
			n += f.begins(word >> 8)
			offsets[n%block] = int32(j + 2)
			n += f.begins(word >> 16)
			offsets[n%block] = int32(j + 3)
			n += f.begins(word >> 24)
		}
		for _, at := range offsets[:n] {
			if at := i + int(at); f.passesRest(text, at) {
				w.piecesAt(at)
			}
		}
		i += j
	}
	for ; i < len(text); i++ {
		if f.begins(lastWord(text, i)|fold) != 0 {
			w.piecesAt(i)
		}
	}
}

// lastWord is like word64(text[i:]), with zeros after the end of text. The zeros
// never make the filter reject a match.
func lastWord(text string, i int) (word uint64) {
	if last := len(text) - 8; last >= 0 {
		if i <= last {
			return word64(text[i : i+8])
		}
		return word64(text[last:]) >> (8 * (i - last) & 63)
	}
	for j := len(text) - 1; j >= i; j-- {
		word = word<<8 | uint64(text[j])
	}
	return word
}

// word64 reads eight bytes in little-endian order.
func word64(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// piecesAt finds all pieces that match at offset i.
func (w *walk) piecesAt(i int) {
	t, text := &w.m.table, w.text
	e := uint32(t.roots[w.kindAt(i-1)])
	for end := i; ; end++ {
		if e&uint32(acceptFlag) != 0 {
			w.accept(state(e), i, end)
		}
		if end == len(text) {
			return
		}
		column := uint32(t.classes[text[end]])
		e = t.edges[e&uint32(baseMask)+column]
		if e>>columnOf != column {
			return
		}
	}
}

// accept records the pieces that end in state s. text[i:end] leads to that state.
func (w *walk) accept(s state, i, end int) {
	m := w.m
	before, after := w.kindAt(end-1), w.kindAt(end)
	for at := m.step(s, acceptColumn); ; at++ {
		a := &m.accepts[at]
		if holds(a.when, before, after) && (!a.exact || w.hasExactCase(a, i, end)) {
			a, at = w.recordPiece(at, i, end)
		} else {
			for ; a.same; a = &m.accepts[at] {
				at++
			}
		}
		if !a.more {
			return
		}
	}
}

// recordPiece records that a piece matches text[start:end]. It returns the piece's
// last accept entry and the index of that entry.
func (w *walk) recordPiece(firstEntry state, start, end int) (a *accept, at state) {
	j, matters := &w.joiner, false
	for at = firstEntry; ; at++ {
		a = &w.m.accepts[at]
		switch {
		case !a.isStage:
			w.set[a.id/64] |= 1 << (a.id % 64)
		case a.parent < 0:
			j.seen.add(a.id)
			matters = true
		case j.seen.has(a.parent) || w.m.filter.empty:
			j.seen.add(a.id)
			j.awaited.add(a.parent)
			matters = true
		}
		if !a.same {
			break
		}
	}
	if matters {
		if len(w.matches) >= w.room.grow {
			w.extendMatches(start)
		}
		w.matches = append(w.matches, pieceMatch{accepts: int32(firstEntry), start: start, end: end})
	}
	return a, at
}

// kindAt returns the kind of the byte at offset i. The kind outside of the text is
// textEdge.
func (w *walk) kindAt(i int) kind {
	if i < 0 || i >= len(w.text) {
		return textEdge
	}
	return kindOf[w.text[i]]
}
