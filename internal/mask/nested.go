package mask

import "strings"

// nested masks the secrets in the list or map at i, such as `map[a:b]`. Without a
// list or map, nested returns false.
func (s *scanner) nested(vc valueContext, i int) bool {
	i, _ = s.skipGap(i)
	rest := s.text[i:]
	switch {
	case strings.HasPrefix(rest, Masked):
		return false
	case strings.HasPrefix(rest, "map["):
		i += len("map")
	case len(rest) > 1 && rest[0] == '(' && class[rest[1]]&quote != 0:
	case rest == "" || rest[0] != '[' && rest[0] != '{' || len(rest) > 1 && rest[0] == rest[1] && rest[0] == '{':
		return false
	}
	if s.hasRead(vc.kind, i) {
		return true
	}
	brackets := &s.brackets[vc.kind]
	const mostDepth = 64
	depth := 0
	var public, key bool // the value of the last key is not a secret; a key precedes the next value
	for k := i; k < len(s.text); {
		switch c := s.text[k]; {
		case c == '[' && strings.HasPrefix(s.text[k:], Masked):
			k += len(Masked)
			continue
		case c == '[' || c == '{' || c == '(' && k == i:
			depth++
			k++
			public = public && key
			continue
		case c == ']' || c == '}' || c == ')':
			depth--
			k++
			if depth <= 0 {
				brackets.keep(i, k)
				return true
			}
			public, key = false, false
			continue
		case c == ',' || c == ';':
			public, key = false, false
			k++
			continue
		case c == '\n' && k > i && s.endsList(k):
			brackets.keep(i, k)
			return true
		case class[c]&space != 0 || c == ':' || c == '=' || c == '>':
			k++
			continue
		}
		if depth > mostDepth || k-i > mostBrackets {
			brackets.keep(i, k)
			return true
		}
		v := s.leaf(k)
		k = max(k+1, v.next)
		if v.key {
			name := newName(head(s.text[v.from:v.to]))
			public, key = vc.isPublic(&name), true
			continue
		}
		vc.prose = vc.kind != password && (key || vc.several) // an ordinary word can be a name
		if text := head(s.text[v.from:v.to]); !public && (s.leafSecret(vc, text, v.quoted) || vc.vault && key && isVaulted(text)) {
			s.add(v.from, v.to)
		}
		public, key = false, false
	}
	brackets.keep(i, len(s.text))
	return true
}

// hasRead reports whether the brackets at i were already read for the kind k or for a
// kind with a greater value.
func (s *scanner) hasRead(k kind, i int) bool {
	for _, e := range s.brackets[k:] {
		if _, ok := e.known(i); ok {
			return true
		}
	}
	return false
}

// mostBrackets is how many bytes of a list or a map are read.
const mostBrackets = 4096

// endsList reports whether the line break at i ends a list without a closing
// bracket.
func (s *scanner) endsList(i int) bool {
	before, after := i, i
	for before > 0 && i-before < maxGap && class[s.text[before-1]]&space != 0 {
		before--
	}
	for after < len(s.text) && after-i < maxGap && class[s.text[after]]&space != 0 {
		after++
	}
	return (before == 0 || strings.IndexByte(",[{:", s.text[before-1]) < 0) && (after >= len(s.text) || strings.IndexByte("]},\"'", s.text[after]) < 0)
}

// leaf is a key or a value within brackets.
type leaf struct {
	value
	next int
	key  bool // the leaf is a key: a colon or an equals sign follows
}

// leaf returns the key or value at i.
func (s *scanner) leaf(i int) (l leaf) {
	if q := opens(s.text[i:]); q.n > 0 {
		l.from, l.quoted = i+q.n, true
		l.to = s.quotedEnd(q, l.from)
		l.next = min(len(s.text), l.to+q.n)
	} else {
		l.from, l.to = i, i
		for l.to < len(s.text) && class[s.text[l.to]]&(space|quote) == 0 && strings.IndexByte(",]}[{", s.text[l.to]) < 0 && !s.endsKey(i, l.to) {
			l.to++
		}
		l.next = l.to
	}
	at := l.next
	for end := at + maxGap; at < len(s.text) && at < end && (s.text[at] == ' ' || s.text[at] == '\t'); {
		at++
	}
	l.key = at < len(s.text) && (s.text[at] == ':' || s.text[at] == '=')
	return l
}

// endsKey reports whether s.text[from:i] is an unquoted key before a colon or an
// equals sign.
func (s *scanner) endsKey(from, i int) bool {
	c := s.text[i]
	return (c == ':' || c == '=' && i+1 < len(s.text) && s.text[i+1] != '=') && i > from && i-from <= nameBytes && all(s.text[from:i], wordly|dot)
}

// leafSecret reports whether a value of a list or map is a secret.
func (s *scanner) leafSecret(vc valueContext, text string, quoted bool) bool {
	if !quoted && classes(text)&(lower|upper) == 0 && vc.kind != password {
		return false
	}
	vc.assign, vc.quoted, vc.below = true, quoted, false
	if vc.kind != password && vc.kind != code && nameLike(text) {
		return false
	}
	return vc.secret(text)
}

// isPublic reports whether the name of a field shows that the value is no secret.
func (vc valueContext) isPublic(field *name) bool {
	head := field.words[0]
	if vc.vault && (vaultNames[head] || vc.kind == password && accountNames[head]) {
		return false
	}
	return field.isPublic()
}

// isPublic reports whether n is the name of a public field, such as id or region.
func (n *name) isPublic() bool {
	if n.n == 0 {
		return false
	}
	for _, w := range n.words[:n.n] {
		if notSecret[w] {
			return true
		}
	}
	return idNames[n.words[0]] || publicFields[n.words[0]]
}
