package mask

import "strings"

// yamlBlock masks the YAML block scalar at i, and reports whether there is one.
func (s *scanner) yamlBlock(i int) bool {
	for i < len(s.text) && s.text[i] == ' ' {
		i++
	}
	n := angle(s.text[i:], '>')
	if n == 0 && strings.HasPrefix(s.text[i:], "|") {
		n = 1
	}
	if n == 0 {
		return false
	}
	i += n
	for n := 0; n < 2 && i < len(s.text) && strings.IndexByte("+-123456789", s.text[i]) >= 0; n++ {
		i++
	}
	newline, i := s.newlineAt(i)
	if newline == "" {
		return false
	}
	if _, ok := s.yamlBlocks.known(i); ok {
		return true
	}
	indent := s.indentAt(i)
	first := i + indent
	end := first
	for last := indent == 0; !last; {
		end, last = s.lineIn(end, newline)
		next := end + len(newline)
		if last || next+indent >= len(s.text) || strings.Trim(s.text[next:next+indent], " ") != "" {
			break
		}
		end = next
	}
	s.yamlBlocks.keep(i, end)
	s.add(first, end)
	return true
}

// lineIn returns the end of the line at i. A line in a string also ends with the string.
// Then, and at the end of the text, last is true.
func (s *scanner) lineIn(i int, newline string) (end int, last bool) {
	end = s.lineEnd(i, newline)
	if newline != "\n" {
		for j := i; j < end; j++ {
			if s.text[j] == '\n' {
				return j, true
			}
			if k, ok := s.endsString(i, j, len(newline)-1); ok {
				return j - k, true
			}
		}
	}
	return end, end == len(s.text)
}

// endsString reports whether the character at i is the closing quote of a string in which
// line breaks are escaped with level backslashes. k is the number of backslashes before
// the quote. The line begins at from.
func (s *scanner) endsString(from, i, level int) (k int, ok bool) {
	c := s.text[i]
	if c != '"' && (c != '\'' || i+1 < len(s.text) && class[s.text[i+1]]&alnum != 0) { // it's
		return 0, false
	}
	for i-k > from && k < level && s.text[i-k-1] == '\\' {
		k++
	}
	return k, k < level
}

// lines masks the items of the YAML list after i, and reports whether there is one.
func (s *scanner) lines(vc valueContext, i int) bool {
	for i < len(s.text) && s.text[i] == ' ' {
		i++
	}
	newline, next := s.newlineAt(i)
	if newline == "" {
		return false
	}
	if _, ok := s.items.known(i); ok {
		return true
	}
	from, end := i, i
	for last := false; !last; {
		at := next
		for at < len(s.text) && s.text[at] == ' ' {
			at++
		}
		if !strings.HasPrefix(s.text[min(at, len(s.text)):], "- ") {
			break
		}
		item := s.valueAt(at+len("- "), false)
		if item.from >= item.to || item.below {
			break
		}
		after := item.to
		if item.quoted {
			after += opens(s.text[after:]).n
		}
		end, last = s.lineIn(after, newline)
		next = end + len(newline)
		text := head(s.text[item.from:item.to])
		rest := strings.TrimSpace(s.text[after:min(end, after+maxGap)])
		if len(rest) == escapedSpace(rest) && (item.quoted || !strings.Contains(text, ": ")) && s.leafSecret(vc, text, item.quoted) {
			s.add(item.from, item.to)
		}
	}
	if end == from {
		return false
	}
	s.items.keep(from, end)
	return true
}

// fields masks the values of a YAML map, and reports whether there is one. i is the
// index after the colon of the map's name, as in "secrets:".
func (s *scanner) fields(vc valueContext, i int) bool {
	if i < s.fieldsTo {
		return false // within a map that was read
	}
	at := i
	for at < len(s.text) && at-i < maxGap && s.text[at] == ' ' {
		at++
	}
	newline, next := s.newlineAt(at)
	if newline == "" {
		return false
	}
	least := max(0, i-mostIndent)
	begin := least + strings.LastIndex(s.text[least:i], newline)
	switch {
	case begin >= least:
		begin += len(newline)
	case newline != "\n":
		begin = i // the string begins with the name
	case least > 0:
		return false
	default:
		begin = 0
	}
	return s.readFields(vc, next, newline, s.indentAt(begin))
}

// section masks the values of the TOML or INI section at i, such as "[secrets]".
func (s *scanner) section(i int) {
	to := i
	for to < len(s.text) && to-i < maxGap && s.text[to] == '[' {
		to++
	}
	from := to
	for to < len(s.text) && to-from < nameBytes && (class[s.text[to]]&(wordly|dot|quote) != 0 || s.text[to] == ' ') {
		to++
	}
	end := to
	for end < len(s.text) && end-to < maxGap && (s.text[end] == ']' || s.text[end] == '\r') {
		end++
	}
	if to == from || end == to || end == len(s.text) || s.text[end] != '\n' {
		return
	}
	vc := valueContext{assign: true}
	for part := range strings.SplitSeq(s.text[from:to], ".") {
		n := newName(part)
		if k := n.kind(); n.vault || k == password {
			vc.kind, vc.several, vc.vault = k, n.several, n.vault
		}
	}
	if vc.kind != nothing {
		s.readFields(vc, end+1, "\n", -1)
	}
}

