package fingerprint

import (
	"strings"

	"github.com/errclass/errclass/internal/ascii"
)

// word reads the word at i, and replaces a value that begins there. It returns the
// index of the next byte to read.
func (s *scanner) word(i int) int {
	text, end := s.text, i+1
	for uint(end) < uint(len(text)) && kinds[text[end]] == letter {
		end++
	}
	n, next := end-i, s.at(end)
	if sets[next]&inAtom != 0 || next == ':' {
		if i >= s.atomEnd && s.mayBeAtom(i, end) {
			if end := s.atom(i); end > 0 {
				return end
			}
		}
		if kinds[next] == digit {
			return s.mixed(i, end)
		}
	}
	if sets[text[i]]&beginsHostWord != 0 && (next == ' ' || next == ':') {
		if end := s.hostAfter(i, end); end > 0 {
			return end
		}
	}
	switch {
	case n >= 8 && (n > maxWord || n >= 12 && s.isJumble(i, end) || s.skip(i, hexByte) == end):
		if n == 8 && s.isUUID(i) {
			return s.replace(i, i+uuidLen, placeholderID)
		}
		return s.id(i, end)
	case next == ':' && n <= 4 && s.at(i-1) != ':':
		if end, placeholder := s.colons(i); end > 0 {
			return s.replace(i, end, placeholder)
		}
	case n >= 3 && sets[text[i]]&beginsDateWord != 0 && (next == ' ' || next == ','):
		if end := s.namedDate(i, end); end > 0 {
			return s.replace(i, end, placeholderTime)
		}
	}
	return end
}

// mayBeAtom reports whether the letters s.text[i:end] may begin an atom: a token
// with punctuation, such as a path.
func (s *scanner) mayBeAtom(i, end int) bool {
	next := s.at(end)
	switch {
	case next == ':':
		return end == i+1 || strings.HasPrefix(s.text[end:], "://")
	case sets[next]&inAtom == 0:
		return false
	}
	after := s.at(end + 1)
	return isAlnum(next) || sets[after]&inAtom != 0 || after == ':'
}

// mixed replaces a word of letters and digits at i, or only the numbers in it. It
// returns the index of the next byte.
func (s *scanner) mixed(i, firstDigit int) int {
	last := s.endOfDigits(firstDigit)
	end := s.endOfAlnum(last)
	if s.isSQLState(i, end) {
		return end
	}
	switch {
	case i == 0 || !isAlnum(s.text[i-1]):
		if s.isUUID(i) {
			return s.replace(i, i+uuidLen, placeholderID)
		}
		if end-i <= 4 && s.at(end) == ':' && s.at(i-1) != ':' {
			if end, placeholder := s.colons(i); end > 0 {
				return s.replace(i, end, placeholder)
			}
		}
	}
	switch {
	case end-i > maxWord, end-i >= 6 && s.skip(i, hexByte) >= firstDigit:
		return s.id(i, end)
	case end == last: // http2, x509
		return s.number(firstDigit, firstDigit)
	case firstDigit-i <= 8 && s.isTypeName(last, end): // S3ServiceException
		s.replace(firstDigit, last, placeholderNum)
		return end
	}
	return s.id(i, end)
}

func (s *scanner) endOfAlnum(i int) int {
	for i < len(s.text) && isAlnum(s.text[i]) {
		i++
	}
	return i
}

// isTypeName reports whether s.text[i:end] looks like "NullPointerException": every
// capital letter is followed by at least three small letters.
func (s *scanner) isTypeName(i, end int) bool {
	for i < end {
		start := i
		if c := s.text[i]; c < 'A' || 'Z' < c {
			return false
		}
		i++
		for i < end && 'a' <= s.text[i] && s.text[i] <= 'z' {
			i++
		}
		if i-start < 4 {
			return false
		}
	}
	return true
}

// isJumble reports whether the letters s.text[i:end] look random. A capital letter
// after a small letter begins a new word. Words of random letters have fewer than
// three letters on average.
func (s *scanner) isJumble(i, end int) bool {
	humps, n := 1, end-i
	for i++; i < end; i++ {
		if s.text[i] < 'a' && s.text[i-1] >= 'a' {
			humps++
		}
	}
	return humps*3 > n
}

