package mask

import (
	"slices"
	"strings"
)

// kind is what a name says about the value that follows it.
type kind uint8

const (
	nothing  kind = iota
	code          // OTP: digits that a person types in
	weak          // key=: a secret where the value looks like one beyond doubt
	token         // a secret unless the value is a word that says what is wrong
	password      // the same, and its value may be a word
	header        // several words, the first of them perhaps a scheme
)

// nameWords is how many words of a name are looked at, from its end.
const nameWords = 6

// nameBytes bounds how far back a name is looked for.
const nameBytes = 80

// name is the words before a separator, in lower case, the last one first.
type name struct {
	words   [nameWords]string
	n       int
	wide    bool // a word has letters beyond ASCII
	prose   bool // the last words were fillers: "API key provided:"
	several bool // the name is a plural: access_tokens
}

// newName splits a name at everything that is no letter, and at capitals:
// X-Api-Key, accessToken, APIKey2.
func newName(text string) (n name) {
	for end := len(text); end > 0 && n.n < nameWords; {
		if text[end-1] >= 0x80 {
			from := end
			for from > 0 && (text[from-1] >= 0x80 || class[text[from-1]]&(lower|upper) != 0) {
				from--
			}
			n.words[n.n], end = lowerWord(text[from:end]), from
			n.n++
			n.wide = true
			continue
		}
		if class[text[end-1]]&(lower|upper) == 0 {
			end--
			continue
		}
		from := end - 1
		for from > 0 && class[text[from-1]]&(lower|upper) != 0 && !hump(text, from, end) {
			from--
		}
		if from > 0 && text[from-1] >= 0x80 { // contraseña, hasło
			for from > 0 && (text[from-1] >= 0x80 || class[text[from-1]]&(lower|upper) != 0) {
				from--
			}
			n.wide = true
		}
		n.words[n.n] = lowerWord(text[from:end])
		n.n++
		end = from
	}
	return n
}

// hump reports whether a word of text, which ends at end, begins at i.
func hump(text string, i, end int) bool {
	if class[text[i]]&upper == 0 {
		return false
	}
	return class[text[i-1]]&lower != 0 || // accessToken
		i+1 < end && class[text[i+1]]&lower != 0 // APIKey
}

// skipFillers drops the words that follow a name in a sentence, or describe its
// value.
func (n *name) skipFillers(prose bool) {
	for n.n > 1 && fillers[n.words[0]] {
		copy(n.words[:], n.words[1:n.n])
		n.n--
		n.words[n.n] = ""
		n.prose = prose
	}
}

// kind looks the name up.
func (n *name) kind() kind {
	if n.n == 0 {
		return nothing
	}
	head, before := n.words[0], n.words[1]
	for _, w := range n.words[1:n.n] {
		if notSecret[w] && !passwords[head] {
			return nothing
		}
	}
	switch {
	case headers[head]:
		return header
	case passwords[head], head == "pass" && passKinds[before]:
		return password
	case tokens[head]:
		return n.tokenKind(head, before)
	case head == "key":
		if keyKinds[before] {
			return token
		}
		return weak
	case head == "pass":
		return weak
	case codes[head], head == "code" && codeKinds[before]:
		return code
	case plurals[head] != "":
		return n.plural(plurals[head])
	case n.isPhrase():
		return password
	case n.endsWith(codesByLast):
		return code
	}
	if n.wide {
		for _, w := range wideNames {
			if strings.HasSuffix(head, w) {
				return password
			}
		}
	}
	return glued(head)
}

// plurals are those of words that are looked at in lists and maps alone: numbers
// of tokens are no secrets.
var plurals = map[string]string{"tokens": "token", "keys": "key", "secrets": "secret", "apikeys": "apikey", "codes": "code", "cookies": "cookie"}

// plural looks a name up whose last word is the plural of singular.
func (n *name) plural(singular string) kind {
	n.several = true
	switch before := n.words[1]; {
	case singular == "code" && codeKinds[before]:
		return code
	case singular == "apikey", singular != "code" && keyKinds[before]:
		return token
	case singular == "token", singular == "secret":
		return weak
	}
	return nothing
}

// isPhrase reports whether the name ends with one of phrases.
func (n *name) isPhrase() bool {
	return n.endsWith(phrasesByLast)
}

// endsWith reports whether the last words of the name are one of phrases.
func (n *name) endsWith(phrases map[string][][]string) bool {
	for _, p := range phrases[n.words[0]] {
		if n.n >= len(p) && slices.Equal(p, n.words[:len(p)]) {
			return true
		}
	}
	return false
}

var phrasesByLast, codesByLast = byLast(phrases), byLast(codePhrases)

// byLast returns the words of phrases, the last one first, by that word.
func byLast(phrases []string) map[string][][]string {
	m := map[string][][]string{}
	for _, p := range phrases {
		set(p)
		n := newName(p)
		m[n.words[0]] = append(m[n.words[0]], slices.Clone(n.words[:n.n]))
	}
	return m
}

// tokenKind tells words that name other things too when they stand alone.
func (n *name) tokenKind(head, before string) kind {
	switch head {
	case "hash", "salt":
		if passwords[before] {
			return password
		}
		return nothing
	case "auth", "oauth", "hmac", "sas", "pat", "csrf", "xsrf":
		return weak
	}
	return token
}

// glued finds names that are written as one word: dbpassword, stripeapikey.
func glued(word string) kind {
	switch {
	case len(word) < 6:
		return nothing
	case hasSuffix(word, "password"), hasSuffix(word, "passwd"), hasSuffix(word, "passphrase"), hasSuffix(word, "storepass"), hasSuffix(word, "keypass"):
		return password
	case hasSuffix(word, "apikey"), hasSuffix(word, "secret"), hasSuffix(word, "token"), hasSuffix(word, "accesskey"), hasSuffix(word, "secretkey"):
		return token
	}
	return nothing
}

// hasSuffix is strings.HasSuffix in any case.
func hasSuffix(word, suffix string) bool {
	return len(word) >= len(suffix) && word[len(word)-1]|0x20 == suffix[len(suffix)-1] && strings.EqualFold(word[len(word)-len(suffix):], suffix)
}

// isID reports whether the name is that of an id.
func (n *name) isID() bool {
	return n.n > 0 && idNames[n.words[0]]
}
