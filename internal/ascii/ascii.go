// Package ascii recognises ASCII letters and digits.
package ascii

import "strings"

// IsDigit reports whether c is an ASCII digit.
func IsDigit(c byte) bool { return '0' <= c && c <= '9' }

// IsLetter reports whether c is an ASCII letter.
func IsLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// Digits counts the digits at the start of s.
func Digits(s string) (n int) {
	for n < len(s) && IsDigit(s[n]) {
		n++
	}
	return n
}

// HasPrefixFold reports whether s begins with prefix, ignoring case.
func HasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
