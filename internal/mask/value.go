package mask

import "strings"

// maxGap is the maximum white space between a name and a value, in bytes.
const maxGap = 64

// value is the position of a value in the text, without quotes.
type value struct {
	from, to int
	quoted   bool
	below    bool // the value is on the line after the name
	item     bool // the value is in square brackets: X-Api-Key:[...]
}

// valueAt returns the value at i. If encoded is true, the value is percent-encoded.
func (s *scanner) valueAt(i int, encoded bool) (v value) {
	i, v.below = s.skipGap(i)
	for encoded && (strings.HasPrefix(s.text[i:], "%20") || strings.HasPrefix(s.text[i:], "+")) {
		i += escape(s.text[i:]) // escape returns 0 for a plus
		if i < len(s.text) && s.text[i] == '+' {
			i++
		}
	}
	rest := s.text[i:]
	if strings.HasPrefix(rest, Masked) {
		v.from, v.to = i, i+len(Masked)
		return v
	}
	const depth = 4 // how deeply brackets can be nested
	for n := 0; n < depth && rest != "" && (rest[0] == '[' || rest[0] == '(') && !strings.HasPrefix(rest, Masked); n++ {
		i, rest, v.item = i+1, rest[1:], rest[0] == '['
	}
	if rest != "" && rest[0] == '<' {
		if to := strings.IndexByte(head(rest), '>'); to > 1 && all(rest[1:to], alnum|dash|base64|dot) && mixed(rest[1:to]) && !nameLike(rest[1:to]) {
			v.from, v.to = i+1, i+to
			return v
		}
	}
	// A string can have a prefix, as in b'...', @"..." and N'...'.
	if len(rest) > 1 && strings.IndexByte("bBrRuUfFnNeE@$", rest[0]) >= 0 && class[rest[1]]&quote != 0 {
		i, rest = i+1, rest[1:]
	}
	if q := opens(rest); q.n > 0 {
		v.from, v.quoted = i+q.n, true
		v.to = s.quotedEnd(q, v.from)
		return v
	}
	v.from, v.to = i, s.trimmed(i, s.runEnd(i, encoded))
	return v
}

// skipGap skips white space and colours at i. It also reports whether it skipped a
// line break.
func (s *scanner) skipGap(i int) (at int, below bool) {
	for end := i + maxGap; i < len(s.text) && i < end; {
		switch c := s.text[i]; {
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case c == '\\' && i+1 < len(s.text) && s.text[i+1] == '\n': // a continued line
			i += 2
		case c == '\n' && !below:
			below = true
			i++
		case c >= 0x80 && blank(s.text[i:]) > 0:
			i += blank(s.text[i:])
		case (c == 0x1b || c == '\\') && colour(s.text[i:]) > 0:
			i += colour(s.text[i:])
		case c == '\\' && escapedSpace(s.text[i:]) > 0:
			n := escapedSpace(s.text[i:])
			if s.text[i+n-1] == 'n' && (n-1)%3 != 0 { // not \\\n, a continued line
				if below {
					return i, below
				}
				below = true
			}
			i += n
		default:
			return i, below
		}
	}
	return i, below
}

// escapedSpace returns the length of an escape such as \n or \t at the beginning of
// text, or 0. In a string within a string, it has several backslashes.
func escapedSpace(text string) int {
	k := backslashes(text)
	if k == 0 || k == len(text) || strings.IndexByte("nrt", text[k]) < 0 {
		return 0
	}
	return k + 1
}

// runEnd returns the end of the unquoted value at i.
func (s *scanner) runEnd(i int, encoded bool) int {
	e := &s.run
	if encoded {
		e = &s.encodedRun
	}
	if end, ok := e.known(i); ok {
		return end
	}
	j := i
	for j < len(s.text) && !s.endsRun(j, encoded) {
		j++
	}
	return e.keep(i, j)
}

// wideStops are characters, of three bytes each, that end an unquoted value.
const wideStops = "。、」』】》〉，；！？）"

func (s *scanner) endsRun(i int, encoded bool) bool {
	c := s.text[i]
	switch {
	case class[c]&(space|quote|stop) != 0:
		return true
	case c == '\\':
		k := backslashes(s.text[i:])
		return i+k < len(s.text) && strings.IndexByte(`nrt"'u`, s.text[i+k]) >= 0 || colour(s.text[i:]) > 0
	case c == ',':
		return s.endsItem(i + 1)
	case c == '%' && encoded:
		n := escape(s.text[i:])
		b := escaped(s.text[i : i+n])
		return n > 0 && (class[b]&(space|quote|stop) != 0 || b == ',')
	case c == 0xE3 || c == 0xEF: // punctuation of Chinese and Japanese
		return i+3 <= len(s.text) && strings.Contains(wideStops, s.text[i:i+3])
	case c == 0xC2 || c == 0xE2: // a non-breaking space, curly quotes
		return strings.HasPrefix(s.text[i:], "\u00a0") || strings.HasPrefix(s.text[i:], "”") || strings.HasPrefix(s.text[i:], "’")
	}
	return false
}

