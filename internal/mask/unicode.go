package mask

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// blanks are non-ASCII spaces.
var blanks = []string{"\u00a0", "\u200b", "\u3000", "\ufeff", "\u202f", "\u2009"}

// blank returns the length of the space character at the beginning of text, or 0.
func blank(text string) int {
	switch c := text[0]; c {
	case ' ', '\t':
		return 1
	case 0xC2, 0xE2, 0xE3, 0xEF:
		for _, b := range blanks {
			if strings.HasPrefix(text, b) {
				return len(b)
			}
		}
	}
	return 0
}

// blankBefore returns the length of the space or terminal colour at the end of
// text, or 0.
func blankBefore(text string) int {
	switch c := text[len(text)-1]; {
	case c == ' ', c == '\t':
		return 1
	case c == 'm', c == 'K':
		return colourBefore(text)
	case c >= 0x80:
		for _, b := range blanks {
			if strings.HasSuffix(text, b) {
				return len(b)
			}
		}
	}
	return 0
}

// unicodeLetter returns the length of the non-ASCII letter at the end of text, or 0.
func unicodeLetter(text string) int {
	if r, n := utf8.DecodeLastRuneInString(text); n > 1 && (unicode.IsLetter(r) || unicode.IsMark(r)) {
		return n
	}
	return 0
}

// asciiValue reports whether the value at i begins with an ASCII character. After a
// name in another script, such a value is probably a secret.
func (s *scanner) asciiValue(i int) bool {
	at, _ := s.skipGap(i)
	return at < len(s.text) && s.text[at] < 0x80
}
