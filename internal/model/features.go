package model

import (
	"math"
	"sync"
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
	// maxParts is the maximum number of n-grams of a word. N-grams of three
	// lengths can end at each byte and at the space after the word.
	maxParts = 3 * (maxWord + 1)
	// maxWords is how many different words of a text are read.
	maxWords = 800

	multiplier = 0x9E3779B97F4A7C15
	seed       = 0xCBF29CE484222325
)

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

// The function everything returns a filter that has every feature.
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
