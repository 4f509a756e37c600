package mask

import "strings"

// kind is what a name says about the value that follows it.
type kind uint8

const (
	nothing  kind = iota
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
	words [nameWords]string
	n     int
	wide  bool // a word has letters beyond ASCII
	prose bool // the last words were fillers: "API key provided:"
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
			n.words[n.n], end = strings.ToLower(text[from:end]), from
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
		n.words[n.n] = strings.ToLower(text[from:end])
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
	case strings.HasSuffix(word, "password"), strings.HasSuffix(word, "passwd"), strings.HasSuffix(word, "passphrase"):
		return password
	case strings.HasSuffix(word, "apikey"), strings.HasSuffix(word, "secret"), strings.HasSuffix(word, "token"), strings.HasSuffix(word, "accesskey"), strings.HasSuffix(word, "secretkey"):
		return token
	}
	return nothing
}

// isID reports whether the name is that of an id.
func (n *name) isID() bool {
	return n.n > 0 && idNames[n.words[0]]
}
