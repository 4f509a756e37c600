package mask

import "strings"

// prefix masks a key that begins at i with the prefix of its provider.
func (s *scanner) prefix(i int) bool {
	c := s.text[i]
	if c >= 0x80 {
		return false
	}
	s.hook(i)
	for _, p := range byFirst[c] {
		if !strings.HasPrefix(s.text[i:], p.text) {
			continue
		}
		from := i + len(p.text)
		end := s.keyEnd(p, from)
		if end-from < p.least {
			continue
		}
		if n := len(s.found); n > 0 && s.found[n-1].from <= i && end <= s.found[n-1].to {
			return true
		}
		to := max(from, s.trimmed(from, end))
		if p.text == "eyJ" && to-from < 4*judged && strings.IndexByte(s.text[from:to], '.') < 0 && s.isID(i) { // JSON in base64: a cursor
			continue
		}
		// sk-ab****wxyz was masked by its provider.
		if to-from < p.least || p.mixed && !s.mixed(from, min(to, from+judged)) || strings.HasPrefix(s.text[to:], "***") || p.least < 12 && to-from < judged && classes(s.text[from:to])&(upper|dash) == dash && wordy(s.text[from:to]) {
			continue
		}
		s.add(i, to)
		return true
	}
	return false
}

// keyEnd returns where the bytes of p's class end. The end is remembered for each
// class, masked or not: a run may have a prefix at every third byte.
func (s *scanner) keyEnd(p keyPrefix, from int) int {
	e := &s.keys[p.run]
	if end, ok := e.known(from); ok {
		return end
	}
	to := from
	for to < len(s.text) && class[s.text[to]]&p.class != 0 {
		to++
	}
	return e.keep(from, to)
}

// mixed is the function mixed for a part of the text. It remembers where the next
// digit is.
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

// hook masks the path of a webhook's address that begins at i.
func (s *scanner) hook(i int) {
	for _, h := range hooksByFirst[s.text[i]] {
		to, ok := s.hasPath(i, h)
		if !ok {
			continue
		}
		end := s.runEnd(to, false)
		end = s.trimmed(to, end)
		if path := s.text[to:end]; path != Masked && (h[0] != '/' || randomish(head(path)) && len(path) >= 16) && end-to >= 6 {
			s.add(to, end)
		}
		return
	}
}

// hooksByFirst are the hooks by their first byte.
var hooksByFirst = func() (t [128][]string) {
	for _, h := range hooks {
		t[h[0]] = append(t[h[0]], h)
	}
	return t
}()

// hasPath is strings.HasPrefix for an address whose slashes may be escaped: \/ or
// %2F. It returns where the prefix ends.
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

// longestNoun bounds the words that announce a secret by themselves.
const longestNoun = 16

// word looks at a word that begins at i: a key with its prefix, a scheme of
// authorization, or a noun whose secret follows as the next word.
func (s *scanner) word(i int) {
	if s.prefix(i) {
		return
	}
	var low [longestNoun]byte
	end := i
	for end < len(s.text) && class[s.text[end]]&(lower|upper) != 0 {
		if end-i == longestNoun {
			return
		}
		low[end-i] = s.text[end] | 0x20
		end++
	}
	if end == i || end == len(s.text) || s.text[end] != ' ' && s.text[end] != ':' && s.text[end] != '\t' && s.text[end] != '(' && class[s.text[end]]&quote == 0 {
		return
	}
	noun := low[:end-i]
	switch {
	case schemes[string(noun)]:
		s.scheme(i, end)
	case string(noun) == "key" || passwords[string(noun)] || tokens[string(noun)]:
		if c := s.text[end]; c == ' ' || c == '\t' || c == '(' {
			s.noun(i, end)
		}
	}
}

// scheme masks what follows a scheme that stands without its header.
func (s *scanner) scheme(i, end int) {
	at := s.nextWord(end + 1)
	if s.text[end] == ' ' {
		at = s.nextWord(end)
	}
	if at == len(s.text) {
		return
	}
	if q := opens(s.text[at:]); q.n > 0 {
		at += q.n
	}
	to := s.trimmed(at, s.runEnd(at, false))
	v := head(s.text[at:to])
	if v == Masked || len(v) < 6 || benignWords(v, false) || redacted(v) || placeholder(v) {
		return
	}
	if _, _, ok := numbered(v); ok && s.text[i+1]|0x20 == 'a' { // "Basic plan2024 required"
		return
	}
	bearer := s.text[i]|0x20 == 'b' && end-i > 3 // Bearer and Basic
	if bearer && looksSecret(v) && !strings.Contains(v, "://") || !bearer && randomish(v) {
		s.add(at, to)
	}
}

// noun masks a secret that follows its noun in a sentence: "the API key 'abc123'
// is not valid".
func (s *scanner) noun(i, end int) {
	n := newName(s.text[s.nameFrom(end):end])
	k := n.kind()
	if k != token && k != password {
		return
	}
	at := s.nextWord(end)
	if s.text[end] == '(' {
		at = end + 1
	}
	filled := 0
	for ; filled < 2 && at < len(s.text); filled++ {
		to := at
		for to < len(s.text) && class[s.text[to]]&lower != 0 && to-at < longestNoun {
			to++
		}
		if to >= len(s.text) || s.text[to] != ' ' || !fillers[s.text[at:to]] {
			break
		}
		at = s.nextWord(to)
	}
	if at >= len(s.text) {
		return
	}
	v := s.valueAt(at, false)
	if v.from >= v.to || v.below {
		return
	}
	text := head(s.text[v.from:v.to])
	if text == Masked || benignWords(text, v.quoted) || redacted(text) || placeholder(text) {
		return
	}
	login := strings.Contains(s.text[max(0, i-gap):i], "login ")
	switch {
	case k == password && (login && filled == 0 || mixed(text) && len(text) >= 6 && !strings.Contains(text, " ")), randomish(text):
		s.add(v.from, v.to)
	}
}
