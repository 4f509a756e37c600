package model

// A feature is the hash of a word, of two neighbouring words, or of an n-gram. An
// n-gram is 3 to 5 neighbouring bytes of a word, with a space added at each end of
// the word.
//
// Words are runs of letters, converted to lower case. An upper-case letter after a
// lower-case one begins a new word, so NotFound and not_found have the same
// features. Bytes above ASCII are letters. Numbers, ids, paths and URLs are masked:
// each of them becomes one fixed word without n-grams. HTTP status codes from 400
// to 599 are not masked.

const (
	// If a text is longer than 2*maxHalf bytes, only the first and the last
	// maxHalf bytes are read.
	maxHalf = 2048
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
	lower
	upper
	digit
)

var kinds = func() (k [256]byte) {
	for c := range k {
		switch {
		case 'a' <= c && c <= 'z', c >= 0x80:
			k[c] = lower
		case 'A' <= c && c <= 'Z':
			k[c] = upper
		case '0' <= c && c <= '9':
			k[c] = digit
		}
	}
	return k
}()

// scanner reads the features of a text word by word. It does not allocate.
type scanner struct {
	text     string
	pos      int
	previous uint64 // hash of the word before; 0 = none
}

// next writes the features of the next word to batch and returns their number. At
// the end of the text it returns 0.
func (s *scanner) next(batch *[maxBatch]uint32) int {
	text := s.text
	for s.pos < len(text) {
		start := s.pos
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
	for last := byte(upper); i < end; i++ {
		c := text[i]
		kind := kinds[c]
		if kind != lower {
			if kind != upper || last == lower {
				break
			}
			c |= 0x20
		}
		last = kind
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
	if s.previous != 0 {
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

// halves returns the two parts of a text that are read. second is empty if the
// text is short.
func halves(text string) (first, second string) {
	if len(text) <= 2*maxHalf {
		return text, ""
	}
	return text[:maxHalf], text[len(text)-maxHalf:]
}

// Features appends the features of text to dst. It appends a feature once for each
// occurrence.
func Features(dst []uint32, text string) []uint32 {
	var batch [maxBatch]uint32
	first, second := halves(text)
	for _, part := range [2]string{first, second} {
		s := scanner{text: part}
		for n := s.next(&batch); n > 0; n = s.next(&batch) {
			dst = append(dst, batch[:n]...)
		}
	}
	return dst
}
