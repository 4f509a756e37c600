package scan

import (
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
	short  [1 << (16 - 6)]uint64
	shorts bool // there are any
	empty  bool // a match may be empty, so it may begin anywhere
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
	b := f.four[h>>6] >> (h & 63)
	if f.shorts {
		b |= f.short[uint16(window)>>6] >> (window & 63)
	}
	return b & 1
}

// goesOn reports whether a match that begins with the first four bytes of
// window may go on with the next four.
func (f *filter) goesOn(window uint64) bool {
	h, long := hashFour(window), hash(window)
	return f.walk[h>>6]>>(h&63)&1 != 0 || f.short[uint16(window)>>6]>>(window&63)&1 != 0 ||
		f.eight[long>>6]>>(long&63)&1 != 0
}

// Where a pattern goes on over more than manyBytes bytes, the filter is no use,
// and looks only at what stands before; likewise where what stands there goes on
// in more than manyWays ways to each next byte, or allWays were tried for the
// whole set.
const (
	manyBytes = 128
	manyWays  = 1 << 9
	allWays   = 1 << 20
)

// A way to begin a match: a state, and the bytes that lead to it.
type way struct {
	s      state
	window uint64
}

// build fills the filter with all ways to begin a match.
func (f *filter) build(t *table) {
	x := explorer{table: t, filter: f}
	for i := range x.left {
		x.left[i] = allWays
	}
	for c, class := range t.classes {
		if c := byte(c) | fold&0xff; !slices.Contains(x.bytesOf[class], c) {
			x.bytesOf[class] = append(x.bytesOf[class], c)
		}
	}
	var roots []state
	for _, root := range t.roots {
		f.empty = f.empty || root&acceptFlag != 0
		roots = append(roots, root)
	}
	x.each(roots, 0, 0, 1, func(first uint64, s []state) {
		x.each(s, first, 1, 2, func(pair uint64, s []state) {
			x.each(s, pair, 2, 4, func(four uint64, s []state) {
				add(&f.four, hashFour(four))
				x.each(s, four, 4, 8, func(eight uint64, _ []state) {
					add(&f.eight, hash(eight))
				})
			})
		})
	})
}

// explorer finds the ways to begin a match, and tells the filter where it stops.
type explorer struct {
	*table
	filter  *filter
	bytesOf [256][]byte // by class, folded
	left    [9]int      // ways that may still be tried, by their length
}

// each calls found for every window of end bytes that a window of n bytes,
// which leads to the states, goes on to, and with the states that this leads
// to. Behind a first byte, it stops where there is no telling. It goes in order,
// so that the same patterns always make the same filter.
func (x *explorer) each(states []state, window uint64, n, end int, found func(window uint64, states []state)) {
	mayStop := n > 0
	ways := map[way]bool{}
	for _, s := range states {
		ways[way{s, window}] = true
	}
	most := 0
	for at := n; at < end; at++ {
		longer := map[way]bool{}
		stop := mayStop && x.left[end] <= 0
		for w := range ways {
			if stop = stop || mayStop && x.open(w.s); stop {
				break
			}
			x.extend(longer, w, at)
			stop = mayStop && len(longer) > manyWays
		}
		if stop {
			x.left[end] -= manyWays
			x.filter.stop(window, n)
			return
		}
		ways, most = longer, max(most, len(longer)) // those that end soon were tried too
	}
	x.left[end] -= most
	leadTo := map[uint64][]state{}
	for w := range ways {
		leadTo[w.window] = append(leadTo[w.window], w.s)
	}
	for _, window := range slices.Sorted(maps.Keys(leadTo)) {
		found(window, leadTo[window])
	}
}

// extend adds to ways those that are one byte longer than w, which has n.
func (x *explorer) extend(ways map[way]bool, w way, n int) {
	for class := uint32(acceptColumn + 1); class < x.columns; class++ {
		if next := x.step(w.s, class); next != 0 {
			for _, c := range x.bytesOf[class] {
				ways[way{next, w.window | uint64(c)<<(8*n)}] = true
			}
		}
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
		f.shorts = true
	default:
		for next := range uint64(256) {
			f.stop(window|next<<8, 2)
		}
	}
}

// open reports whether a match may end in s, or goes on over so many bytes that
// they tell nothing.
func (t *table) open(s state) bool {
	if s&acceptFlag != 0 {
		return true
	}
	n := 0
	for _, class := range t.classes {
		if t.step(s, uint32(class)) != 0 {
			n++
		}
	}
	return n > manyBytes
}
