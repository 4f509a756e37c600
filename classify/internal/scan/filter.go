package scan

// filter tells where a match cannot begin, by the four bytes that stand there.
// It is a Bloom filter with one hash: it may say yes to four bytes that begin
// nothing, and never no to four that do.
type filter struct {
	bits [1 << (hashBits - 6)]uint64
	// short holds, by their first two bytes, matches of less than four bytes
	// and those that go on in too many ways.
	short [1 << (16 - 6)]uint64
	empty bool // a match may be empty, so it may begin anywhere
}

const hashBits = 15

// hash takes the next four bytes of a text, the first one lowest. Letters
// count the same in both cases.
func hash(window uint32) uint32 {
	return (window | 0x20202020) * 0x9e3779b1 >> (32 - hashBits)
}

func (f *filter) admits(window uint32) bool {
	h := hash(window)
	return f.bits[h>>6]>>(h&63)&1 != 0 || f.short[uint16(window)>>6]>>(window&63)&1 != 0
}

// manyBytes is how many ways to go on make a place in a pattern useless for
// the filter, which then looks only at what stands before it.
const manyBytes = 40

// way is a state that is reached over the first bytes of a window.
type way struct {
	s      state
	window uint32
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
	for n := range 4 {
		longer := map[way]bool{}
		for w := range ways {
			if n > 0 && (w.s&acceptFlag != 0 || n > 1 && t.outBytes(w.s, &bytesOf) > manyBytes) {
				f.addShort(w.window, n)
				continue
			}
			for class := range t.column {
				next := t.step(w.s, class)
				if next == 0 {
					continue
				}
				for _, c := range bytesOf[class] {
					if n >= 2 {
						c |= 0x20 // as hash does
					}
					longer[way{next, w.window | uint32(c)<<(8*n)}] = true
				}
			}
		}
		ways = longer
	}
	for w := range ways {
		h := hash(w.window)
		f.bits[h>>6] |= 1 << (h & 63)
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

// addShort admits all windows whose first n bytes, of which it looks at two,
// are those of window.
func (f *filter) addShort(window uint32, n int) {
	if n == 1 {
		for next := range uint32(256) {
			f.addShort(window|next<<8, 2)
		}
		return
	}
	f.short[uint16(window)>>6] |= 1 << (window & 63)
}
