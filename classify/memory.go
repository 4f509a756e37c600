package classify

import (
	"hash/maphash"
	"sync/atomic"
)

// memory remembers which rule decided a text, because what fails tends to fail
// again in the same words: a storm of one error costs little more than a hash
// each. It holds no text, only 48 bits of a hash that is seeded anew in every
// process, so two texts are taken for one in 1 of 2^48 comparisons. It is safe
// for concurrent use and never grows.
type memory [memorySize]atomic.Uint64

const (
	memorySize = 1 << 11
	ruleBits   = 16 // of a slot: the rule's number plus one, 0 = none; above them stands the hash
	ruleMask   = 1<<ruleBits - 1
)

var memorySeed = maphash.MakeSeed()

// slot finds the place of a text and what has to stand there.
func (m *memory) slot(text string) (place *atomic.Uint64, hash uint64) {
	hash = maphash.String(memorySeed, text)
	return &m[hash%memorySize], hash &^ ruleMask
}

// recall returns the number of the rule that decided a text, -1 = none.
func recall(place *atomic.Uint64, hash uint64) (rule int, ok bool) {
	v := place.Load()
	return int(v&ruleMask) - 1, v != 0 && v&^ruleMask == hash
}

func remember(place *atomic.Uint64, hash uint64, rule int) {
	if rule+1 <= ruleMask {
		place.Store(hash | uint64(rule+1))
	}
}
