package fingerprint

import (
	"strings"

	"github.com/errclass/errclass/internal/ascii"
)

// word reads the word at i, which may begin a longer value. It returns the index of
// the next byte to read.
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
	case n >= 8 && (n > maxWord || n >= 12 && s.isJumble(i, end) || s.end(i, hexByte) == end):
		if n == 8 && s.isUUID(i) {
			return s.hole(i, i+uuidLen, holeID)
		}
		return s.id(i, end)
	case next == ':' && n <= 4 && s.at(i-1) != ':':
		if end, name := s.colons(i); end > 0 {
			return s.hole(i, end, name)
		}
	case n >= 3 && sets[text[i]]&beginsDateWord != 0 && (next == ' ' || next == ','):
		if end := s.namedDate(i, end); end > 0 {
			return s.hole(i, end, holeTime)
		}
	}
	return end
}

// mayBeAtom reports whether the letters s.text[i:end] may begin an atom: a
// token with punctuation in it, such as an address or a path.
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

// mixed reads a word of letters and digits that begins at i. Its first digit is at
// index first. mixed replaces values in the word by holes, and returns the index at
// which it stopped.
func (s *scanner) mixed(i, first int) int {
	last := s.endOfDigits(first)
	end := s.endOfAlnum(last)
	if s.isSQLState(i, end) {
		return end
	}
	switch {
	case i == 0 || !isAlnum(s.text[i-1]):
		if s.isUUID(i) {
			return s.hole(i, i+uuidLen, holeID)
		}
		if end-i <= 4 && s.at(end) == ':' && s.at(i-1) != ':' {
			if end, name := s.colons(i); end > 0 {
				return s.hole(i, end, name)
			}
		}
	}
	switch {
	case end-i > maxWord, end-i >= 6 && s.end(i, hexByte) >= first:
		return s.id(i, end)
	case end == last: // http2, x509
		return s.number(first, first)
	case first-i <= 8 && s.isTypeName(last, end): // S3ServiceException
		s.hole(first, last, holeNum)
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

// isTypeName reports whether s.text[i:end] looks like "NullPointerException": each of
// its words begins with a capital letter and has at least three more letters.
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
// after a lower-case letter begins a new word. The letters look random if the words
// have fewer than three letters on average. For example, "NullPointer" has four and
// seven.
func (s *scanner) isJumble(i, end int) bool {
	humps, n := 1, end-i
	for i++; i < end; i++ {
		if s.text[i] < 'a' && s.text[i-1] >= 'a' {
			humps++
		}
	}
	return humps*3 > n
}

// id replaces an id that begins with s.text[i:end]. After - or _, the id may
// continue. After one of the characters . + / ~, only a long id may continue.
func (s *scanner) id(i, end int) int {
	for end+1 < len(s.text) && isAlnum(s.text[end+1]) {
		switch s.text[end] {
		case '-', '_':
		case '.', '+', '/', '~':
			if end-i < 16 {
				return s.hole(i, end, holeID)
			}
		default:
			return s.hole(i, s.padding(end), holeID)
		}
		end = s.endOfAlnum(end + 1)
	}
	return s.hole(i, s.padding(end), holeID)
}

// padding returns the end of an id together with the padding of base64 after it:
// "==".
func (s *scanner) padding(end int) int {
	if s.at(end) != '=' {
		return end
	}
	after := end + 1
	if s.at(after) == '=' {
		after++
	}
	if after < len(s.text) && kinds[s.text[after]] != space && sets[s.text[after]]&ending == 0 {
		return end // no padding: a value or a quote follows
	}
	return after
}

// These are the length of a UUID and the indexes of its hyphens.
const uuidLen = 36

var uuidHyphens = [...]int{8, 13, 18, 23, uuidLen}

// isUUID reports whether a UUID begins at i.
func (s *scanner) isUUID(i int) bool {
	if s.at(i+8) != '-' || len(s.text) < i+uuidLen || isAlnum(s.at(i+uuidLen)) {
		return false
	}
	at := i
	for _, hyphen := range uuidHyphens {
		if s.end(at, hexByte) != i+hyphen || hyphen != uuidLen && s.text[i+hyphen] != '-' {
			return false
		}
		at = i + hyphen + 1
	}
	return true
}

// atom reads a token that begins at i. If the token is an address or a path, atom
// replaces it by a hole and returns the end of the token. If atom returns 0, the
// caller must read the token word by word.
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
		return s.hole(i, end, holeEmail)
	case end-i >= 20 && seen&dot == 0 && seen&(plusSign|slash) != 0 && seen&capital != 0 && seen&small != 0 && seen&decimal != 0:
		return s.id(i, end)
	case seen&(small|capital) != 0 && (slashes > 1 || backslashes > 1 || slashes+backslashes > 0 && names > 0):
		return s.hole(i, end, holePath)
	case names > 0 && slashes+backslashes == 0 && seen&capital == 0 && isTopLevel(text[1+strings.LastIndexByte(text[:end], '.'):end]):
		return s.hole(i, end, holeHost)
	}
	return 0
}

// url replaces a URL that begins at i. Its scheme ends at index colon.
func (s *scanner) url(i, colon int) int {
	end := colon + len("://")
	return s.hole(i, s.trim(end, s.end(end, inURL)), holeURL)
}
