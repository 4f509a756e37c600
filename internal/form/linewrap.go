package form

import "strings"

// A terminal breaks a line if the next word does not fit. A line break within a phrase
// would hide the phrase from a rule. So the standard rules also read the text with
// its lines joined.

// minWidth and MaxWidth limit the width of a terminal, or of a box that a program
// draws in a terminal, in bytes.
const (
	minWidth = 40
	MaxWidth = 200
)

// blanks are the characters that can surround a line in a box, or precede a line
// that continues the previous one.
const blanks = " \t│"

// JoinLines replaces each line break that a terminal might have added to text with a
// space. ok is false if text has no such break.
func JoinLines(text string) (joined string, ok bool) {
	if lineWidth(text) == 0 {
		return "", false
	}
	s := splicer{text: text}
	EachBreak(text, s.replace)
	return s.result()
}

// lineWidth returns the length of the longest line. It returns 0 if there is only
// one line, or if no terminal has lines of that length.
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

// EachBreak calls visit for every line break that a terminal might have made, with
// the blanks around it. The width of the terminal is taken to be the length of the
// longest line. A terminal makes a break if the first word of the next line does not
// fit.
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

// lineAt returns the end of the line that begins at text[at], without the line break
// and the blanks before it. below is the index of the next line. After the last
// line, below is greater than the length of the text.
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

// wordAt returns the word that begins at text[at], or only the first bytes of a word
// that is longer than MaxWidth.
func wordAt(text string, at int) string {
	end := at
	for end < len(text) && end-at <= MaxWidth && strings.IndexByte(" \t\r\n", text[end]) < 0 {
		end++
	}
	return text[at:end]
}

// opens reports whether word is empty or begins a new message, as "Error:" does.
func opens(word string) bool {
	return word == "" || word[len(word)-1] == ':' && 'A' <= word[0] && word[0] <= 'Z'
}
