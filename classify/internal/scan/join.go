package scan

import (
	"slices"
	"unicode/utf8"
)

// A hit is a piece of a pattern with gaps, or an empty match, in the text.
type hit struct {
	accepts    int32 // where those of the piece begin
	start, end int
}

// A mark is a stage that was reached.
type mark struct {
	end   int   // where its last piece ends
	prev  int32 // the mark of the same stage before; -1 = none
	stage int32
}

// maxListed is how many hits, and how many marks, a walk lists before it takes the
// hits and forgets the marks that are no longer needed. So its memory does not
// grow with the text. A list is only made longer for patterns that need more at
// once: for long pieces, and for more stages than that.
const maxListed = 4 << 10

// joiner puts hits together.
type joiner struct {
	pending []hit // the hits that are not yet taken
	next    int   // where the hits that are not yet known begin, or further on

	round   uint32   // counts the texts
	seen    stageSet // those whose piece was seen, behind one of the stage before
	awaited stageSet // those behind whose piece one of the next stage was seen
	marks   []mark
	room    limit
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

// A limit says when a list is full.
type limit struct {
	now  int // at this length there is no memory, or too much in use
	most int // at this length, what is no longer needed has to go
}

func limitOf[T any](list []T, most int) limit { return limit{now: min(cap(list), most), most: most} }

// dropped takes note of how much is left of a list. If that is much, the limit
// rises, so that dropping costs no more than adding did.
func (l *limit) dropped(left int) { l.most = max(l.most, 2*left) }

// extend makes room in a list that is full.
func extend[T any](list []T, l *limit) []T {
	const first = 64
	if len(list) == cap(list) {
		// Twice as long: append alone would grow a long list by a quarter.
		list = append(make([]T, 0, max(first, min(2*len(list), l.most))), list...)
	}
	*l = limitOf(list, l.most)
	return list
}

// spared returns the memory of a list for the next text, unless few texts need so
// much.
func spared[T any](list []T) []T {
	if cap(list) > 2*maxListed {
		return nil
	}
	return list[:0]
}

// begin makes room for a text.
func (j *joiner) begin(m *Matcher) {
	stages := len(m.stages)
	j.room = limitOf(j.marks, m.listed)
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
// their gaps between them. It ends the walk.
func (w *walk) join() {
	j := &w.joiner
	hits := w.hits[:0]
	for _, h := range w.hits {
		if w.matters(h) {
			hits = append(hits, h)
		}
	}
	if len(hits) > 0 {
		w.takeBefore(hits, len(w.text)+1)
	}
	for _, s := range j.reached {
		j.latest[s] = -1
	}
	j.reached, j.pending = j.reached[:0], nil
	w.hits, j.marks = spared(w.hits), spared(j.marks)
}

// extendHits makes room for a hit that begins at start. If the list is too long it
// takes the hits that end before: no later one can end there.
func (w *walk) extendHits(start int) {
	if len(w.hits) >= w.room.most {
		w.hits = w.hits[:copy(w.hits, w.takeBefore(w.hits, start))]
		w.room.dropped(len(w.hits))
	}
	w.hits = extend(w.hits, &w.room)
}

// takeBefore sorts hits, takes those that end before next, and returns the others.
// All later hits begin at next or behind it.
func (w *walk) takeBefore(hits []hit, next int) []hit {
	j := &w.joiner
	sortHits(hits)
	for len(j.latest) < len(w.m.stages) {
		j.latest = append(j.latest, -1)
		j.gaps = append(j.gaps, known{})
	}
	j.next = next
	for len(hits) > 0 && hits[0].end < next {
		j.pending = hits
		// Of several pieces that are empty here, any may stand before any.
		at, n, empty := hits[0].end, 0, 0
		for ; n < len(hits) && hits[n].end == at; n++ {
			if hits[n].start == at {
				empty++
			}
		}
		for _, h := range hits[:n-empty] {
			j.take(w, h)
		}
		if at == len(w.text) || utf8.RuneStart(w.text[at]) {
			for range empty {
				for _, h := range hits[n-empty : n] {
					j.take(w, h)
				}
			}
		} // else inside a rune, where package regexp does not look
		hits = hits[n:]
	}
	return hits
}

// sortHits orders hits by their ends, then by their beginnings. They come by
// their beginnings, but for those of the longest piece before, so none is further from its place than there are hits
// within the longest piece, and inserting each is linear in the text.
func sortHits(hits []hit) {
	const often = 16
	moves := often * len(hits)
	for i, h := range hits {
		at := i
		for ; at > 0 && compareHits(hits[at-1], h) > 0; at-- {
			hits[at] = hits[at-1]
		}
		hits[at] = h
		if moves -= i - at; moves < 0 { // long pieces, which end everywhere
			slices.SortFunc(hits, compareHits)
			return
		}
	}
}

func compareHits(a, b hit) int {
	if a.end != b.end {
		return a.end - b.end
	}
	return a.start - b.start
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
	switch latest := j.latest[at]; {
	case latest < 0:
		j.reached = append(j.reached, at)
	case j.marks[latest].end == h.end:
		return
	}
	if len(j.marks) >= j.room.now {
		if len(j.marks) >= j.room.most {
			j.forget(w.m.stages)
			j.room.dropped(len(j.marks))
		}
		j.marks = extend(j.marks, &j.room)
	}
	j.marks = append(j.marks, mark{end: h.end, prev: j.latest[at], stage: at})
	j.latest[at] = int32(len(j.marks) - 1)
}

// forget drops the marks that no hit asks for any more. Of the marks that are far
// enough before all hits to come for every gap behind their stage, only the last
// can decide: see follows.
func (j *joiner) forget(stages []stage) {
	first := j.next
	for _, h := range j.pending {
		first = min(first, h.start)
	}
	const dropped = -1
	for _, s := range j.reached {
		at := j.latest[s]
		for at >= 0 && j.marks[at].end > first-stages[s].near {
			at = j.marks[at].prev
		}
		for at >= 0 {
			if at = j.marks[at].prev; at >= 0 {
				j.marks[at].end = dropped
			}
		}
		j.latest[s] = -1
	}
	kept := j.marks[:0]
	for _, m := range j.marks {
		if m.end == dropped {
			continue
		}
		m.prev, j.latest[m.stage] = j.latest[m.stage], int32(len(kept))
		kept = append(kept, m)
	}
	j.marks = kept
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
