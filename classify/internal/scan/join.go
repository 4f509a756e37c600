package scan

import (
	"slices"
	"unicode/utf8"
)

// A pieceMatch is a match of a piece (a pattern's part between gaps) that is still
// to be joined with other pieces.
type pieceMatch struct {
	accepts    int32 // index of the first accept entry of the piece
	start, end int
}

// A stageMatch is a match of a stage (the first pieces of a pattern). All gaps
// between the pieces are valid.
type stageMatch struct {
	end   int   // end of the stage's last piece
	prev  int32 // the previous match of the same stage; -1 = none
	stage int32
}

// maxListed is the length at which the lists of matches are shortened. A list grows
// beyond this length only if all its matches are still needed.
const maxListed = 4 << 10

// joiner combines the matches of pieces into matches of whole patterns.
type joiner struct {
	pending []pieceMatch // piece matches that are not joined yet
	next    int          // no later piece match begins before this offset

	round        uint32   // number of texts so far
	seen         stageSet // stages for which the last piece was found after the previous stage
	awaited      stageSet // stages with a next stage that was found too
	stageMatches []stageMatch
	room         limit
	latest       []int32      // for each stage, the index of its last match; -1 = none
	reached      []int32      // stages that have a match
	gaps         []fitsResult // for each stage, the last result of the method fits
}

// stageSet is a set of stages, with one bit for each.
type stageSet []uint64

func (s stageSet) add(stage int32) { s[stage/64] |= 1 << (stage % 64) }

func (s stageSet) has(stage int32) bool { return s[stage/64]>>(stage%64)&1 != 0 }

// fitsResult is the last result of joiner.fits for a stage: whether text[end:start]
// is a valid gap before the stage's last piece.
type fitsResult struct {
	round      uint32 // value of joiner.round; results of other rounds belong to other texts
	fits       bool
	end, start int
}

// A limit has the lengths at which a list must be extended or shortened.
type limit struct {
	grow    int // at this length the list needs more memory or must be shortened
	shorten int // at this length entries that are no longer needed are dropped
}

func limitOf[T any](list []T, shorten int) limit {
	return limit{grow: min(cap(list), shorten), shorten: shorten}
}

// adjust adapts the limit after a list was shortened to the given length. The limit
// becomes at least twice that length.
func (l *limit) adjust(left int) { l.shorten = max(l.shorten, 2*left) }

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

// emptied returns list without entries, to be used for the next text. If the list is
// very large, the result is nil.
func emptied[T any](list []T) []T {
	if cap(list) > 2*maxListed {
		return nil
	}
	return list[:0]
}

