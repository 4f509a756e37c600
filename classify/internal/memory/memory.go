// Package memory caches the classification of texts.
package memory

import (
	"hash/maphash"
	"math/bits"
	"sync/atomic"

	"github.com/errclass/errclass/classify/internal/standard"
)

// Memory caches the classification of texts, because the same error text tends to
// occur many times. A lookup costs little more than a hash. Memory holds no text,
// only hashes with a seed that is new in every process. Two texts of the same slot
// are confused only if 40 further bits of their hashes are equal. Memory is safe for
// concurrent use and never grows.
type Memory struct {
	Verdicts [memorySize]atomic.Uint64
	matches  [matchesSize]MatchSlot
}

// A slot has these fields, from the lowest bit: Verdict.Rule plus two (0 means that
// the slot is empty), the status minus 399 (0 = none), the provider, and the hash.
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

// This does not compile if a slot has too few bits for all providers.
const _ = uint(1<<providerBits - len(standard.Providers))

var memorySeed = maphash.MakeSeed()

// Slot returns the slot for a text, and the bits of the text's hash that the slot
// stores.
func (m *Memory) Slot(text string) (place *atomic.Uint64, hash uint64) {
	hash = maphash.String(memorySeed, text)
	return &m.Verdicts[hash%memorySize], hash &^ verdictMask
}

// Recall returns the verdict in a slot. ok is false if the slot is empty or holds
// another text.
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

// Remember stores the verdict of a text in its slot. It stores nothing if the rule
// number has too many bits.
func Remember(place *atomic.Uint64, hash uint64, v Verdict) {
	rule, status := uint64(v.Rule+2), uint64(0)
	if v.Status != 0 {
		status = uint64(v.Status - noStatus)
	}
	if rule < 1<<RuleBits {
		place.Store(hash | rule | status<<statusShift | uint64(v.Provider)<<providerShift)
	}
}

// MatchSlot caches the rules that match a text. It is for a text that is only one
// part of the evidence. The three words of a slot cannot be written in one atomic
// step. So key is the hash XORed with the other two words, and a slot that is only
// partly written matches no hash.
type MatchSlot struct{ key, low, high atomic.Uint64 }

// These are the fields of the words low and high of a MatchSlot. low holds the
// provider and the indexes of five rules. high holds four more indexes, and the
// status minus 399. Each index is stored plus one, so that 0 means no rule.
const (
	matchesSize  = 1 << 10
	lowMatches   = 5
	MaxMatches   = 9
	MatchMask    = 1<<RuleBits - 1
	restOfWord   = lowMatches * RuleBits
	statusInHigh = (MaxMatches - lowMatches) * RuleBits
	known        = 1 << 63 // set in the high word of every slot in use
)

// Matches is the evidence of one text: the indexes of the rules that match it, and
// the [Mention].
type Matches struct {
	Places [MaxMatches]int
	N      int
	Mention
}

// Fill adds matches to m. The argument matched is a bit set: bit i is set if rule i
// matched. Fill returns false if m has no room for all of them.
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

// MatchesOf returns the slot for a text and the hash of the text.
func (m *Memory) MatchesOf(text string) (slot *MatchSlot, hash uint64) {
	hash = maphash.String(memorySeed, text)
	return &m.matches[hash%matchesSize], hash
}

// Recall returns the matches in the slot. ok is false if the slot is empty or holds
// another text.
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

// Remember stores the matches of a text in the slot. It stores nothing if there are
// too many matches.
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

// Verdict is the classification of a text that is the whole evidence. It is small
// enough for a slot.
type Verdict struct {
	Rule     int // index of the rule that decides, or a larger number for the model; -1 = none
	Status   int // HTTP status that the text names, 0 = none
	Provider int // the provider that the text names, as an index in standard.Providers; 0 = none
}

// Mention is the status and the provider that a text mentions. A field is 0 if the
// text mentions none.
type Mention struct {
	Status   int // the first HTTP status that it mentions
	Provider int // the provider that it mentions, as an index in standard.Providers
}