const (
	mostIndent = 160  // bytes of the indentation and the name of a map
	mostFields = 8192 // bytes of a map that are read
)

// lineEnd returns the end of the line at i.
func (s *scanner) lineEnd(i int, newline string) int {
	if n := strings.Index(s.text[i:], newline); n >= 0 {
		return i + n
	}
	return len(s.text)
}

// indentAt returns the number of spaces at i, the start of a line.
func (s *scanner) indentAt(i int) (n int) {
	for i+n < len(s.text) && s.text[i+n] == ' ' {
		n++
	}
	return n
}

// readFields masks the values of fields, one on each line, and reports whether
// there are fields.
//   - The first line begins at s.text[i].
//   - outer is the indentation of the line before the fields.
//   - A line with an indentation of outer or less ends the fields.
//   - For a section, outer is -1, and the next section ends the fields.
func (s *scanner) readFields(vc valueContext, i int, newline string, outer int) bool {
	begin, read := i, false
	skip := -1 // indentation of a map that has no secrets and is skipped, or -1
	for last := false; !last && i < len(s.text) && i-begin < mostFields; {
		indent := s.indentAt(i)
		at := i + indent
		if at < len(s.text) && indent <= outer && class[s.text[at]]&space == 0 {
			break
		}
		var end int
		end, last = s.lineIn(at, newline)
		next := min(end+len(newline), len(s.text))
		if at >= end || strings.IndexByte("\r#;", s.text[at]) >= 0 {
			i = next
			continue
		}
		if indent <= outer || outer < 0 && s.text[at] == '[' {
			break
		}
		name, v, ok := s.field(at, end)
		if !ok {
			break
		}
		i, read = next, true
		switch {
		case skip >= 0 && indent > skip:
		case vc.isPublic(&name):
			skip = indent
		default:
			skip = -1
			if v.from < v.to && s.isFieldSecret(vc, v) {
				s.add(v.from, v.to)
			}
		}
	}
	s.fieldsTo = max(s.fieldsTo, i)
	return read
}

// field returns the name and the value of the line "name: value" or "name = value".
func (s *scanner) field(at, end int) (n name, v value, ok bool) {
	to := at
	if q := opens(s.text[at:end]); q.n > 0 {
		to = min(end, s.quotedEnd(q, at+q.n)+q.n)
	}
	for to < end && to-at < nameBytes && (class[s.text[to]]&(wordly|dot) != 0 || s.text[to] >= 0x80) {
		to++
	}
	n = newName(s.text[at:min(to, at+nameBytes)])
	for to < end && to-at < nameBytes && s.text[to] == ' ' {
		to++
	}
	if to == at || to >= end || s.text[to] != ':' && s.text[to] != '=' || s.text[to] == ':' && to+1 < end && class[s.text[to+1]]&space == 0 {
		return n, v, false
	}
	from := to + 1
	for from < end && (s.text[from] == ' ' || s.text[from] == '\t') {
		from++
	}
	if from == end {
		return n, v, true
	}
	if q := opens(s.text[from:end]); q.n > 0 {
		v = value{from: from + q.n, to: min(end, s.quotedEnd(q, from+q.n)), quoted: true}
		return n, v, true
	}
	v = value{from: from, to: end}
	if i := strings.IndexAny(s.text[from:end], "\"#"); i > 0 && (s.text[from+i] == '"' || s.text[from+i-1] == ' ') { // the end of a string, or a comment
		v.to = from + i
	}
	for v.to > v.from && (class[s.text[v.to-1]]&space != 0 || s.text[v.to-1] == '\\') {
		v.to--
	}
	return n, v, true
}

// isFieldSecret reports whether v, a value in a map of secrets, is a secret.
func (s *scanner) isFieldSecret(vc valueContext, v value) bool {
	text := head(s.text[v.from:v.to])
	if !v.quoted && strings.IndexByte("[{|>&*!%@", text[0]) >= 0 {
		return false // a list, a map, a block, an anchor or a tag
	}
	if vc.vault && isVaulted(text) {
		return true
	}
	vc.prose = vc.kind != password
	return s.leafSecret(vc, text, v.quoted)
}

// isVaulted reports whether v can be a secret in a map of secrets. Words, numbers,
// paths and names such as us-east-1 cannot.
func isVaulted(v string) bool {
	const least = 3
	if len(v) < least || v == Masked || benignWords(v, true) || redacted(v) || placeholder(v) || nameLike(v) {
		return false
	}
	return classes(v)&(lower|upper|nonASCII) != 0 && !strings.ContainsAny(v, " /:<>(){}[]")
}
