package classify

import (
	"hash/maphash"
	"math/bits"
	"sync/atomic"

	"github.com/errclass/errclass/classify/internal/standard"
)

// memory remembers what texts came to, because what fails tends to fail again
// in the same words: a storm of one error costs little more than a hash each. It
// holds no text, only a hash that is seeded anew in every process, of which 40
// bits are compared beyond the 11 that name the slot: two texts are taken for one
// in 1 of 2^40 comparisons. It is safe for concurrent use and never grows.
type memory struct {
	verdicts [memorySize]atomic.Uint64
	matches  [matchesSize]matchSlot
}

// A slot holds, from its lowest bits on: the rule's number plus two, 0 = nothing
// is remembered; the status less 399, 0 = none; the provider; the hash.
const (
	memorySize    = 1 << 11
	ruleBits      = 12
	statusBits    = 8
	providerBits  = 4
	verdictBits   = ruleBits + statusBits + providerBits
	verdictMask   = 1<<verdictBits - 1
	noStatus      = 399
	statusShift   = ruleBits
	providerShift = ruleBits + statusBits
)

// A slot has room for every provider, or this does not compile.
const _ = uint(1<<providerBits - len(standard.Providers))

var memorySeed = maphash.MakeSeed()

// slot finds the place of a text and what has to stand there.
func (m *memory) slot(text string) (place *atomic.Uint64, hash uint64) {
	hash = maphash.String(memorySeed, text)
	return &m.verdicts[hash%memorySize], hash &^ verdictMask
}

// recall returns what a text came to.
func recall(place *atomic.Uint64, hash uint64) (v verdict, ok bool) {
	slot := place.Load()
	if slot&^verdictMask != hash || slot&(1<<ruleBits-1) == 0 {
		return verdict{}, false
	}
	v.rule = int(slot&(1<<ruleBits-1)) - 2
	if status := int(slot >> statusShift & (1<<statusBits - 1)); status > 0 {
		v.status = status + noStatus
	}
	v.provider = int(slot >> providerShift & (1<<providerBits - 1))
	return v, true
}

// remember keeps what a text came to, if it fits.
func remember(place *atomic.Uint64, hash uint64, v verdict) {
	rule, status := uint64(v.rule+2), uint64(0)
	if v.status != 0 {
		status = uint64(v.status - noStatus)
	}
	if rule < 1<<ruleBits {
		place.Store(hash | rule | status<<statusShift | uint64(v.provider)<<providerShift)
	}
}

// matchSlot holds the rules that matched a text which was not all there was to
// read. What such a text comes to depends on the rest. The three words are written
// one by one, so the key is the hash combined with the other two: a slot that is
// being written belongs to no text.
type matchSlot struct{ key, low, high atomic.Uint64 }

// The low word holds five places of rules, plus one each, and the provider; the
// high word four more, and the status less 399.
const (
	matchesSize  = 1 << 10
	lowMatches   = 5
	maxMatches   = 9
	matchMask    = 1<<ruleBits - 1
	restOfWord   = lowMatches * ruleBits
	statusInHigh = (maxMatches - lowMatches) * ruleBits
	known        = 1 << 63 // of the high word of every slot that is in use
)

// matches is what a text says by itself: the places of the rules that match it.
type matches struct {
	places [maxMatches]int
	n      int
	utterance
}

// fill takes the places of a set of matches, and reports whether there is room for
// all of them.
func (m *matches) fill(matched []uint64) bool {
	for w, word := range matched {
		for ; word != 0; word &= word - 1 {
			if m.n == maxMatches {
				return false
			}
			m.places[m.n] = w*64 + bits.TrailingZeros64(word)
			m.n++
		}
	}
	return true
}

// matchesOf finds the slot of a text.
func (m *memory) matchesOf(text string) (slot *matchSlot, hash uint64) {
	hash = maphash.String(memorySeed, text)
	return &m.matches[hash%matchesSize], hash
}

// recall returns what a text says.
func (s *matchSlot) recall(hash uint64) (m matches, ok bool) {
	low, high := s.low.Load(), s.high.Load()
	if s.key.Load() != hash^low^high || high&known == 0 {
		return m, false
	}
	for i := range m.places {
		word, at := low, i*ruleBits
		if i >= lowMatches {
			word, at = high, (i-lowMatches)*ruleBits
		}
		place := int(word >> at & matchMask)
		if place == 0 {
			break
		}
		m.places[i] = place - 1
		m.n++
	}
	m.provider = int(low >> restOfWord & (1<<providerBits - 1))
	if status := int(high >> statusInHigh & (1<<statusBits - 1)); status > 0 {
		m.status = status + noStatus
	}
	return m, true
}

// remember keeps what a text says, if it fits.
func (s *matchSlot) remember(hash uint64, m *matches) {
	if m.n > maxMatches {
		return
	}
	low, high := uint64(m.provider)<<restOfWord, uint64(known)
	for i, place := range m.places[:m.n] {
		switch {
		case place >= matchMask:
			return
		case i < lowMatches:
			low |= uint64(place+1) << (i * ruleBits)
		default:
			high |= uint64(place+1) << ((i - lowMatches) * ruleBits)
		}
	}
	if m.status != 0 {
		high |= uint64(m.status-noStatus) << statusInHigh
	}
	s.low.Store(low)
	s.high.Store(high)
	s.key.Store(hash ^ low ^ high)
}
