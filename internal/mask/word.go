package mask

import "strings"

// prefix masks the key at i if the key has a known prefix. It reports whether there is
// such a key.
func (s *scanner) prefix(i int) bool {
	c := s.text[i]
	if c >= 0x80 {
		return false
	}
	s.hook(i)
	s.idPair(i)
	for _, p := range byFirst[c] {
		if !strings.HasPrefix(s.text[i:], p.text) {
			continue
		}
		from := i + len(p.text)
		end := s.keyEnd(p, from)
		if end-from < p.minLen {
			continue
		}
		if n := len(s.found); n > 0 && s.found[n-1].from <= i && end <= s.found[n-1].to {
			return true
		}
		to := max(from, s.trimmed(from, end))
		if p.text == "eyJ" && to-from < 4*maxChecked && strings.IndexByte(s.text[from:to], '.') < 0 && s.isID(i) { // a cursor: JSON in base64
			continue
		}
		// Skip ordinary words, and keys that the provider has masked:
		// "sk-ab****wxyz".
		if to-from < p.minLen || p.mixed && !s.mixed(from, min(to, from+maxChecked)) || strings.HasPrefix(s.text[to:], "***") || p.minLen < 12 && to-from < maxChecked && classes(s.text[from:to])&(upper|dash) == dash && isWords(s.text[from:to]) {
			continue
		}
		s.add(i, to)
		return true
	}
	return false
}

// idPair masks the secret in "id:secret" at i, for ids in idPairs.
func (s *scanner) idPair(i int) {
	for _, p := range idPairs {
		if p.text[0] != s.text[i] || !strings.HasPrefix(s.text[i:], p.text) {
			continue
		}
		at := i + len(p.text) + p.minLen
		if at+1 >= len(s.text) || s.text[at] != ':' || !all(s.text[i+len(p.text):at], p.class) {
			continue
		}
		to := s.trimmed(at+1, s.runEnd(at+1, false))
		if v := head(s.text[at+1 : to]); looksRandom(v) || looksSecret(v) && len(v) >= 12 {
			s.add(at+1, to)
		}
	}
}

// keyEnd returns the end of a key after the prefix p. It caches the last end, so that
// the cost is linear.
func (s *scanner) keyEnd(p keyPrefix, from int) int {
	e := &s.runs[p.run]
	if end, ok := e.known(from); ok {
		return end
	}
	to := from
	for to < len(s.text) && class[s.text[to]]&p.class != 0 {
		to++
	}
	return e.keep(from, to)
}

// mixed reports whether s.text[from:to] has both digits and letters.
func (s *scanner) mixed(from, to int) bool {
	next, ok := s.digit.known(from)
	if !ok {
		for next = from; next < len(s.text) && class[s.text[next]]&digit == 0; {
			next++
		}
		s.digit.keep(from, next)
	}
	if next >= to {
		return false
	}
	for from < to && class[s.text[from]]&(lower|upper) == 0 {
		from++
	}
	return from < to
}

// hook masks the path of the webhook URL at i.
func (s *scanner) hook(i int) {
	for _, h := range hooksByFirst[s.text[i]] {
		to, ok := s.hasPath(i, h)
		if !ok {
			continue
		}
		end := s.runEnd(to, false)
		end = s.trimmed(to, end)
		if path := s.text[to:end]; path != Masked && (h[0] != '/' || looksRandom(head(path)) && len(path) >= 16) && end-to >= 6 {
			s.add(to, end)
		}
		return
	}
}

// hooksByFirst maps a byte to the hooks with this first byte.
var hooksByFirst = func() (t [128][]string) {
	for _, h := range hooks {
		t[h[0]] = append(t[h[0]], h)
	}
	return t
}()

// hasPath reports whether this path begins at i, and returns the index after the
// path. Slashes can be escaped.
func (s *scanner) hasPath(i int, path string) (int, bool) {
	for k := range len(path) {
		rest := s.text[i:]
		switch {
		case rest != "" && rest[0]|0x20 == path[k]|0x20:
			i++
		case path[k] == '/' && strings.HasPrefix(rest, `\/`):
			i += 2
		case path[k] == '/' && (strings.HasPrefix(rest, "%2F") || strings.HasPrefix(rest, "%2f")):
			i += 3
		default:
			return 0, false
		}
	}
	return i, true
}

// longestWord is the maximum length of a word of wordUses, in bytes.
const longestWord = 30

// wordUse says which secrets can follow a word.
type wordUse struct {
	scheme  bool // an authorization scheme
	noun    bool // the last word of the name of a secret
	pair    bool // a word before user:secret
	verb    bool // a protocol command of protocolVerbs
	copula  bool // a word such as "is" between a name and a value
	cipher  bool // a word of statements that encrypt
	grammar *grammar
	calls   []call
	program *program
}

