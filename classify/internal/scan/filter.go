package scan

import (
	"maps"
	"slices"
)

// filter tells where a match cannot begin, by the bytes that stand there. It
// is a Bloom filter with one hash: it may say yes to bytes that begin nothing,
// and never no to bytes that begin something.
//
// The first look is at four bytes, the second at eight, the third at the fifth to
// the twelfth.
type filter struct {
	four, eight, twelve bitmap
	// fourOnly holds those of four that the second look cannot decide: matches
	// that are shorter than eight bytes, or go on in too many ways. eightOnly
	// is the same of eight and the third look.
	fourOnly, eightOnly bitmap
	// short holds, by their first two bytes, matches of less than four bytes
	// and those that go on in too many ways before.
	short  [1 << (16 - 6)]uint64
	shorts bool // there are any
	empty  bool // a match may be empty, so it may begin anywhere
}

// bitmaps returns all there is in it but the flags.
func (f *filter) bitmaps() [][]uint64 {
	return [][]uint64{f.four[:], f.fourOnly[:], f.eight[:], f.eightOnly[:], f.twelve[:], f.short[:]}
}

const hashBits = 17

// bitmap is a set of hashes.
type bitmap [1 << (hashBits - 6)]uint64

func (b *bitmap) add(hash uint32) { b[hash>>6] |= 1 << (hash & 63) }

func (b *bitmap) has(hash uint32) bool { return b[hash>>6]>>(hash&63)&1 != 0 }

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
		b |= f.pair(window)
	}
	return b & 1
}

// pair has its lowest bit set if short has the first two bytes of window.
func (f *filter) pair(window uint64) uint64 {
	return f.short[uint16(window)>>6] >> (window & 63)
}

// goesOn reports whether a match that begins with the first four of the eight
// bytes of text at i may go on as the text does.
func (f *filter) goesOn(text string, i int) bool {
	window := word64(text[i:i+8]) | fold
	if f.fourOnly.has(hashFour(window)) || f.pair(window)&1 != 0 {
		return true
	}
	h := hash(window)
	return f.eight.has(h) && (i+12 > len(text) || f.eightOnly.has(h) || f.twelve.has(hash(word64(text[i+4:i+12])|fold)))
}

// Where a pattern goes on over more than manyBytes bytes, the filter is no use,
// and looks only at what stands before; likewise where what stands there goes on
// in more than manyWays ways to each next byte, or as many were tried for the
// whole set as it has states for: for the third look, which tells less, a quarter of them.
const (
	manyBytes = 128
	manyWays  = 1 << 9
	leastWays = 1 << 16
	allWays   = 1 << 20
	stateWays = 1 << 6 // for each state: a few classes of many runes need no more than leastWays
)

// A way to begin a match: a state, and the bytes that lead to it.
type way struct {
	s      state
	window uint64
}

// build fills the filter with all ways to begin a match.
func (f *filter) build(t *table) {
	x := explorer{table: t}
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
	most := min(leastWays+stateWays*t.states, allWays)
	one, two := look{0, 1, most}, look{1, 2, most}
	four, eight, twelve := look{2, 4, most}, look{4, 8, most}, look{4, 8, most >> 2}
	x.each(&one, roots, 0, nil, func(first uint64, s []state) {
		x.each(&two, s, first, func() { f.admitAll(first) }, func(pair uint64, s []state) {
			x.each(&four, s, pair, func() { f.admit(pair) }, func(begin uint64, s []state) {
				f.four.add(hashFour(begin))
				x.each(&eight, s, begin, func() { f.fourOnly.add(hashFour(begin)) }, func(window uint64, s []state) {
					f.eight.add(hash(window))
					x.each(&twelve, s, window>>32, func() { f.eightOnly.add(hash(window)) }, func(window uint64, _ []state) {
						f.twelve.add(hash(window))
					})
				})
			})
		})
	})
}

// admit lets all windows pass that begin with a pair of bytes.
func (f *filter) admit(pair uint64) {
	f.short[uint16(pair)>>6] |= 1 << (pair & 63)
}

// admitAll lets all windows pass that begin with a byte.
func (f *filter) admitAll(first uint64) {
	for next := range uint64(256) {
		f.admit(first | next<<8)
	}
}

// explorer finds the ways to begin a match.
type explorer struct {
	*table
	bytesOf [256][]byte // by class, folded
}

// A look goes from windows of so many bytes to longer ones.
type look struct {
	from, to int
	left     int // ways that may still be tried
}

// each calls found for every window that one which leads to the states goes on
// to, and with the states that this leads to; or stop where there is no telling,
// if it is not nil. It goes in order, so that the same patterns always make the
// same filter.
func (x *explorer) each(l *look, states []state, window uint64, stop func(), found func(window uint64, states []state)) {
	ways := map[way]bool{}
	for _, s := range states {
		ways[way{s, window}] = true
	}
	most := 0
	for at := l.from; at < l.to; at++ {
		longer := map[way]bool{}
		stopped := stop != nil && l.left <= 0
		for w := range ways {
			if stopped = stopped || stop != nil && x.open(w.s); stopped {
				break
			}
			x.extend(longer, w, at)
			stopped = stop != nil && len(longer) > manyWays
		}
		if stopped {
			l.left -= manyWays
			stop()
			return
		}
		ways, most = longer, max(most, len(longer)) // those that end soon were tried too
	}
	l.left -= most
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
