package form

import (
	"strings"
	"unicode/utf8"

	"github.com/errclass/errclass/internal/ascii"
)

// runeKind says how a character appears on a terminal.
type runeKind uint8

const (
	ordinaryRune runeKind = iota
	spaceRune             // a space, but not U+0020
	lineRune              // a line break, but not U+000A
	hiddenRune            // invisible
	struckRune            // a backspace, which deletes the character before it
	escapeRune            // ESC, CSI or OSC: invisible, like the sequence that follows it
	brokenRune            // a byte that is not UTF-8
)

// These control characters begin a terminal sequence (ECMA-48).
const (
	escape  = 0x1b
	control = 0x9b // ESC [
	command = 0x9d // ESC ]
)

// kindOf returns the kind of a character. Letters and private-use characters are
// ordinary. Format characters (Unicode category Cf), fillers, variation selectors and
// most control characters are hidden.
func kindOf(r rune) runeKind {
	switch {
	case r < 0xa0:
		return kindOfControl(r)
	case r == 0xa0:
		return spaceRune
	case r == 0xad, r == 0x34f, r == 0x61c:
		return hiddenRune
	case r < 0x115f:
		return ordinaryRune
	case r <= 0x1160, 0x180b <= r && r <= 0x180f:
		return hiddenRune
	case r == 0x1680:
		return spaceRune
	case r < 0x2000:
		return ordinaryRune
	case r <= 0x206f:
		return kindOfPunctuation(r)
	case r == 0x241b: // a picture of ESC
		return escapeRune
	case r == 0x3000:
		return spaceRune
	case r == 0x3164, 0xfe00 <= r && r <= 0xfe0f, r == 0xfeff, r == 0xffa0, 0xfff9 <= r && r <= 0xfffb, 0xe0000 <= r && r <= 0xe01ef:
		return hiddenRune
	case r == broken:
		return brokenRune
	}
	return ordinaryRune
}

func kindOfControl(r rune) runeKind {
	switch {
	case r == '\b':
		return struckRune
	case r == '\v', r == '\f':
		return spaceRune
	case r == 0x85:
		return lineRune
	case r == escape, r == control, r == command:
		return escapeRune
	case r < ' ' && r != '\t' && r != '\n' && r != '\r', r >= 0x7f:
		return hiddenRune
	}
	return ordinaryRune
}

// kindOfPunctuation returns the kind of a character of the Unicode block General
// Punctuation.
func kindOfPunctuation(r rune) runeKind {
	switch {
	case r <= 0x200a, r == 0x202f, r == 0x205f:
		return spaceRune
	case r == 0x2028, r == 0x2029:
		return lineRune
	case r <= 0x200f, 0x202a <= r && r <= 0x202e, r >= 0x2060:
		return hiddenRune
	}
	return ordinaryRune
}

// broken is the rune for a byte that is not UTF-8. It differs from U+FFFD, because a
// text can contain U+FFFD as an ordinary character.
const broken = utf8.MaxRune + 1

// character decodes the character at the start of s, even if it is written as an escape
// such as \x1b. The escapes are those of JSON, C, the shell, cat -v, rsyslog, HTML and
// URLs. If an escape stands for an ordinary character, only the first byte is decoded.
func character(s string) (r rune, size int) {
	if s[0] >= utf8.RuneSelf {
		r, size = utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && size == 1 {
			switch r = broken; s[0] {
			case 0xa0, control: // Latin-1
				r = rune(s[0])
			}
		}
		return r, size
	}
	switch s[0] {
	case '\\':
		r, size = spelledRune(s)
	case '#': // "#033" of rsyslog, which can also be the number of an issue
		if r, size = number(s, 1, 3, 8); r != escape && (r != 0o302 || !strings.HasPrefix(s[size:], "#240")) {
			return '#', 1
		}
		if r == 0o302 {
			r, size = 0xa0, len("#302#240")
		}
	case '&':
		r, size = entity(s)
	case '^': // "^[" of cat -v
		r, size = '^', 1
		if strings.HasPrefix(s, "^[[") || strings.HasPrefix(s, "^[]") {
			r, size = escape, 2
		}
	case '%':
		r, size = '%', 1
		if ascii.HasPrefixFold(s, "%1b[") {
			r, size = escape, len("%1b")
		}
	default:
		return rune(s[0]), 1
	}
	if size == 0 || size > 1 && kindOf(r) == ordinaryRune && r != ' ' {
		return rune(s[0]), 1
	}
	if r == ' ' {
		r = 0xa0 // a space that is spelled out is treated like a non-breaking one
	}
	return r, size
}

