package jsontop

import (
	"encoding/binary"
	"math/bits"
)

// maxDepth is the maximum nesting of values. encoding/json has the same limit.
const maxDepth = 10_000

// Each function below parses one element of the grammar at index i of d. It returns
// the index after the element, or -1 if the element is invalid.

// object parses an object. i is the index after the opening brace. visit may be nil.
func object(d []byte, i, depth int, visit func(key, value []byte)) int {
	if depth > maxDepth {
		return -1
	}
	if i = space(d, i); i < len(d) && d[i] == '}' {
		return i + 1
	}
	var decoded []byte // buffer for keys with escapes
	for {
		if i >= len(d) || d[i] != '"' {
			return -1
		}
		keyEnd, escaped := text(d, i+1)
		if keyEnd < 0 {
			return -1
		}
		colon := space(d, keyEnd)
		if colon >= len(d) || d[colon] != ':' {
			return -1
		}
		start := space(d, colon+1)
		var end int
		if start < len(d) && d[start] == '"' { // most values are strings
			end, _ = text(d, start+1)
		} else {
			end = value(d, start, depth)
		}
		if end < 0 {
			return -1
		}
		if visit != nil {
			key := d[i+1 : keyEnd-1]
			if escaped && len(key) <= MaxKey {
				decoded, _ = appendText(decoded[:0], key)
				key = decoded
			}
			visit(key, d[start:end])
		}
		if end < len(d) && d[end] == ',' {
			i = space(d, end+1)
			continue
		}
		more := false
		if i, more = next(d, end, '}'); !more {
			return i
		}
	}
}

// array parses an array. i is the index after the opening bracket. visit may be nil.
func array(d []byte, i, depth int, visit func(item []byte)) int {
	if depth > maxDepth {
		return -1
	}
	if i = space(d, i); i < len(d) && d[i] == ']' {
		return i + 1
	}
	for {
		more := false
		start := i
		if i = value(d, i, depth); i < 0 {
			return -1
		}
		if visit != nil {
			visit(d[start:i])
		}
		if i, more = next(d, i, ']'); !more {
			return i
		}
	}
}

// next parses the comma or the closing byte after a member or an item. more is true
// after a comma.
func next(d []byte, i int, closing byte) (after int, more bool) {
	i = space(d, i)
	switch {
	case i >= len(d):
		return -1, false
	case d[i] == ',':
		return space(d, i+1), true
	case d[i] == closing:
		return i + 1, false
	default:
		return -1, false
	}
}

func value(d []byte, i, depth int) int {
	if i >= len(d) {
		return -1
	}
	switch d[i] {
	case '"':
		end, _ := text(d, i+1)
		return end
	case '{':
		return object(d, i+1, depth+1, nil)
	case '[':
		return array(d, i+1, depth+1, nil)
	case 't':
		return literal(d, i, "true")
	case 'f':
		return literal(d, i, "false")
	case 'n':
		return literal(d, i, "null")
	default:
		return number(d, i)
	}
}

func literal(d []byte, i int, word string) int {
	if len(d)-i < len(word) || string(d[i:i+len(word)]) != word {
		return -1
	}
	return i + len(word)
}

func number(d []byte, i int) int {
	if i < len(d) && d[i] == '-' {
		i++
	}
	switch {
	case i >= len(d):
		return -1
	case d[i] == '0':
		i++
	default:
		if i = digits(d, i); i < 0 {
			return -1
		}
	}
	if i < len(d) && d[i] == '.' {
		if i = digits(d, i+1); i < 0 {
			return -1
		}
	}
	if i < len(d) && (d[i] == 'e' || d[i] == 'E') {
		i++
		if i < len(d) && (d[i] == '+' || d[i] == '-') {
			i++
		}
		return digits(d, i)
	}
	return i
}

// digits parses one or more digits.
func digits(d []byte, i int) int {
	start := i
	for i < len(d) && d[i]-'0' <= 9 {
		i++
	}
	if i == start {
		return -1
	}
	return i
}

func space(d []byte, i int) int {
	for i < len(d) && d[i] <= ' ' && (d[i] == ' ' || d[i] == '\t' || d[i] == '\n' || d[i] == '\r') {
		i++
	}
	return i
}

// text parses a string. i is the index after the opening quote. escaped is true if the
// string has escapes.
func text(d []byte, i int) (end int, escaped bool) {
	for ; len(d)-i >= 8; i += 8 {
		if flags := special(d[i:]); flags != 0 {
			i += bits.TrailingZeros64(flags) / 8
			if d[i] == '"' {
				return i + 1, false
			}
			break
		}
	}
	for {
		i = plain(d, i)
		if i >= len(d) {
			return -1, escaped
		}
		switch d[i] {
		case '"':
			return i + 1, escaped
		case '\\':
			escaped = true
			if i = escape(d, i+1); i < 0 {
				return -1, escaped
			}
		default: // a control character
			return -1, escaped
		}
	}
}

// plain returns the index of the first quote, backslash or control character at or
// after i.
func plain(d []byte, i int) int {
	for ; len(d)-i >= 8; i += 8 {
		if flags := special(d[i:]); flags != 0 {
			return i + bits.TrailingZeros64(flags)/8
		}
	}
	for i < len(d) && d[i] != '"' && d[i] != '\\' && d[i] >= 0x20 {
		i++
	}
	return i
}

// special flags the quotes, backslashes and control characters in the first eight
// bytes. Only the first flag is reliable: the borrow of a subtraction can flag a wrong
// byte after the first flagged byte.
func special(d []byte) uint64 {
	w := binary.LittleEndian.Uint64(d)
	quote := w ^ ones*'"'
	slash := w ^ ones*'\\'
	return ((quote-ones)&^quote | (slash-ones)&^slash | (w-ones*0x20)&^w) & highs
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// escape parses an escape such as \n. i is the index after the backslash.
func escape(d []byte, i int) int {
	if i >= len(d) {
		return -1
	}
	switch d[i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 1
	case 'u':
		if len(d)-i < 5 {
			return -1
		}
		for _, c := range d[i+1 : i+5] {
			if ('0' > c || c > '9') && ('a' > c || c > 'f') && ('A' > c || c > 'F') {
				return -1
			}
		}
		return i + 5
	default:
		return -1
	}
}
