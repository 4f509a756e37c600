package jsontop

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// Text decodes a JSON string; ok is false for any other value. Invalid UTF-8 is
// kept.
func Text(value []byte) (text string, ok bool) {
	s, ok := content(value)
	if !ok {
		return "", false
	}
	if bytes.IndexByte(s, '\\') < 0 {
		return string(s), true
	}
	b, ok := appendText(make([]byte, 0, len(s)), s)
	return string(b), ok
}

// Ends decodes a JSON string as [Text] does, but reads at most limit bytes of
// it. Of a longer string it decodes the first and the last half of limit and
// joins them with a line end; the rest is neither copied nor decoded.
func Ends(value []byte, limit int) (text string, ok bool) {
	s, ok := content(value)
	if !ok || len(s) <= limit {
		return Text(value)
	}
	head := s[:escapeStart(s, limit/2)]
	tail := s[escapeStart(s, len(s)-limit/2):]
	b, ok := appendText(make([]byte, 0, len(head)+len("\n")+len(tail)), head)
	if !ok {
		return "", false
	}
	b, ok = appendText(append(b, '\n'), tail)
	return string(b), ok
}

// content is what stands between the quotes of a JSON string.
func content(value []byte) (s []byte, ok bool) {
	n := len(value)
	if n < 2 || value[0] != '"' || value[n-1] != '"' {
		return nil, false
	}
	return value[1 : n-1], true
}

// longestEscape is the length of \u0041.
const longestEscape = 6

// escapeStart returns i, or the start of the escape that i is inside of: a
// string can be cut there. It reads back from i as far as backslashes follow
// each other, for only an odd number of them begins an escape.
func escapeStart(s []byte, i int) int {
	for start := i - 1; start >= max(0, i-longestEscape+1); start-- {
		if s[start] != '\\' {
			continue
		}
		first := start
		for first > 0 && s[first-1] == '\\' {
			first--
		}
		if (start-first)%2 != 0 { // this one is escaped itself
			return i
		}
		length := 2
		if start+1 < len(s) && s[start+1] == 'u' {
			length = longestEscape
		}
		if start+length > i {
			return start
		}
		return i
	}
	return i
}

// appendText appends the decoded content of a JSON string to b. ok is false
// where an escape is none.
func appendText(b, s []byte) (text []byte, ok bool) {
	for {
		i := bytes.IndexByte(s, '\\')
		if i < 0 {
			return append(b, s...), true
		}
		b = append(b, s[:i]...)
		after := escape(s, i+1)
		if after < 0 {
			return nil, false
		}
		if s[i+1] == 'u' {
			r := rune(hex4(s[i+2:]))
			if utf16.IsSurrogate(r) {
				second := rune(utf8.RuneError)
				if after+1 < len(s) && s[after] == '\\' && s[after+1] == 'u' && escape(s, after+1) > 0 {
					second = rune(hex4(s[after+2:]))
				}
				// What is no pair is replaced, and what follows is read by itself.
				if r = utf16.DecodeRune(r, second); r != utf8.RuneError {
					after += longestEscape
				}
			}
			b = utf8.AppendRune(b, r)
		} else {
			b = append(b, plainEscape[s[i+1]])
		}
		s = s[after:]
	}
}

// plainEscape maps what follows a backslash to what both stand for.
var plainEscape = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// hex4 reads four hexadecimal digits, which escape has checked.
func hex4(s []byte) uint16 {
	var n uint16
	for _, c := range s[:4] {
		switch {
		case c <= '9':
			c -= '0'
		case c <= 'F':
			c -= 'A' - 10
		default:
			c -= 'a' - 10
		}
		n = n<<4 | uint16(c)
	}
	return n
}
