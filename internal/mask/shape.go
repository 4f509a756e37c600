package mask

import "strings"

// looksSecret reports whether v looks like a secret. These texts do:
//   - a long number,
//   - a text with letters and digits, except for a UUID,
//   - a text without digits that does not consist of words, and is long or of mixed case.
func looksSecret(v string) bool {
	c := classes(v)
	switch {
	case c&(lower|upper) == 0:
		return c&digit != 0 && len(v) >= 9 && !strings.ContainsAny(v, ".,:/")
	case c&digit != 0:
		return !isUUID(v) && len(v) >= 4
	case isWords(v):
		return false
	}
	const longWord = 20 // "unauthenticated", "misconfigured"
	return len(v) > longWord || !strings.ContainsAny(v, "./:()<>*") && mixedCase(v)
}

// mixedCase reports whether v has a capital after other characters, as in hunTer2. If v
// begins with two or more capitals, mixedCase returns false.
func mixedCase(v string) bool {
	rest := strings.TrimLeft(v, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	return len(v)-len(rest) <= 1 && strings.ContainsAny(rest, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
}

// mixed reports whether v has digits and letters.
func mixed(v string) bool {
	c := classes(v)
	return c&digit != 0 && c&(lower|upper) != 0
}

// isWords reports whether v consists of words, divided by punctuation or capitals. A
// word of more than three letters must have a vowel.
func isWords(v string) bool {
	for from := 0; from < len(v); {
		if c := class[v[from]]; c&(lower|upper) == 0 {
			if c&digit != 0 {
				return false
			}
			from++
			continue
		}
		to := from + 1
		for to < len(v) && class[v[to]]&(lower|upper) != 0 && !startsWord(v, to, len(v)) {
			to++
		}
		part := v[from:to]
		if len(part) > 16 || len(part) < 2 || len(part) > 3 && !strings.ContainsAny(part, "aeiouyAEIOUY") {
			return false
		}
		from = to
	}
	return true
}

// looksRandom reports whether v, or a part of v, mixes digits and letters like
// random text.
func looksRandom(v string) bool {
	if isUUID(v) || len(v) < 12 || strings.ContainsAny(v, "()[]{}<>*:\\") || strings.HasPrefix(v, "0x") {
		return false
	}
	for from := 0; from < len(v); {
		to := from
		for to < len(v) && class[v[to]]&(alnum|base64|percent) != 0 && v[to] != '/' {
			to++
		}
		if part := v[from:to]; len(part) >= 8 && mixed(part) && kindChanges(part) >= 3 {
			return true
		}
		from = to + 1
	}
	return false
}

// kindChanges counts the pairs of neighbouring bytes in v that are of different kinds:
// see kindOf.
func kindChanges(v string) (n int) {
	for i := 1; i < len(v); i++ {
		if kindOf(v[i]) != kindOf(v[i-1]) {
			n++
		}
	}
	return n
}

// kindOf returns lower, upper or digit, or 0 if c is none of these.
func kindOf(c byte) uint16 { return class[c] & alnum }

// isPointer reports whether v is an address as fmt prints it, such as 0xc000012345.
func isPointer(v string) bool {
	const longest = 14 // with 0x
	return len(v) <= longest && strings.HasPrefix(v, "0x") && all(v[len("0x"):], hexa)
}

// isUUID reports whether v is a UUID, with or without braces.
func isUUID(v string) bool {
	v = strings.Trim(v, "{}")
	if len(v) != 36 {
		return false
	}
	for i := range len(v) {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if v[i] != '-' {
				return false
			}
		} else if !isHex(v[i]) {
			return false
		}
	}
	return true
}

// nameLike reports whether v is a name such as db-credentials-v2 or us-east-1.
func nameLike(v string) bool {
	parts := 0
	for part := range strings.FieldsFuncSeq(v, func(r rune) bool { return r == '-' || r == '_' || r == '.' || r == '/' }) {
		parts++
		bare := strings.TrimRight(part, "0123456789")
		if len(part)-len(bare) > 3 || bare != "" && len(bare) != 1 && (!all(bare, lower|upper) || !isWords(bare) || mixedCase(bare)) {
			return false
		}
	}
	return parts > 1
}

// numberedWord reports whether v is a word and one to four digits, such as
// value1234. For a name such as SIGSEGV11, constant is true.
func numberedWord(v string) (word string, constant, ok bool) {
	const most = 4
	word = strings.TrimRight(v, "0123456789")
	n := len(v) - len(word)
	if n == 0 || n > most || len(word) < 3 || !all(word, lower|upper) || mixedCase(word) || !isWords(word) {
		return "", false, false
	}
	return word, n <= 2 && all(word, upper), true
}
