package mask

import "strings"

// looksSecret reports whether v is no plain word: it has a digit among letters,
// or letters that no word has in that order.
func looksSecret(v string) bool {
	c := classes(v)
	switch {
	case c&(lower|upper) == 0:
		return c&digit != 0 && len(v) >= 9 && !strings.ContainsAny(v, ".,:/")
	case c&digit != 0:
		return !isUUID(v) && len(v) >= 4
	case wordy(v):
		return false
	}
	const longWord = 20 // "unauthenticated", "misconfigured"
	return len(v) > longWord || !strings.ContainsAny(v, "./:()<>*") && humps(v)
}

// humps reports whether capitals stand within v as they do in no name: neither
// CamelCase nor CONSTANT.
func humps(v string) bool {
	rest := strings.TrimLeft(v, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	return len(v)-len(rest) <= 1 && strings.ContainsAny(rest, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
}

// mixed reports whether v has digits and letters.
func mixed(v string) bool {
	c := classes(v)
	return c&digit != 0 && c&(lower|upper) != 0
}

// wordy reports whether v consists of words: parts without digits of 2 to 16
// letters, each with a vowel or short, divided by punctuation or capitals.
func wordy(v string) bool {
	for from := 0; from < len(v); {
		if c := class[v[from]]; c&(lower|upper) == 0 {
			if c&digit != 0 {
				return false
			}
			from++
			continue
		}
		to := from + 1
		for to < len(v) && class[v[to]]&(lower|upper) != 0 && !hump(v, to, len(v)) {
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

// randomish reports whether a part of v, which dashes and the like divide, mixes
// digits and letters as a random text does.
func randomish(v string) bool {
	if isUUID(v) || len(v) < 12 || strings.ContainsAny(v, "()[]{}<>*:\\") || strings.HasPrefix(v, "0x") {
		return false
	}
	for from := 0; from < len(v); {
		to := from
		for to < len(v) && class[v[to]]&(alnum|base64|percent) != 0 && v[to] != '/' {
			to++
		}
		if part := v[from:to]; len(part) >= 8 && mixed(part) && changes(part) >= 3 {
			return true
		}
		from = to + 1
	}
	return false
}

// changes counts where v goes from one class of letters to another.
func changes(v string) (n int) {
	for i := 1; i < len(v); i++ {
		if kindOf(v[i]) != kindOf(v[i-1]) {
			n++
		}
	}
	return n
}

// kindOf is the one class of lower, upper and digit that c has, or 0.
func kindOf(c byte) uint16 { return class[c] & alnum }

// isPointer reports whether v is an address, as fmt prints pointers.
func isPointer(v string) bool {
	const longest = 14 // with 0x
	return len(v) <= longest && strings.HasPrefix(v, "0x") && all(v[len("0x"):], hexa)
}

// isUUID reports whether v is a UUID, or several hexadecimal groups in its form.
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

// nameLike reports whether v is a name of several parts: words, versions and small
// numbers that dashes and dots divide, as in db-credentials-v2 and us-east-1.
func nameLike(v string) bool {
	parts := 0
	for part := range strings.FieldsFuncSeq(v, func(r rune) bool { return r == '-' || r == '_' || r == '.' || r == '/' }) {
		parts++
		bare := strings.TrimRight(part, "0123456789")
		if len(part)-len(bare) > 3 || bare != "" && len(bare) != 1 && (!all(bare, lower|upper) || !wordy(bare) || humps(bare)) {
			return false
		}
	}
	return parts > 1
}

// numbered reports whether v is one word and up to four digits: value1234. With
// few digits and capitals alone it is a constant: SIGSEGV11.
func numbered(v string) (word string, constant, ok bool) {
	const most = 4
	word = strings.TrimRight(v, "0123456789")
	n := len(v) - len(word)
	if n == 0 || n > most || len(word) < 3 || !all(word, lower|upper) || humps(word) || !wordy(word) {
		return "", false, false
	}
	return word, n <= 2 && all(word, upper), true
}
