package mask

import "strings"

// noun masks a secret directly after a name, as in "x-api-key abc123". The last
// word of the name is s.text[i:end].
func (s *scanner) noun(i, end int) {
	from := s.nameFrom(end)
	n := newName(s.text[from:end])
	k := n.kind()
	if end == len(s.text) || s.text[end] != ' ' && s.text[end] != '\t' && s.text[end] != '(' {
		return
	}
	if k == nothing || k == header || n.several {
		return
	}
	at, filled := s.skipFillers(end)
	if at >= len(s.text) {
		return
	}
	if k == password && strings.HasPrefix(s.text[at:], "FOR ") {
		s.passwordFor(at)
	}
	angle := s.text[at] == '<'
	if angle {
		at++
	}
	v := s.valueAt(at, false)
	if v.from >= v.to || v.below || angle && (v.to >= len(s.text) || s.text[v.to] != '>') {
		return
	}
	text := head(s.text[v.from:v.to])
	if text == Masked || benignWords(text, v.quoted) || redacted(text) || placeholder(text) {
		return
	}
	joined := i > from && class[s.text[i-1]]&dash != 0 || all(s.text[from:end], upper|dash) && i > from // x-api-key, DB_PASSWORD
	var secret bool
	switch k {
	case code:
		secret = n.isCode(text)
	case weak:
		secret = s.isCipherKey(from, i, v) || text != "" && n.words[0] == "key" && len(text) >= 8 && kindChanges(text) >= 3 && mixed(text) && !strings.ContainsAny(text, "/.:") && !v.quoted && s.hasState(v.to, keyStates)
	case password:
		word := !strings.ContainsAny(text, " ") && len(text) > 2
		secret = word && (mixed(text) && len(text) >= 6 || all(text, digit) && len(text) >= 6 || filled == 0 && (v.quoted || s.afterUser(from, i) || joined && s.lineStart(from) && s.endsLine(v.to)))
	case token:
		secret = len(text) >= 8 && mixed(text) && !strings.ContainsAny(text, " /:()") && (joined || angle || kindChanges(text) >= 2 && (s.hasState(v.to, tokenStates) || usageWords[s.wordBefore(from, i)]))
		if _, _, ok := numberedWord(text); ok && !joined || isUUID(text) || nameLike(text) {
			secret = false
		}
	}
	if secret || k >= token && looksRandom(text) || k == token && s.isCipherKey(from, i, v) {
		s.add(v.from, v.to)
	}
}

// pairAfter masks the secret in user:secret, as in "login as bob:abc failed". The
// word before the pair ends at s.text[end].
func (s *scanner) pairAfter(end int) {
	const words = 2
	at := s.nextWord(end)
	for n := 0; n < words && at < len(s.text); n++ {
		to := at
		for to < len(s.text) && class[s.text[to]]&lower != 0 && to-at < longestWord {
			to++
		}
		if to >= len(s.text) || s.text[to] != ' ' || !pairFillers[s.text[at:to]] {
			break
		}
		at = s.nextWord(to)
	}
	if at >= len(s.text) {
		return
	}
	v := s.valueAt(at, false)
	text := head(s.text[v.from:v.to])
	sep := strings.IndexAny(text, ":/")
	if sep < 1 || v.below || !all(text[:sep], wordly|dot) || benign[lowerWord(text[:sep])] || all(text[:sep], digit) {
		return
	}
	secret := text[sep+1:]
	if len(secret) < 4 || all(secret, digit) || strings.ContainsAny(secret, "/ :") || text[sep] == '/' && !looksSecret(secret) ||
		isPublicWord(text[:sep]) || nameLike(secret) || benignWords(secret, false) || placeholder(secret) || redacted(secret) {
		return
	}
	s.add(v.from+sep+1, v.to)
}

// isPublicWord reports whether the word names a public field, as in
// "provider:google".
func isPublicWord(word string) bool {
	n := newName(word)
	return n.isPublic()
}

// passwordFor masks the secret in "SET PASSWORD FOR user = 'secret'". The word FOR
// begins at i.
func (s *scanner) passwordFor(i int) {
	line, _, _ := strings.Cut(s.text[i:min(len(s.text), i+nameBytes)], "\n")
	at := strings.IndexByte(line, '=')
	if at < 0 {
		return
	}
	v := s.valueAt(i+at+1, false)
	if text := head(s.text[v.from:v.to]); v.quoted && !v.below && !benignWords(text, true) && !redacted(text) && !placeholder(text) {
		s.add(v.from, v.to)
	}
}

// skipFillers skips words such as "provided" after a name. It returns the next
// word, and the number of fillers.
func (s *scanner) skipFillers(end int) (at, filled int) {
	at = s.nextWord(end)
	if s.text[end] == '(' {
		at = end + 1
	}
	for ; filled < 2 && at < len(s.text); filled++ {
		to := at
		for to < len(s.text) && class[s.text[to]]&lower != 0 && to-at < longestWord {
			to++
		}
		if to >= len(s.text) || s.text[to] != ' ' || !fillers[s.text[at:to]] {
			break
		}
		at = s.nextWord(to)
	}
	return at, filled
}

// afterUser reports whether a user precedes the word at i: "login alice password
// secret".
func (s *scanner) afterUser(from, i int) bool {
	text := strings.TrimRight(s.text[max(from, i-maxGap):i], " ")
	at := strings.LastIndexByte(text, ' ')
	if at < 0 || benign[lowerWord(text[at+1:])] {
		return false
	}
	text = strings.TrimRight(text[:at], " ")
	return users[lowerWord(text[strings.LastIndexByte(text, ' ')+1:])]
}

// wordBefore returns the last word of s.text[from:i].
func (s *scanner) wordBefore(from, i int) string {
	text := strings.TrimRight(s.text[from:i], " ")
	return lowerWord(text[strings.LastIndexByte(text, ' ')+1:])
}

// hasState reports whether a word of the set states follows at i. Words such as "has" can
// precede that word: "has expired", "was revoked".
func (s *scanner) hasState(i int, states map[string]bool) bool {
	const words = 3
	if i < len(s.text) && class[s.text[i]]&quote != 0 {
		i++
	}
	for range words {
		i = s.nextWord(i)
		to := i
		for to < len(s.text) && class[s.text[to]]&lower != 0 && to-i < longestWord {
			to++
		}
		if states[s.text[i:to]] {
			return true
		}
		if !auxiliaries[s.text[i:to]] {
			return false
		}
		i = to
	}
	return false
}

// isCipherKey reports whether v is the key of a statement such as "CREATE ...
// ENCRYPTED ... KEY 'x'". The word KEY begins at i.
func (s *scanner) isCipherKey(from, i int, v value) bool {
	if !v.quoted || !s.afterCipher(i) || keyOf[s.wordBefore(from, i)] {
		return false
	}
	at := v.to + closes(s.text[:min(len(s.text), v.to+1)])
	for at < len(s.text) && s.text[at] == ' ' {
		at++
	}
	return at >= len(s.text) || s.text[at] != '(' // a parenthesis begins the columns of an index
}
