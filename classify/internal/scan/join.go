package scan

import (
	"slices"
	"unicode/utf8"
)

// A hit is a match of a piece that does not show alone whether a pattern matches.
// Either the piece must be joined with other pieces, or it may be empty.
type hit struct {
	accepts    int32 // index of the first accept of the piece
	start, end int
}

// A mark says that a stage was reached: all pieces of the stage were found in order.
type mark struct {
	end   int   // end of its last piece
	prev  int32 // the previous mark of the same stage; -1 = none
	stage int32
}

// maxListed limits the lists of a walk, so that the memory does not grow with the
// text. When the list of hits reaches this length, the walk joins hits. When the list
// of marks reaches it, the walk drops marks that are no longer needed. If the patterns
// need more entries at the same time, a list becomes longer.
const maxListed = 4 << 10

// joiner joins hits into matches of whole patterns.
type joiner struct {
	pending []hit // hits that are not joined yet
	next    int   // all hits that are not known yet begin here or later

	round   uint32   // number of texts so far
	seen    stageSet // stages whose piece was seen after the piece of the previous stage
	awaited stageSet // stages after whose piece the piece of a next stage was seen
	marks   []mark
	room    limit
	latest  []int32 // index of the last mark of each stage; -1 = none
	reached []int32 // stages that have marks
	gaps    []known // for each stage, the last result of fits for the gap before it
}

// stageSet is a set of stages, with one bit for each.
type stageSet []uint64

func (s stageSet) add(stage int32) { s[stage/64] |= 1 << (stage % 64) }

func (s stageSet) has(stage int32) bool { return s[stage/64]>>(stage%64)&1 != 0 }

// known is the last result of joiner.fits for a stage: whether text[end:start] is a
// valid gap before the last piece of the stage. So a long gap is not read again for
// every piece after it.
type known struct {
	round      uint32 // round of the joiner; results of other rounds are of other texts
	fits       bool
	end, start int
}

// A limit says at which length a list needs more memory, and at which length it is
// shortened.
type limit struct {
	grow    int // at this length the list needs memory, or has reached shorten
	shorten int // at this length the entries that are no longer needed are dropped
}

func limitOf[T any](list []T, shorten int) limit {
	return limit{grow: min(cap(list), shorten), shorten: shorten}
}

// dropped adjusts the limit after entries were dropped from a list. left is the
// number of entries that remain. If many remain, the limit rises, so that dropping
// stays cheaper than adding.
func (l *limit) dropped(left int) { l.shorten = max(l.shorten, 2*left) }

// extend returns list with room for at least one more entry.
func extend[T any](list []T, l *limit) []T {
	const first = 64
	if len(list) == cap(list) {
		// Double the list: append alone would grow a long list by a quarter.
		list = append(make([]T, 0, max(first, min(2*len(list), l.shorten))), list...)
	}
	*l = limitOf(list, l.shorten)
	return list
}

// emptied empties a list so that the next text can reuse its memory. It frees the
// memory if the list is so large that few texts need it.
func emptied[T any](list []T) []T {
	if cap(list) > 2*maxListed {
		return nil
	}
	return list[:0]
}

// begin prepares the joiner for a text.
func (j *joiner) begin(m *Matcher) {
	stages := len(m.stages)
	j.room = limitOf(j.marks, m.listed)
	if j.round++; j.round == 0 { // overflow
		clear(j.gaps)
		j.round = 1
	}
	clear(j.seen)
	clear(j.awaited)
	for len(j.seen) < (stages+63)/64 {
		j.seen, j.awaited = append(j.seen, 0), append(j.awaited, 0)
	}
}

// join adds a pattern to the set of matches if all its pieces were found in order,
// with valid gaps between them. It is the last step of a walk.
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
	w.hits, j.marks = emptied(w.hits), emptied(j.marks)
}

// extendHits makes room for a hit that begins at offset start. If the list of hits
// is too long, it joins the hits that end before start. No later hit ends before
// start.
func (w *walk) extendHits(start int) {
	if len(w.hits) >= w.room.shorten {
		w.hits = w.hits[:copy(w.hits, w.takeBefore(w.hits, start))]
		w.room.dropped(len(w.hits))
	}
	w.hits = extend(w.hits, &w.room)
}

// takeBefore sorts hits. It joins the hits that end before the offset next, and
// returns the others. All hits that are found later must begin at or after that
// offset.
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
		// Several empty hits at one offset may follow each other in any order. So
		// each of them is joined as many times as there are such hits.
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
		} // else: package regexp finds no empty match inside a rune
		hits = hits[n:]
	}
	return hits
}

// sortHits sorts hits by their ends, then by their starts. Hits arrive nearly in the
// order of their starts, so few hits are far from their sorted position, and
// insertion sort is fast. Only long pieces with many hits need a general sort.
func sortHits(hits []hit) {
	const often = 16
	moves := often * len(hits)
	for i, h := range hits {
		at := i
		for ; at > 0 && compareHits(hits[at-1], h) > 0; at-- {
			hits[at] = hits[at-1]
		}
		hits[at] = h
		if moves -= i - at; moves < 0 { // many hits within long pieces
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

// matters reports whether a hit may be part of a match. It may if a pattern ends
// with the piece of the hit, or if the next piece of a pattern was found after the
// hit.
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

// take marks the stages that h reaches.
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

// reaches reports whether h reaches the stage with index id. There must be a valid
// gap between a mark of the previous stage and h. If the stage could add no new
// match, reaches returns false.
func (j *joiner) reaches(w *walk, id int32, h hit) bool {
	s := &w.m.stages[id]
	if s.parent < 0 {
		return true
	}
	if j.latest[s.parent] < 0 || !s.inner && w.hasAll(s.patterns) {
		return false
	}
	return j.canFollow(w.text, s, &j.gaps[id], h.start)
}

// reach marks the stage with index id, and adds the patterns that end there to the
// matches.
func (j *joiner) reach(w *walk, id int32, h hit) {
	s := &w.m.stages[id]
	for _, pattern := range s.patterns {
		w.set[pattern/64] |= 1 << (pattern % 64)
	}
	if !s.inner {
		return
	}
	switch latest := j.latest[id]; {
	case latest < 0:
		j.reached = append(j.reached, id)
	case j.marks[latest].end == h.end:
		return
	}
	if len(j.marks) >= j.room.grow {
		if len(j.marks) >= j.room.shorten {
			j.forget(w.m.stages)
			j.room.dropped(len(j.marks))
		}
		j.marks = extend(j.marks, &j.room)
	}
	j.marks = append(j.marks, mark{end: h.end, prev: j.latest[id], stage: id})
	j.latest[id] = int32(len(j.marks) - 1)
}

// forget drops the marks that no later hit needs. Of the marks of a stage that are
// far enough before every later hit, canFollow checks only the last. So forget drops
// the others.
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

// hasAll reports whether all these patterns are in the set of matches.
func (w *walk) hasAll(patterns []int32) bool {
	for _, p := range patterns {
		if w.set[p/64]>>(p%64)&1 == 0 {
			return false
		}
	}
	return true
}
