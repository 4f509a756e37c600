// Package memory caches the classification of texts.
package memory

import (
	"hash/maphash"
	"math/bits"
	"sync/atomic"

	"github.com/errclass/errclass/classify/internal/standard"
)

// Memory is a cache of the classification of texts. A lookup takes little more time
// than a hash. No text is stored, only hashes with a random seed for the process.
// Two texts are confused only if they have the same set of entries, and 40 further bits
// of their hashes are equal. Memory is safe for concurrent use and has a fixed size.
type Memory struct {
	verdicts [verdictSets]Set
	matches  [matchSets]MatchSet
	answers  [answerSets]Set
}

// ways is the number of texts for which a set has entries. With a single entry, two
// recurring texts with the same entry would always replace each other.
const ways = 4

// Set has the cache entries of some texts, the newest first. The upper bits of an entry
// are bits of the text's hash.
type Set [ways]atomic.Uint64

// find returns the entry with this hash, or 0. mask has the bits that are not from the
// hash.
func (s *Set) find(hash, mask uint64) uint64 {
	for i := range s {
		if entry := s[i].Load(); entry&^mask == hash {
			return entry
		}
	}
	return 0
}

// put stores an entry. If there is an entry with the same hash, put drops this entry.
// Otherwise put drops the oldest entry if the set is full.
func (s *Set) put(entry, mask uint64) {
	hash := entry &^ mask
	for i := range s {
		older := s[i].Swap(entry)
		if older == 0 || older&^mask == hash {
			return
		}
		entry = older
	}
}

// An entry in Memory.verdicts has these fields, from the lowest bit:
//
//   - Verdict.Rule plus two; 0 means that the entry is empty
//   - the status minus 399; 0 means none
//   - the provider
//   - the highest bits of the hash
const (
	verdictSets   = 1 << 9
	RuleBits      = 12
	statusBits    = 8
	providerBits  = 4
	VerdictBits   = RuleBits + statusBits + providerBits
	verdictMask   = 1<<VerdictBits - 1
	noStatus      = 399
	statusShift   = RuleBits
	providerShift = RuleBits + statusBits
)

// This does not compile if providerBits are too few for all providers.
const _ = uint(1<<providerBits - len(standard.Providers))

var memorySeed = maphash.MakeSeed()

// VerdictOf returns the cache set for a text and the stored bits of the text's hash.
// The other bits of the hash are 0.
func (m *Memory) VerdictOf(text string) (set *Set, hash uint64) {
	hash = maphash.String(memorySeed, text)
	return &m.verdicts[hash%verdictSets], hash &^ verdictMask
}

// Recall returns the verdict in a cache set. If the set has no entry with this hash, ok
// is false.
func Recall(set *Set, hash uint64) (v Verdict, ok bool) {
	bits := set.find(hash, verdictMask)
	if bits&(1<<RuleBits-1) == 0 {
		return Verdict{}, false
	}
	v.Rule = int(bits&(1<<RuleBits-1)) - 2
	if status := int(bits >> statusShift & (1<<statusBits - 1)); status > 0 {
		v.Status = status + noStatus
	}
	v.Provider = int(bits >> providerShift & (1<<providerBits - 1))
	return v, true
}

// Remember stores the verdict of a text in a cache set. If v.Rule is too large, it
// stores nothing.
func Remember(set *Set, hash uint64, v Verdict) {
	rule, status := uint64(v.Rule+2), uint64(0)
	if v.Status != 0 {
		status = uint64(v.Status - noStatus)
	}
	if rule < 1<<RuleBits {
		set.put(hash|rule|status<<statusShift|uint64(v.Provider)<<providerShift, verdictMask)
	}
}

// MatchSet has the cache entries of some texts, the newest first. It is for texts that
// are not the only evidence of a failure.
type MatchSet [ways]matchEntry

// matchEntry is a cache entry with the rules that match a text. The field key is computed
// from the text's hash and the other two fields: see keyOf. [MatchSet.Recall] ignores an
// entry that is only partly written, because its key is wrong.
type matchEntry struct{ key, low, high atomic.Uint64 }

