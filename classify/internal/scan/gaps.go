package scan

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// byteLoop is a compiled loop (a repetition of a class). One or several loops make
// up a gap, the part between two pieces of a pattern.
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

// matchBack finds the longest match of the loop that ends at the end of text, and
// returns the offset at which that match begins.
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

// spans reports whether the loops of a gap, one after the other, match all of text.
// It ignores the minimums of the loops. It tries the last loop first. Each loop gets
// the longest match that ends where the match of the next loop begins. If the loops
// can match text at all, this finds a match: the loops before can match the rest,
// because they match every prefix of what they match.
func spans(loops []byteLoop, text string) bool {
	for i := len(loops) - 1; i >= 0 && text != ""; i-- {
		text = text[:loops[i].matchBack(text)]
	}
	return text == ""
}

// canFollow reports whether the last piece of s can begin at offset start. s is a
// stage (the first pieces of a pattern). There must be a match of the parent stage,
// and the text between that match and start must be a valid gap. Of the matches that
// end far enough before start, canFollow checks only the last one, because it leaves
// the shortest gap. If that gap is invalid, every longer gap is invalid too.
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

// fits reports whether text[end:start] is a valid gap: the text from the end of one
// piece to the start of the next. It saves the result in k. For three reasons, the
// previous result in k often gives the new result:
//
//   - If a text is a valid gap, so is every prefix of the text.
//   - If a text is an invalid gap, so is every longer text from the same offset.
//   - If the gap is a single loop without upper bound, two adjacent valid gaps are
//     a valid gap together.
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
		if spans(gap, text[knownStart:start]) {
			k.start = start
			return true
		}
		*k = fitsResult{round: j.round, end: end, start: start}
		return false
	}
	fits := spans(gap, text[end:start])
	*k = fitsResult{round: j.round, fits: fits, end: end, start: start}
	return fits
}
