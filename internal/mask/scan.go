package mask

import "strings"

// scanner searches for secrets in one text. Reading ahead or back is limited or
// cached, so the cost is linear.
type scanner struct {
	text  string
	found []span

	// These fields cache texts that were read ahead. A text that begins within a
	// cached one is not read again.
	run, encodedRun extent             // unquoted values; encodedRun: percent-encoded ones
	quoted          [quoteKinds]extent // quoted values
	runs            [prefixRuns]extent // keys after a prefix, by the class of their bytes
	headerWord      extent             // words of a header
	list            extent             // comma-separated words of a header
	params          extent             // percent-encoded header values
	yamlBlocks      extent             // YAML block scalars
	items           extent             // YAML lists
	brackets        [header]extent     // for each kind of name, the last list or map in brackets
	privateKey      extent             // PEM blocks of private keys
	digit           extent             // bytes before the next digit
	bare, urlEnds   extent             // URLs without a scheme; URLs from the end of the authority on
	trim            extent             // values without the punctuation after them
	trimTo          int                // the result of trimmed for trim
	bareAt          int                // the last at sign of bare, or -1
	user, usersTo   int                // index after the first dash of the last of userFlags; end of the text that was searched for userFlags
	namesTo         int                // end of the last value with a name
	names           int                // how many names of this value were checked
	commandTo       int                // end of the last command line
	gluedOnly       extent             // a command line in which -p has the secret in the same word: -psecret
	cipherTo        int                // end of the last word of cipherWords
	callTo          int                // end of the last function call
	fieldsTo        int                // end of the last YAML map or TOML section of secrets
	tag             tag                // the last start tag
	contents        [spellings]extent  // contents of elements, by the spelling of the tag
	lastNamed       int                // end of the last name of a secret that is itself a value: name="DB_PASSWORD"
	lastKind        kind               // the kind that this name means
}

// extent is a part of the text that was read ahead.
type extent struct{ from, to int }

// known returns the end of the extent, and whether the extent contains index i.
func (e *extent) known(i int) (int, bool) {
	return e.to, e.from <= i && i < e.to
}

func (e *extent) keep(from, to int) int {
	*e = extent{from, to}
	return to
}

// add records a secret.
func (s *scanner) add(from, to int) {
	if from >= to || s.text[from:to] == Masked {
		return
	}
	// A value can have two names. Then the scanner finds the same secret twice.
	if n := len(s.found); n > 0 && s.found[n-1].from <= from && to <= s.found[n-1].to {
		return
	}
	s.found = append(s.found, span{from, to})
}

// scan reads the text once and records secrets.
func (s *scanner) scan() {
	// fresh is true if a word can begin at i. An escape can precede the word, as in
	// "\nsk-...".
	fresh := true
	for i := 0; i < len(s.text); {
		c := s.text[i]
		if n := escape(s.text[i:]); n > 0 {
			s.separator(i)
			if n > 2 && escaped(s.text[i:i+n]) == '<' {
				s.tag = tag{i + n, c}
			}
			i += n
			fresh = true
			continue
		}
		if fresh && class[c]&alnum != 0 {
			s.word(i)
		}
		switch c {
		case '<':
			s.tag = tag{i + 1, c}
		case '=', ':', '>', ',', 0xE2, 0xE3, 0xE4, 0xE6, 0xE7, 0xEA, 0xEB, 0xEC, 0xEF:
			s.separator(i)
		case '&':
			if n := angle(s.text[i:], '<'); n > 0 {
				s.tag = tag{i + n, c}
			}
			s.separator(i)
		case '~', '|', '?':
			if angle(s.text[i+1:], '>') > 0 || i+1 < len(s.text) && c == s.text[i+1] {
				s.separator(i)
			}
		case '-':
			if angle(s.text[i+1:], '>') > 0 {
				s.separator(i)
			}
			if fresh && (i == 0 || class[s.text[i-1]]&dash == 0) {
				s.flag(i)
			}
			if len(s.text)-i > 5 && s.text[i:i+5] == "-----" {
				s.block(i)
			}
		case '$', '{', '/':
			s.prefix(i)
		case '[':
			if i == 0 || s.text[i-1] == '\n' {
				s.section(i)
			}
		case 0xC3:
			s.copulaAt(i)
		}
		fresh = class[c]&alnum == 0
		i++
	}
}

// escape returns the length of the escape sequence at the beginning of text, or 0.
// Examples are \n, \u003d, %3D and colours.
func escape(text string) int {
	switch text[0] {
	case '\\':
		k := backslashes(text)
		if k < len(text) && strings.IndexByte(spelledFirst, text[k]) >= 0 {
			if n := colour(text); n > 0 {
				return n
			}
			if len(text) >= k+5 && text[k] == 'u' && all(text[k+1:k+5], hexa) {
				return k + 5
			}
		}
		if len(text) >= 4 && text[1] == 'x' && isHex(text[2]) && isHex(text[3]) {
			return 4
		}
		if len(text) >= 2 && text[1] < 0x80 {
			switch text[1] {
			case 'n', 'r', 't', 'b', 'f', '"', '\'', '\\':
				return 2
			}
		}
		return 1
	case '%':
		n := 1
		for n+1 < len(text) && n < 8 && text[n] == '2' && text[n+1] == '5' {
			n += 2
		}
		if n+1 < len(text) && isHex(text[n]) && isHex(text[n+1]) {
			return n + 2
		}
		if n > 1 {
			return n
		}
	case 0x1b:
		return colour(text)
	}
	return 0
}

// lineBreak returns the line break at the beginning of text, or "". In a string, the line
// break is an escape such as \n, in a string within a string \\n.
func lineBreak(text string) string {
	if text == "" {
		return ""
	}
	switch text[0] {
	case '\n', '\r':
		return text[:1]
	case '\\':
		if k := backslashes(text); k < len(text) && (text[k] == 'n' || text[k] == 'r') {
			return text[:k+1]
		}
	}
	return ""
}

// newlineAt returns the line break at i, without the carriage return before it, and the
// index after it. Without a line break, newline is "".
func (s *scanner) newlineAt(i int) (newline string, next int) {
	for range 2 {
		newline = lineBreak(s.text[i:])
		i += len(newline)
		if !strings.HasSuffix(newline, "r") && newline != "\r" {
			return newline, i
		}
	}
	return "", i
}

// escaped returns the byte that a hexadecimal escape means: '=' for %3D. For any
// other text it returns 0.
func escaped(seq string) byte {
	if k := backslashes(seq); k > 1 { // in a string within a string
		seq = seq[k-1:]
	}
	n := len(seq)
	switch {
	case n < 3 || seq[0] != '\\' && seq[0] != '%' || !isHex(seq[n-1]) || !isHex(seq[n-2]):
		return 0
	case seq[0] == '\\' && seq[1] == 'u' && (n < 6 || seq[2] != '0' || seq[3] != '0'):
		return 0
	}
	return hex(seq[n-2])<<4 | hex(seq[n-1])
}

// slash returns the length of the slash at the beginning of text, or 0. The slash
// can be escaped, as in \/ or %2F.
func slash(text string) int {
	switch {
	case text == "":
		return 0
	case text[0] == '/':
		return 1
	case strings.HasPrefix(text, `\/`):
		return 2
	}
	if n := escape(text); escaped(text[:n]) == '/' {
		return n
	}
	return 0
}

func isHex(c byte) bool { return class[c]&hexa != 0 }

func hex(c byte) byte {
	switch {
	case c <= '9':
		return c - '0'
	default:
		return c&^0x20 - 'A' + 10
	}
}
