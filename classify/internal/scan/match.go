package scan

import (
	"fmt"
	"unicode/utf8"
)

// Matcher is a compiled set of patterns. It is immutable and safe for
// concurrent use.
type Matcher struct {
	automaton
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
	a, err := determinize(p)
	if err != nil {
		return nil, err
	}
	return &Matcher{automaton: *a, pieces: p.pieces, patterns: len(parsed)}, nil
}

// largest finds the pattern that a set is too large because of.
func largest(parsed [][]chain) int {
	worst, states := 0, 0
	for i, chains := range parsed {
		m, err := build([][]chain{chains})
		if err != nil {
			return i
		}
		if n := len(m.depth); n > states {
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
	return len(m.depth), m.stride, 2 * len(m.table)
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
	w := walk{m: m, set: set}
	if len(text) < minSplit {
		w.enter(int(m.starts[textEdge]), 0)
		w.one(m.starts[textEdge], text, 0)
	} else {
		w.four(text)
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
	n    int     // hits in all
	hits [32]hit // the first of them
	more []hit   // the others
}

// enter takes note of the accepts of a state that was reached at position end.
func (w *walk) enter(s, end int) {
	m := w.m
	if s < m.accepting {
		return
	}
	for _, a := range m.accepts[s-m.accepting] {
		p := &m.pieces[a.piece]
		if p.alone {
			w.set[p.pattern/64] |= 1 << (p.pattern % 64)
			continue
		}
		at := end
		if a.delayed {
			at--
		}
		h := hit{piece: a.piece, runes: a.runes, end: int32(at)}
		if w.n < len(w.hits) {
			w.hits[w.n] = h
		} else {
			w.more = append(w.more, h)
		}
		w.n++
	}
}

// one walks text, which ends the whole text, from state s. Its first byte
// stands at position from.
func (w *walk) one(s uint16, text string, from int) {
	m := w.m
	table, stride, accepting := m.table, m.stride, m.accepting
	state := int(s)
	for i := range len(text) {
		state = int(table[state*stride+int(m.classes[text[i]])])
		if state >= accepting {
			w.enter(state, from+i+1)
		}
	}
	w.end(state, from+len(text))
}

// end takes the step over the end of the text. What matches there was seen one
// byte late.
func (w *walk) end(state, length int) {
	m := w.m
	w.enter(int(m.table[state*m.stride+m.stride-1]), length+1)
}

// four walks text with four cursors, each over a quarter.
func (w *walk) four(text string) {
	m := w.m
	table, stride, accepting, classes := m.table, m.stride, m.accepting, &m.classes
	q := len(text) / 4
	t0, t1, t2, t3 := text[:q], text[q:2*q], text[2*q:3*q], text[3*q:]
	s0 := int(m.starts[textEdge])
	s1 := int(m.starts[kindOf(text[q-1])])
	s2 := int(m.starts[kindOf(text[2*q-1])])
	s3 := int(m.starts[kindOf(text[3*q-1])])
	w.enter(s0, 0)
	t1, t2, u3 := t1[:len(t0)], t2[:len(t0)], t3[:len(t0)]
	for i := range len(t0) {
		s0 = int(table[s0*stride+int(classes[t0[i]])])
		s1 = int(table[s1*stride+int(classes[t1[i]])])
		s2 = int(table[s2*stride+int(classes[t2[i]])])
		s3 = int(table[s3*stride+int(classes[u3[i]])])
		if s0 >= accepting || s1 >= accepting || s2 >= accepting || s3 >= accepting {
			w.enter(s0, i+1)
			w.enter(s1, q+i+1)
			w.enter(s2, 2*q+i+1)
			w.enter(s3, 3*q+i+1)
		}
	}
	w.one(uint16(s3), t3[q:], 4*q)
	w.finish(s0, text, q)
	w.finish(s1, text, 2*q)
	w.finish(s2, text, 3*q)
}

// finish walks on from a cursor's end until nothing that began before it is
// alive any more.
func (w *walk) finish(state int, text string, from int) {
	m := w.m
	for i := from; ; i++ {
		if int(m.depth[state]) <= i-from && m.depth[state] < maxDepth {
			return
		}
		if i == len(text) {
			w.end(state, i)
			return
		}
		state = int(m.table[state*m.stride+int(m.classes[text[i]])])
		if state >= m.accepting {
			w.enter(state, i+1)
		}
	}
}
