package scan

import (
	"fmt"
	"unicode/utf8"
)

// Matcher is a compiled set of patterns. It is immutable and safe for
// concurrent use.
type Matcher struct {
	table
	pieces   []piece
	patterns int
}

// PatternError says which pattern of a set is at fault.
type PatternError struct {
	Index int // in the list given to Compile
	Err   error
}

func (e *PatternError) Error() string { return fmt.Sprintf("pattern %d: %v", e.Index, e.Err) }

func (e *PatternError) Unwrap() error { return e.Err }

// Compile builds a matcher for patterns in Go regexp syntax, which ignore case
// unless they say (?-i). Its error is a [*PatternError].
func Compile(exprs []string) (*Matcher, error) {
	parsed := make([][]chain, len(exprs))
	for i, expr := range exprs {
		var err error
		if parsed[i], err = parse(expr); err != nil {
			return nil, &PatternError{i, err}
		}
	}
	m, err := build(parsed)
	if err != nil {
		return nil, &PatternError{largest(parsed), err}
	}
	return m, nil
}

func build(parsed [][]chain) (*Matcher, error) {
	p := &program{ids: map[node]int32{}}
	for i, chains := range parsed {
		for _, c := range chains {
			p.add(i, c)
		}
	}
	t, err := determinize(p)
	if err != nil {
		return nil, err
	}
	return &Matcher{table: *t, pieces: p.pieces, patterns: len(parsed)}, nil
}

// largest finds the pattern that a set is too large because of.
func largest(parsed [][]chain) int {
	worst, states := 0, 0
	for i, chains := range parsed {
		m, err := build([][]chain{chains})
		if err != nil {
			return i
		}
		if n := m.states; n > states {
			worst, states = i, n
		}
	}
	return worst
}

// Words returns the length of the set that [Matcher.Match] fills: a bit for
// each pattern.
func (m *Matcher) Words() int { return (m.patterns + 63) / 64 }

// Stats says how large the automaton is.
func (m *Matcher) Stats() (states, classes, tableBytes int) {
	return m.states, int(m.stride), 8 * (len(m.rows) + len(m.sparse))
}

// Texts below this length are walked by one cursor: the others would spend
// more on finishing their neighbours' matches than they save.
const minSplit = 64

// Match sets the bit of every pattern that matches text; it clears none. set
// has at least [Matcher.Words] words.
func (m *Matcher) Match(set []uint64, text string) {
	if !utf8.ValidString(text) {
		text = repair(text)
	}
	w := walk{m: m, set: set, text: text}
	if len(text) < minSplit {
		s := m.starts[textEdge]
		w.enter(s, 0)
		w.last(s, 0)
	} else {
		w.four()
	}
	if w.n > 0 {
		m.join(set, text, w.hits[:min(w.n, len(w.hits))], w.more)
	}
}

// repair replaces every byte that is not part of valid UTF-8 by U+FFFD, which
// is how package regexp sees it.
func repair(text string) string {
	b := make([]byte, 0, len(text)+len(text)/8)
	for _, r := range text {
		b = utf8.AppendRune(b, r)
	}
	return string(b)
}

// walk is one pass over a text.
type walk struct {
	m    *Matcher
	set  []uint64
	text string
	n    int     // hits in all
	hits [32]hit // the first of them
	more *[]hit  // the others; a pointer, so that a walk without them stays off the heap
}

// enter takes note of what a state accepts that was reached at position end.
func (w *walk) enter(s state, end int) {
	m := w.m
	if s&acceptFlag == 0 {
		return
	}
	for _, a := range m.accepts[m.step(s, m.acceptColumn())] {
		if a.when != 0 && !holds(a.when, w.kindAt(end-1), w.kindAt(end)) {
			continue
		}
		p := &m.pieces[a.piece]
		if p.alone {
			w.set[p.pattern/64] |= 1 << (p.pattern % 64)
			continue
		}
		h := hit{piece: a.piece, runes: a.runes, end: int32(end)}
		if a.delayed {
			h.end--
		}
		w.hit(h)
	}
}

func (w *walk) hit(h hit) {
	switch {
	case w.n < len(w.hits):
		w.hits[w.n] = h
	case w.more == nil:
		w.more = &[]hit{h}
	default:
		*w.more = append(*w.more, h)
	}
	w.n++
}

// kindAt returns the kind of the byte at i.
func (w *walk) kindAt(i int) kind {
	if i < 0 || i >= len(w.text) {
		return textEdge
	}
	return kindOf(w.text[i])
}

// last walks from state s at position i to the end of the text and over it.
func (w *walk) last(s state, i int) {
	t := &w.m.table
	for ; i < len(w.text); i++ {
		s = t.step(s, uint(t.classes[w.text[i]]))
		if s&acceptFlag != 0 {
			w.enter(s, i+1)
		}
	}
	// What the end of the text decides is seen one byte late.
	w.enter(t.step(s, t.endColumn()), len(w.text)+1)
}

// four walks the text with four cursors, each over a quarter.
func (w *walk) four() {
	t, text := &w.m.table, w.text
	q := len(text) / 4
	t0, t1, t2, t3 := text[:q], text[q:2*q], text[2*q:3*q], text[3*q:4*q]
	s0, s1, s2, s3 := t.starts[textEdge], t.starts[kindOf(t0[q-1])], t.starts[kindOf(t1[q-1])], t.starts[kindOf(t2[q-1])]
	w.enter(s0, 0)
	rows, sparse, classes := t.rows, t.sparse, &t.classes
	t1, t2, t3 = t1[:len(t0)], t2[:len(t0)], t3[:len(t0)]
	for i := range len(t0) {
		c0, c1, c2, c3 := uint(classes[t0[i]]), uint(classes[t1[i]]), uint(classes[t2[i]]), uint(classes[t3[i]])
		e0, e1, e2, e3 := sparse[s0.sparse()+c0], sparse[s1.sparse()+c1], sparse[s2.sparse()+c2], sparse[s3.sparse()+c3]
		r0, r1, r2, r3 := rows[s0.row()+c0], rows[s1.row()+c1], rows[s2.row()+c2], rows[s3.row()+c3]
		if uint(e0>>ownerShift) == s0.sparse() {
			r0 = e0
		}
		if uint(e1>>ownerShift) == s1.sparse() {
			r1 = e1
		}
		if uint(e2>>ownerShift) == s2.sparse() {
			r2 = e2
		}
		if uint(e3>>ownerShift) == s3.sparse() {
			r3 = e3
		}
		s0, s1, s2, s3 = state(r0&stateMask), state(r1&stateMask), state(r2&stateMask), state(r3&stateMask)
		if (s0|s1|s2|s3)&acceptFlag != 0 {
			w.enter(s0, i+1)
			w.enter(s1, q+i+1)
			w.enter(s2, 2*q+i+1)
			w.enter(s3, 3*q+i+1)
		}
	}
	w.last(s3, 4*q)
	w.finish(s0, q)
	w.finish(s1, 2*q)
	w.finish(s2, 3*q)
}

// finish walks on from a cursor's end until nothing that began before it is
// alive any more.
func (w *walk) finish(s state, from int) {
	t := &w.m.table
	for i := from; i < len(w.text); i++ {
		if s.sparse() == 0 && i-from >= t.depth {
			return
		}
		s = t.step(s, uint(t.classes[w.text[i]]))
		if s&acceptFlag != 0 {
			w.enter(s, i+1)
		}
	}
	w.enter(t.step(s, t.endColumn()), len(w.text)+1)
}
