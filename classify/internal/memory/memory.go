// Package memory remembers what texts came to.
package memory

import (
	"hash/maphash"
	"math/bits"
	"sync/atomic"

	"github.com/errclass/errclass/classify/internal/standard"
)

// Memory remembers what texts came to, because what fails tends to fail again
// in the same words: a storm of one error costs little more than a hash each. It
// holds no text, only a hash that is seeded anew in every process, of which 40
// bits are compared beyond the 11 that name the slot: two texts are taken for one
// in 1 of 2^40 comparisons. It is safe for concurrent use and never grows.
type Memory struct {
	Verdicts [memorySize]atomic.Uint64
	matches  [matchesSize]MatchSlot
}

// A slot holds, from its lowest bits on: the rule's number plus two, 0 = nothing
// is remembered; the status less 399, 0 = none; the provider; the hash.
const (
	memorySize    = 1 << 11
	RuleBits      = 12
	statusBits    = 8
	providerBits  = 4
	VerdictBits   = RuleBits + statusBits + providerBits
	verdictMask   = 1<<VerdictBits - 1
	noStatus      = 399
	statusShift   = RuleBits
	providerShift = RuleBits + statusBits
)

// A slot has room for every provider, or this does not compile.
const _ = uint(1<<providerBits - len(standard.Providers))

var memorySeed = maphash.MakeSeed()

// Slot finds the place of a text and what has to stand there.
func (m *Memory) Slot(text string) (place *atomic.Uint64, hash uint64) {
	hash = maphash.String(memorySeed, text)
	return &m.Verdicts[hash%memorySize], hash &^ verdictMask
}

// Recall returns what a text came to.
func Recall(place *atomic.Uint64, hash uint64) (v Verdict, ok bool) {
	slot := place.Load()
	if slot&^verdictMask != hash || slot&(1<<RuleBits-1) == 0 {
		return Verdict{}, false
	}
	v.Rule = int(slot&(1<<RuleBits-1)) - 2
	if status := int(slot >> statusShift & (1<<statusBits - 1)); status > 0 {
		v.Status = status + noStatus
	}
	v.Provider = int(slot >> providerShift & (1<<providerBits - 1))
	return v, true
}

// Remember keeps what a text came to, if it fits.
func Remember(place *atomic.Uint64, hash uint64, v Verdict) {
	rule, status := uint64(v.Rule+2), uint64(0)
	if v.Status != 0 {
		status = uint64(v.Status - noStatus)
	}
	if rule < 1<<RuleBits {
		place.Store(hash | rule | status<<statusShift | uint64(v.Provider)<<providerShift)
	}
}

// MatchSlot holds the rules that matched a text which was not all there was to
// read. What such a text comes to depends on the rest. The three words are written
// one by one, so the key is the hash combined with the other two: a slot that is
// being written belongs to no text.
type MatchSlot struct{ key, low, high atomic.Uint64 }

// The low word holds five places of rules, plus one each, and the provider; the
// high word four more, and the status less 399.
const (
	matchesSize  = 1 << 10
	lowMatches   = 5
	MaxMatches   = 9
	MatchMask    = 1<<RuleBits - 1
	restOfWord   = lowMatches * RuleBits
	statusInHigh = (MaxMatches - lowMatches) * RuleBits
	known        = 1 << 63 // of the high word of every slot that is in use
)

// Matches is what a text says by itself: the places of the rules that match it.
type Matches struct {
	Places [MaxMatches]int
	N      int
	Utterance
}

// Fill takes the places of a set of matches, and reports whether there is room for
// all of them.
func (m *Matches) Fill(matched []uint64) bool {
	for w, word := range matched {
		for ; word != 0; word &= word - 1 {
			if m.N == MaxMatches {
				return false
			}
			m.Places[m.N] = w*64 + bits.TrailingZeros64(word)
			m.N++
		}
	}
	return true
}

// MatchesOf finds the slot of a text.
func (m *Memory) MatchesOf(text string) (slot *MatchSlot, hash uint64) {
	hash = maphash.String(memorySeed, text)
	return &m.matches[hash%matchesSize], hash
}

// Recall returns what a text says.
func (s *MatchSlot) Recall(hash uint64) (m Matches, ok bool) {
	low, high := s.low.Load(), s.high.Load()
	if s.key.Load() != hash^low^high || high&known == 0 {
		return m, false
	}
	for i := range m.Places {
		word, at := low, i*RuleBits
		if i >= lowMatches {
			word, at = high, (i-lowMatches)*RuleBits
		}
		place := int(word >> at & MatchMask)
		if place == 0 {
			break
		}
		m.Places[i] = place - 1
		m.N++
	}
	m.Provider = int(low >> restOfWord & (1<<providerBits - 1))
	if status := int(high >> statusInHigh & (1<<statusBits - 1)); status > 0 {
		m.Status = status + noStatus
	}
	return m, true
}

// Remember keeps what a text says, if it fits.
func (s *MatchSlot) Remember(hash uint64, m *Matches) {
	if m.N > MaxMatches {
		return
	}
	low, high := uint64(m.Provider)<<restOfWord, uint64(known)
	for i, place := range m.Places[:m.N] {
		switch {
		case place >= MatchMask:
			return
		case i < lowMatches:
			low |= uint64(place+1) << (i * RuleBits)
		default:
			high |= uint64(place+1) << ((i - lowMatches) * RuleBits)
		}
	}
	if m.Status != 0 {
		high |= uint64(m.Status-noStatus) << statusInHigh
	}
	s.low.Store(low)
	s.high.Store(high)
	s.key.Store(hash ^ low ^ high)
}

// Verdict is what a text comes to by itself: small enough to be remembered.
type Verdict struct {
	Rule     int // its number, -1 = none decides
	Status   int // HTTP status that the text names, 0 = none
	Provider int // number of the provider that the text names, in standard.Providers; 0 = none
}

// Utterance is what a text says beside its signals; its fields are 0 where it says
// nothing.
type Utterance struct {
	Status   int // the first HTTP status that it names
	Provider int // number of the provider that it names, in standard.Providers
}
