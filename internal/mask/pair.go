package mask

import "strings"

// separator masks the value after the separator at i, if the name before it is
// that of a secret. Separators are = : => := -> || and others, the > of a tag and
// the comma between two strings. They may be escaped.
func (s *scanner) separator(i int) {
	n, c, encoded := s.separatorAt(i)
	if n == 0 {
		return
	}
	from, to, quoted := s.nameBefore(i)
	if from == to {
		return
	}
	switch {
	case c == '>' && (quoted || from == 0 || s.text[from-1] != '<'), c == ',' && !quoted:
		return
	}
	words := newName(s.text[from:to])
	// A name of several words is prose: "max API key length: 5".
	words.skipFillers(!quoted && strings.IndexByte(s.text[from:to], ' ') >= 0)
	k := words.kind()
	if k == weak && c == '=' && from > 0 && strings.IndexByte(";&,", s.text[from-1]) >= 0 && words.n == 1 && words.words[0] == "pass" { // ;Pass=secret
		if at, _ := s.skipGap(i + n); at < len(s.text) && class[s.text[at]]&digit == 0 {
			k = password
		}
	}
	query := from > 0 && (s.text[from-1] == '?' || s.text[from-1] == '&')
	if k == nothing && query && words.n == 1 && words.words[0] == "code" { // of OAuth
		k = weak
	}
	if c == '-' && !s.arrow(i, n, words) {
		return
	}
	compound := words.n > 1 && class[s.text[max(from, to-1-len(words.words[0]))]]&dash != 0 // x-api-key
	vc := valueContext{kind: k, assign: c == '=' || c == '>' || quoted || encoded || compound, prose: words.prose || words.nonASCII && !s.asciiValue(i+n), query: query, several: words.several}
	switch {
	case k == nothing, k == weak:
		s.named(words, i+n, encoded)
		if k == nothing {
			return
		}
	case c == ',' && !s.isCall(from, words):
		vc.prose = true
	case c == ',':
		c = '|'
	}
	s.valueOf(vc, i+n, c, encoded)
}

// isCall reports whether the quoted name at from is the first argument of a
// function call: setenv("DB_PASSWORD", "secret").
func (s *scanner) isCall(from int, words name) bool {
	return words.n > 1 && from > 1 && class[s.text[from-1]]&quote != 0 && s.text[from-2] == '('
}

// arrow reports whether the arrow or copula at i is between a name and its value.
// The arrows in ptr->token->kind are not.
func (s *scanner) arrow(i, n int, words name) bool {
	if s.text[i] == '-' || s.text[i] == '~' {
		return i > 0 && s.text[i-1] == ' ' || i+n < len(s.text) && class[s.text[i+n]]&alnum != 0
	}
	if s.text[i] == 0xE2 { // →
		return true
	}
	return words.nonASCII && i+n < len(s.text) && s.text[i+n] < 0x80
}

// separatorAt returns the length of the separator at i, or 0. c is its first byte,
// decoded; encoded is true if it is percent-encoded.
func (s *scanner) separatorAt(i int) (n int, c byte, encoded bool) {
	text := s.text[i:]
	switch c = text[0]; c {
	case '&':
		for _, e := range []string{"&#61;", "&#x3d;", "&#x3D;", "&equals;"} {
			if strings.HasPrefix(text, e) {
				return len(e), '=', false
			}
		}
	case '=', '>':
		for n = 1; n < len(text) && n < 3 && (text[n] == '=' || text[n] == '>' || text[n] == '~'); {
			n++
		}
		if c == '>' {
			n = 1
		}
		return n, c, false
	case ':':
		switch {
		case strings.HasPrefix(text, ":: ") && (i == 0 || s.text[i-1] != ':'):
			return 2, c, false
		case i > 0 && s.text[i-1] == ':', len(text) > 1 && text[1] == ':':
			return 0, c, false
		case len(text) > 1 && text[1] == '=':
			return 2, '=', false
		case s.slashes(i, i+1, false):
			return 0, c, false
		}
		s.bareURL(i)
		return 1, c, false
	case ',':
		return 1, c, false
	case '-', '~':
		if len(text) > 1 && text[1] == '>' {
			return len("->"), '-', false
		}
	case '|', '?': // a || "default"
		if len(text) > 1 && text[1] == c {
			return len("||"), '|', false
		}
	case 0xE2, 0xE3, 0xE4, 0xE6, 0xE7, 0xEA, 0xEB, 0xEC:
		for _, w := range copulas {
			if strings.HasPrefix(text, w) {
				return len(w), '-', false
			}
		}
	case 0xEF: // full-width
		if strings.HasPrefix(text, "：") || strings.HasPrefix(text, "＝") {
			return 3, ':', false
		}
	case '%', '\\':
		n = escape(text)
		c = escaped(text[:n])
		encoded = text[0] == '%'
		if c == ':' && s.slashes(i, i+n, true) {
			return 0, c, encoded
		}
		if c == '=' || c == ':' {
			return n, c, encoded
		}
	}
	return 0, c, false
}

