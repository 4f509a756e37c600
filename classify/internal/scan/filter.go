package scan

import (
	"maps"
	"slices"
)

// filter rejects offsets of a text at which no match can begin. It is a Bloom filter
// with one hash function. It never rejects the beginning of a match.
//
// The three tests look at these bytes from the offset on:
//
//   - the first four
//   - the first eight
//   - the fifth to the twelfth
type filter struct {
	// Each test has a bitmap. The bitmap has the hashes of the bytes that pass.
	four, eight, twelve bitmap
	// After some beginnings, a match may be too short for the next test, or may
	// continue in too many ways. Then the filter does not apply the next tests:
	//
	//   - fourOnly has the first four bytes after which only the first test applies.
	//   - eightOnly has the first eight bytes after which the third test does not apply.
	fourOnly, eightOnly bitmap
	// short has the first two bytes after which none of the three tests applies.
	short  [1 << (16 - 6)]uint64
	shorts bool // whether short has any bytes
	empty  bool // a match may be empty, so no offset is rejected
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
// ASCII letter. These bits are set in every window, so that case is ignored. A
// window is the next eight bytes of a text as a little-endian uint64.
const fold = 0x2020202020202020

// hash hashes the eight bytes of a window. hashFour hashes the first four.
func hash(window uint64) uint32 {
	return uint32(window * 0x9e3779b97f4a7c15 >> (64 - hashBits))
}

func hashFour(window uint64) uint32 {
	return uint32(window) * 0x9e3779b1 >> (32 - hashBits)
}

// begins returns 1 if a match may begin with the first four bytes of window.
// Otherwise it returns 0.
func (f *filter) begins(window uint64) uint64 {
	h := hashFour(window)
	b := f.four[h>>6] >> (h & 63)
	if f.shorts {
		b |= f.pair(window)
	}
	return b & 1
}

// pair returns a number whose lowest bit is 1 if f.short has the first two bytes of
// window. The other bits have no meaning.
func (f *filter) pair(window uint64) uint64 {
	return f.short[uint16(window)>>6] >> (window & 63)
}

// passesRest reports whether an offset passes the second and the third test. The
// first test must have passed.
func (f *filter) passesRest(text string, i int) bool {
	window := word64(text[i:i+8]) | fold
	if f.fourOnly.has(hashFour(window)) || f.pair(window)&1 != 0 {
		return true
	}
	h := hash(window)
	return f.eight.has(h) && (i+12 > len(text) || f.eightOnly.has(h) || f.twelve.has(hash(word64(text[i+4:i+12])|fold)))
}

// These are limits of the method build. If one of them is exceeded, build leaves out
// a test of the filter:
//
//   - manyBytes is the largest number of different bytes that may come next in a match.
//   - manyPrefixes is the largest number of prefixes that begin with the same bytes.
//   - leastPrefixes, plus statePrefixes for each state, is the largest number of
//     prefixes of one test.
//   - allPrefixes is an upper bound of that sum, whatever the number of states.
//
// The third test may have only a quarter as many prefixes.
const (
	manyBytes     = 128
	manyPrefixes  = 1 << 9
	leastPrefixes = 1 << 16
	allPrefixes   = 1 << 20
	statePrefixes = 1 << 6 // a few classes of many runes need no more than leastPrefixes
)

// A prefix is a possible beginning of a match: some bytes as a window, and the state
// after these bytes.
type prefix struct {
	s      state
	window uint64
}

// build fills the filter from the prefixes of all possible matches.
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
	most := min(leastPrefixes+statePrefixes*t.states, allPrefixes)
	one, two := extension{0, 1, most}, extension{1, 2, most}
	four, eight, twelve := extension{2, 4, most}, extension{4, 8, most}, extension{4, 8, most >> 2}
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

// admit lets every window that begins with the given two bytes pass the filter.
func (f *filter) admit(pair uint64) {
	f.short[uint16(pair)>>6] |= 1 << (pair & 63)
}

// admitAll lets every window that begins with the byte b pass the filter.
func (f *filter) admitAll(b uint64) {
	for next := range uint64(256) {
		f.admit(b | next<<8)
	}
}

// explorer lists the prefixes of possible matches.
type explorer struct {
	*table
	bytesOf [256][]byte // the bytes of each class, with fold applied
}

// An extension describes how the method named each extends windows.
type extension struct {
	before, after int // lengths of the windows in bytes, before and after
	left          int // number of prefixes that may still be tried
}

// each extends a window from l.before to l.after bytes, in every way in which a match
// can continue. The argument states has the states after the window. The function visit
// is called for every extended window, in ascending order.
//
// If a match may be shorter than l.after bytes, or if there are too many windows, only
// the function onLimit is called. If onLimit is nil, there are no limits.
func (x *explorer) each(l *extension, states []state, window uint64, onLimit func(), visit func(window uint64, states []state)) {
	prefixes := map[prefix]bool{}
	for _, s := range states {
		prefixes[prefix{s, window}] = true
	}
	most := 0
	for at := l.before; at < l.after; at++ {
		longer := map[prefix]bool{}
		stopped := onLimit != nil && l.left <= 0
		for p := range prefixes {
			if stopped = stopped || onLimit != nil && x.open(p.s); stopped {
				break
			}
			x.extend(longer, p, at)
			stopped = onLimit != nil && len(longer) > manyPrefixes
		}
		if stopped {
			l.left -= manyPrefixes
			onLimit()
			return
		}
		prefixes, most = longer, max(most, len(longer)) // the largest number of prefixes of any length
	}
	l.left -= most
	leadTo := map[uint64][]state{}
	for p := range prefixes {
		leadTo[p.window] = append(leadTo[p.window], p.s)
	}
	for _, window := range slices.Sorted(maps.Keys(leadTo)) {
		visit(window, leadTo[window])
	}
}

// extend extends p by every byte that may come next, and adds the results to the map
// all. The window of p has n bytes.
func (x *explorer) extend(all map[prefix]bool, p prefix, n int) {
	for class := uint32(acceptColumn + 1); class < x.columns; class++ {
		if next := x.step(p.s, class); next != 0 {
			for _, c := range x.bytesOf[class] {
				all[prefix{next, p.window | uint64(c)<<(8*n)}] = true
			}
		}
	}
}

// open reports whether a match may end in s. It also returns true if more than
// manyBytes bytes may come next.
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
