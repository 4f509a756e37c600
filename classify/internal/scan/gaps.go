package scan

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// byteLoop is a loop of a gap, ready to be run backwards over a text.
type byteLoop struct {
	runes []rune    // the class, as pairs of bounds
	line  bool      // it is all but the newline
	ascii [128]bool // its ASCII part
	min   int       // not 0 only where the gap is one loop
	max   int
}

func newByteLoop(runes []rune, least, most int) byteLoop {
	return byteLoop{
		runes: runes, min: least, max: most, ascii: asciiOf(runes),
		line: slices.Equal(runes, []rune{0, '\n' - 1, '\n' + 1, utf8.MaxRune}),
	}
}

// asciiOf returns the ASCII part of a class, given as pairs of bounds.
func asciiOf(bounds []rune) (holds [utf8.RuneSelf]bool) {
	for i := 0; i+1 < len(bounds); i += 2 {
		for r := bounds[i]; r <= min(bounds[i+1], utf8.RuneSelf-1); r++ {
			holds[r] = true
		}
	}
	return holds
}

// holdsRune reports whether r is in a class, given as pairs of bounds.
func holdsRune(bounds []rune, r rune) bool {
	for i := 0; i+1 < len(bounds); i += 2 {
		if bounds[i] <= r && r <= bounds[i+1] {
			return true
		}
	}
	return false
}

func byteLoops(g gap) []byteLoop {
	loops := make([]byteLoop, len(g))
	for i, l := range g {
		loops[i] = newByteLoop(boundsOf(l.class), l.min, l.max)
	}
	return loops
}

