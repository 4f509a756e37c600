package mask

import "strings"

// separator masks the value after the separator at i, if the name of a secret precedes
// the separator. A separator is an operator such as "=", ":", "=>" or "||", the ">" at
// the end of a tag, or the comma between two strings. A separator can be escaped.
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
	// A name is in a sentence if it has spaces and no quotes, as in "max API key
	// length: 5".
	words.skipFillers(!quoted && strings.IndexByte(s.text[from:to], ' ') >= 0)
	k := words.kind()
	if k == weak && c == '=' && from > 0 && strings.IndexByte(";&,", s.text[from-1]) >= 0 && words.n == 1 && words.words[0] == "pass" { // ;Pass=secret
		if at, _ := s.skipGap(i + n); at < len(s.text) && class[s.text[at]]&digit == 0 {
			k = password
		}
	}
	query := from > 0 && (s.text[from-1] == '?' || s.text[from-1] == '&')
	if k == nothing && query && words.n == 1 && words.words[0] == "code" { // the code of OAuth
		k = weak
	}
	if c == '-' && !s.arrow(i, n, words) {
		return
	}
	compound := words.n > 1 && class[s.text[max(from, to-1-len(words.words[0]))]]&dash != 0 // x-api-key
	if k == weak && words.words[0] == "key" && to-3 >= from && s.afterCipher(to-3) {
		k = password
	}
	vc := valueContext{kind: k, assign: c == '=' || c == '>' || quoted || encoded || compound, prose: words.prose || words.nonASCII && !s.asciiValue(i+n), query: query, several: words.several, vault: words.vault, card: k == code && words.isCard()}
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

// isCall reports whether the quoted name that begins at s.text[from] is the first
// argument of a function call, as in `setenv("DB_PASSWORD", "secret")`.
func (s *scanner) isCall(from int, words name) bool {
	return words.n > 1 && from > 1 && class[s.text[from-1]]&quote != 0 && s.text[from-2] == '('
}

// arrow reports whether the separator at i, an arrow or a copula such as 是, is
// between a name and its value. For the arrows in ptr->token->kind it returns false.
func (s *scanner) arrow(i, n int, words name) bool {
	if s.text[i] == '-' || s.text[i] == '~' {
		return i > 0 && s.text[i-1] == ' ' || i+n < len(s.text) && class[s.text[i+n]]&alnum != 0
	}
	if s.text[i] == 0xE2 { // →
		return true
	}
	return words.nonASCII && i+n < len(s.text) && s.text[i+n] < 0x80
}

// separatorAt returns the length of the separator at i, or 0. c is the kind of the
// separator: for most separators, this is the decoded first byte. encoded is true if
// the separator is percent-encoded.
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

// slashes reports whether the two slashes of a URL begin at i, and masks the user
// information of the URL. colon is the end of the scheme. Each slash can be escaped.
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
