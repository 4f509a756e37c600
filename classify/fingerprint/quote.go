package fingerprint

import "strings"

// quotePair is a kind of quotes: an opening and a closing quote.
type quotePair struct{ open, close string }

var quotePairs = [...]quotePair{
	{`"`, `"`}, {"'", "'"}, {"`", "`'"}, {`\"`, `\"`}, {`\'`, `\'`}, {"“", "”"}, {"‘", "’"}, {"«", "»"},
}

const (
	double   = 0
	single   = 1
	backtick = 2 // also closed by a single quote, as in `name'
)

// quoted reads a text in quotes at i. A value is replaced. A key or an error text is
// kept. The result is the index of the next byte to read.
func (s *scanner) quoted(i int) int {
	k := double
	switch s.text[i] {
	case '"':
	case '\'':
		k = single
	default:
		k = backtick
		for k < len(quotePairs) && !strings.HasPrefix(s.text[i:], quotePairs[k].open) {
			k++
		}
	}
	if k == len(quotePairs) || k == single && isAlnum(s.at(i-1)) || s.at(i-1) == '\\' && k <= backtick {
		return i + 1
	}
	start := i + len(quotePairs[k].open)
	end := s.closing(k, start)
	if end < 0 {
		return start
	}
	after := end + 1
	if k > backtick {
		after = end + len(quotePairs[k].close)
	}
	sep := after
	if s.braces > 0 && s.at(sep) == ' ' && s.at(sep+1) == ':' {
		sep++
	}
	switch {
	case s.isKey(i, start, end, sep):
		if s.text[sep] == ':' { // {"a": 5} and {"a":5} are the same
			s.skipSpace(i)
		}
		if !s.quotedText(i, start, end, sep) {
			return s.uncopied
		}
		next := sep + 1
		for next < len(s.text) && next < sep+32 && kinds[s.text[next]] == space {
			next++
		}
		if next > sep+1 {
			s.flush(sep + 1)
			s.uncopied = next
		}
		if holdsErrorText(s.text[start:end]) {
			s.errorQuote = next
			if s.at(next) == '[' { // "errors":["..."]
				s.errorQuote++
			}
		}
		return next
	case i == s.errorQuote && i > 0 && s.nesting < maxNesting:
		if !s.quotedText(i, start, end, after) {
			return s.uncopied
		}
	default:
		s.replace(i, after, placeholderStr)
	}
	return after
}

// quotedText scans the text s.text[start:end] between quotes. With the quotes, it is
// s.text[i:after]. If the template is full, the result is false.
func (s *scanner) quotedText(i, start, end, after int) bool {
	// A double quote is not replaced, so it can be copied with the text around it.
	double := s.text[i] == '"'
	if !double || s.spaceDue || kinds[s.text[start]] == space {
		s.flush(i)
		s.emit(`"`)
		s.uncopied = start
	}
	text := s.text
	s.text = text[:end]
	s.nesting++
	stop := s.scan(start)
	s.nesting--
	s.text = text
	if double && !s.spaceDue && after == end+1 && kinds[s.at(after)] != space && s.sizeAt(after) < maxTemplate {
		return true
	}
	s.flush(stop)
	if s.full() {
		return false
	}
	s.spaceDue = false
	s.add(`"`)
	s.uncopied = after
	return !s.full()
}

// closing returns the index of the closing quote of a text that begins at start, or
// -1. Outside braces, the quote must be on the same line. k is an index in quotePairs.
func (s *scanner) closing(k, start int) int {
	if start < s.unclosed[k] {
		return -1
	}
	line := s.text
	if s.braces == 0 {
		if start >= s.lineEnd {
			s.lineEnd = len(line)
			if n := strings.IndexByte(line[start:], '\n'); n >= 0 {
				s.lineEnd = start + n
			}
		}
		line = line[:min(s.lineEnd, len(line))]
	}
	for i := start; i < len(line); i++ {
		var n int
		switch {
		case k == backtick:
			n = strings.IndexAny(line[i:], quotePairs[k].close)
		case k < backtick:
			n = strings.IndexByte(line[i:], quotePairs[k].close[0])
		default:
			n = strings.Index(line[i:], quotePairs[k].close)
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

// isKey reports whether s.text[start:end] is a key in quotes, as in {"key":1} or
// "key"=1. i is the index of the opening quote. colon is the index of the colon or
// equals sign.
func (s *scanner) isKey(i, start, end, colon int) bool {
	sep := s.at(colon)
	if sep != ':' && sep != '=' || end-start > maxWord || end == start {
		return false
	}
	if sep == ':' && s.braces == 0 && (i > 0 || s.at(colon+1) != '"') { // "message":"..." alone is a part of an object
		return false
	}
	i--
	for i > 0 && kinds[s.text[i]] == space && start-i < 32 {
		i--
	}
	if c := s.at(i); sep == ':' && i >= 0 && c != '{' && c != ',' {
		return false
	}
	return s.skip(start, inKey) == end
}
