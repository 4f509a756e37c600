package model

import "github.com/errclass/errclass/internal/form"

// A feature is the hash of a word, of two neighbouring words, or of an n-gram. An
// n-gram is 3 to 5 neighbouring bytes of a word, with a space added at each end of
// the word.
//
// Words are runs of letters, converted to lower case. Bytes above ASCII are
// letters. Numbers, ids, paths and URLs are masked: each of them becomes one fixed
// word without n-grams. HTTP status codes from 400 to 599 are not masked. The
// frames of stack traces, escape sequences of terminals and invisible characters
// have no features.

// Group is a kind of features. The features of each group are weighed separately:
// otherwise the many n-grams would outvote the few words.
type Group int

// The groups.
const (
	Parts Group = iota // n-grams
	Words
	Pairs
	Groups // number of groups
)

const (
	// Of a longer text, only the first maxText bytes are read.
	maxText = 8 << 10
	// maxWord is the length of the longest word. A longer word is split.
	maxWord = 40
	// maxBatch is the largest number of features of one word. Up to three n-grams
	// end at each byte of the word and at the space after it. Two more features
	// are the word and its pair with the previous word.
	maxBatch = 3*(maxWord+1) + 2

	multiplier = 0x9E3779B97F4A7C15
	seed       = 0xCBF29CE484222325
)

// The words that replace masked text. No other word begins with these bytes.
const (
	number = 1 + iota
	identifier
	location
)

// The kinds of bytes.
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

// scanner reads the features of a text word by word. It allocates only if the text
// has escape sequences or invisible characters.
type scanner struct {
	frames   form.FrameReader
	plain    string // the whole text
	rest     int    // index in plain at which the next part begins
	text     string // up to the next stack frame
	pos      int
	start    int    // of the last word
	previous uint64 // hash of the previous word; 0 = none
	paired   bool   // the last feature of the last word is a pair
}

// newScanner returns a scanner of the first limit bytes of a text.
func newScanner(text string, limit int) scanner {
	plain := form.PlainText(text[:min(len(text), limit)])
	return scanner{frames: form.NewFrameReader(plain), plain: plain}
}

// next writes the features of the next word to batch and returns their number. At
// the end of the text it returns 0.
func (s *scanner) next(batch *[maxBatch]uint32) int {
	for {
		if n := s.nextInPart(batch); n > 0 {
			return n
		}
		if s.rest == len(s.plain) {
			return 0
		}
		s.text, s.rest = s.frames.Next(s.rest)
		s.pos = 0
	}
}

// nextInPart is next for the part of the text up to the next stack frame.
func (s *scanner) nextInPart(batch *[maxBatch]uint32) int {
	text := s.text
	for s.pos < len(text) {
		start := s.pos
		s.start = start
		c := text[start]
		kind := kinds[c]
		if kind == separator {
			s.pos++
			if c == '/' && s.startsLocation(start) {
				s.skipLocation()
				if n := s.mask(location, batch); n > 0 {
					return n
				}
			}
			continue
		}
		if start == 0 || kinds[text[start-1]] == separator {
			if end := identifierEnd(text, start); end > 0 {
				s.pos = end
				if n := s.mask(identifier, batch); n > 0 {
					return n
				}
				continue
			}
		}
		if kind != digit {
			return s.word(batch)
		}
		for s.pos < len(text) && kinds[text[s.pos]] == digit {
			s.pos++
		}
		if s.pos-start == 3 && (c == '4' || c == '5') {
			status := uint64(text[start])<<16 | uint64(text[start+1])<<8 | uint64(text[start+2])
			return s.whole((status^seed)*multiplier, batch, 0)
		}
		if n := s.mask(number, batch); n > 0 {
			return n
		}
	}
	return 0
}

// word reads the word at s.pos.
func (s *scanner) word(batch *[maxBatch]uint32) int {
	text := s.text
	end := min(len(text), s.pos+maxWord)
	hash := uint64(seed)
	grams := uint64(' ')
	n, i := 0, s.pos
	for ; i < end; i++ {
		c := text[i]
		if kinds[c] != letter {
			break
		}
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		hash = (hash ^ uint64(c)) * multiplier
		hash ^= hash >> 29
		grams = grams<<8 | uint64(c)
		n = addGrams(batch, n, grams, i-s.pos+2)
	}
	n = addGrams(batch, n, grams<<8|' ', i-s.pos+2)
	s.pos = i
	return s.whole(hash, batch, n)
}

// addGrams adds the n-grams that end at the current byte. grams holds the last
// bytes of the word; its lowest byte is the current one. length is the number of
// bytes of the word so far, including the space before it.
func addGrams(batch *[maxBatch]uint32, n int, grams uint64, length int) int {
	if length < 3 {
		return n
	}
	batch[n] = uint32(((grams&0xFFFFFF | 3<<56) * multiplier) >> 32)
	n++
	if length > 3 {
		batch[n] = uint32(((grams&0xFFFFFFFF | 4<<56) * multiplier) >> 32)
		n++
	}
	if length > 4 {
		batch[n] = uint32(((grams&0xFFFFFFFFFF | 5<<56) * multiplier) >> 32)
		n++
	}
	return n
}

// whole adds two features: the word with this hash, and its pair with the previous
// word.
func (s *scanner) whole(hash uint64, batch *[maxBatch]uint32, n int) int {
	batch[n] = uint32(hash * multiplier >> 32)
	n++
	s.paired = s.previous != 0
	if s.paired {
		batch[n] = uint32((s.previous*3 ^ hash) * multiplier >> 32)
		n++
	}
	s.previous = hash
	return n
}

// mask adds the word that replaces masked text of this kind. If the previous word
// is the same, it adds nothing. So the numbers of a timestamp become one word.
func (s *scanner) mask(kind uint64, batch *[maxBatch]uint32) int {
	hash := (kind ^ seed) * multiplier
	if hash == s.previous {
		return 0
	}
	return s.whole(hash, batch, 0)
}

// startsLocation reports whether the slash at i begins a path or the part of a URL
// after the scheme.
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

// identifierEnd returns the end of the id that begins at start, or 0 if there is
// none. An id has at least six letters and digits. In at least two places, a
// letter follows a digit. One place is enough if all letters are hexadecimal
// digits.
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

// group returns the group of feature i of a word with n features.
func (s *scanner) group(i, n int) Group {
	if s.paired {
		if i == n-1 {
			return Pairs
		}
		n--
	}
	if i == n-1 {
		return Words
	}
	return Parts
}

// Features returns the features of a text by group. A feature that occurs several
// times is returned several times.
func Features(text string) (all [Groups][]uint32) {
	var batch [maxBatch]uint32
	s := newScanner(text, maxText)
	for n := s.next(&batch); n > 0; n = s.next(&batch) {
		for i, feature := range batch[:n] {
			g := s.group(i, n)
			all[g] = append(all[g], feature)
		}
	}
	return all
}
