package jsontop

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// Text decodes a JSON string. ok is false for any other value. Invalid UTF-8
// stays as it is.
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

// AppendText appends the text of a JSON string to b. If value is not a string, ok is
// false and b is unchanged.
func AppendText(b, value []byte) (text []byte, ok bool) {
	s, ok := content(value)
	if !ok {
		return b, false
	}
	text, ok = appendText(b, s)
	if !ok {
		return b, false
	}
	return text, true
}

// Ends decodes a JSON string. If the string has more than limit bytes, only its
// first and last limit/2 bytes are decoded. A line feed joins the two parts. No
// escape is cut. If value is not a string, ok is false.
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

// content returns the bytes between the quotes of a JSON string.
func content(value []byte) (s []byte, ok bool) {
	n := len(value)
	if n < 2 || value[0] != '"' || value[n-1] != '"' {
		return nil, false
	}
	return value[1 : n-1], true
}

// longestEscape is the length of \u0041.
const longestEscape = 6

// escapeStart returns the start of the escape that a cut at index i would divide. If
// there is none, it returns i.
func escapeStart(s []byte, i int) int {
	for start := i - 1; start >= max(0, i-longestEscape+1); start-- {
		if s[start] != '\\' {
			continue
		}
		first := start
		for first > 0 && s[first-1] == '\\' {
			first--
		}
		if (start-first)%2 != 0 { // this backslash is itself escaped
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

// appendText appends the decoded content of a JSON string to b. If an escape is
// invalid, ok is false.
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
				// If the two escapes are not a surrogate pair, the next iteration
				// decodes the second escape.
				if r = utf16.DecodeRune(r, second); r != utf8.RuneError {
					after += longestEscape
				}
			}
			b = utf8.AppendRune(b, r)
		} else {
			b = append(b, shortEscape[s[i+1]])
		}
		s = s[after:]
	}
}

// shortEscape maps the byte after a backslash to the byte that the escape means.
var shortEscape = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// hex4 decodes four hexadecimal digits. The caller has checked that they are
// digits.
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