// keyOf returns the key of an entry. The multiplication prevents that the same change of
// low and of high leaves the key unchanged.
func keyOf(hash, low, high uint64) uint64 { return hash ^ low*0x9E3779B97F4A7C15 ^ high }

// The fields of a matchEntry have these bits:
//
//   - low: five rules and the provider
//   - high: four rules, and the status minus 399
//
// A rule is stored as its index plus one. 0 means no rule.
const (
	matchSets     = 1 << 8
	lowMatches    = 5
	MaxMatches    = 9
	MatchMask     = 1<<RuleBits - 1
	providerInLow = lowMatches * RuleBits
	statusInHigh  = (MaxMatches - lowMatches) * RuleBits
	inUse         = 1 << 63 // set in high if the entry is in use
)

// Matches has the findings in one text. Places[:N] has the indexes of the matching
// rules.
type Matches struct {
	Places [MaxMatches]int
	N      int
	Mention
}

// Fill adds the rules of a bit set to m. Bit i is for rule i. If there are more than
// MaxMatches rules, it returns false.
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

// MatchesOf returns the cache set for a text and the hash of the text.
func (m *Memory) MatchesOf(text string) (set *MatchSet, hash uint64) {
	hash = maphash.String(memorySeed, text)
	return &m.matches[hash%matchSets], hash
}

// Recall returns the matches of the text with this hash. If the set has no such entry,
// ok is false.
func (s *MatchSet) Recall(hash uint64) (m Matches, ok bool) {
	for i := range s {
		low, high := s[i].low.Load(), s[i].high.Load()
		if s[i].key.Load() == keyOf(hash, low, high) && high&inUse != 0 {
			return matchesIn(low, high), true
		}
	}
	return m, false
}

// matchesIn decodes the fields low and high of a matchEntry.
func matchesIn(low, high uint64) (m Matches) {
	for i := range m.Places {
		word, at := low, i*RuleBits
		if i >= lowMatches {
			word, at = high, (i-lowMatches)*RuleBits
		}
		index := int(word >> at & MatchMask)
		if index == 0 {
			break
		}
		m.Places[i] = index - 1
		m.N++
	}
	m.Provider = int(low >> providerInLow & (1<<providerBits - 1))
	if status := int(high >> statusInHigh & (1<<statusBits - 1)); status > 0 {
		m.Status = status + noStatus
	}
	return m
}

// Remember stores the matches of a text in the cache set, and drops the oldest entry. If
// there are too many matches or an index is too large, it stores nothing.
func (s *MatchSet) Remember(hash uint64, m *Matches) {
	if m.N > MaxMatches {
		return
	}
	low, high := uint64(m.Provider)<<providerInLow, uint64(inUse)
	for i, index := range m.Places[:m.N] {
		switch {
		case index >= MatchMask:
			return
		case i < lowMatches:
			low |= uint64(index+1) << (i * RuleBits)
		default:
			high |= uint64(index+1) << ((i - lowMatches) * RuleBits)
		}
	}
	if m.Status != 0 {
		high |= uint64(m.Status-noStatus) << statusInHigh
	}
	last := 0 // index of the entry to drop: the oldest one, or one of another call for this text
	for last < ways-1 && s[last].key.Load() != keyOf(hash, low, high) {
		last++
	}
	for i := last; i > 0; i-- {
		newer := &s[i-1]
		s[i].store(newer.key.Load(), newer.low.Load(), newer.high.Load())
	}
	s[0].store(keyOf(hash, low, high), low, high)
}

func (e *matchEntry) store(key, low, high uint64) {
	e.low.Store(low)
	e.high.Store(high)
	e.key.Store(key)
}

// Verdict is the classification of an error with a single text. It fits in a uint64:
// see [Remember].
type Verdict struct {
	Rule     int // index of the rule that decides; above all indexes = the model decides; -1 = none
	Status   int // HTTP status that the text mentions, 0 = none
	Provider int // index in standard.Providers of the provider in the text; 0 = none
}

// Mention has the HTTP status and the provider that a text mentions. 0 means none.
type Mention struct {
	Status   int // the first HTTP status in the text
	Provider int // an index in standard.Providers
}
