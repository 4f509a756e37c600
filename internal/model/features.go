package model

import (
	"math"
	"sync"

	"github.com/errclass/errclass/internal/form"
)

// A feature is the hash of one of these:
//   - a word,
//   - a pair: two neighbouring words,
//   - an n-gram: 3 to 5 neighbouring bytes of a word with a space at each end.
//
// If a text repeats a word, the word and its n-grams count only once. An n-gram counts
// once for each different word that contains it.
//
// A word is a sequence of letters in lower case. Non-ASCII bytes count as letters.
// These texts are masked. Each of them is replaced by a fixed word without n-grams:
//   - numbers, but not HTTP statuses from 400 to 599,
//   - months in dates,
//   - ids, paths and URLs.
//
// Stack frames, escape sequences and invisible characters have no features.

// Group is a kind of features. The vectors of each group are added up separately.
type Group int

// These are the values of [Group].
const (
	Parts Group = iota // n-grams
	Words
	Pairs
	Groups // number of groups
)

const (
	featureBits = 22
	// maxText is how many bytes of a text are read.
	maxText = 8 << 10
	// maxWord is the maximum length of a word, in bytes. A longer word is split.
	maxWord = 40
	// maxParts is the maximum number of n-grams of a word. Three can end at each
	// byte and at the space after the word.
	maxParts = 3 * (maxWord + 1)
	// maxWords is how many different words of a text are read.
	maxWords = 800

	multiplier = 0x9E3779B97F4A7C15
	seed       = 0xCBF29CE484222325
)

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

// filter is a set of features. Features with the same upper bits share one bit.
type filter [1 << filterBits / 64]uint64

func (f *filter) add(feature uint32) {
	bit := feature >> (featureBits - filterBits)
	f[bit/64] |= 1 << (bit % 64)
}

// has returns 1 if the feature may be in f, or 0 if the feature is not in f.
func (f *filter) has(feature uint32) int {
	bit := feature >> (featureBits - filterBits)
	return int(f[bit/64] >> (bit % 64) & 1)
}

// everything is a filter that has every feature.
var everything = sync.OnceValue(func() *filter {
	var f filter
	for i := range f {
		f[i] = math.MaxUint64
	}
	return &f
})

// asFeature returns the upper bits of a hash.
func asFeature(hash uint64) uint32 { return uint32(hash >> (64 - featureBits)) }

// word is a word of a text.
type word struct {
	letters [maxWord]byte // in lower case
	n       int           // number of letters; 0 for masked text and statuses
	whole   uint32        // feature of the word itself
	pair    uint32        // feature of the previous word and this one, if paired
	paired  bool          // this is not the first word of the text
}

// text returns the letters of the word.
func (w *word) text() []byte { return w.letters[:w.n] }

// parts returns the n-grams of w that are in the filter f, and stores them in features.
// The loop does not branch on the result of f, because the CPU would mispredict the
// branch.
func (w *word) parts(features *[maxParts]uint32, f *filter) []uint32 {
	n := 0
	grams, before := uint64(' '), uint64(0)
	add := func(mask, size uint64) {
		gram := grams & mask
		if gram == before&mask { // a letter is repeated, as in "======"
			return
		}
		gram |= size << 56
		feature := asFeature(gram * multiplier)
		features[n] = feature
		n += f.has(feature)
	}
	for i := range w.n + 1 {
		c := byte(' ')
		if i < w.n {
			c = w.letters[i]
		}
		before, grams = grams, grams<<8|uint64(c)
		if i >= 1 {
			add(0xFFFFFF, 3)
		}
		if i >= 2 {
			add(0xFFFFFFFF, 4)
		}
		if i >= 3 {
			add(0xFFFFFFFFFF, 5)
		}
	}
	return features[:n]
}

// wordSet is a hash table of features, with linear probing. The zero wordSet is
// empty.
type wordSet struct {
	slots [1 << wordSetBits]uint32 // 0 = empty
	n     int
}

const wordSetBits = 10

// full reports whether s has maxWords features.
func (s *wordSet) full() bool { return s.n == maxWords }

// add adds a feature, and reports whether the feature is new. The set must not be
// full.
func (s *wordSet) add(feature uint32) bool {
	feature = max(feature, 1)
	for at := feature >> (featureBits - wordSetBits); ; at = (at + 1) % (1 << wordSetBits) {
		switch s.slots[at] {
		case feature:
			return false
		case 0:
			s.slots[at] = feature
			s.n++
			return true
		}
	}
}

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
		c := text[start]
		kind := kinds[c]
		if kind == separator {
			s.pos++
			if c == '/' && s.startsLocation(start) {
				s.skipLocation()
				if s.mask(location, w) {
					return true
				}
			}
			continue
		}
		end := start + 1
		for end < len(text) && kinds[text[end]] == kind {
			end++
		}
		if start == 0 || kinds[text[start-1]] == separator {
			if after := identifierEnd(text, start, end); after > 0 {
				s.pos = after
				if s.mask(identifier, w) {
					return true
				}
				continue
			}
		}
		if kind == letter && isMonth(text, start, end) {
			s.pos = end
			if s.mask(number, w) {
				return true
			}
			continue
		}
		if kind != digit {
			s.letters(w, min(end, start+maxWord))
			return true
		}
		s.pos = end
		if end-start == 3 && (c == '4' || c == '5') {
			status := uint64(text[start])<<16 | uint64(text[start+1])<<8 | uint64(text[start+2])
			w.n = 0
			s.whole((status^seed)*multiplier, w)
			return true
		}
		if s.mask(number, w) {
			return true
		}
	}
	return false
}

// letters sets w to the word s.text[s.pos:end].
func (s *scanner) letters(w *word, end int) {
	hash := uint64(seed)
	w.n = copy(w.letters[:], s.text[s.pos:end])
	for i, c := range w.text() {
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
			w.letters[i] = c
		}
		hash = (hash ^ uint64(c)) * multiplier
		hash ^= hash >> 29
	}
	s.pos = end
	s.whole(hash, w)
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

// identifierEnd returns the end of the id at index start, or 0 if there is no id.
// text[start:end] must be the first run of letters or of digits. An id has both of
// these properties:
//   - It has at least six letters and digits.
//   - A letter follows a digit at least twice. Once is enough in a hexadecimal id.
func identifierEnd(text string, start, end int) int {
	if end == len(text) || kinds[text[end]] == separator {
		return 0
	}
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

// Features returns the features of a text by group. A repeated pair of words is
// returned several times.
func Features(text string) (all [Groups][]uint32) {
	var w word
	var words wordSet
	var parts [maxParts]uint32
	s := newScanner(text, maxText)
	for !words.full() && s.next(&w) {
		if words.add(w.whole) {
			all[Parts] = append(all[Parts], w.parts(&parts, everything())...)
			all[Words] = append(all[Words], w.whole)
		}
		if w.paired {
			all[Pairs] = append(all[Pairs], w.pair)
		}
	}
	return all
}
