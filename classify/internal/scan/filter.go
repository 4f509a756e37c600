package scan

import (
	"cmp"
	"maps"
	"slices"
)

// filter tells where a match cannot begin, by the bytes that stand there. It
// is a Bloom filter with one hash: it may say yes to bytes that begin nothing,
// and never no to bytes that begin something.
//
// The first look is at four bytes, the second at eight.
type filter struct {
	four [1 << (hashBits - 6)]uint64
	// walk holds those of four that the second look cannot decide: matches
	// that are shorter than eight bytes, or go on in too many ways.
	walk  [1 << (hashBits - 6)]uint64
	eight [1 << (hashBits - 6)]uint64
	// short holds, by their first two bytes, matches of less than four bytes
	// and those that go on in too many ways before.
	short [1 << (16 - 6)]uint64
	empty bool // a match may be empty, so it may begin anywhere
}

const hashBits = 17

// fold makes letters count the same in both cases. It is set in all windows:
// the next eight bytes of a text, the first one lowest.
const fold = 0x2020202020202020

// hash takes a window's eight bytes, hashFour its first four.
func hash(window uint64) uint32 {
	return uint32(window * 0x9e3779b97f4a7c15 >> (64 - hashBits))
}

func hashFour(window uint64) uint32 {
	return uint32(window) * 0x9e3779b1 >> (32 - hashBits)
}

// begins is not 0 if a match may begin with the first four bytes of window.
func (f *filter) begins(window uint64) uint64 {
	h := hashFour(window)
	return (f.four[h>>6]>>(h&63) | f.short[uint16(window)>>6]>>(window&63)) & 1
}

// goesOn reports whether a match that begins with the first four bytes of
// window may go on with the next four.
func (f *filter) goesOn(window uint64) bool {
	h, long := hashFour(window), hash(window)
	return f.walk[h>>6]>>(h&63)&1 != 0 || f.short[uint16(window)>>6]>>(window&63)&1 != 0 ||
		f.eight[long>>6]>>(long&63)&1 != 0
}

// Where a pattern goes on over more than manyBytes bytes, the filter is no use,
// and looks only at what stands before; likewise with more than manyWays.
const (
	manyBytes = 128
	manyWays  = 1 << 15
)

// way is a state that is reached over the first bytes of a window.
type way struct {
	s      state
	window uint64
}

func (w way) compare(v way) int {
	return cmp.Or(cmp.Compare(w.window, v.window), cmp.Compare(w.s, v.s))
}

// build fills the filter with all ways to begin a match.
func (f *filter) build(t *table) {
	var bytesOf [256][]byte // by class
	for c, class := range t.classes {
		bytesOf[class] = append(bytesOf[class], byte(c))
	}
	ways := map[way]bool{}
	for _, root := range t.roots {
		f.empty = f.empty || root&acceptFlag != 0
		ways[way{root, 0}] = true
	}
	for n := range 8 {
		longer := map[way]bool{}
		// In order, so that the same patterns always make the same filter.
		for _, w := range slices.SortedFunc(maps.Keys(ways), way.compare) {
			if n > 0 && (w.s&acceptFlag != 0 || t.outBytes(w.s, &bytesOf) > manyBytes || len(longer) > manyWays) {
				f.stop(w.window, n)
				continue
			}
			for class := range t.column {
				next := t.step(w.s, class)
				if next == 0 {
					continue
				}
				for _, c := range bytesOf[class] {
					c |= fold & 0xff
					longer[way{next, w.window | uint64(c)<<(8*n)}] = true
				}
			}
		}
		ways = longer
		if n == 3 {
			for w := range ways {
				add(&f.four, hashFour(w.window))
			}
		}
	}
	for w := range ways {
		add(&f.eight, hash(w.window))
	}
}

func add(bits *[1 << (hashBits - 6)]uint64, h uint32) { bits[h>>6] |= 1 << (h & 63) }

// stop admits all windows with these first n bytes.
func (f *filter) stop(window uint64, n int) {
	switch {
	case n >= 4:
		add(&f.walk, hashFour(window))
	case n >= 2:
		f.short[uint16(window)>>6] |= 1 << (window & 63)
	default:
		for next := range uint64(256) {
			f.stop(window|next<<8, 2)
		}
	}
}

// outBytes returns over how many bytes a state can be left.
func (t *table) outBytes(s state, bytesOf *[256][]byte) (n int) {
	for class := range t.column {
		if t.step(s, class) != 0 {
			n += len(bytesOf[class])
		}
	}
	return n
}
