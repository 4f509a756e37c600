package mask

import "strings"

// yamlBlock masks the YAML block scalar at i, and reports whether there is one.
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

// lines masks the items of the YAML list after i, and reports whether there is one.
func (s *scanner) lines(vc valueContext, i int) bool {
	for i < len(s.text) && (s.text[i] == ' ' || s.text[i] == '\r') {
		i++
	}
	if i >= len(s.text) || s.text[i] != '\n' {
		return false
	}
	if _, ok := s.items.known(i); ok {
		return true
	}
	from, end := i, i
	for end < len(s.text) {
		at := end + 1
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
		if item.quoted && after < len(s.text) {
			after++
		}
		next := after
		for next < len(s.text) && s.text[next] != '\n' {
			next++
		}
		text := head(s.text[item.from:item.to])
		if strings.TrimSpace(s.text[after:min(next, after+maxGap)]) == "" && (item.quoted || !strings.Contains(text, ": ")) && s.leafSecret(vc, text, item.quoted) {
			s.add(item.from, item.to)
		}
		end = next
	}
	if end == from {
		return false
	}
	s.items.keep(from, end)
	return true
}

// fields masks the values of a YAML map, and reports whether there is one. The
// colon of "secrets:" precedes i.
func (s *scanner) fields(vc valueContext, i int) bool {
	if i < s.fieldsTo {
		return false // within a map that was read
	}
	at := i
	for at < len(s.text) && at-i < maxGap && (s.text[at] == ' ' || s.text[at] == '\r') {
		at++
	}
	newline := "\n"
	if strings.HasPrefix(s.text[at:], `\n`) { // within a string
		newline = `\n`
	}
	if !strings.HasPrefix(s.text[at:], newline) {
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
	return s.readFields(vc, at+len(newline), newline, s.indentAt(begin))
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
//   - A line with a smaller or equal indentation ends the fields.
//   - For a section, outer is -1, and the next section ends the fields.
func (s *scanner) readFields(vc valueContext, i int, newline string, outer int) bool {
	begin, read := i, false
	skip := -1 // indentation of a map that has no secrets and is skipped, or -1
	for i < len(s.text) && i-begin < mostFields {
		indent := s.indentAt(i)
		at := i + indent
		if at < len(s.text) && indent <= outer && class[s.text[at]]&space == 0 {
			break
		}
		end := min(s.lineEnd(at, newline), len(s.text))
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
	for v.to > v.from && class[s.text[v.to-1]]&space != 0 {
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
