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

// follows reports whether a piece that begins at start stands behind a mark of
// the stage before s. Of the marks that leave the gap as long as it has to be,
// the last decides: a longer gap only has more runes that may be wrong or too
// many.
func (j *joiner) follows(text string, s *stage, k *known, start int) bool {
	least, runes, counted := s.gap[0].min, 0, start // text[counted:start] has so many runes
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
