package fingerprint

import (
	"strings"
	"unicode/utf8"
)

// These are limits of the scanner.
const (
	maxTemplate = 4 << 10 // bytes of a template, except for the last hole
	maxWord     = 64      // bytes of a word; a longer one is an id
	maxNesting  = 4       // greatest depth of quotes within quotes
)

// scanner replaces the values of a text in one pass. It looks at the kinds of the
// bytes, so a value with other digits gives the same template.
type scanner struct {
	text string
	out  []byte // the template so far; nil if only its hash is wanted
	hash digest // the hash of the template so far, if out is nil
	size int    // the length of the template so far

	from int  // where the text that is not yet in the template begins
	gap  bool // a space is due before the next byte of the template
	// holeStart and holeEnd delimit the part of the text that the last hole
	// replaced.
	holeStart, holeEnd int
	atomEnd            int // the end of the last token that the method atom read
	braces             int // open braces
	open               int // the index of the quote before an error text, or 0
	nesting            int // number of quoted texts around the current index
	lineEnd            int // the end of the current line
	// unclosed has an index for each kind of quote. The text has no closing quote of
	// that kind after the index. So the search for closing quotes takes linear time.
	unclosed [len(marks)]int
}

// run scans the whole text.
func (s *scanner) run() {
	s.flush(s.scan(0))
}

// scan reads s.text from index i on. It returns the index at which it stopped: the
// end of the text, or the place where the template has reached its maximum length.
func (s *scanner) scan(i int) int {
	text := s.text
	for uint(i) < uint(len(text)) {
		c := text[i]
		if n := s.sizeAt(i); n >= maxTemplate && (utf8.RuneStart(c) || n >= maxTemplate+utf8.UTFMax) {
			break
		}
		switch kinds[c] {
		case letter:
			i = s.word(i)
		case space:
			if next := i + 1; c == ' ' && s.from < i && uint(next) < uint(len(text)) && kinds[text[next]] != space {
				i = next // the space is single already
			} else {
				i = s.space(i)
			}
		case digit:
			i = s.number(i, i)
		case special:
			i = s.special(i)
		case quote:
			i = s.quoted(i)
		default:
			i++
		}
	}
	return i
}

// sizeAt returns the length that the template will have once the text before i has
// been added.
func (s *scanner) sizeAt(i int) int { return s.size + i - s.from }

// full reports whether the template has reached its maximum length.
func (s *scanner) full() bool { return s.size >= maxTemplate }

// emit adds text to the template.
func (s *scanner) emit(text string) {
	if text == "" {
		return
	}
	if s.gap {
		s.gap = false
		if s.size > 0 {
			s.add(" ")
		}
	}
	s.add(text)
}

func (s *scanner) add(text string) {
	s.size += len(text)
	if s.out != nil {
		s.out = append(s.out, text...)
	} else {
		s.hash.write(text)
	}
}

// flush adds the text before index end to the template, unchanged.
func (s *scanner) flush(end int) {
	if end > s.from {
		s.emit(s.text[s.from:end])
		s.from = end
	}
}

// hole replaces s.text[start:end] by a hole (a placeholder) such as <num>, the name
// of which is in the argument name. It returns end.
func (s *scanner) hole(start, end int, name string) int {
	s.flush(start)
	s.emit(name)
	s.from, s.holeStart, s.holeEnd = end, start, end
	return end
}

// space replaces white space by a single space. It returns the end of the white
// space.
func (s *scanner) space(i int) int {
	s.flush(i)
	for i < len(s.text) && kinds[s.text[i]] == space {
		i++
	}
	s.from, s.gap = i, true
	return i
}

// skipSpace keeps the white space before i out of the template.
func (s *scanner) skipSpace(i int) {
	end := i
	for end > s.from && kinds[s.text[end-1]] == space {
		end--
	}
	if end < i || s.gap {
		s.flush(end)
		s.from, s.gap = i, false
	}
}

// at returns the byte at index i, or 0 if i is outside of the text.
func (s *scanner) at(i int) byte {
	if uint(i) < uint(len(s.text)) {
		return s.text[i]
	}
	return 0
}

// end skips the bytes from index i on that belong to set. It returns the index of
// the first other byte.
func (s *scanner) end(i int, set byteSet) int {
	for i < len(s.text) && sets[s.text[i]]&set != 0 {
		i++
	}
	return i
}

