package scan

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// runes builds NFA nodes that match a class and then lead to the given next node.
// bounds has the first and the last rune of each range.
func (p *program) runes(bounds []rune, next int32) int32 {
	entry := int32(-1)
	if len(bounds) >= 4 && bounds[0] == bounds[1] && bounds[2] == bounds[3] && isCase(bounds[0], bounds[2]) {
		lower := bounds[0] | 0x20
		entry = p.node(node{op: opPair, lo: byte(lower &^ 0x20), hi: byte(lower), out: next})
		bounds = bounds[4:]
	}
	for i := 0; i+1 < len(bounds); i += 2 {
		for _, seq := range utf8Ranges(bounds[i], bounds[i+1]) {
			first := next
			for _, b := range slices.Backward(seq) {
				first = p.node(node{op: opByte, lo: b.lo, hi: b.hi, out: first})
			}
			if entry < 0 {
				entry = first
			} else {
				entry = p.node(node{op: opSplit, out: entry, alt: first})
			}
		}
	}
	if entry < 0 {
		return p.never()
	}
	return entry
}

// orbit returns the range {r, r}. If fold is true, it adds a range for each other
// case of r.
func orbit(r rune, fold bool) []rune {
	bounds := []rune{r, r}
	if fold {
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			bounds = append(bounds, f, f)
		}
	}
	return bounds
}

type byteRange struct{ lo, hi byte }

// utf8Ranges returns the UTF-8 encodings of the runes from lo to hi, as sequences of
// byte ranges. Surrogates have no encoding.
func utf8Ranges(lo, hi rune) [][]byteRange {
	var all [][]byteRange
	for lo <= hi {
		end := hi
		for _, edge := range [...]rune{0x7f, 0x7ff, 0xd7ff, 0xdfff, 0xffff} {
			if lo <= edge {
				end = min(hi, edge)
				break
			}
		}
		switch {
		case 0xd800 <= lo && lo <= 0xdfff: // surrogates
		case lo == 0x80 && end == 0x7ff: // all runes of two bytes: no split is needed
			all = append(all, []byteRange{{0xc2, 0xdf}, {0x80, 0xbf}})
		case lo == 0x10000 && end == unicode.MaxRune:
			all = append(all, []byteRange{{0xf0, 0xf4}, {0x80, 0xbf}, {0x80, 0xbf}, {0x80, 0xbf}})
		case lo == 0x800 && end == 0xd7ff && hi >= 0xffff:
			// The ranges include the surrogates, which valid UTF-8 does not have.
			all = append(all, []byteRange{{0xe0, 0xef}, {0x80, 0xbf}, {0x80, 0xbf}})
			end = 0xffff
		default:
			all = append(all, split(lo, end)...)
		}
		lo = end + 1
	}
	return all
}

// split returns the UTF-8 encodings of the runes from lo to hi. All must have the
// same number of bytes.
func split(lo, hi rune) [][]byteRange {
	if hi < utf8.RuneSelf {
		return [][]byteRange{{{byte(lo), byte(hi)}}}
	}
	for shift := 6; shift <= 18; shift += 6 {
		low := rune(1)<<shift - 1 // the bits below shift
		if lo&^low == hi&^low {
			break // the bytes before the last ones are equal
		}
		if lo&low != 0 {
			return append(split(lo, lo|low), split(lo|low+1, hi)...)
		}
		if hi&low != low {
			return append(split(lo, hi&^low-1), split(hi&^low, hi)...)
		}
	}
	first, last := utf8.AppendRune(nil, lo), utf8.AppendRune(nil, hi)
	seq := make([]byteRange, len(first))
	for i := range seq {
		seq[i] = byteRange{first[i], last[i]}
	}
	return [][]byteRange{seq}
}

func isCase(a, b rune) bool { return isASCIILetter(a) && a^b == 0x20 }