// slashes reports whether the two slashes of a URL begin at i, and masks the URL's
// user information. colon is the end of the scheme. Each slash may be escaped.
func (s *scanner) slashes(colon, i int, encoded bool) bool {
	for range 2 {
		n := slash(s.text[i:])
		if n == 0 {
			return false
		}
		encoded = encoded || n > 2
		i += n
	}
	s.url(i, colon, encoded)
	return true
}

// nameBefore returns the name before the separator at i. quoted is true if a quote
// or a bracket ends it: "api_key":, ['token'] =.
func (s *scanner) nameBefore(i int) (from, to int, quoted bool) {
	to = i
	for least := i - maxGap; to > 0 && to > least; {
		n := blankBefore(s.text[:to])
		if n == 0 {
			break
		}
		to -= n
	}
	for range 3 {
		if n := closes(s.text[:to]); n > 0 {
			to, quoted = to-n, true
		} else if strings.HasSuffix(s.text[:to], "[]") { // api_key[]=
			to -= 2
		} else if to > 1 && s.text[to-1] == ']' && (class[s.text[to-2]]&(quote|wordly) != 0) {
			to, quoted = to-1, true
		}
	}
	return s.nameFrom(to), to, quoted
}

// nameFrom returns the start of the words that end at to. They are on one line,
// with single spaces between them.
func (s *scanner) nameFrom(to int) int {
	from := to
	for least := to - nameBytes; from > 0 && from > least; from-- {
		c := s.text[from-1]
		if c >= 0x80 {
			n := unicodeLetter(s.text[:from])
			if n == 0 {
				break
			}
			from -= n - 1
			continue
		}
		if class[c]&(wordly|dot) == 0 && c != '$' && c != ' ' || c == ' ' && from > 1 && s.text[from-2] == ' ' {
			break
		}
		if s.escapeEnds(from) {
			break
		}
	}
	for from < to && s.text[from] == ' ' {
		from++
	}
	return from
}

// escapeEnds reports whether an escape sequence ends at i. Its last letter is not
// part of a name.
func (s *scanner) escapeEnds(i int) bool {
	if i >= 2 && s.text[i-2] == '\\' && strings.IndexByte("nrtbf", s.text[i-1]) >= 0 {
		return true
	}
	if i >= 3 && isHex(s.text[i-1]) && isHex(s.text[i-2]) {
		p := i - 3
		for p >= 2 && i-p < 8 && s.text[p] == '5' && s.text[p-1] == '2' {
			p -= 2
		}
		return s.text[p] == '%'
	}
	return false
}