// special reads a byte that may begin a value, such as a bracket, a quote or a
// slash. It returns the index of the next byte to read.
func (s *scanner) special(i int) int {
	before, after := s.at(i-1), s.at(i+1)
	switch s.text[i] {
	case '{':
		s.braces++
	case '}':
		if s.braces--; s.braces < 0 {
			s.braces = 0
		} else {
			s.skipSpace(i)
		}
	case '=':
		return s.value(i)
	case '-', '+':
		if kinds[after] == digit && !isAlnum(before) && strings.IndexByte("_-+.)]}>\"'", before) < 0 {
			return s.number(i, i+1)
		}
	case ':':
		if after == ' ' {
			s.announced(i)
		}
		if after == ':' && before != ':' && !isAlnum(before) {
			if end, name := s.colons(i); end > 0 {
				return s.hole(i, end, name)
			}
		}
	case '/':
		if !isAlnum(before) && before != '<' && (isAlnum(after) || after == '_' || after == '.') {
			return s.path(i, i)
		}
	case '~', '.':
		rest := s.text[i:]
		if !isAlnum(before) && before != '.' &&
			(strings.HasPrefix(rest, "~/") || strings.HasPrefix(rest, "./") || strings.HasPrefix(rest, "../")) {
			return s.path(i, i)
		}
	case '\\':
		switch {
		case after == '"' || after == '\'':
			return s.quoted(i)
		case after == '\\' && before != '\\' && isAlnum(s.at(i+2)): // \\server\share
			return s.path(i, i)
		}
	}
	return i + 1
}

// announced looks for a quoted error text after the colon at i and one space. If
// there is one, announced stores the index of the opening quote in s.open.
func (s *scanner) announced(i int) {
	switch s.at(i + 2) {
	case '"', '\'', '`', '\\':
		key := s.text[s.startOfKey(i):i]
		if s.braces > 0 && holdsErrorText(key) || lower(key).announcesErrorText() {
			s.open = i + 2
		}
	}
}

// value replaces the unquoted value after the = at index i. If the value of this key
// is an error text, value keeps the text, and stores in s.open the index at which a
// quote may begin. It also keeps a value with spaces around the =.
func (s *scanner) value(i int) int {
	end, spaced := i, s.at(i-1) == ' ' && s.at(i+1) == ' '
	if spaced {
		end--
	}
	key := s.startOfKey(end)
	switch {
	case key == end:
		return i + 1
	case holdsErrorText(s.text[key:end]):
		s.open = i + 1
		if spaced {
			s.open++
		}
		return i + 1
	case spaced:
		return i + 1
	}
	switch c := s.at(i + 1); {
	case sets[c]&inValue == 0, strings.IndexByte("=([{", c) >= 0, c == '\\' && strings.IndexByte("\"'", s.at(i+2)) >= 0:
		return i + 1
	}
	end = i + 1
	for end < len(s.text) && sets[s.text[end]]&inValue != 0 && !s.escapes(end) {
		end++
	}
	return s.hole(i+1, end, holeStr)
}

// escapes reports whether an escaped quote begins at i.
func (s *scanner) escapes(i int) bool {
	return s.text[i] == '\\' && (s.at(i+1) == '"' || s.at(i+1) == '\'')
}

// path replaces the path that begins at index start, and returns the end of the
// path. The bytes before i are already known to be part of the path.
func (s *scanner) path(start, i int) int {
	drive := i > start // the name of a drive: Windows, whose names have spaces
	for {
		for i < len(s.text) && sets[s.text[i]]&inPath != 0 && !s.escapes(i) {
			i++
		}
		next := s.afterSpace(i)
		if !drive || next == 0 {
			break
		}
		i = next
	}
	return s.hole(start, max(s.trim(start+1, i), start+1), holePath)
}

// afterSpace returns the index of the next backslash if only a few words precede it,
// and otherwise 0. Names in Windows paths may have spaces.
func (s *scanner) afterSpace(i int) int {
	if s.at(i) != ' ' {
		return 0
	}
	for j := i + 1; j < min(i+32, len(s.text)); j++ {
		switch c := s.text[j]; {
		case c == '\\':
			return j
		case !isAlnum(c) && c < 0x80 && strings.IndexByte(" -_.()", c) < 0:
			return 0
		}
	}
	return 0
}

// trim returns the end of the value s.text[start:end] without the punctuation
// at its end.
func (s *scanner) trim(start, end int) int {
	for end > start && sets[s.text[end-1]]&ending != 0 {
		end--
	}
	return end
}
