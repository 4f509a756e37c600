package scan

import (
	"cmp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// byteLoop is a loop of a gap, ready to be run backwards over a text.
type byteLoop struct {
	class *syntax.Regexp
	line  bool      // class is all but the newline
	ascii [128]bool // the class's ASCII part
	min   int       // not 0 only where the gap is one loop
	max   int
}

func byteLoops(g gap) []byteLoop {
	loops := make([]byteLoop, len(g))
	for i, l := range g {
		loops[i] = byteLoop{class: l.class, line: l.class.Op == syntax.OpAnyCharNotNL, min: l.min, max: l.max}
		for r := range rune(128) {
			loops[i].ascii[r] = inClass(l.class, r)
		}
		if !loops[i].line && l.class.Op == syntax.OpCharClass {
			loops[i].line = isLine(l.class.Rune)
		}
	}
	return loops
}

// isLine reports whether bounds are those of [^\n].
func isLine(bounds []rune) bool {
	return slices.Equal(bounds, []rune{0, '\n' - 1, '\n' + 1, utf8.MaxRune})
}

// back returns how far the loop reaches from the end of text towards its
// beginning: the length of what is left.
func (l *byteLoop) back(text string) int {
	if l.line {
		left := strings.LastIndexByte(text, '\n') + 1
		if l.max < 0 || len(text)-left <= l.max {
			return left
		}
		end := len(text)
		for range l.max {
			if end <= left {
				return left
			}
			_, n := utf8.DecodeLastRuneInString(text[:end])
			end -= n
		}
		return max(end, left)
	}
	end := len(text)
	for n := 0; end > 0 && (l.max < 0 || n < l.max); n++ {
		r, size := rune(text[end-1]), 1
		if r < utf8.RuneSelf {
			if !l.ascii[r] {
				break
			}
		} else if r, size = utf8.DecodeLastRuneInString(text[:end]); !inClass(l.class, r) {
			break
		}
		end -= size
	}
	return end
}

// spans reports whether a gap may be exactly text. The last loop takes as much
// as it can, which never takes anything away from those before it that they
// need: what they have to cover only becomes shorter.
func spans(loops []byteLoop, text string) bool {
	for i := len(loops) - 1; i >= 0 && text != ""; i-- {
		text = text[:loops[i].back(text)]
	}
	return text == ""
}

// A hit is a piece of a pattern with gaps, or an empty match, in the text.
type hit struct {
	piece int32
	start int32
	end   int32
	prev  int32 // the hit of the same piece before, among those that count; -1 = none
}

// joiner puts hits together. latest is, by piece, the last hit that counts.
type joiner struct {
	hits   []hit
	latest []int32
}

var joiners = sync.Pool{New: func() any { return new(joiner) }}

// join adds to set the patterns whose pieces were all seen, in order, with
// their gaps between them. A hit of a first piece counts; another counts if
// one of the piece before it ends where the gap allows. Of those that leave the
// gap as long as it has to be, the last decides: a longer gap only has more
// runes that may be wrong or too many.
func (m *Matcher) join(set []uint64, text string, hits []hit, more *[]hit) {
	j := joiners.Get().(*joiner)
	j.hits = append(j.hits[:0], hits...)
	if more != nil {
		j.hits = append(j.hits, *more...)
	}
	slices.SortFunc(j.hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.end, b.end), cmp.Compare(a.piece, b.piece))
	})
	if len(j.latest) < len(m.pieces) {
		j.latest = make([]int32, len(m.pieces))
		for i := range j.latest {
			j.latest[i] = -1
		}
	}
	for i := range j.hits {
		h := &j.hits[i]
		p := &m.pieces[h.piece]
		if h.start == h.end && int(h.end) < len(text) && !utf8.RuneStart(text[h.end]) {
			continue // an empty match inside a rune, where package regexp does not look
		}
		if p.gap != nil && !j.follows(m, h, text) {
			continue
		}
		if p.last {
			set[p.pattern/64] |= 1 << (p.pattern % 64)
			continue
		}
		h.prev = j.latest[h.piece]
		j.latest[h.piece] = int32(i)
	}
	for i := range j.hits {
		j.latest[j.hits[i].piece] = -1
	}
	joiners.Put(j)
}

// follows reports whether h stands behind a hit of the piece before it.
func (j *joiner) follows(m *Matcher, h *hit, text string) bool {
	at := j.latest[h.piece-1]
	if at < 0 {
		return false
	}
	start := int(h.start)
	gap := m.pieces[h.piece].gap
	for ; at >= 0; at = j.hits[at].prev {
		end := int(j.hits[at].end)
		if end > start || gap[0].min > 0 && !atLeast(text[end:start], gap[0].min) {
			continue
		}
		return spans(gap, text[end:start])
	}
	return false
}

// atLeast reports whether text has n runes or more.
func atLeast(text string, n int) bool {
	return len(text) >= n && (len(text) >= utf8.UTFMax*n || utf8.RuneCountInString(text) >= n)
}