// back returns how far the loop reaches from the end of text towards its
// beginning: the length of what is left.
func (l *byteLoop) back(text string) int {
	if l.line {
		near := text // what the loop can reach at most
		if l.max >= 0 && len(text) > utf8.UTFMax*l.max {
			near = text[len(text)-utf8.UTFMax*l.max:]
		}
		left := len(text) - len(near) + strings.LastIndexByte(near, '\n') + 1
		if l.max < 0 || len(text)-left <= l.max {
			return left
		}
		end := len(text)
		for n := 0; n < l.max && end > left; n++ {
			_, size := utf8.DecodeLastRuneInString(text[:end])
			end -= size
		}
		return end
	}
	end := len(text)
	for n := 0; end > 0 && (l.max < 0 || n < l.max); n++ {
		r, size := rune(text[end-1]), 1
		if r < utf8.RuneSelf {
			if !l.ascii[r] {
				break
			}
		} else if r, size = utf8.DecodeLastRuneInString(text[:end]); !holdsRune(l.runes, r) {
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
	accepts    int32 // where those of the piece begin
	start, end int
}

// A mark is a stage that was reached.
type mark struct {
	end  int   // where its last piece ends
	prev int32 // the mark of the same stage before; -1 = none
}

// joiner puts hits together.
type joiner struct {
	round   uint32   // counts the texts
	seen    stageSet // those whose piece was seen, behind one of the stage before
	awaited stageSet // those behind whose piece one of the next stage was seen
	marks   []mark
	latest  []int32 // by stage: its last mark; -1 = none
	reached []int32 // the stages that have marks
	gaps    []known // by stage: what is known of the gap before it
}

// stageSet is a set of stages, a bit for each.
type stageSet []uint64

func (s stageSet) add(stage int32) { s[stage/64] |= 1 << (stage % 64) }

func (s stageSet) has(stage int32) bool { return s[stage/64]>>(stage%64)&1 != 0 }

// known is what was found out about text[end:start] as the gap of a stage. It
// keeps a long gap from being read again for every piece behind it.
type known struct {
	round      uint32 // of the joiner; what is known from another one does not count
	fits       bool
	end, start int
}

// begin makes room for a text.
func (j *joiner) begin(stages int) {
	if j.round++; j.round == 0 { // once around
		clear(j.gaps)
		j.round = 1
	}
	clear(j.seen)
	clear(j.awaited)
	for len(j.seen) < (stages+63)/64 {
		j.seen, j.awaited = append(j.seen, 0), append(j.awaited, 0)
	}
}

// join adds to the set the patterns whose pieces were all seen, in order, with
// their gaps between them.
func (w *walk) join() {
	j := &w.joiner
	hits := w.hits[:0]
	for _, h := range w.hits {
		if w.matters(h) {
			hits = append(hits, h)
		}
	}
	if len(hits) == 0 {
		return
	}
	sortHits(hits)
	for len(j.latest) < len(w.m.stages) {
		j.latest = append(j.latest, -1)
		j.gaps = append(j.gaps, known{})
	}
	for i := 0; i < len(hits); {
		// Of several pieces that are empty here, any may stand before any.
		end, empty := i, 0
		for ; end < len(hits) && hits[end].end == hits[i].end; end++ {
			if hits[end].start == hits[end].end {
				empty++
			}
		}
		for _, h := range hits[i : end-empty] {
			j.take(w, h)
		}
		if at := hits[i].end; at == len(w.text) || utf8.RuneStart(w.text[at]) {
			for range empty {
				for _, h := range hits[end-empty : end] {
					j.take(w, h)
				}
			}
		} // else inside a rune, where package regexp does not look
		i = end
	}
	for _, s := range j.reached {
		j.latest[s] = -1
	}
	j.marks, j.reached = j.marks[:0], j.reached[:0]
}

// sortHits orders hits by their ends, then by their beginnings. They come by
// their beginnings, so none is further from its place than there are hits
// within the longest piece, and inserting each is linear in the text.
func sortHits(hits []hit) {
	for i, h := range hits {
		at := i
		for ; at > 0 && (hits[at-1].end > h.end || hits[at-1].end == h.end && hits[at-1].start > h.start); at-- {
			hits[at] = hits[at-1]
		}
		hits[at] = h
	}
}

// matters reports whether a hit may end a pattern, or something came behind it.
func (w *walk) matters(h hit) bool {
	for at := h.accepts; ; at++ {
		a := &w.m.accepts[at]
		if a.isStage && (a.ends || w.joiner.awaited.has(a.id)) {
			return true
		}
		if !a.same {
			return false
		}
	}
}

// take marks the stages that a hit reaches.
func (j *joiner) take(w *walk, h hit) {
	for at := h.accepts; ; at++ {
		a := &w.m.accepts[at]
		if a.isStage && j.reaches(w, a.id, h) {
			j.reach(w, a.id, h)
		}
		if !a.same {
			return
		}
	}
}

// reaches reports whether a hit is the piece of a stage, behind one of the stage
// before.
func (j *joiner) reaches(w *walk, at int32, h hit) bool {
	s := &w.m.stages[at]
	if s.parent < 0 {
		return true
	}
	if j.latest[s.parent] < 0 || !s.inner && w.hasAll(s.patterns) {
		return false
	}
	return j.follows(w.text, s, &j.gaps[at], h.start)
}

// reach marks a stage.
func (j *joiner) reach(w *walk, at int32, h hit) {
	s := &w.m.stages[at]
	for _, pattern := range s.patterns {
		w.set[pattern/64] |= 1 << (pattern % 64)
	}
	if !s.inner {
		return
	}
	if j.latest[at] < 0 {
		j.reached = append(j.reached, at)
	}
	j.marks = append(j.marks, mark{end: h.end, prev: j.latest[at]})
	j.latest[at] = int32(len(j.marks) - 1)
}

// follows reports whether a piece that begins at start stands behind a mark of
// the stage before s. Of the marks that leave the gap as long as it has to be,
// the last decides: a longer gap only has more runes that may be wrong or too
// many.
func (j *joiner) follows(text string, s *stage, k *known, start int) bool {
	for at := j.latest[s.parent]; at >= 0; at = j.marks[at].prev {
		end := j.marks[at].end
		if end > start || s.gap[0].min > 0 && !atLeast(text[end:start], s.gap[0].min) {
			continue
		}
		return j.fits(text, s.gap, k, end, start)
	}
	return false
}

// fits reports whether a gap may be text[end:start], and adds that to what is
// known. What a gap begins with is one too, so that one that does not fit is
// not mended by growing. A single loop without bound also fits where two parts
// that meet do.
func (j *joiner) fits(text string, gap []byteLoop, k *known, end, start int) bool {
	endless := len(gap) == 1 && gap[0].max < 0
	from, to := k.end, k.start
	switch {
	case k.round != j.round:
	case !k.fits && from == end && to <= start:
		return false
	case k.fits && endless && from <= end && end <= to:
		if start <= to {
			return true
		}
		if spans(gap, text[to:start]) {
			k.start = start
			return true
		}
		*k = known{round: j.round, end: end, start: start}
		return false
	}
	fits := spans(gap, text[end:start])
	*k = known{round: j.round, fits: fits, end: end, start: start}
	return fits
}

// hasAll reports whether all these patterns are known to match.
func (w *walk) hasAll(patterns []int32) bool {
	for _, p := range patterns {
		if w.set[p/64]>>(p%64)&1 == 0 {
			return false
		}
	}
	return true
}

// atLeast reports whether text has n runes or more.
func atLeast(text string, n int) bool {
	return len(text) >= n && (len(text) >= utf8.UTFMax*n || utf8.RuneCountInString(text) >= n)
}
