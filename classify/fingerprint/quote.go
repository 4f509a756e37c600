package fingerprint

import "strings"

// mark is a pair of quotes.
type mark struct{ open, close string }

var marks = [...]mark{
	{`"`, `"`}, {"'", "'"}, {"`", "`'"}, {`\"`, `\"`}, {`\'`, `\'`}, {"“", "”"}, {"‘", "’"}, {"«", "»"},
}

const (
	double   = 0
	single   = 1
	backtick = 2 // also closed by a single quote, as in `name'
)

// quoted replaces a value in quotes. Outside an object it must not contain a line
// break.
func (s *scanner) quoted(i int) int {
	k := double
	switch s.text[i] {
	case '"':
	case '\'':
		k = single
	default:
		k = backtick
		for k < len(marks) && !strings.HasPrefix(s.text[i:], marks[k].open) {
			k++
		}
	}
	if k == len(marks) || k == single && isAlnum(s.at(i-1)) || s.at(i-1) == '\\' && k <= backtick {
		return i + 1
	}
	start := i + len(marks[k].open)
	end := s.closing(k, start)
	if end < 0 {
		return start
	}
	after := end + 1
	if k > backtick {
		after = end + len(marks[k].close)
	}
	switch {
	case s.isKey(i, start, end, after):
		s.inside(start, end)
		if speaking(s.text[start:end]) {
			s.open = after + 1
			for s.open < after+4 && s.at(s.open) == ' ' {
				s.open++
			}
		}
	case i == s.open && i > 0 && s.nesting < maxNesting:
		s.inside(start, end)
	default:
		s.hole(start, end, holeStr)
	}
	if s.full() {
		return s.from // the rest of the value must not be copied
	}
	return after
}

// inside scans the text between two quotes.
func (s *scanner) inside(start, end int) {
	text := s.text
	s.text = text[:end]
	s.nesting++
	s.flush(s.scan(start))
	s.nesting--
	s.text = text
}

// closing returns the place of the quote that closes a value, or -1.
func (s *scanner) closing(k, start int) int {
	if start < s.unclosed[k] {
		return -1
	}
	if start >= s.lineEnd {
		s.lineEnd = len(s.text)
		if n := strings.IndexByte(s.text[start:], '\n'); n >= 0 {
			s.lineEnd = start + n
		}
	}
	line := s.text
	if s.braces == 0 {
		line = s.text[:min(s.lineEnd, len(s.text))]
	}
	for i := start; i < len(line); i++ {
		var n int
		switch {
		case k == backtick:
			n = strings.IndexAny(line[i:], marks[k].close)
		case k < backtick:
			n = strings.IndexByte(line[i:], marks[k].close[0])
		default:
			n = strings.Index(line[i:], marks[k].close)
		}
		if n < 0 {
			break
		}
		i += n
		escaped := i > 0 && s.text[i-1] == '\\'
		if escaped && k != backtick || k == single && isAlnum(s.at(i+1)) {
			continue
		}
		return i
	}
	s.unclosed[k] = len(line)
	return -1
}

// isKey reports whether the quoted text between start and end is the key of an
// object. i is the place of the opening quote, after that behind the closing one.
func (s *scanner) isKey(i, start, end, after int) bool {
	if s.braces == 0 || s.at(after) != ':' || end-start > maxWord || end == start {
		return false
	}
	i--
	for i > 0 && kinds[s.text[i]] == space && start-i < 32 {
		i--
	}
	if c := s.at(i); c != '{' && c != ',' {
		return false
	}
	for _, c := range []byte(s.text[start:end]) {
		if !isAlnum(c) && c != '_' && c != '-' && c != '.' && c != '$' {
			return false
		}
	}
	return true
}
