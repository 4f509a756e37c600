package mask

import "strings"

// separator masks the value after the separator at i, if a secret's name precedes the
// separator. These are separators:
//   - operators such as "=", ":", "=>" and "||"; "=" and ":" can be escaped,
//   - the ">" at the end of a tag,
//   - the comma between two strings.
func (s *scanner) separator(i int) {
	n, c, encoded := s.separatorAt(i)
	if n == 0 {
		return
	}
	if c == '>' {
		s.element(i, i+n)
		return
	}
	from, to, quoted := s.nameBefore(i)
	if from == to {
		return
	}
	if c == ',' && !quoted {
		return
	}
	words := newName(s.text[from:to])
	// A name with spaces and without quotes is in a sentence: "max API key length:
	// 5".
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
	vc := valueContext{kind: k, assign: c == '=' || quoted || encoded || compound, prose: words.prose || words.nonASCII && !s.asciiValue(i+n), query: query, several: words.several, vault: words.vault, card: k == code && words.isCard()}
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

// isCall reports whether the quoted name is the first argument of a function call:
// `setenv("DB_PASSWORD", "secret")`.
func (s *scanner) isCall(from int, words name) bool {
	return words.n > 1 && from > 1 && class[s.text[from-1]]&quote != 0 && s.text[from-2] == '('
}

// arrow reports whether an arrow or a copula such as 是 follows a name. The arrows
// in ptr->token->kind do not count.
func (s *scanner) arrow(i, n int, words name) bool {
	if s.text[i] == '-' || s.text[i] == '~' {
		return i > 0 && s.text[i-1] == ' ' || i+n < len(s.text) && class[s.text[i+n]]&alnum != 0
	}
	if s.text[i] == 0xE2 { // →
		return true
	}
	return words.nonASCII && i+n < len(s.text) && s.text[i+n] < 0x80
}

// separatorAt returns the length of the separator at i, or 0. c is the character that
// stands for the separator, such as '=' for "&#61;" and '-' for an arrow. encoded is
// true if the separator is percent-encoded.
func (s *scanner) separatorAt(i int) (n int, c byte, encoded bool) {
	text := s.text[i:]
	switch c = text[0]; c {
	case '&':
		for _, e := range []string{"&#61;", "&#x3d;", "&#x3D;", "&equals;"} {
			if strings.HasPrefix(text, e) {
				return len(e), '=', false
			}
		}
		return angle(text, '>'), '>', false
	case '>':
		return 1, c, false
	case '=':
		n = 1
		for range 2 { // => and ==
			if a := angle(text[n:], '>'); a > 0 {
				n += a
			} else if n < len(text) && (text[n] == '=' || text[n] == '~') {
				n++
			}
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
		if n = angle(text[1:], '>'); n > 0 {
			return 1 + n, '-', false
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
		if c == '=' || c == ':' || c == '>' {
			return n, c, encoded
		}
	}
	return 0, c, false
}

// slashes reports whether the two slashes of a URL begin at i. If they do, it masks the
// user information of the URL.
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