// spelledRune decodes an escape such as \u001b, \x1b or \e. Without an escape, size
// is 0.
func spelledRune(s string) (r rune, size int) {
	const most = 4 // backslashes: JSON can be nested in JSON
	n := 1
	for n < min(len(s), most) && s[n] == '\\' {
		n++
	}
	if n == len(s) {
		return 0, 0
	}
	switch s[n] {
	case 'u', 'U':
		if strings.HasPrefix(s[n+1:], "{") {
			end := strings.IndexByte(s[:min(len(s), n+10)], '}')
			if end < 0 {
				return 0, 0
			}
			r, size = number(s, n+2, end-n-2, 16)
			if size == end {
				size++
			}
			return r, size
		}
		return number(s, n+1, 4, 16)
	case 'x', 'X':
		return number(s, n+1, 2, 16)
	case 'e', 'E':
		if strings.HasPrefix(s[n+1:], "[") {
			return escape, n + 1
		}
	case '0', '1', '2', '3':
		r, size = number(s, n, 3, 8)
		if r == 0o302 && strings.HasPrefix(s[size:], `\240`) {
			return 0xa0, size + len(`\240`)
		}
		return r, size
	}
	return 0, 0
}

// number decodes s[at:at+digits]. If one of these bytes is missing or is not a
// digit, end is 0.
func number(s string, at, digits int, base rune) (r rune, end int) {
	if digits <= 0 || at+digits > len(s) {
		return 0, 0
	}
	for _, c := range []byte(s[at : at+digits]) {
		digit := base
		switch {
		case ascii.IsDigit(c):
			digit = rune(c - '0')
		case ascii.IsLetter(c):
			digit = rune(c|0x20-'a') + 10
		}
		if digit >= base || r > utf8.MaxRune {
			return 0, 0
		}
		r = r*base + digit
	}
	return r, at + digits
}

// entity decodes a numeric character reference of HTML, or "&nbsp;". For any other
// text, entity returns '&'.
func entity(s string) (r rune, size int) {
	const nbsp = "&nbsp;"
	if strings.HasPrefix(s, nbsp) {
		return 0xa0, len(nbsp)
	}
	end := strings.IndexByte(s[:min(len(s), 10)], ';')
	if end < 0 || !strings.HasPrefix(s, "&#") {
		return '&', 1
	}
	at, base := 2, rune(10)
	if s[at] == 'x' || s[at] == 'X' {
		at, base = 3, 16
	}
	if r, size = number(s, at, end-at, base); size == end {
		return r, size + 1
	}
	return '&', 1
}

// sequence returns the length of a terminal sequence without the introducer r.
//   - s is the text after r.
//   - If the sequence can move the cursor, replacement is a space.
//   - spelled is true if r was an escape such as \x1b. If no sequence follows such an
//     escape, n is -1.
func sequence(s string, r rune, spelled bool, ends *stringEnds, at int) (n int, replacement string) {
	if r == escape || r == 0x241b {
		switch {
		case strings.HasPrefix(s, "["):
			r, n = control, 1
		case s != "" && strings.IndexByte("]P^_X", s[0]) >= 0: // a string sequence, such as a title or a link
			r, n = command, 1
		case spelled:
			return -1, ""
		default:
			return shortLength(s), ""
		}
	}
	size := 0
	if r == control {
		if size = controlLength(s[n:]); size > 0 && strings.IndexByte("mKhl", s[n+size-1]) < 0 { // not colours, erasing in a line, or modes
			replacement = " "
		}
	} else {
		size = ends.length(at + n)
	}
	switch {
	case size > 0:
		return n + size, replacement
	case spelled:
		return -1, ""
	case r == command:
		return n, ""
	}
	return 0, ""
}

// shortLength returns the length of a short sequence after ESC. If a letter follows
// ESC, the length is 0.
func shortLength(s string) int {
	switch {
	case len(s) > 0 && '0' <= s[0] && s[0] <= '?':
		return 1
	case len(s) > 1 && strings.IndexByte("()*+#% ", s[0]) >= 0 && '0' <= s[1] && s[1] <= '~':
		return 2
	}
	return 0
}

// controlLength returns the length of a control sequence without the introducer, or
// 0.
func controlLength(s string) int {
	const longest = 128
	for i := range min(len(s), longest) {
		switch c := s[i]; {
		case '@' <= c && c <= '~':
			return i + 1
		case c < ' ' || c > '?':
			return 0
		}
	}
	return 0
}

// stringEnds finds the terminators of string sequences, such as OSC. It reads a
// text only once.
type stringEnds struct {
	text      string
	next, end int // start and end of the terminator that was found last
}

// terminators end a string sequence. If two terminators begin alike, the longer one
// comes first.
var terminators = [...]string{
	"\a", "\x1b\\", "\u009c", `\u0007`, `\u001b\\`, `\u001b\`, `\x07`, `\x1b\\`, `\x1b\`, `\033\`, `\e\`, `\a`, "#007", `#033\`, "^G",
}

// length returns the length of the string sequence from index start. If the sequence
// does not end within 4 KiB, length returns 0.
func (e *stringEnds) length(start int) int {
	const longest = 4 << 10
	if e.next < start {
		e.find(start)
	}
	if e.next == len(e.text) || e.next-start > longest {
		return 0
	}
	return e.end - start
}

func (e *stringEnds) find(start int) {
	for at := start; ; at++ {
		i := strings.IndexAny(e.text[at:], "\a\x1b\u009c\\#^")
		if i < 0 {
			e.next, e.end = len(e.text), len(e.text)
			return
		}
		at += i
		for _, t := range terminators {
			if strings.HasPrefix(e.text[at:], t) {
				e.next, e.end = at, at+len(t)
				return
			}
		}
	}
}