// id replaces an id that begins with s.text[i:end], and returns the end of the id. An id
// can have several parts:
//
//   - The parts are separated by - or _.
//   - After 16 bytes, . + / and ~ are separators too.
func (s *scanner) id(i, end int) int {
	for end+1 < len(s.text) && isAlnum(s.text[end+1]) {
		switch s.text[end] {
		case '-', '_':
		case '.', '+', '/', '~':
			if end-i < 16 {
				return s.replace(i, end, placeholderID)
			}
		default:
			return s.replace(i, s.padding(end), placeholderID)
		}
		end = s.endOfAlnum(end + 1)
	}
	return s.replace(i, s.padding(end), placeholderID)
}

// padding returns the index after the base64 padding at index end. If there is no
// padding, it returns end.
func (s *scanner) padding(end int) int {
	if s.at(end) != '=' {
		return end
	}
	after := end + 1
	if s.at(after) == '=' {
		after++
	}
	if after < len(s.text) && kinds[s.text[after]] != space && sets[s.text[after]]&ending == 0 {
		return end // not padding: a value follows, as in key=value
	}
	return after
}

// uuidLen is the length of a UUID in bytes.
const uuidLen = 36

var uuidHyphens = [...]int{8, 13, 18, 23, uuidLen}

// isUUID reports whether a UUID begins at i.
func (s *scanner) isUUID(i int) bool {
	if s.at(i+8) != '-' || len(s.text) < i+uuidLen || isAlnum(s.at(i+uuidLen)) {
		return false
	}
	at := i
	for _, hyphen := range uuidHyphens {
		if s.skip(at, hexByte) != i+hyphen || hyphen != uuidLen && s.text[i+hyphen] != '-' {
			return false
		}
		at = i + hyphen + 1
	}
	return true
}

// atom replaces an address, a path or an id that begins at i, and returns its end.
// For any other token, it returns 0, and the caller must read word by word.
func (s *scanner) atom(i int) int {
	text, end := s.text, i
	var seen byteSet
	for ; end < len(text); end++ {
		c := sets[text[end]]
		if c&inAtom == 0 || c&backslash != 0 && s.escapes(end) {
			break
		}
		seen |= c
	}
	s.atomEnd = end
	if s.at(end) == ':' {
		switch {
		case strings.HasPrefix(text[end:], "://"):
			return s.url(i, end)
		case end == i+1 && (s.at(end+1) == '\\' || s.at(end+1) == '/'):
			return s.path(i, end+1)
		}
	}
	if seen&(slash|backslash|dot|atSign|plusSign) == 0 {
		return 0
	}
	var slashes, backslashes, names, at int
	for j, c := range []byte(text[i:end]) {
		switch c {
		case '/':
			slashes++
		case '\\':
			if strings.IndexByte("nrtux", s.at(i+j+1)) < 0 {
				backslashes++
			}
		case '.':
			if ascii.IsLetter(s.at(i + j + 1)) {
				names++
			}
		case '@':
			at = i + j
		}
	}
	end = s.trim(i, end)
	switch {
	case at > i && isAlnum(s.at(at-1)) && isAlnum(s.at(at+1)) && slashes == 0:
		return s.replace(i, end, placeholderEmail)
	case end-i >= 20 && seen&dot == 0 && seen&(plusSign|slash) != 0 && seen&capital != 0 && seen&small != 0 && seen&decimal != 0:
		return s.id(i, end)
	case seen&(small|capital) != 0 && (slashes > 1 || backslashes > 1 || slashes+backslashes > 0 && names > 0):
		return s.replace(i, end, placeholderPath)
	case names > 0 && slashes+backslashes == 0 && seen&capital == 0 && isTopLevel(text[1+strings.LastIndexByte(text[:end], '.'):end]):
		return s.replace(i, end, placeholderHost)
	}
	return 0
}

// url replaces a URL that begins at i. The colon after the scheme is at index colon.
func (s *scanner) url(i, colon int) int {
	end := colon + len("://")
	return s.replace(i, s.trim(end, s.skip(end, inURL)), placeholderURL)
}
