package scan

import "math/bits"

// placer lays out sparse rows in one array. The entry of a row for column c is at
// base+c.
type placer struct {
	used  bitRow // the entries in use
	owned bitRow // the bases of all rows so far
	first int    // no entry before this index is tried
	end   int    // end of the used entries
}

// find returns a base for which all entries of a new row are free, and marks these
// entries as used. columns has the columns of the row, sorted. find tests 64 bases at a
// time. The result tests is the number of these tests.
func (p *placer) find(columns []uint32) (base uint32, tests int) {
	const tries = 1 << 10
	for p.used.has(p.first) {
		p.first++
	}
	begin := max(1, p.first-int(columns[0]))
	at := begin
	for ; ; at += 64 {
		tests++
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
	return uint32(at), tests
}

// bitRow is a list of bits that grows as needed. Bits beyond its end are 0.
type bitRow []uint64

func (r bitRow) has(i int) bool { return i/64 < len(r) && r[i/64]>>(i%64)&1 != 0 }

func (r *bitRow) set(i int) {
	for i/64 >= len(*r) {
		*r = append(*r, 0)
	}
	(*r)[i/64] |= 1 << (i % 64)
}

// word returns the 64 bits from bit i on. Bit i is the lowest bit of the result.
func (r bitRow) word(i int) (w uint64) {
	if i/64 < len(r) {
		w = r[i/64] >> (i % 64)
	}
	if i/64+1 < len(r) {
		w |= r[i/64+1] << (64 - i%64) // adds nothing if i is a multiple of 64
	}
	return w
}