// endsItem reports whether the comma before i ends a value.
func (s *scanner) endsItem(i int) bool {
	const longName = 32
	for j := i; j < len(s.text) && j < i+longName; j++ {
		switch c := s.text[j]; {
		case class[c]&(wordly|dot) != 0:
			continue
		case c == '=' || c == ':':
			return j > i
		default:
			return j == i
		}
	}
	return i >= len(s.text)
}

// trimmed returns the index at which the punctuation at the end of s.text[from:to]
// begins. If there is no punctuation, it returns the argument named to.
func (s *scanner) trimmed(from, to int) int {
	if s.trim.to == to && s.trim.from <= from {
		return max(from, s.trimTo)
	}
	const longest = 64 // bytes of punctuation
	end := to
	for to > from && end-to < longest && class[s.text[to-1]]&(tail|closer) != 0 && !strings.HasSuffix(s.text[:to], Masked) {
		to--
	}
	s.trim, s.trimTo = extent{from, end}, to
	return to
}

// maxChecked is how many bytes at the start of a value are checked.
const maxChecked = 128

// head returns the first maxChecked bytes of v.
func head(v string) string { return v[:min(len(v), maxChecked)] }

// valueContext describes the name of a value and how the value is written.
type valueContext struct {
	kind    kind
	assign  bool // an equals sign or a quoted name precedes the value
	prose   bool // the name is part of a sentence
	query   bool // the name is a URL parameter
	below   bool // the value is on the line after the name
	quoted  bool
	several bool // the name is a plural
	vault   bool // the value is a map of secrets, whatever the names in the map are
	card    bool // the name is that of the security code of a card
	word    bool // a text of several words is not a secret
}

// secret reports whether a value v in this context is a secret.
func (vc valueContext) secret(v string) bool {
	v = head(v)
	if v == "" || v == Masked || redacted(v) || placeholder(v) {
		return false
	}
	switch vc.kind {
	case code:
		return isCode(v) || vc.card && isCardCode(v) || looksRandom(v) || vc.assign && mixed(v) && len(v) >= 6 && !isWords(v)
	case weak:
		if vc.query && len(v) >= 16 && classes(v)&digit != 0 && !isUUID(v) {
			return true
		}
		if strings.ContainsAny(v, ":/.()[]{},*<> ") {
			return false
		}
		if _, _, ok := numberedWord(v); ok {
			return false
		}
		return vc.assign && len(v) >= 8 && !isUUID(v) && mixed(v) && !isWords(v) || looksRandom(v)
	case token:
		if isPointer(v) {
			return false
		}
		if benignWords(v, vc.quoted) {
			return false
		}
		if word, constant, ok := numberedWord(v); ok && (constant || benign[lowerWord(word)]) {
			return false
		}
		if c := classes(v); c&(lower|upper) == 0 && c&digit != 0 {
			return vc.assign && len(v) >= 6 || len(v) >= 20
		}
		if vc.prose || vc.below {
			return looksSecret(v)
		}
		return looksSecret(v) || vc.assign && len(v) >= 6
	case password:
		if benignWords(v, vc.quoted) {
			return false
		}
		if vc.prose || vc.below {
			return looksSecret(v)
		}
		return true
	}
	return false
}

// redacted reports whether v is already masked, such as "sk-ab****wxyz" and
// "<redacted>".
func redacted(v string) bool {
	const longest = 8 // "redacted"
	if bare := strings.Trim(v, "<>[]{}()*"); len(bare) <= longest {
		switch lowerWord(bare) {
		case "redacted", "filtered", "masked", "hidden", "removed", "secret", "omitted", "":
			return true
		}
	}
	return strings.Contains(v, "***") || strings.Contains(v, "•••") || strings.Trim(v, "xX") == "" || strings.Trim(v, ".") == ""
}

// placeholder reports whether v is a placeholder such as "$TOKEN", "%s" or "<your
// key>".
func placeholder(v string) bool {
	switch {
	case len(v) < 2:
		return true
	case v[0] == '$':
		return v[1] == '{' || v[1] == '(' || all(strings.TrimSuffix(v[1:], `"`), upper|digit|dash)
	case v[0] == '%':
		return len(v) <= 3 || v[len(v)-1] == '%' && all(v[1:len(v)-1], upper|digit|dash)
	case v[0] == '<':
		return v[len(v)-1] == '>'
	}
	return strings.HasPrefix(v, "{{") || strings.HasPrefix(v, "{") && strings.HasSuffix(v, "}") && all(v[1:len(v)-1], wordly)
}

// benignWords reports whether v is a word of the set benign, or a quoted sentence
// that begins with one.
func benignWords(v string, quoted bool) bool {
	first := v
	if quoted {
		if i := strings.IndexByte(v, ' '); i >= 0 {
			if first = v[:i]; classes(v)&digit != 0 {
				return false
			}
		}
	}
	first = strings.Trim(first, "'\"`.,:;!?()")
	const longest = 24
	if len(first) > longest {
		return false
	}
	if first == "" || all(first, tail|closer|dash|percent|base64) { // "->", "=": no value
		return true
	}
	first = lowerWord(first)
	return benign[first]
}
