package mask

import (
	"slices"
	"strings"
)

// kind is the kind of secret that a name such as API_KEY means.
type kind uint8

const (
	nothing  kind = iota
	code          // a one-time code or PIN
	weak          // a secret if the value looks random: key=
	token         // a secret, unless the value is an ordinary word
	password      // a secret that can be an ordinary word, but not one of the set benign
	header        // a value with several words, such as a scheme and a token
)

// nameWords is how many words at the end of a name are read.
const nameWords = 6

// nameBytes is the maximum length of a name, in bytes.
const nameBytes = 80

// name has the words of a name such as API_KEY, in reverse order. For the form of a
// word, see lowerWord.
type name struct {
	words    [nameWords]string
	n        int
	nonASCII bool // a word has non-ASCII characters
	prose    bool // the name is in a sentence: "API key provided:"
	several  bool // the name is a plural: access_tokens
	vault    bool // each value is a secret if the name is that of a map: secrets, passwords
}

// newName splits a name such as X-Api-Key, accessToken or APIKey2 into words.
func newName(text string) (n name) {
	for end := len(text); end > 0 && n.n < nameWords; {
		if text[end-1] >= 0x80 {
			from := end
			for from > 0 && (text[from-1] >= 0x80 || class[text[from-1]]&(lower|upper) != 0) {
				from--
			}
			n.words[n.n], end = lowerWord(text[from:end]), from
			n.n++
			n.nonASCII = true
			continue
		}
		if class[text[end-1]]&(lower|upper) == 0 {
			end--
			continue
		}
		from := end - 1
		for from > 0 && class[text[from-1]]&(lower|upper) != 0 && !startsWord(text, from, end) {
			from--
		}
		if from > 0 && text[from-1] >= 0x80 { // contraseña, hasło
			for from > 0 && (text[from-1] >= 0x80 || class[text[from-1]]&(lower|upper) != 0) {
				from--
			}
			n.nonASCII = true
		}
		n.words[n.n] = lowerWord(text[from:end])
		n.n++
		end = from
	}
	return n
}

// startsWord reports whether the capital at i starts a word of text[:end].
func startsWord(text string, i, end int) bool {
	if class[text[i]]&upper == 0 {
		return false
	}
	return class[text[i-1]]&lower != 0 || // accessToken
		i+1 < end && class[text[i+1]]&lower != 0 // APIKey
}

// skipFillers removes words such as "provided" from the end of the name. If it removes
// any, it sets n.prose to prose.
func (n *name) skipFillers(prose bool) {
	for n.n > 1 && fillers[n.words[0]] {
		copy(n.words[:], n.words[1:n.n])
		n.n--
		n.words[n.n] = ""
		n.prose = prose
	}
}

// kind returns the kind of secret that the name means.
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
		n.vault = manyPasswords[head]
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
	case codes[head], head == "code" && codeKinds[before], n.isOwnCode():
		return code
	case plurals[head] != "":
		return n.plural(plurals[head])
	case n.isPhrase():
		return password
	case n.endsWith(codesByLast), n.endsWith(cardsByLast):
		return code
	}
	if n.nonASCII {
		for _, w := range unspacedNames {
			if strings.HasSuffix(head, w) {
				return password
			}
		}
		for _, w := range unspacedCodes {
			if strings.HasSuffix(head, w) {
				return code
			}
		}
	}
	return suffixKind(head)
}

// drop removes the last word.
func (n *name) drop() {
	copy(n.words[:], n.words[1:])
	n.words[nameWords-1] = ""
	n.n--
}

// wordsBefore returns the two words before the last word of the name. If the name ends
// with a phrase such as "mot de passe", it returns the two words before the phrase.
func (n *name) wordsBefore() (words [2]string) {
	length := 1
	for _, p := range phrasesByLast[n.words[0]] {
		if n.n >= len(p) && slices.Equal(p, n.words[:len(p)]) {
			length = max(length, len(p))
		}
	}
	copy(words[:], n.words[min(length, len(n.words)):])
	return words
}

// plurals maps plurals at the end of names to singulars. A plural can also name a
// count: max_tokens=512.
var plurals = map[string]string{"tokens": "token", "keys": "key", "secrets": "secret", "apikeys": "apikey", "codes": "code", "cookies": "cookie"}

// plural returns the kind of a name that ends with a plural. The argument is the
// singular of the last word.
func (n *name) plural(singular string) kind {
	n.several = true
	n.vault = singular == "secret"
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

// isPhrase reports whether the name ends with a phrase such as "mot de passe".
func (n *name) isPhrase() bool {
	return n.endsWith(phrasesByLast)
}

// endsWith reports whether the name ends with one of the phrases. The argument is a
// result of byLast.
func (n *name) endsWith(phrases map[string][][]string) bool {
	for _, p := range phrases[n.words[0]] {
		if n.n >= len(p) && slices.Equal(p, n.words[:len(p)]) {
			return true
		}
	}
	return false
}

var phrasesByLast, codesByLast, cardsByLast = byLast(phrases), byLast(codePhrases), byLast(cardPhrases)

// byLast groups phrases by their last word. In the result, the words of a phrase are in
// reverse order, as in name.words.
func byLast(phrases []string) map[string][][]string {
	m := map[string][][]string{}
	for _, p := range phrases {
		set(p)
		n := newName(p)
		m[n.words[0]] = append(m[n.words[0]], slices.Clone(n.words[:n.n]))
	}
	return m
}

// tokenKind returns the kind of a name that ends with a word such as token.
func (n *name) tokenKind(last, previous string) kind {
	switch last {
	case "hash", "salt":
		if passwords[previous] {
			return password
		}
		return nothing
	case "auth", "oauth", "hmac", "sas", "pat", "csrf", "xsrf":
		return weak
	}
	return token
}

// suffixKind returns the kind of a one-word name such as dbpassword or
// stripeapikey.
func suffixKind(word string) kind {
	switch {
	case len(word) < 6:
		return nothing
	case hasSuffix(word, "password"), hasSuffix(word, "passwd"), hasSuffix(word, "passphrase"), hasSuffix(word, "storepass"), hasSuffix(word, "keypass"),
		hasSuffix(word, "passwort"), hasSuffix(word, "kennwort"):
		return password
	case hasSuffix(word, "apikey"), hasSuffix(word, "secret"), hasSuffix(word, "token"), hasSuffix(word, "accesskey"), hasSuffix(word, "secretkey"):
		return token
	}
	return nothing
}

// hasSuffix reports whether word ends with suffix. It ignores the case of word.
func hasSuffix(word, suffix string) bool {
	return len(word) >= len(suffix) && word[len(word)-1]|0x20 == suffix[len(suffix)-1] && strings.EqualFold(word[len(word)-len(suffix):], suffix)
}

// hasPrefix reports whether text begins with prefix. It ignores the case of text.
func hasPrefix(text, prefix string) bool {
	return len(text) >= len(prefix) && strings.EqualFold(text[:len(prefix)], prefix)
}

// isID reports whether n is the name of an id.
func (n *name) isID() bool {
	return n.n > 0 && idNames[n.words[0]]
}
