package mask

import "strings"

// scanner looks for secrets in one text. Every look-behind is bounded, and every
// look-ahead either is bounded too or remembered in an extent.
type scanner struct {
	text  string
	found []span

	// Ends that were computed. A later look-ahead that begins within one of these
	// extents uses its end, so that no byte is read once for each name before it.
	run, encodedRun extent             // unquoted values
	quoted          [quoteKinds]extent // quoted values
	runs            [prefixRuns]extent // keys, by the class of their bytes
	word1           extent             // words of a header
	list            extent             // words of a header that belong together
	params          extent             // percent-encoded headers
	block1          extent             // YAML block scalars
	items           extent             // YAML lists
	brackets        extent             // lists and maps
	armour          extent             // private keys
	digit           extent             // up to the next digit
	bare, wide      extent             // authorities and the rest of URLs
	trim            extent             // values whose punctuation was trimmed
	trimTo          int                // the end of trim without the punctuation
	bareAt          int                // the last at sign of bare, or -1
	user, usersTo   int                // behind the last of userFlags; how far they were looked for
	judgedTo        int                // the end of the value that was judged last
	judgedTimes     int                // how many values with that end were judged
	commandTo       int                // how far commands were read
	glued           extent             // a command that has no secret in the argument after -p
}

// extent remembers the end of the value that was looked at last.
type extent struct{ from, to int }

// known returns the remembered end for a value that begins at i.
func (e *extent) known(i int) (int, bool) {
	return e.to, e.from <= i && i < e.to
}

func (e *extent) keep(from, to int) int {
	*e = extent{from, to}
	return to
}

// add marks a secret.
func (s *scanner) add(from, to int) {
	if from >= to || s.text[from:to] == Masked {
		return
	}
	// Names in a value point to ends that are marked already.
	if n := len(s.found); n > 0 && s.found[n-1].from <= from && to <= s.found[n-1].to {
		return
	}
	s.found = append(s.found, span{from, to})
}

// scan is the pass over the text. fresh says that a word may begin at i: what is
// before it is no letter or digit, or belongs to an escape ("\nsk-...").
func (s *scanner) scan() {
	fresh := true
	for i := 0; i < len(s.text); {
		if n := escape(s.text[i:]); n > 0 {
			s.separator(i)
			i += n
			fresh = true
			continue
		}
		c := s.text[i]
		if fresh && class[c]&alnum != 0 {
			s.word(i)
		}
		switch c {
		case '=', ':', '>', ',', '&', 0xE2, 0xE3, 0xE4, 0xE6, 0xE7, 0xEA, 0xEB, 0xEC, 0xEF:
			s.separator(i)
		case '~', '|', '?':
			if i+1 < len(s.text) && (s.text[i+1] == '>' || c == s.text[i+1]) {
				s.separator(i)
			}
		case '-':
			if i+1 < len(s.text) && s.text[i+1] == '>' {
				s.separator(i)
			}
			if i == 0 || class[s.text[i-1]]&(alnum|dash) == 0 {
				s.flag(i)
			}
			if len(s.text)-i > 5 && s.text[i:i+5] == "-----" {
				s.block(i)
			}
		case '$', '{', '/':
			s.prefix(i)
		}
		fresh = class[c]&alnum == 0
		i++
	}
}

// escape returns the length of an escape sequence at the beginning of text: \n,
// \", \u003d, %3D, %253D, or a terminal's colour. 0 means that there is none.
func escape(text string) int {
	switch text[0] {
	case '\\':
		if len(text) >= 6 && text[1] == 'u' && isHex(text[2]) && isHex(text[3]) && isHex(text[4]) && isHex(text[5]) {
			return 6
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
		if len(text) < 2 || text[1] != '[' {
			return 0
		}
		const longest = 16
		for n := 2; n < len(text) && n < longest; n++ {
			if c := text[n]; c >= 0x40 && c <= 0x7e {
				return n + 1
			} else if class[c]&digit == 0 && c != ';' && c != '?' {
				return 0
			}
		}
	}
	return 0
}

// escaped returns the byte that an escape sequence stands for, or 0. It reads any
// text: what is no whole sequence stands for nothing.
func escaped(seq string) byte {
	n := len(seq)
	switch {
	case n < 3 || seq[0] != '\\' && seq[0] != '%' || !isHex(seq[n-1]) || !isHex(seq[n-2]):
		return 0
	case seq[0] == '\\' && seq[1] == 'u' && (n < 6 || seq[2] != '0' || seq[3] != '0'):
		return 0
	}
	return hex(seq[n-2])<<4 | hex(seq[n-1])
}

// slash returns the length of a slash at the beginning of text, in any spelling:
// / \/ %2F %252F \u002f. 0 means that there is none.
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
