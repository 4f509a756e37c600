package form

import "strings"

// A line break within a phrase hides the phrase from a rule. So the standard rules
// also read the text with joined lines.

// minWidth and MaxWidth are the smallest and the largest width of a terminal, in
// bytes.
const (
	minWidth = 40
	MaxWidth = 200
)

// blanks can surround a line in a box, or begin a continued line.
const blanks = " \t│"

// JoinLines puts a space in place of each line break that a terminal might have
// added. If text has no such line break, ok is false.
func JoinLines(text string) (joined string, ok bool) {
	if lineWidth(text) == 0 {
		return "", false
	}
	s := splicer{text: text}
	EachBreak(text, s.replace)
	return s.result()
}

// lineWidth returns the length of the longest line. For a single line, or an
// impossible width, it returns 0.
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

// EachBreak visits each line break that a terminal might have made. The break
// includes the blanks around it. EachBreak takes the longest line as the width of
// the terminal. A terminal breaks a line if the next word does not fit.
func EachBreak(text string, visit func(start, end int, replacement string)) {
	width := lineWidth(text)
	if width == 0 {
		return
	}
	indent := 0 // bytes between the start of the line and index at
	for at := 0; ; {
		end, below := lineAt(text, at)
		if below > len(text) {
			return
		}
		next := below
		if next < len(text) && strings.IndexByte(blanks, text[next]) >= 0 { // a blank, or a rune with the same first byte
			next = len(text) - len(strings.TrimLeft(text[next:], blanks))
		}
		room := width - (indent + end - at)
		word := wordAt(text, next)
		if len(" ")+len(word) <= room || opens(word) {
			at, indent = below, 0
			continue
		}
		visit(end, next, " ")
		at, indent = next, next-below
	}
}

// lineAt returns two indexes: the end of the line at text[at], and the beginning of the
// next line. If there is no next line, the second index is greater than len(text).
func lineAt(text string, at int) (end, below int) {
	end = len(text)
	if stop := strings.IndexByte(text[at:], '\n'); stop >= 0 {
		end = at + stop
	}
	below = end + 1
	for end > at && text[end-1] == '\r' {
		end--
	}
	if end > at && strings.IndexByte(blanks, text[end-1]) >= 0 { // a blank, or a rune with the same last byte
		end = at + len(strings.TrimRight(text[at:end], blanks))
	}
	return end, below
}

// wordAt returns the word that begins at text[at]. A word longer than MaxWidth is
// cut.
func wordAt(text string, at int) string {
	end := at
	for end < len(text) && end-at <= MaxWidth && strings.IndexByte(" \t\r\n", text[end]) < 0 {
		end++
	}
	return text[at:end]
}

// opens reports whether the word is empty or begins a new message, as "Error:"
// does.
func opens(word string) bool {
	return word == "" || word[len(word)-1] == ':' && 'A' <= word[0] && word[0] <= 'Z'
}
