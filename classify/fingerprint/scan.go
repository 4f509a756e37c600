package fingerprint

import (
	"strings"
	"unicode/utf8"
)

// These are limits of the scanner.
const (
	maxTemplate = 4 << 10 // maximum length of a template in bytes; the last placeholder may exceed it
	maxWord     = 64      // maximum length of a word in bytes; a longer one is an id
	maxNesting  = 4       // maximum depth of quotes within quotes
)

// scanner replaces the values of a text in one pass. For most decisions, it only looks
// up single bytes in the tables kinds and sets.
type scanner struct {
	text string
	out  []byte // the template so far; nil if only its hash is wanted
	hash digest // the hash of the template so far, if out is nil
	size int    // the length of the template so far

	uncopied int  // index of the first byte that is not yet copied or replaced
	spaceDue bool // a space must be added before the next byte of the template
	// text[replacedStart:replacedEnd] was replaced by the last placeholder.
	replacedStart, replacedEnd int
	atomEnd                    int // the end of the last token that the method atom read
	braces                     int // open braces
	errorQuote                 int // index at which a quote opens an error text, not a value; 0 = none
	nesting                    int // number of quoted texts around the current index
	lineEnd                    int // the end of the current line
	// For each kind of quotes, this is the index at which the last search for a closing
	// quote ended without success. A search that begins before this index is skipped.
	unclosed [len(quotePairs)]int
}

// run scans the whole text.
func (s *scanner) run() {
	s.flush(s.scan(0))
}

// scan reads s.text from index i on. It returns the end of the text, or the index at
// which the template was full.
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
			if next := i + 1; c == ' ' && s.uncopied < i && uint(next) < uint(len(text)) && kinds[text[next]] != space {
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

// sizeAt returns the length of the template after copying the text before i.
func (s *scanner) sizeAt(i int) int { return s.size + i - s.uncopied }

// full reports whether the template has reached its maximum length.
func (s *scanner) full() bool { return s.size >= maxTemplate }

// emit adds text to the template.
func (s *scanner) emit(text string) {
	if text == "" {
		return
	}
	if s.spaceDue {
		s.spaceDue = false
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
	if end > s.uncopied {
		s.emit(s.text[s.uncopied:end])
		s.uncopied = end
	}
}

// replace replaces s.text[start:end] by a placeholder. The result is the index end.
func (s *scanner) replace(start, end int, placeholder string) int {
	s.flush(start)
	s.emit(placeholder)
	s.uncopied, s.replacedStart, s.replacedEnd = end, start, end
	return end
}

// space replaces white space by a single space. It returns the end of the white
// space.
func (s *scanner) space(i int) int {
	s.flush(i)
	for i < len(s.text) && kinds[s.text[i]] == space {
		i++
	}
	s.uncopied, s.spaceDue = i, true
	return i
}

// skipSpace omits the white space before i from the template.
func (s *scanner) skipSpace(i int) {
	end := i
	for end > s.uncopied && kinds[s.text[end-1]] == space {
		end--
	}
	if end < i || s.spaceDue {
		s.flush(end)
		s.uncopied, s.spaceDue = i, false
	}
}

// at returns the byte at index i, or 0 if i is outside of the text.
func (s *scanner) at(i int) byte {
	if uint(i) < uint(len(s.text)) {
		return s.text[i]
	}
	return 0
}

// skip returns the first index from i on with a byte that is not in set.
func (s *scanner) skip(i int, set byteSet) int {
	for i < len(s.text) && sets[s.text[i]]&set != 0 {
		i++
	}
	return i
}

// special reads a byte that may begin a value. It returns the index of the next byte
// to read.
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
			if end, placeholder := s.colons(i); end > 0 {
				return s.replace(i, end, placeholder)
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

// announced reads a colon at i with a space after it. If a quoted error text
// follows, its index is stored in s.errorQuote.
func (s *scanner) announced(i int) {
	switch s.at(i + 2) {
	case '"', '\'', '`', '\\':
		key := s.text[s.startOfKey(i):i]
		if s.braces > 0 && holdsErrorText(key) || lower(key).announcesErrorText() {
			s.errorQuote = i + 2
		}
	}
}

// value replaces the unquoted value after the = at index i. It returns the index of
// the next byte to read. Two kinds of values stay:
//
//   - values with spaces around the =
//   - error texts
//
// Before an error text, the method sets s.errorQuote to the index at which a quote may
// open the text.
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
		s.errorQuote = i + 1
		if spaced {
			s.errorQuote++
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
	return s.replace(i+1, end, placeholderStr)
}

// escapes reports whether an escaped quote begins at i.
func (s *scanner) escapes(i int) bool {
	return s.text[i] == '\\' && (s.at(i+1) == '"' || s.at(i+1) == '\'')
}

// path replaces the path that begins at index start, and returns its end. The part
// s.text[start:i] was read already.
func (s *scanner) path(start, i int) int {
	drive := i > start // a Windows path such as C:\, which may contain spaces
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
	return s.replace(start, max(s.trim(start+1, i), start+1), placeholderPath)
}

// afterSpace returns the index of the next backslash after the space at i, as in
// C:\Program Files\a. If there is no space at i, or if no backslash follows after a few
// words, it returns 0.
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

// trim returns the end of the value s.text[start:end] without trailing punctuation.
func (s *scanner) trim(start, end int) int {
	for end > start && sets[s.text[end-1]]&ending != 0 {
		end--
	}
	return end
}