// valueOf masks the value at i if it is a secret: see vc.secret. c is the
// separator before the value.
func (s *scanner) valueOf(vc valueContext, i int, c byte, encoded bool) {
	if c == '>' { // the content of an element
		end := s.quotedEnd(opening{n: 1, text: "<"}, i)
		vc.quoted = true
		if v := s.text[i:end]; vc.kind == header || vc.secret(v) {
			s.add(i, end)
		}
		return
	}
	if vc.kind >= token && vc.kind <= password && c == ':' && s.yamlBlock(i) {
		return
	}
	if c == '|' { // only a string literal counts as a value
		if at, below := s.skipGap(i); below || opens(s.text[at:]).n == 0 {
			return
		}
	}
	if vc.kind != header && (s.nested(vc, i) || c == ':' && s.lines(vc, i)) {
		return
	}
	if vc.several && vc.kind != code {
		vc.kind = weak
	}
	v := s.valueAt(i, encoded)
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
	text := head(s.text[v.from:v.to])
	// A string within a string, as in shells and in structs that Go prints.
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

// folded reports whether the word at i continues the header of the line before.
// Such a word is indented and is an authorization scheme.
func (s *scanner) folded(i int) bool {
	return class[s.text[i-1]]&space != 0 && s.text[i-1] != '\n' && schemes[lowerWord(s.text[i:s.wordEnd(i)])]
}

// isField reports whether v is the next field of a Go struct instead of a value:
// {Password: User:bob}.
func (s *scanner) isField(v value) bool {
	field, _, ok := strings.Cut(head(s.text[v.from:v.to]), ":")
	return ok && s.text[v.from-1] == ' ' && len(field) > 1 && class[field[0]]&upper != 0 && all(field, lower|upper) && !s.isURL(v.from+len(field))
}

// isURL reports whether the colon at i is that of a URL.
func (s *scanner) isURL(i int) bool { return slash(s.text[i+1:]) > 0 }

// maxNames bounds the number of names that are checked for one value.
const maxNames = 8

// tooMany reports whether more than maxNames names precede v. If so, it masks v.
// This bounds the cost. Ordinary text has no such values.
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

// credentials reports whether v is an authorization scheme: auth=Bearer abc. If
// so, it masks v and the next word.
func (s *scanner) credentials(v value) bool {
	if !schemes[lowerWord(head(s.text[v.from:v.to]))] {
		return false
	}
	s.headerValue(v, false, false)
	return true
}

// isPWD reports whether the separator before i follows PWD, the working directory.
func (s *scanner) isPWD(i int) bool {
	return strings.HasSuffix(s.text[:i], "PWD=")
}

// phrase masks the rest of a pass phrase up to the end of its line, if it consists of
// lower-case words.
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

// yamlBlock masks the YAML block scalar at i. It reports whether there is one.
func (s *scanner) yamlBlock(i int) bool {
	for i < len(s.text) && s.text[i] == ' ' {
		i++
	}
	if i >= len(s.text) || s.text[i] != '|' && s.text[i] != '>' {
		return false
	}
	i++
	for n := 0; n < 2 && i < len(s.text) && strings.IndexByte("+-123456789", s.text[i]) >= 0; n++ {
		i++
	}
	if i >= len(s.text) || s.text[i] != '\n' {
		return false
	}
	i++
	if _, ok := s.yamlBlocks.known(i); ok {
		return true
	}
	first := i
	for first < len(s.text) && s.text[first] == ' ' {
		first++
	}
	indent, end := first-i, first
	for indent > 0 && end < len(s.text) {
		for end < len(s.text) && s.text[end] != '\n' {
			end++
		}
		if next := end + 1; next+indent >= len(s.text) || strings.Trim(s.text[next:next+indent], " ") != "" {
			break
		}
		end++
	}
	s.yamlBlocks.keep(i, end)
	s.add(first, end)
	return true
}

// named masks a secret whose name is the value of another field: {"name":
// "API_KEY", "value": "..."}. n is the name of that other field, and i is the end
// of the separator after n.
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
	const reach = 48
	rest := s.text[v.to:min(len(s.text), v.to+reach)]
	at := 0 // of "value"
	for at < len(rest) && class[rest[at]]&alnum == 0 {
		at++
	}
	if len(rest)-at < len("value") || !strings.EqualFold(rest[at:at+len("value")], "value") {
		return
	}
	at += len("value")
	for at < len(rest) && class[rest[at]]&(quote|space) != 0 || at < len(rest) && rest[at] == '\\' {
		at++
	}
	if at < len(rest) && (rest[at] == ':' || rest[at] == '=') {
		s.valueOf(valueContext{kind: k, assign: true}, v.to+at+1, '=', encoded)
	}
}
