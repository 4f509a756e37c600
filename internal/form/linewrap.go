package form

import "strings"

// A terminal breaks a line where the next word does not fit any more, which may
// be in the middle of what a rule looks for. Of such a text the standard rules
// see the joined lines as well.

// The widths of terminals, and of the boxes that programs draw in them, in
// bytes.
const (
	minWidth = 40
	MaxWidth = 200
)

// blanks is what may stand around a line in a box, or before one that was broken
// off.
const blanks = " \t│"

// JoinLines joins, with a space, the lines of text that a terminal may have
// broken. ok is false where there are none.
func JoinLines(text string) (joined string, ok bool) {
	if lineWidth(text) == 0 {
		return "", false
	}
	s := splicer{text: text}
	EachBreak(text, s.replace)
	return s.result()
}

// lineWidth is the length of the longest line; 0 where it is that of no
// terminal, or there is only one line.
func lineWidth(text string) (width int) {
	for at := 0; at <= len(text); {
		end, below := lineAt(text, at)
		width, at = max(width, end-at), below
	}
	if width == len(text) || width < minWidth || width > MaxWidth {
		return 0
	}
	return width
}

// EachBreak finds every line break that a terminal may have made, with the
// blanks around it: the first word of the next line would not have fitted into
// the width, which is that of the longest line.
func EachBreak(text string, found func(start, end int, with string)) {
	width := lineWidth(text)
	if width == 0 {
		return
	}
	indent := 0 // of the line, where at is behind it
	for at := 0; ; {
		end, below := lineAt(text, at)
		if below > len(text) {
			return
		}
		next := below
		if next < len(text) && strings.IndexByte(blanks, text[next]) >= 0 { // or a rune that begins like one
			next = len(text) - len(strings.TrimLeft(text[next:], blanks))
		}
		room := width - (indent + end - at)
		word := wordAt(text, next)
		if len(" ")+len(word) <= room || opens(word) {
			at, indent = below, 0
			continue
		}
		found(end, next, " ")
		at, indent = next, next-below
	}
}

// lineAt returns where the text of a line ends, and where the next line begins:
// behind the text if there is none.
func lineAt(text string, at int) (end, below int) {
	end = len(text)
	if stop := strings.IndexByte(text[at:], '\n'); stop >= 0 {
		end = at + stop
	}
	below = end + 1
	for end > at && text[end-1] == '\r' {
		end--
	}
	if end > at && strings.IndexByte(blanks, text[end-1]) >= 0 { // or a rune that ends like one
		end = at + len(strings.TrimRight(text[at:end], blanks))
	}
	return end, below
}

// wordAt is the word at a place, as much of it as a line may hold.
func wordAt(text string, at int) string {
	end := at
	for end < len(text) && end-at <= MaxWidth && strings.IndexByte(" \t\r\n", text[end]) < 0 {
		end++
	}
	return text[at:end]
}

// opens reports whether a word begins something else, as "Error:" does, or is
// none.
func opens(word string) bool {
	return word == "" || word[len(word)-1] == ':' && 'A' <= word[0] && word[0] <= 'Z'
}
