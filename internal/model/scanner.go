package model

import "github.com/errclass/errclass/internal/form"

// These bytes replace masked text, such as a number, an id or a path. No other word
// begins with such a byte.
const (
	number = 1 + iota
	identifier
	location
)

// These are the kinds of bytes.
const (
	separator = iota
	letter
	digit
)

var kinds = func() (k [256]byte) {
	for c := range k {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', c >= 0x80:
			k[c] = letter
		case '0' <= c && c <= '9':
			k[c] = digit
		}
	}
	return k
}()

// lower maps each letter to lower case. It maps all other bytes to zero.
var lower = func() (l [256]byte) {
	for c := range l {
		switch {
		case 'A' <= c && c <= 'Z':
			l[c] = byte(c) | 0x20
		case kinds[c] == letter:
			l[c] = byte(c)
		}
	}
	return l
}()

// scanner reads a text word by word.
type scanner struct {
	frames   form.FrameReader
	plain    string // the whole text
	rest     int    // index in plain at which the text after the frame begins
	text     string // the text between two stack frames
	pos      int    // index in text at which the next word is searched
	start    int    // start of the last word
	previous uint64 // hash of the previous word; 0 = none
}

// newScanner returns a scanner of the first limit bytes of a text.
func newScanner(text string, limit int) scanner {
	plain := form.PlainText(text[:min(len(text), limit)])
	return scanner{frames: form.NewFrameReader(plain), plain: plain}
}

// next reads the next word into w. At the end of the text it returns false.
func (s *scanner) next(w *word) bool {
	for !s.nextInPart(w) {
		if s.rest == len(s.plain) {
			return false
		}
		s.text, s.rest = s.frames.Next(s.rest)
		s.pos = 0
	}
	return true
}

// nextInPart is like the method next, but stops at the next stack frame.
func (s *scanner) nextInPart(w *word) bool {
	text := s.text
	for s.pos < len(text) {
		start := s.pos
		s.start = start
		switch kinds[text[start]] {
		case letter:
			hash := s.letters(w)
			switch {
			case s.skipIdentifier(start):
				if s.mask(identifier, w) {
					return true
				}
			case isMonth(text, start, s.pos):
				if s.mask(number, w) {
					return true
				}
			default:
				s.whole(hash, w)
				return true
			}
		case digit:
			for s.pos < len(text) && kinds[text[s.pos]] == digit {
				s.pos++
			}
			kind := uint64(number)
			if s.skipIdentifier(start) {
				kind = identifier
			} else if c := text[start]; s.pos-start == 3 && (c == '4' || c == '5') {
				status := uint64(c)<<16 | uint64(text[start+1])<<8 | uint64(text[start+2])
				w.n = 0
				s.whole((status^seed)*multiplier, w)
				return true
			}
			if s.mask(kind, w) {
				return true
			}
		default:
			s.pos++
			if text[start] == '/' && s.startsLocation(start) {
				s.skipLocation()
				if s.mask(location, w) {
					return true
				}
			}
		}
	}
	return false
}

// letters reads at most maxWord letters into w and returns their hash.
func (s *scanner) letters(w *word) uint64 {
	hash, n := uint64(seed), 0
	text := s.text[s.pos:min(len(s.text), s.pos+maxWord)]
	for n < len(text) && n < len(w.letters) {
		c := lower[text[n]]
		if c == 0 {
			break
		}
		w.letters[n] = c
		n++
		hash = (hash ^ uint64(c)) * multiplier
		hash ^= hash >> 29
	}
	w.n = n
	s.pos += n
	return hash
}

// whole sets w.whole, the feature of the word with this hash, and w.pair, the feature
// of its pair with the previous word.
func (s *scanner) whole(hash uint64, w *word) {
	w.whole = asFeature(hash * multiplier)
	w.paired = s.previous != 0
	w.pair = asFeature((s.previous*3 ^ hash) * multiplier)
	s.previous = hash
}

// mask sets w to the word for masked text. If the previous word is the same, mask
// returns false.
func (s *scanner) mask(kind uint64, w *word) bool {
	hash := (kind ^ seed) * multiplier
	if hash == s.previous {
		return false
	}
	w.n = 0
	s.whole(hash, w)
	return true
}

// startsLocation reports whether the slash at index i begins a path, or the part of
// a URL after the scheme.
func (s *scanner) startsLocation(i int) bool {
	if i+1 == len(s.text) {
		return false
	}
	if next := s.text[i+1]; next != '/' && kinds[next] == separator {
		return false
	}
	if i == 0 {
		return true
	}
	switch s.text[i-1] {
	case ' ', '\t', '\n', '"', '\'', '`', '(', '[', '{', '<', '=', ':', ',':
		return true
	}
	return false
}

// skipLocation moves to the end of a path or URL.
func (s *scanner) skipLocation() {
	for ; s.pos < len(s.text); s.pos++ {
		switch s.text[s.pos] {
		case ' ', '\t', '\n', '\r', '"', '\'', '`', ')', ']', '}', '>', ',', ';':
			return
		}
	}
}

// isMonth reports whether text[start:end] is the month of a date, such as
// "Nov  6" or "23/Nov/2026".
func isMonth(text string, start, end int) bool {
	if end-start != 3 || end+2 >= len(text) {
		return false
	}
	after := text[end+1]
	switch text[end] {
	case ' ':
		if after == ' ' {
			after = text[end+2]
		}
	case '/', '-':
	default:
		return false
	}
	if kinds[after] != digit {
		return false
	}
	switch string([]byte{text[start] | 0x20, text[start+1] | 0x20, text[start+2] | 0x20}) {
	case "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec":
		return true
	}
	return false
}

// skipIdentifier moves to the end of the id that begins at index start. If there is no
// id, skipIdentifier returns false. Call it after the first letters or the first digits
// of the possible id have been read.
func (s *scanner) skipIdentifier(start int) bool {
	if s.pos == len(s.text) || kinds[s.text[s.pos]] == separator || start > 0 && kinds[s.text[start-1]] != separator {
		return false
	}
	end := identifierEnd(s.text, start)
	if end > 0 {
		s.pos = end
	}
	return end > 0
}

// identifierEnd returns the end of the id at index start, or 0 if there is no id. An id
// has both of these properties:
//   - It has at least six letters and digits.
//   - A letter follows a digit at least twice. Once is enough in a hexadecimal id.
func identifierEnd(text string, start int) int {
	changes, hex, wasDigit := 0, true, false
	i := start
	for ; i < len(text); i++ {
		kind := kinds[text[i]]
		if kind == separator {
			break
		}
		if kind == digit {
			wasDigit = true
			continue
		}
		if wasDigit {
			changes++
		}
		wasDigit = false
		if c := text[i] | 0x20; c < 'a' || c > 'f' {
			hex = false
		}
	}
	if i-start >= 6 && (changes > 1 || changes == 1 && hex) {
		return i
	}
	return 0
}
