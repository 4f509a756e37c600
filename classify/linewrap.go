package classify

import "strings"

// A terminal breaks a line where the next word does not fit any more, which may
// be in the middle of what a rule looks for. Of such a text the standard rules
// see the joined lines as well.

// The widths of terminals, and of the boxes that programs draw in them, in
// bytes.
const (
	minWidth = 40
	maxWidth = 200
)

// indents is what may stand in front of a line that was broken off.
const indents = " \t│"

// joinLines joins, with a space, the lines of text that a terminal may have
// broken: the first word of the next line would not have fitted into the width,
// which is that of the longest line. ok is false where there are none.
func joinLines(text string) (joined string, ok bool) {
	width := 0
	for line := range strings.SplitSeq(text, "\n") {
		width = max(width, len(line))
	}
	if width == len(text) || width < minWidth || width > maxWidth {
		return "", false
	}
	var b strings.Builder
	b.Grow(len(text))
	for {
		line, rest, more := strings.Cut(text, "\n")
		b.WriteString(line)
		if !more {
			return b.String(), ok
		}
		next := strings.TrimLeft(rest, indents)
		word := next
		if end := strings.IndexAny(next, " \t\n"); end >= 0 {
			word = next[:end]
		}
		if word != "" && len(line)+len(" ")+len(word) > width {
			b.WriteByte(' ')
			text, ok = next, true
		} else {
			b.WriteByte('\n')
			text = rest
		}
	}
}

// unjoined is where in text that stands which stands at a place in joined.
func unjoined(text, joined string, place int) int {
	at := 0
	for i := range place {
		if text[at] == joined[i] {
			at++
			continue
		}
		at = len(text) - len(strings.TrimLeft(text[at+len("\n"):], indents))
	}
	return at
}
