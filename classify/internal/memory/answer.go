package memory

import "hash/maphash"

// Answer is an answer of the model, in the form that the cache stores.
type Answer struct {
	Reason int  // index of the reason, below MaxReasons
	Step   int  // step of the probability, below MaxSteps
	Sure   bool // whether the model is sure enough
}

// An entry of the cache has these fields, from the lowest bit: present, Sure, Step, Reason
// and the hash.
const (
	MaxReasons = 1 << 5
	MaxSteps   = 1 << 4

	answerSets = 1 << 8
	present    = 1
	sure       = 1 << 1
	stepUnit   = 1 << 2
	reasonUnit = stepUnit * MaxSteps
	answerMask = reasonUnit*MaxReasons - 1
)

// AnswerOf returns the cache set for the model's answer to the texts, and the bits of
// their hash that an entry stores. prior encodes what the rules have found.
func (m *Memory) AnswerOf(texts []string, prior uint64) (set *Set, hash uint64) {
	hash = prior
	for _, text := range texts {
		hash = (hash ^ hash>>32) * 0x9E3779B97F4A7C15
		hash ^= maphash.String(memorySeed, text)
	}
	return &m.answers[hash%answerSets], hash &^ answerMask
}

// RecallAnswer returns the answer in a cache set. If the set has no entry with this hash,
// ok is false.
func RecallAnswer(set *Set, hash uint64) (a Answer, ok bool) {
	e := set.find(hash, answerMask)
	if e&present == 0 {
		return a, false
	}
	return Answer{Reason: int(e / reasonUnit % MaxReasons), Step: int(e / stepUnit % MaxSteps), Sure: e&sure != 0}, true
}

// RememberAnswer stores an answer in a cache set.
func RememberAnswer(set *Set, hash uint64, a Answer) {
	e := hash | uint64(a.Reason)*reasonUnit | uint64(a.Step)*stepUnit | present
	if a.Sure {
		e |= sure
	}
	set.put(e, answerMask)
}
