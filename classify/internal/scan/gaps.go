package scan

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// byteLoop is a loop inside a gap. Its method matchBack matches the loop backwards,
// from the end of a text.
type byteLoop struct {
	runes []rune    // the class, as pairs of bounds
	line  bool      // the class has all runes but the newline
	ascii [128]bool // for each ASCII rune, whether it is in the class
	min   int       // 0 if the gap has several loops
	max   int
}

func newByteLoop(runes []rune, least, most int) byteLoop {
	return byteLoop{
		runes: runes, min: least, max: most, ascii: asciiOf(runes),
		line: slices.Equal(runes, []rune{0, '\n' - 1, '\n' + 1, utf8.MaxRune}),
	}
}

// asciiOf returns which ASCII runes are in a class. bounds are the first and the
// last rune of each range of the class.
func asciiOf(bounds []rune) (holds [utf8.RuneSelf]bool) {
	for i := 0; i+1 < len(bounds); i += 2 {
		for r := bounds[i]; r <= min(bounds[i+1], utf8.RuneSelf-1); r++ {
			holds[r] = true
		}
	}
	return holds
}

// holdsRune reports whether r is in a class. bounds are the first and the last rune
// of each range of the class.
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

// matchBack matches the loop backwards from the end of text, as far as the loop can
// match. It returns the offset at which the match begins.
func (l *byteLoop) matchBack(text string) int {
	if l.line {
		near := text // the part that the loop can reach
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

// spans reports whether the loops of a gap match all of text. It ignores the
// minimums of the loops. From the last loop to the first, it matches each loop
// backwards, as far as possible. This finds a match if there is one, because loops
// that match a text also match every beginning of that text.
func spans(loops []byteLoop, text string) bool {
	for i := len(loops) - 1; i >= 0 && text != ""; i-- {
		text = text[:loops[i].matchBack(text)]
	}
	return text == ""
}

// canFollow reports whether a piece that begins at offset start can follow the
// pieces before it. There must be a mark of the stage before s, and the text from
// the end of the mark to start must be a valid gap. Of the marks that are far enough
// before start, canFollow checks only the last. If the shortest gap is not valid, no
// longer gap is valid.
func (j *joiner) canFollow(text string, s *stage, k *known, start int) bool {
	least, runes, counted := s.gap[0].min, 0, start // text[counted:start] has this many runes
	for at := j.latest[s.parent]; at >= 0; at = j.marks[at].prev {
		end := j.marks[at].end
		if end > start || start-end < least {
			continue
		}
		if start-end < utf8.UTFMax*least {
			runes += utf8.RuneCountInString(text[end:counted])
			if counted = end; runes < least {
				continue
			}
		}
		return j.fits(text, s.gap, k, end, start)
	}
	return false
}

// fits reports whether text[end:start] is a valid gap, and saves the result in k.
// Three facts let it often use the previous result in k:
//
//   - If a text is a valid gap, so is every beginning of the text.
//   - If a text is not a valid gap, no longer text from the same offset is one.
//   - If the gap is a single loop without upper bound, two adjacent valid gaps are
//     a valid gap together.
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
