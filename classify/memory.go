package classify

import (
	"hash/maphash"
	"sync/atomic"
)

// memory remembers what texts came to, because what fails tends to fail again
// in the same words: a storm of one error costs little more than a hash each. It
// holds no text, only a hash that is seeded anew in every process, of which 40
// bits are compared beyond the 11 that name the slot: two texts are taken for one
// in 1 of 2^40 comparisons. It is safe for concurrent use and never grows.
type memory [memorySize]atomic.Uint64

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
const _ = uint(1<<providerBits - len(providerNames))

var memorySeed = maphash.MakeSeed()

// slot finds the place of a text and what has to stand there.
func (m *memory) slot(text string) (place *atomic.Uint64, hash uint64) {
	hash = maphash.String(memorySeed, text)
	return &m[hash%memorySize], hash &^ verdictMask
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