// begin prepares the joiner for a text.
func (j *joiner) begin(m *Matcher) {
	stages := len(m.stages)
	j.room = limitOf(j.stageMatches, m.listed)
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

// join adds to w.set every pattern whose pieces were found in the right order. It is
// called at the end of the text.
func (w *walk) join() {
	j := &w.joiner
	matches := w.matches[:0]
	for _, h := range w.matches {
		if w.isUseful(h) {
			matches = append(matches, h)
		}
	}
	if len(matches) > 0 {
		w.takeBefore(matches, len(w.text)+1)
	}
	for _, s := range j.reached {
		j.latest[s] = -1
	}
	j.reached, j.pending = j.reached[:0], nil
	w.matches, j.stageMatches = emptied(w.matches), emptied(j.stageMatches)
}

// extendMatches makes room in w.matches for a piece match that begins at start. If the
// list is full, it first joins the matches that end before start.
func (w *walk) extendMatches(start int) {
	if len(w.matches) >= w.room.shorten {
		w.matches = w.matches[:copy(w.matches, w.takeBefore(w.matches, start))]
		w.room.adjust(len(w.matches))
	}
	w.matches = extend(w.matches, &w.room)
}

// takeBefore joins the piece matches that end before offset next, and returns the
// others. No later match begins before this offset.
func (w *walk) takeBefore(matches []pieceMatch, next int) []pieceMatch {
	j := &w.joiner
	sortMatches(matches)
	for len(j.latest) < len(w.m.stages) {
		j.latest = append(j.latest, -1)
		j.gaps = append(j.gaps, fitsResult{})
	}
	j.next = next
	for len(matches) > 0 && matches[0].end < next {
		j.pending = matches
		// Pieces that match the empty string at the same offset may follow each other
		// in any order. So each of n such matches is joined n times.
		at, n, empty := matches[0].end, 0, 0
		for ; n < len(matches) && matches[n].end == at; n++ {
			if matches[n].start == at {
				empty++
			}
		}
		for _, h := range matches[:n-empty] {
			j.take(w, h)
		}
		if at == len(w.text) || utf8.RuneStart(w.text[at]) {
			for range empty {
				for _, h := range matches[n-empty : n] {
					j.take(w, h)
				}
			}
		} // otherwise drop them: package regexp finds no empty match inside a rune
		matches = matches[n:]
	}
	return matches
}

// sortMatches sorts piece matches by end, then by start. Most matches are already
// near their final position, so insertion sort is fast.
func sortMatches(matches []pieceMatch) {
	const often = 16
	moves := often * len(matches)
	for i, h := range matches {
		at := i
		for ; at > 0 && compareMatches(matches[at-1], h) > 0; at-- {
			matches[at] = matches[at-1]
		}
		matches[at] = h
		if moves -= i - at; moves < 0 { // many piece matches within long pieces
			slices.SortFunc(matches, compareMatches)
			return
		}
	}
}

func compareMatches(a, b pieceMatch) int {
	if a.end != b.end {
		return a.end - b.end
	}
	return a.start - b.start
}

// isUseful reports whether h may be part of a match of a pattern. This is true if a
// pattern ends with the piece of h, or if the next piece of a pattern was found too.
func (w *walk) isUseful(h pieceMatch) bool {
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

// take adds a stage match for each stage that h completes.
func (j *joiner) take(w *walk, h pieceMatch) {
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

// reaches reports whether h completes the stage with index id. It also returns false
// if the stage can add no new pattern to w.set.
func (j *joiner) reaches(w *walk, id int32, h pieceMatch) bool {
	s := &w.m.stages[id]
	if s.parent < 0 {
		return true
	}
	if j.latest[s.parent] < 0 || !s.inner && w.hasAll(s.patterns) {
		return false
	}
	return j.canFollow(w.text, s, &j.gaps[id], h.start)
}

// reach adds a match of the stage with index id that ends with h. Patterns that end
// with this stage are added to w.set.
func (j *joiner) reach(w *walk, id int32, h pieceMatch) {
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
	case j.stageMatches[latest].end == h.end:
		return
	}
	if len(j.stageMatches) >= j.room.grow {
		if len(j.stageMatches) >= j.room.shorten {
			j.forget(w.m.stages)
			j.room.adjust(len(j.stageMatches))
		}
		j.stageMatches = extend(j.stageMatches, &j.room)
	}
	j.stageMatches = append(j.stageMatches, stageMatch{end: h.end, prev: j.latest[id], stage: id})
	j.latest[id] = int32(len(j.stageMatches) - 1)
}

// forget drops the stage matches that no later piece match needs. If several matches
// of a stage end far enough before all later piece matches, only the last of them is
// needed.
func (j *joiner) forget(stages []stage) {
	first := j.next
	for _, h := range j.pending {
		first = min(first, h.start)
	}
	const dropped = -1
	for _, s := range j.reached {
		at := j.latest[s]
		for at >= 0 && j.stageMatches[at].end > first-stages[s].near {
			at = j.stageMatches[at].prev
		}
		for at >= 0 {
			if at = j.stageMatches[at].prev; at >= 0 {
				j.stageMatches[at].end = dropped
			}
		}
		j.latest[s] = -1
	}
	kept := j.stageMatches[:0]
	for _, m := range j.stageMatches {
		if m.end == dropped {
			continue
		}
		m.prev, j.latest[m.stage] = j.latest[m.stage], int32(len(kept))
		kept = append(kept, m)
	}
	j.stageMatches = kept
}

// hasAll reports whether all these patterns are in w.set.
func (w *walk) hasAll(patterns []int32) bool {
	for _, p := range patterns {
		if w.set[p/64]>>(p%64)&1 == 0 {
			return false
		}
	}
	return true
}
