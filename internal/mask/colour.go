package mask

import "strings"

// spelledEscapes are spellings of the escape character in strings, without the
// backslashes before them.
var spelledEscapes = []string{"u001b", "u001B", "x1b", "x1B", "033", "e"}

// spelledFirst has the first bytes of spelledEscapes.
const spelledFirst = "ux0e"

// longestColour is the maximum length of a terminal sequence, in bytes. The escape
// character does not count.
const longestColour = 32

// colour returns the length of the terminal sequence at the beginning of text, such as a
// colour, or 0. The escape character can be spelled out, as in \x1b[31m.
func colour(text string) int {
	n := spelledEscape(text)
	if n == 0 || n >= len(text) || text[n] != '[' {
		return 0
	}
	for end := min(len(text), n+longestColour); n+1 < end; n++ {
		if c := text[n+1]; c >= 0x40 && c <= 0x7e {
			return n + 2
		} else if class[c]&digit == 0 && c != ';' && c != '?' {
			return 0
		}
	}
	return 0
}

// spelledEscape returns the length of the escape character at the beginning of text,
// or 0.
func spelledEscape(text string) int {
	if text[0] != '\\' {
		if text[0] == 0x1b {
			return 1
		}
		return 0
	}
	k := backslashes(text)
	if k == len(text) || strings.IndexByte(spelledFirst, text[k]) < 0 {
		return 0
	}
	for _, e := range spelledEscapes {
		if strings.HasPrefix(text[k:], e) {
			return k + len(e)
		}
	}
	return 0
}

// colourBefore returns the length of the colour at the end of text, or 0. The escape
// character can be missing, as in [31m.
func colourBefore(text string) int {
	const shortest = 2 // bytes: [m
	at := len(text) - 1
	if at < shortest || text[at] != 'm' && text[at] != 'K' {
		return 0
	}
	least := max(0, at-longestColour)
	for at > least && (class[text[at-1]]&digit != 0 || text[at-1] == ';') {
		at--
	}
	if at == least || text[at-1] != '[' {
		return 0
	}
	at--
	n := escapeBefore(text[:at])
	if n == 0 && len(text)-at == shortest { // an index such as a[m
		return 0
	}
	return len(text) - at + n
}

// escapeBefore returns the length of the escape character at the end of text, or 0.
func escapeBefore(text string) int {
	if strings.HasSuffix(text, "\x1b") {
		return 1
	}
	for _, e := range spelledEscapes {
		at := len(text) - len(e)
		if at > 0 && text[at-1] == '\\' && text[at:] == e {
			k := 1
			for k < at && k < mostBackslashes && text[at-1-k] == '\\' {
				k++
			}
			return len(e) + k
		}
	}
	return 0
}
