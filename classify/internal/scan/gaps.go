package scan

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// byteLoop is a compiled loop (a repetition of a class). A gap between two pieces
// consists of loops.
type byteLoop struct {
	runes []rune    // the class, as pairs of bounds
	line  bool      // the class has all runes but the newline
	ascii [128]bool // for each ASCII rune, whether it is in the class
	min   int       // always 0 if the gap has several loops
	max   int
}

func newByteLoop(runes []rune, least, most int) byteLoop {
	return byteLoop{
		runes: runes, min: least, max: most, ascii: asciiOf(runes),
		line: slices.Equal(runes, []rune{0, '\n' - 1, '\n' + 1, utf8.MaxRune}),
	}
}

// asciiOf reports which ASCII runes are in a class. bounds has the first and the
// last rune of each range.
func asciiOf(bounds []rune) (holds [utf8.RuneSelf]bool) {
	for i := 0; i+1 < len(bounds); i += 2 {
		for r := bounds[i]; r <= min(bounds[i+1], utf8.RuneSelf-1); r++ {
			holds[r] = true
		}
	}
	return holds
}

// holdsRune reports whether r is in a class. bounds has the first and the last rune
// of each range.
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

// matchBack finds the longest match that ends at the end of text. It returns the
// offset of the beginning.
func (l *byteLoop) matchBack(text string) int {
	if l.line {
		near := text // the end of the text, as long as a match can be
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

// matchesAll reports whether consecutive loops match all of text, without regard to
// minimums:
//
//   - The last loop gets the longest possible match, then the loop before it, and so
//     on.
//   - This is enough, because a loop without minimum matches every prefix of a
//     match.
func matchesAll(loops []byteLoop, text string) bool {
	for i := len(loops) - 1; i >= 0 && text != ""; i-- {
		text = text[:loops[i].matchBack(text)]
	}
	return text == ""
}

// canFollow reports whether the last piece of s can begin at offset start:
//
//   - A match of the parent stage must come before start, and the text between them
//     must be a valid gap.
//   - Only the last match that leaves room for the minimum of the gap is checked.
//   - If the gap after this match is invalid, all longer gaps are invalid too.
func (j *joiner) canFollow(text string, s *stage, k *fitsResult, start int) bool {
	least, runes, counted := s.gap[0].min, 0, start // text[counted:start] has this many runes
	for at := j.latest[s.parent]; at >= 0; at = j.stageMatches[at].prev {
		end := j.stageMatches[at].end
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

// fits reports whether text[end:start] is a valid gap. It saves the result in k.
// Three rules often give the result without reading the text again:
//
//   - Every prefix of a valid gap is a valid gap.
//   - A text that begins with an invalid gap is an invalid gap.
//   - If the gap is one loop without upper bound, two adjacent valid gaps together
//     are a valid gap.
func (j *joiner) fits(text string, gap []byteLoop, k *fitsResult, end, start int) bool {
	endless := len(gap) == 1 && gap[0].max < 0
	knownEnd, knownStart := k.end, k.start
	switch {
	case k.round != j.round:
	case !k.fits && knownEnd == end && knownStart <= start:
		return false
	case k.fits && endless && knownEnd <= end && end <= knownStart:
		if start <= knownStart {
			return true
		}
		if matchesAll(gap, text[knownStart:start]) {
			k.start = start
			return true
		}
		*k = fitsResult{round: j.round, end: end, start: start}
		return false
	}
	fits := matchesAll(gap, text[end:start])
	*k = fitsResult{round: j.round, fits: fits, end: end, start: start}
	return fits
}
