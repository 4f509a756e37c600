package scan

import "math/bits"

// placer finds free entries in one array for sets of columns. Each set begins at an
// offset of its own, which is called its place. The entry for column c has the index
// place+c.
type placer struct {
	used  bitRow // the entries that are taken
	owned bitRow // the places at which a set begins
	first int    // all entries before this index are taken or hard to use
	end   int    // end of the used entries
}

// find looks for a place in the table where all entries for columns are free. It
// marks these entries as used and returns the place. columns must be sorted. looks
// is the number of tests, each of 64 places.
func (p *placer) find(columns []uint32) (place uint32, looks int) {
	const tries = 1 << 10
	for p.used.has(p.first) {
		p.first++
	}
	begin := max(1, p.first-int(columns[0]))
	at := begin
	for ; ; at += 64 {
		looks++
		free := ^p.owned.word(at)
		for _, c := range columns {
			if free &^= p.used.word(at + int(c)); free == 0 {
				break
			}
		}
		if free != 0 {
			at += bits.TrailingZeros64(free)
			break
		}
	}
	for _, c := range columns {
		p.used.set(at + int(c))
	}
	p.owned.set(at)
	p.end = max(p.end, at+int(columns[len(columns)-1])+1)
	if at-begin > tries {
		p.first += tries / 2
	}
	return uint32(at), looks
}

// bitRow is a growing row of bits. Bits beyond its end are 0.
type bitRow []uint64

func (r bitRow) has(i int) bool { return i/64 < len(r) && r[i/64]>>(i%64)&1 != 0 }

func (r *bitRow) set(i int) {
	for i/64 >= len(*r) {
		*r = append(*r, 0)
	}
	(*r)[i/64] |= 1 << (i % 64)
}

// word returns the 64 bits that begin at bit i. Bit i is the lowest bit of the
// result.
func (r bitRow) word(i int) (w uint64) {
	if i/64 < len(r) {
		w = r[i/64] >> (i % 64)
	}
	if i/64+1 < len(r) {
		w |= r[i/64+1] << (64 - i%64) // adds nothing if i is a multiple of 64
	}
	return w
}
