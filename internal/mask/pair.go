package mask

import "strings"

// valueOf masks the value at i if it is a secret. c stands for the separator before the
// value: see separatorAt.
func (s *scanner) valueOf(vc valueContext, i int, c byte, encoded bool) {
	if vc.kind >= token && vc.kind <= password && c == ':' && s.yamlBlock(i) {
		return
	}
	if c == '|' { // only a string literal counts as a value
		if at, below := s.skipGap(i); below || opens(s.text[at:]).n == 0 {
			return
		}
	}
	if vc.kind != header && (s.nested(vc, i) || c == ':' && (s.lines(vc, i) || s.fields(vc, i))) {
		return
	}
	if vc.several && vc.kind != code {
		vc.kind = weak
	}
	v := s.valueAt(i, encoded)
	if at := s.newValue(v); at > 0 && c != '|' {
		s.valueOf(vc, at, '|', false)
	}
	if v.from < v.to && s.tooMany(v) {
		return
	}
	if v.from >= v.to || v.below && (c != ':' && c != '=' || c == '=' && vc.kind == weak || vc.kind == header && !s.folded(v.from)) {
		return
	}
	if c == ':' && !v.quoted && s.isField(v) {
		return
	}
	if n := len(s.found); n > 0 && s.found[n-1].from <= v.from && v.to <= s.found[n-1].to {
		return // the name is within a secret
	}
	vc.below, vc.quoted, vc.assign = v.below, v.quoted, vc.assign || v.item
	if v.below && vc.kind == password && s.text[v.from-1] == ' ' && s.endsLine(v.to) {
		vc.below = false // a continued line
	}
	if vc.kind == header {
		s.headerValue(v, c == ',', encoded)
		return
	}
	if vc.kind == code {
		v = s.beforeLetters(v)
	}
	text := head(s.text[v.from:v.to])
	// A quoted value can begin with a second quote, as in shell commands and Go structs.
	if inner := opens(text); v.quoted && inner.n > 0 {
		text = text[inner.n:]
	}
	if c == ',' && !looksRandom(text) {
		return
	}
	if vc.kind == password && strings.HasPrefix(text, "/") && c == '=' && s.isPWD(i) {
		return
	}
	if vc.kind != weak && !v.quoted && s.credentials(v) {
		return
	}
	if !vc.secret(text) {
		return
	}
	s.add(v.from, v.to)
	if vc.kind == password && c == ':' && !v.quoted && !vc.prose {
		s.phrase(v.to)
	}
}

// newValue returns the index after the arrow in `password = "old" -> "new"`, where v is the
// old value. Without an arrow, it returns 0.
func (s *scanner) newValue(v value) int {
	at := v.to
	if v.quoted {
		at += opens(s.text[at:]).n
	}
	if at >= len(s.text) || s.text[at] != ' ' {
		return 0
	}
	at++
	switch rest := s.text[at:]; {
	case strings.HasPrefix(rest, "→"):
		return at + len("→")
	case strings.HasPrefix(rest, "-"), strings.HasPrefix(rest, "="):
		if n := angle(rest[1:], '>'); n > 0 {
			return at + 1 + n
		}
	}
	return 0
}

// folded reports whether the word at i is an indented authorization scheme. Such a word
// continues the header on the previous line.
func (s *scanner) folded(i int) bool {
	return class[s.text[i-1]]&space != 0 && s.text[i-1] != '\n' && schemes[lowerWord(s.text[i:s.wordEnd(i)])]
}

// isField reports whether v is itself a field of a Go struct, after a field without a
// value: "{Password: User:bob}".
func (s *scanner) isField(v value) bool {
	field, _, ok := strings.Cut(head(s.text[v.from:v.to]), ":")
	return ok && s.text[v.from-1] == ' ' && len(field) > 1 && class[field[0]]&upper != 0 && all(field, lower|upper) && !s.isURL(v.from+len(field))
}

// isURL reports whether the colon at i belongs to a URL.
func (s *scanner) isURL(i int) bool { return slash(s.text[i+1:]) > 0 }

// maxNames is the maximum number of names that are checked for one value.
const maxNames = 8

// tooMany counts one more name before the value v. If v has more than maxNames names,
// tooMany masks v and returns true.
func (s *scanner) tooMany(v value) bool {
	if s.namesTo != v.to {
		s.namesTo, s.names = v.to, 0
	}
	if s.names++; s.names <= maxNames {
		return false
	}
	s.add(v.from, v.to)
	return true
}

// credentials masks the word after v if v is an authorization scheme, as in
// "auth=Bearer abc". It reports whether v is one.
func (s *scanner) credentials(v value) bool {
	if !schemes[lowerWord(head(s.text[v.from:v.to]))] {
		return false
	}
	s.headerValue(v, false, false)
	return true
}

// isPWD reports whether PWD=, which sets the working directory, precedes i.
func (s *scanner) isPWD(i int) bool {
	return strings.HasSuffix(s.text[:i], "PWD=")
}

// phrase masks the rest of a pass phrase, from i to the end of the line. The rest must
// be a few lower-case words that are not in the set benign.
func (s *scanner) phrase(i int) {
	const words, bytes = 8, 100
	n, end := 0, i
	for ; end < len(s.text) && end-i < bytes; end++ {
		c := s.text[end]
		if c == '\n' {
			break
		}
		if c == ' ' {
			n++
		} else if class[c]&lower == 0 {
			return
		}
	}
	if n == 0 || n > words || end-i >= bytes {
		return
	}
	for w := range strings.FieldsSeq(s.text[i:end]) {
		if benign[w] {
			return
		}
	}
	s.add(i, end)
}

// named masks the secret in `{"name": "API_KEY", "value": "..."}`. In this text, n is
// "name" (it can also be "key"), and the colon after n ends at i.
func (s *scanner) named(n name, i int, encoded bool) {
	if n.n == 0 || n.words[0] != "name" && n.words[0] != "key" {
		return
	}
	v := s.valueAt(i, encoded)
	if v.to-v.from > nameBytes || v.from >= v.to {
		return
	}
	inner := newName(s.text[v.from:v.to])
	inner.skipFillers(false)
	k := inner.kind()
	if k < token {
		return
	}
	s.lastNamed, s.lastKind = v.to, k
	const reach = 96
	rest := s.text[v.to:min(len(s.text), v.to+reach)]
	at := 0 // index of "value", or of "ParameterValue" after "ParameterKey"
	for at < len(rest) && class[rest[at]]&alnum == 0 {
		at += max(1, opens(rest[at:]).n, escape(rest[at:]), escapedSpace(rest[at:]))
	}
	to := at
	for to < len(rest) && class[rest[to]]&wordly != 0 {
		to++
	}
	if w := newName(rest[at:to]); w.words[0] != "value" || w.n > 1 && w.words[1] != n.words[1] {
		return
	}
	at = to
	for at < len(rest) && (class[rest[at]]&space != 0 || opens(rest[at:]).n > 0) {
		at += max(1, opens(rest[at:]).n)
	}
	if at >= len(rest) {
		return
	}
	if n, c, encoded := s.separatorAt(v.to + at); n > 0 && (c == ':' || c == '=') {
		s.valueOf(valueContext{kind: k, assign: true}, v.to+at+n, '=', encoded)
	}
}
