package mask

import "strings"

// gap bounds how much white space is skipped between a name and its value.
const gap = 64

// value is what follows a name.
type value struct {
	from, to int
	quoted   bool
	below    bool // it stands on the next line
	item     bool // it is in brackets: X-Api-Key:[...]
}

// valueAt finds the value at i. encoded says that the text is percent-encoded
// there.
func (s *scanner) valueAt(i int, encoded bool) (v value) {
	i, v.below = s.skipGap(i)
	for encoded && (strings.HasPrefix(s.text[i:], "%20") || strings.HasPrefix(s.text[i:], "+")) {
		i += escape(s.text[i:]) // 0 for the plus
		if i < len(s.text) && s.text[i] == '+' {
			i++
		}
	}
	rest := s.text[i:]
	if strings.HasPrefix(rest, Masked) {
		v.from, v.to = i, i+len(Masked)
		return v
	}
	const depth = 4 // of lists of lists
	for n := 0; n < depth && rest != "" && (rest[0] == '[' || rest[0] == '(') && !strings.HasPrefix(rest, Masked); n++ {
		i, rest, v.item = i+1, rest[1:], rest[0] == '['
	}
	// Prefixes of strings: Python's b'...', C#'s @"...", SQL's N'...'.
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

// skipGap skips white space and colours, and one end of a line.
func (s *scanner) skipGap(i int) (at int, below bool) {
	for end := i + gap; i < len(s.text) && i < end; {
		switch c := s.text[i]; {
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case c == '\\' && i+1 < len(s.text) && s.text[i+1] == '\n': // the line goes on
			i += 2
		case c == '\n' && !below:
			below = true
			i++
		case c >= 0x80 && blank(s.text[i:]) > 0:
			i += blank(s.text[i:])
		case c == 0x1b && escape(s.text[i:]) > 0:
			i += escape(s.text[i:])
		default:
			return i, below
		}
	}
	return i, below
}

// runEnd returns where an unquoted value ends.
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

func (s *scanner) endsRun(i int, encoded bool) bool {
	c := s.text[i]
	switch {
	case class[c]&(space|quote|stop) != 0:
		return true
	case c == '\\':
		return i+1 < len(s.text) && strings.IndexByte(`nrt"'u`, s.text[i+1]) >= 0
	case c == ',':
		return s.endsItem(i + 1)
	case c == '%' && encoded:
		n := escape(s.text[i:])
		b := escaped(s.text[i : i+n])
		return n > 0 && (class[b]&(space|quote|stop) != 0 || b == ',')
	case c == 0xE3:
		return strings.HasPrefix(s.text[i:], "」")
	case c == 0xC2 || c == 0xE2: // a non-breaking space, curly quotes
		return strings.HasPrefix(s.text[i:], "\u00a0") || strings.HasPrefix(s.text[i:], "”") || strings.HasPrefix(s.text[i:], "’")
	}
	return false
}

// endsItem reports whether a comma before i separates items, and is not part of
// a value: white space, a quote or the next name follows.
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

// trimmed takes the punctuation of a sentence off the end of a value.
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

// judged bounds how much of a value is looked at to judge it: many names may
// point to the end of the same long one.
const judged = 128

func head(v string) string { return v[:min(len(v), judged)] }

// judge is how a value is looked at.
type judge struct {
	kind    kind
	assign  bool // = or a quoted name: it is beyond doubt a value, no sentence
	prose   bool // the name is part of a sentence
	query   bool // the name is a parameter of a URL
	below   bool // the value stands on the next line
	quoted  bool
	several bool // the name is a plural
}

// secret reports whether v is one.
func (j judge) secret(v string) bool {
	v = head(v)
	if v == "" || v == Masked || redacted(v) || placeholder(v) {
		return false
	}
	switch j.kind {
	case code:
		return isCode(v) || randomish(v) || j.assign && mixed(v) && len(v) >= 6 && !wordy(v)
	case weak:
		if j.query && len(v) >= 16 && classes(v)&digit != 0 && !isUUID(v) {
			return true
		}
		if strings.ContainsAny(v, ":/.()[]{},*<> ") {
			return false
		}
		if _, _, ok := numbered(v); ok {
			return false
		}
		return j.assign && len(v) >= 8 && !isUUID(v) && mixed(v) && !wordy(v) || randomish(v)
	case token:
		if isPointer(v) {
			return false
		}
		if benignWords(v, j.quoted) {
			return false
		}
		if word, constant, ok := numbered(v); ok && (constant || benign[lowerWord(word)]) {
			return false
		}
		if c := classes(v); c&(lower|upper) == 0 && c&digit != 0 {
			return j.assign && len(v) >= 6 || len(v) >= 20
		}
		if j.prose || j.below {
			return looksSecret(v)
		}
		return looksSecret(v) || j.assign && len(v) >= 6
	case password:
		if benignWords(v, j.quoted) {
			return false
		}
		if j.prose || j.below {
			return looksSecret(v)
		}
		return true
	}
	return false
}

// redacted reports whether somebody else has masked v: sk-ab****wxyz, <redacted>.
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

// placeholder reports whether v stands for a value: $TOKEN, ${{ secrets.X }}, %s,
// <your key>, {{ token }}.
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

// benignWords reports whether v is a word that says what is wrong, or quoted a
// sentence that begins with one.
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
