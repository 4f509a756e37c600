package form

import (
	"encoding/binary"
	"strings"
	"unicode/utf8"
)

// Colours, unusual spaces and double spaces do not change the meaning of a text. So
// the standard rules read a text without them. A user's rules read the unchanged text
// first, and then the text without them.

// maxPlain is the maximum length of a text that is rewritten, in bytes. A longer
// text stays as it is.
const maxPlain = 1 << 20

// PlainText returns text without the escape sequences of terminals and without
// invisible characters. It replaces unusual spaces by ordinary ones.
func PlainText(text string) string {
	if len(text) > maxPlain {
		return text
	}
	if plainPrefix(text) == len(text) {
		return text
	}
	s := splicer{text: text}
	EachOdd(text, s.replace)
	text, _ = s.result()
	return text
}

// plainPrefix returns the length of the part of text in which EachOdd finds nothing.
func plainPrefix(text string) int {
	i := 0
	for ; i+8 <= len(text); i += 8 {
		s := text[i : i+8]
		if mayBeOdd[s[0]]|mayBeOdd[s[1]]|mayBeOdd[s[2]]|mayBeOdd[s[3]]|mayBeOdd[s[4]]|mayBeOdd[s[5]]|mayBeOdd[s[6]]|mayBeOdd[s[7]] != 0 {
			break
		}
	}
	for i < len(text) && mayBeOdd[text[i]] == 0 {
		i++
	}
	return i
}

// SingleSpaced replaces every run of spaces and tabs with one space. At the end of
// a line, SingleSpaced removes the run.
func SingleSpaced(text string) string {
	if len(text) > maxPlain || !hasGap(text) {
		return text
	}
	s := splicer{text: text}
	EachGap(text, s.replace)
	text, _ = s.result()
	return text
}

// hasGap is a quick check before EachGap. If hasGap returns false, EachGap finds
// nothing.
func hasGap(text string) bool {
	// Most texts have single spaces and no other byte below '!'. So test eight bytes
	// at once for two neighbours below '!' and for any byte below ' '. The last byte is
	// tested again with the next seven.
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(text); i += 7 {
		eight := binary.LittleEndian.Uint64([]byte(text[i : i+8])) // the conversion copies nothing
		blank := (eight - ones*'!') &^ eight & tops                // top bit of each byte below '!'
		control := (eight - ones*' ') &^ eight & tops
		if control|blank&(blank>>8) != 0 {
			break
		}
	}
	text = text[i:]
	return strings.IndexByte(text, '\t') >= 0 || strings.IndexByte(text, '\r') >= 0 || strings.HasSuffix(text, " ") ||
		strings.Contains(text, "  ") || strings.Contains(text, " \n")
}

// EachGap visits every run of blanks except a single space. At the end of a line, it
// also visits a single space.
func EachGap(text string, visit func(start, end int, replacement string)) {
	for i := 0; i < len(text); i++ {
		if !isBlank(text[i]) && text[i] != '\r' {
			continue
		}
		start, end := i, i
		for end < len(text) && (isBlank(text[end]) || text[end] == '\r') {
			end++
		}
		if end == len(text) || text[end] == '\n' {
			visit(start, end, "")
			i = end
			continue
		}
		for ; i < end; i++ { // keep carriage returns with which a program overwrote the line
			start := i
			for i < end && isBlank(text[i]) {
				i++
			}
			if start < i && text[start:i] != " " {
				visit(start, i, " ")
			}
		}
		i--
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// mayBeOdd is 1 for each byte that can begin a substring that EachOdd visits.
var mayBeOdd = func() (odd [256]uint8) {
	for c := range odd {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' || c >= 0x7f || strings.IndexByte(`\#&^%`, byte(c)) >= 0 {
			odd[c] = 1
		}
	}
	return odd
}()

// EachOdd visits every substring that PlainText replaces:
//   - escape sequences,
//   - unusual spaces,
//   - invisible characters,
//   - characters that a backspace deletes,
//   - bytes that are not UTF-8.
func EachOdd(text string, visit func(start, end int, replacement string)) {
	ends := stringEnds{text: text, next: -1}
	last := 0 // end of the previous substring
	for i := 0; i < len(text); {
		if mayBeOdd[text[i]] == 0 {
			i += plainPrefix(text[i:])
			continue
		}
		r, size := character(text[i:])
		start, end, replacement := i, i+size, ""
		switch kindOf(r) {
		case ordinaryRune:
			i = end
			continue
		case brokenRune:
			for end < len(text) && text[end] >= utf8.RuneSelf {
				if r, size := utf8.DecodeRuneInString(text[end:]); r != utf8.RuneError || size != 1 {
					break
				}
				end++
			}
			replacement = string(utf8.RuneError)
		case spaceRune:
			replacement = " "
		case lineRune:
			replacement = "\n"
		case struckRune:
			if _, before := utf8.DecodeLastRuneInString(text[last:i]); text[last:i] != "" {
				start -= before
			}
		case escapeRune:
			spelled := size > 1 && text[i] < utf8.RuneSelf
			n := 0
			if n, replacement = sequence(text[end:], r, spelled, &ends, end); n < 0 {
				i = end // ESC spelled in ASCII is text if no sequence follows
				continue
			}
			end += n
		}
		visit(start, end, replacement)
		i, last = end, end
	}
}
