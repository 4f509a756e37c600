package form

import (
	"strings"
	"unicode/utf8"
)

// A terminal's colours, a non-breaking space or a doubled one change nothing of
// what a text says. The standard rules see texts without them. A user's rules
// see the text as it is, and this form of it.

// maxPlain is the length beyond which a text is read as it is. Only a classifier
// without a limit, or with a large one, reads such texts: it must not copy them.
const maxPlain = 1 << 20

// PlainText returns text as a reader sees it: without the escape sequences of
// terminals and invisible characters, with ordinary spaces.
func PlainText(text string) string {
	if len(text) > maxPlain {
		return text
	}
	for i := range len(text) {
		if mayBeOdd[text[i]] {
			s := splicer{text: text}
			EachOdd(text, s.replace)
			text, _ = s.result()
			return text
		}
	}
	return text
}

// SingleSpaced returns text with one space where several, or tabs, stand in a
// line, and with none at the end of a line.
func SingleSpaced(text string) string {
	if len(text) > maxPlain || !hasGap(text) {
		return text
	}
	s := splicer{text: text}
	EachGap(text, s.replace)
	text, _ = s.result()
	return text
}

// hasGap reports whether eachGap may find something.
func hasGap(text string) bool {
	return strings.IndexByte(text, '\t') >= 0 || strings.IndexByte(text, '\r') >= 0 || strings.HasSuffix(text, " ") ||
		strings.Contains(text, "  ") || strings.Contains(text, " \n")
}

// EachGap finds the runs of blanks that are more than one space, and all at the
// end of a line.
func EachGap(text string, found func(start, end int, with string)) {
	for i := 0; i < len(text); i++ {
		if !isBlank(text[i]) && text[i] != '\r' {
			continue
		}
		start, end := i, i
		for end < len(text) && (isBlank(text[end]) || text[end] == '\r') {
			end++
		}
		if end == len(text) || text[end] == '\n' {
			found(start, end, "")
			i = end
			continue
		}
		for ; i < end; i++ { // a line that a program wrote over keeps its returns
			start := i
			for i < end && isBlank(text[i]) {
				i++
			}
			if start < i && text[start:i] != " " {
				found(start, i, " ")
			}
		}
		i--
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// mayBeOdd are the bytes that begin what eachOdd finds, or may do so: control
// characters, what begins the spelling of one in ASCII, and all beyond ASCII.
var mayBeOdd = func() (odd [256]bool) {
	for c := range odd {
		odd[c] = c < ' ' && c != '\t' && c != '\n' && c != '\r' || c >= 0x7f || strings.IndexByte(`\#&^%`, byte(c)) >= 0
	}
	return odd
}()

// EachOdd finds escape sequences, odd spaces, invisible characters, what was
// struck over, and bytes that are no UTF-8.
func EachOdd(text string, found func(start, end int, with string)) {
	ends := stringEnds{text: text, next: -1}
	last := 0 // where the piece before ended
	for i := 0; i < len(text); {
		if !mayBeOdd[text[i]] {
			i++
			continue
		}
		r, size := character(text[i:])
		start, end, with := i, i+size, ""
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
			with = string(utf8.RuneError)
		case spaceRune:
			with = " "
		case lineRune:
			with = "\n"
		case struckRune:
			if _, before := utf8.DecodeLastRuneInString(text[last:i]); text[last:i] != "" {
				start -= before
			}
		case escapeRune:
			spelled := size > 1 && text[i] < utf8.RuneSelf
			n := 0
			if n, with = sequence(text[end:], r, spelled, &ends, end); n < 0 {
				i = end // ASCII that only looks like ESC
				continue
			}
			end += n
		}
		found(start, end, with)
		i, last = end, end
	}
}
