package scan

import (
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
	"regexp/syntax"
)

// AppendBinary appends the encoding of m to b. [Load] decodes it. A program can
// embed the encoding to avoid compiling the patterns.
func (m *Matcher) AppendBinary(b []byte) ([]byte, error) {
	number := func(n int) { b = binary.AppendUvarint(b, uint64(n)) }
	list := func(numbers []int32) {
		number(len(numbers))
		for _, n := range numbers {
			number(int(n))
		}
	}
	number(m.patterns)
	for _, t := range []*table{&m.table, &m.exact} {
		number(t.states)
		number(int(t.columns))
		b = append(b, t.classes[:]...)
		for _, s := range t.roots {
			number(int(s))
		}
		number(len(t.accepts))
		for _, a := range t.accepts {
			number(int(a.when))
			number(int(oneIf(a.same)))
			number(int(oneIf(a.more)))
			number(int(oneIf(a.isStage)))
			number(int(oneIf(a.exact)))
			number(int(a.id))
		}
		b = appendEdges(b, t.edges)
	}
	number(len(m.stages))
	for _, s := range m.stages {
		number(int(s.parent + 1))
		list(s.patterns)
		number(int(oneIf(s.inner)))
		number(len(s.gap))
		for _, l := range s.gap {
			list(l.runes)
			number(l.min)
			number(l.max + 1)
		}
	}
	number(int(oneIf(m.filter.empty)))
	for _, bitmap := range m.filter.bitmaps() {
		for _, word := range bitmap {
			b = binary.LittleEndian.AppendUint64(b, word)
		}
	}
	return b, nil
}

// appendEdges appends the entries of a table. One bit for each entry says whether the
// entry is in use. After the bits come all entries in use.
func appendEdges(b []byte, edges []uint32) []byte {
	b = binary.AppendUvarint(b, uint64(len(edges)))
	used := make([]byte, (len(edges)+7)/8)
	for i, e := range edges {
		if e != freeEntry {
			used[i/8] |= 1 << (i % 8)
		}
	}
	b = append(b, used...)
	for _, e := range edges {
		if e != freeEntry {
			b = binary.LittleEndian.AppendUint32(b, e)
		}
	}
	return binary.LittleEndian.AppendUint32(b, freeEntry) // edges reads one entry after the last
}

var errTruncated = errors.New("the table ends too early or is not one of this version")

// Load decodes a matcher from the output of [Matcher.AppendBinary]. The data must be
// trusted. If other data is given, Load or the matcher may panic.
func Load(data string) (*Matcher, error) {
	d := decoder{data: data}
	m := &Matcher{patterns: d.number(), table: d.table(), exact: d.table()}
	m.stages = make([]stage, d.count())
	for i := range m.stages {
		s := stage{parent: int32(d.number()) - 1, patterns: d.list(), inner: d.number() != 0}
		if n := d.count(); n > 0 {
			s.gap = make([]byteLoop, n)
		}
		for j := range s.gap {
			runes, least, most := d.list(), d.number(), d.number()-1
			s.gap[j] = newByteLoop(runes, least, most)
		}
		m.stages[i] = s
	}
	m.filter.empty = d.number() != 0
	for _, bitmap := range m.filter.bitmaps() {
		for i, words := 0, d.take(8*len(bitmap)); len(words) >= 8; i, words = i+1, words[8:] {
			bitmap[i] = word64(words)
		}
	}
	if d.failed {
		return nil, errTruncated
	}
	m.ready()
	return m, nil
}

// table decodes an automaton.
func (d *decoder) table() table {
	t := table{states: d.number(), columns: uint32(d.number())}
	copy(t.classes[:], d.take(len(t.classes)))
	for k := range t.roots {
		t.roots[k] = state(d.number())
	}
	t.accepts = make([]accept, d.count())
	for i := range t.accepts {
		t.accepts[i] = accept{
			when: syntax.EmptyOp(d.number()), same: d.number() != 0, more: d.number() != 0,
			isStage: d.number() != 0, exact: d.number() != 0, id: int32(d.number()),
		}
	}
	t.edges = d.edges()
	return t
}

// edges decodes the output of appendEdges. The loop does not branch on whether an
// entry is in use, because the CPU would mispredict.
func (d *decoder) edges() []uint32 {
	n := d.number()
	if n > 8*len(d.data) {
		d.failed = true
		return nil
	}
	used := d.take((n + 7) / 8)
	count := 0
	for i := range len(used) {
		count += bits.OnesCount8(used[i])
	}
	words := d.take(4 * (count + 1))
	if d.failed {
		return nil
	}
	edges := make([]uint32, n)
	at := 0
	for i := range edges {
		bit := uint32(used[i/8] >> (i % 8) & 1)
		edges[i] = word32(words[at:])&-bit | freeEntry&^-bit
		at += int(4 * bit)
	}
	return edges
}

func word32(s string) uint32 {
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

// decoder reads numbers and bytes from the start of data.
type decoder struct {
	data   string
	failed bool
}

func (d *decoder) number() int {
	var n uint64
	for shift := 0; ; shift += 7 {
		if d.data == "" || shift > 56 {
			d.failed = true
			return 0
		}
		c := d.data[0]
		d.data = d.data[1:]
		n |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return int(min(n, math.MaxInt32))
		}
	}
}

// count reads the length of a list. It fails if the length is greater than the number
// of bytes left.
func (d *decoder) count() int {
	n := d.number()
	if n > len(d.data) {
		d.failed = true
		return 0
	}
	return n
}

func (d *decoder) list() []int32 {
	n := d.count()
	if n == 0 {
		return nil
	}
	all := make([]int32, n)
	for i := range all {
		all[i] = int32(d.number())
	}
	return all
}

func (d *decoder) take(n int) string {
	if n > len(d.data) {
		d.failed = true
		return ""
	}
	s := d.data[:n]
	d.data = d.data[n:]
	return s
}