// wordUses maps words to the secrets that can follow without a separator.
var wordUses = func() map[string]*wordUse {
	m := map[string]*wordUse{}
	use := func(word string) *wordUse {
		if m[word] == nil {
			m[word] = &wordUse{}
		}
		return m[word]
	}
	for w := range schemes {
		use(w).scheme = true
	}
	for _, nouns := range []map[string]bool{passwords, tokens, codes, set("key code pass")} {
		for w := range nouns {
			use(w).noun = true
		}
	}
	for w := range pairNouns {
		use(w).pair = true
	}
	for w := range protocolVerbs {
		use(w).verb = true
	}
	for w := range asWords {
		use(w).copula = true
	}
	for w, t := range grammars {
		use(w).copula, use(w).grammar = true, t
	}
	for w := range cipherWords {
		use(w).cipher = true
	}
	for w, c := range callsByName {
		use(w).calls = c
	}
	for w, p := range programs {
		use(w).program = p
	}
	return m
}()

// wordStarts maps a byte to the lengths of words with this first byte, as a bit
// set.
var wordStarts = func() (t [256]uint32) {
	for w := range wordUses {
		t[w[0]] |= 1 << min(len(w), 31)
	}
	return t
}()

// word masks the key at i, such as "ghp_...". If no key begins at i, it masks the
// secret after the word at i.
func (s *scanner) word(i int) {
	if s.prefix(i) {
		return
	}
	s.afterNonASCII(i)
	var low [longestWord]byte
	end := i
	for end < len(s.text) && class[s.text[end]]&wordly != 0 {
		if end-i == longestWord {
			return
		}
		low[end-i] = s.text[end]
		if class[s.text[end]]&upper != 0 {
			low[end-i] |= 0x20
		}
		end++
	}
	if end-i < 2 || wordStarts[low[0]]&(1<<(end-i)) == 0 {
		return
	}
	use := wordUses[string(low[:end-i])]
	if use == nil {
		return
	}
	if use.noun && (end == len(s.text) || class[s.text[end]]&(wordly|quote) == 0 && s.text[end] != '=' && s.text[end] != ':') {
		s.noun(i, end)
	}
	if end == len(s.text) {
		return
	}
	c := s.text[end]
	if use.scheme && (c == ' ' || c == '\t' || c == ':' || c == '(' || class[c]&quote != 0) {
		s.scheme(i, end)
	}
	if use.verb && c != ':' && c != '.' {
		s.protocol(i, end, string(low[:end-i]))
	}
	if use.copula {
		s.sentence(i, end, use.grammar)
	}
	if use.cipher {
		s.cipherTo = end
	}
	if use.calls != nil && c == '(' {
		s.call(i, end, use.calls)
	}
	if use.pair && c == ' ' {
		s.pairAfter(end)
	}
	if use.program != nil {
		s.command(i, end)
	}
}

// afterNonASCII masks the secret at i if the name of a password or code precedes it. The
// last character of the name must not be ASCII. A code can follow without a space.
func (s *scanner) afterNonASCII(i int) {
	end := i
	if i > 0 && s.text[i-1] == ' ' {
		end--
	}
	if end == 0 || s.text[end-1] < 0x80 || end == i && class[s.text[i]]&digit == 0 {
		return
	}
	n := newName(s.text[s.nameFrom(end):end])
	k := n.kind()
	if k != code && (k != password || end == i) {
		return
	}
	v := s.valueAt(i, false)
	if k == code {
		if v = s.beforeLetters(v); n.isCode(s.text[v.from:v.to]) {
			s.add(v.from, v.to)
		}
		return
	}
	if text := head(s.text[v.from:v.to]); looksSecret(text) && !benignWords(text, v.quoted) && !redacted(text) && !placeholder(text) {
		s.add(v.from, v.to)
	}
}

// scheme masks the credentials after the authorization scheme s.text[i:end],
// outside a header.
func (s *scanner) scheme(i, end int) {
	at := s.nextWord(end + 1)
	if s.text[end] == ' ' {
		at = s.nextWord(end)
	}
	if at == len(s.text) {
		return
	}
	if paramSchemes[lowerWord(s.text[i:end])] {
		if name, rest, ok := strings.Cut(head(s.text[at:s.wordEnd(at)]), "="); ok && len(name) > 1 && len(rest) > 1 && all(name, wordly) && !endsWithHash(name) {
			s.addList(at)
			return
		}
		if s.text[end] == ':' { // the header Digest: SHA-256=...
			return
		}
	}
	if q := opens(s.text[at:]); q.n > 0 {
		at += q.n
	}
	to := s.trimmed(at, s.runEnd(at, false))
	v := head(s.text[at:to])
	if v == Masked || len(v) < 6 || benignWords(v, false) || redacted(v) || placeholder(v) {
		return
	}
	if _, _, ok := numberedWord(v); ok && s.text[i+1]|0x20 == 'a' { // "Basic plan2024 required"
		return
	}
	if name, rest, ok := strings.Cut(v, "="); ok && rest != "" && rest[0] != '=' && isWords(name) { // token_type=bearer expires_in=3600
		return
	}
	bearer := s.text[i]|0x20 == 'b' && end-i > 3 // Bearer and Basic
	if bearer && looksSecret(v) && !strings.Contains(v, "://") || !bearer && looksRandom(v) {
		s.add(at, to)
	}
}
