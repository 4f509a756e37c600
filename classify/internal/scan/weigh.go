package scan

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// weigh estimates the steps that package syntax takes to read expr, before it
// does so: there is no way to stop it. Only classes cost much more than their
// length: a table of Unicode has hundreds of ranges, and a range is folded rune
// by rune. It may take a hyphen behind a class for a range, never the reverse.
func weigh(expr string) int {
	const (
		table   = 2500
		maxFold = 0x1e944 // above the last rune that has another case
	)
	steps := len(expr)
	class, before := false, rune(0)
	for i := 0; i < len(expr); {
		r, size := runeAt(expr[i:])
		switch {
		case expr[i] == '[':
			class = true
		case expr[i] == '\\' && i+1 < len(expr) && expr[i+1]|0x20 == 'p':
			steps += table
		case expr[i] == '-' && class:
			to, _ := runeAt(expr[i+1:])
			steps += int(max(0, min(to, maxFold)-before))
		}
		i += size
		before = r
	}
	return steps
}

// runeAt reads a rune that may be escaped, as \x{4e00}, \x41, \101 or \-. An
// escape for more than one rune counts as the lowest.
func runeAt(s string) (r rune, size int) {
	switch {
	case s == "":
		return 0, 0
	case s[0] != '\\' || len(s) == 1:
		return utf8.DecodeRuneInString(s)
	}
	digits, base := s[1:], 8
	begin, end := 1, 1
	switch {
	case strings.HasPrefix(digits, "x{"):
		begin, base = 3, 16
		if end = strings.IndexByte(s, '}'); end < 0 {
			end = len(s)
		}
		size = min(end+1, len(s))
	case digits[0] == 'x':
		begin, base = 2, 16
		end = min(4, len(s))
		size = end
	case '0' <= digits[0] && digits[0] <= '7':
		for end < min(4, len(s)) && '0' <= s[end] && s[end] <= '7' {
			end++
		}
		size = end
	default:
		r, size = utf8.DecodeRuneInString(digits)
		if unicode.IsLetter(r) {
			r = 0
		}
		return r, size + 1
	}
	n, err := strconv.ParseUint(s[begin:end], base, 32)
	if err != nil { // no number, or one that is too large: package syntax refuses it
		return 0, size
	}
	return rune(min(n, unicode.MaxRune)), size
}
