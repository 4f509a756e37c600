package scan

import (
	"maps"
	"slices"
)

// filter rejects offsets of a text at which no match can begin. It is a Bloom filter
// with one hash function: it may let such an offset pass, but it never rejects an
// offset at which a match begins.
//
// It makes up to three tests: of the first four bytes at the offset, of the first
// eight bytes, and of the fifth to the twelfth byte.
type filter struct {
	// There is one bitmap for each test. It has the hashes of the bytes that pass
	// the test.
	four, eight, twelve bitmap
	// fourOnly has the prefixes of four bytes for which the second test is left out.
	// A match with such a prefix may be shorter than eight bytes, or may continue in
	// too many ways. eightOnly has the prefixes of eight bytes for which the third
	// test is left out.
	fourOnly, eightOnly bitmap
	// short has the pairs of bytes for which all three tests are left out. A match
	// that begins with such a pair may be shorter than four bytes, or may continue
	// in too many ways.
	short  [1 << (16 - 6)]uint64
	shorts bool // short is not empty
	empty  bool // a match may be empty, so it may begin at any offset
}

// bitmaps returns all fields of f that are bitmaps, in the order of their encoding.
func (f *filter) bitmaps() [][]uint64 {
	return [][]uint64{f.four[:], f.fourOnly[:], f.eight[:], f.eightOnly[:], f.twelve[:], f.short[:]}
}

const hashBits = 17

// bitmap is a set of hashes, with one bit for each.
type bitmap [1 << (hashBits - 6)]uint64

func (b *bitmap) add(hash uint32) { b[hash>>6] |= 1 << (hash & 63) }

func (b *bitmap) has(hash uint32) bool { return b[hash>>6]>>(hash&63)&1 != 0 }

// fold has, in each of eight bytes, the bit that differs between the two cases of an
// ASCII letter. It is applied to every window, so that case is ignored. A window is
// the next eight bytes of a text as a little-endian word.
const fold = 0x2020202020202020

// hash hashes the eight bytes of a window. hashFour hashes the first four.
func hash(window uint64) uint32 {
	return uint32(window * 0x9e3779b97f4a7c15 >> (64 - hashBits))
}

func hashFour(window uint64) uint32 {
	return uint32(window) * 0x9e3779b1 >> (32 - hashBits)
}

// begins returns 1 if a match may begin with the first four bytes of window, and 0
// otherwise.
func (f *filter) begins(window uint64) uint64 {
	h := hashFour(window)
	b := f.four[h>>6] >> (h & 63)
	if f.shorts {
		b |= f.pair(window)
	}
	return b & 1
}

// pair sets the lowest bit of its result if f.short has the first two bytes of
// window. The other bits have no meaning.
func (f *filter) pair(window uint64) uint64 {
	return f.short[uint16(window)>>6] >> (window & 63)
}

// passesRest reports whether offset i of text passes the second and the third
// test. The first test must have passed.
func (f *filter) passesRest(text string, i int) bool {
	window := word64(text[i:i+8]) | fold
	if f.fourOnly.has(hashFour(window)) || f.pair(window)&1 != 0 {
		return true
	}
	h := hash(window)
	return f.eight.has(h) && (i+12 > len(text) || f.eightOnly.has(h) || f.twelve.has(hash(word64(text[i+4:i+12])|fold)))
}

// These are limits of build, which uses a shorter prefix of a match in these cases:
//   - A state has edges for more than manyBytes bytes.
//   - One prefix continues in more than manyWays ways.
//   - One test has tried leastWays ways plus stateWays for each state, or allWays
//     in total. The third test rejects fewer offsets, so it may try only a quarter
//     of the ways.
const (
	manyBytes = 128
	manyWays  = 1 << 9
	leastWays = 1 << 16
	allWays   = 1 << 20
	stateWays = 1 << 6 // a few classes of many runes need no more than leastWays
)

// A way is one possible beginning of a match: some bytes and the state to which
// these bytes lead.
type way struct {
	s      state
	window uint64
}

// build fills the filter with the prefixes of all possible matches.
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

// admit lets a window pass if it begins with the two bytes of pair.
func (f *filter) admit(pair uint64) {
	f.short[uint16(pair)>>6] |= 1 << (pair & 63)
}

// admitAll lets a window pass if its first byte is b.
func (f *filter) admitAll(b uint64) {
	for next := range uint64(256) {
		f.admit(b | next<<8)
	}
}

// explorer enumerates the ways to begin a match.
type explorer struct {
	*table
	bytesOf [256][]byte // the bytes of each class, with fold applied
}

// A look makes windows longer.
type look struct {
	from, to int // lengths of the windows, before and after
	left     int // number of ways that may still be tried
}

// each makes a window longer, from l.from to l.to bytes, in every way in which a
// match may continue. states are the states to which the bytes of the window lead.
// each calls found with every longer window and its states, in a fixed order.
//
// If a match may be shorter than the longer windows, or if there are too many ways,
// each calls stop instead. If stop is nil, there is no such limit.
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
		ways, most = longer, max(most, len(longer)) // ways that end before l.to count too
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

// extend adds to ways every extension of w by one byte. w has n bytes.
func (x *explorer) extend(ways map[way]bool, w way, n int) {
	for class := uint32(acceptColumn + 1); class < x.columns; class++ {
		if next := x.step(w.s, class); next != 0 {
			for _, c := range x.bytesOf[class] {
				ways[way{next, w.window | uint64(c)<<(8*n)}] = true
			}
		}
	}
}

// open reports whether a match may end in s or may continue with more than
// manyBytes different bytes.
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
