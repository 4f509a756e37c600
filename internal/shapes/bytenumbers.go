package shapes

import "strings"

// byteNumbers decodes a JSON array of bytes: [104,105] becomes "hi". journald writes
// a message in this form if it is not valid UTF-8.
//
// If the array has more than limit + limit/2 numbers, only the first limit/2 and the
// last limit/2 numbers are decoded. A line feed is put between these two parts. Not all
// of the numbers in the middle are checked.
func byteNumbers(v []byte, limit int) (text string, ok bool) {
	v = v[1 : len(v)-1]
	var b strings.Builder
	end, ok := appendByteNumbers(&b, v, limit)
	if !ok || end == len(v) {
		return b.String(), ok
	}
	tail := lastNumbers(v[end:], limit/2)
	if len(tail) == len(v)-end { // tail is all of v[end:], because that has at most limit/2 numbers
		_, ok = appendByteNumbers(&b, tail, limit)
		return b.String(), ok
	}
	head := b.String()[:limit/2]
	b.Reset()
	b.WriteString(head)
	b.WriteByte('\n')
	_, ok = appendByteNumbers(&b, tail, limit)
	return b.String(), ok
}

// appendByteNumbers decodes at most limit numbers. It returns the index after the last
// number and the comma that follows it. If a number is not between 0 and 255, ok is
// false.
func appendByteNumbers(b *strings.Builder, v []byte, limit int) (end int, ok bool) {
	n, digits := 0, 0
	for i, c := range v {
		switch {
		case '0' <= c && c <= '9':
			if digits++; digits > len("255") || i > 0 && digits > 1 && !digit(v[i-1]) {
				return 0, false
			}
			n = 10*n + int(c-'0')
		case c == ',':
			if digits == 0 || n > 0xff {
				return 0, false
			}
			b.WriteByte(byte(n))
			n, digits = 0, 0
			if limit--; limit == 0 {
				return i + 1, true
			}
		case c != ' ' && c != '\t' && c != '\r' && c != '\n':
			return 0, false
		}
	}
	if digits == 0 || n > 0xff {
		return 0, false
	}
	b.WriteByte(byte(n))
	return len(v), true
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

// lastNumbers returns the part of v with the last n numbers.
func lastNumbers(v []byte, n int) []byte {
	for i := len(v) - 1; i >= 0; i-- {
		if v[i] == ',' {
			if n--; n == 0 {
				return v[i+1:]
			}
		}
	}
	return v
}
