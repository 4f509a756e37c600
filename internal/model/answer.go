package model

import "math"

// Limits says how sure the model must be to answer.
type Limits struct {
	Retry float32 // probability of all retryable reasons together
	Other float32 // probability of another reason
	Known int     // known features of the text
}

// Chosen are the limits that cross-validation chose: corpus/README.md shows the
// results.
var Chosen = Limits{Retry: 0.65, Other: 0.5, Known: 40}

// Prior is an answer of the rules: the model multiplies the odds of the reason by
// e^Weight. The zero Prior is none.
type Prior struct {
	Reason int // index in [Table.Reasons]
	Weight float64
}

// How much the answer of a text rule counts beside the model, by the strength of the
// rule: weights of a [Prior]. Cross-validation chose the values. Stronger rules stand
// as they are.
const (
	WordWeight   = 1.5
	PhraseWeight = 3
)

// Answer is the model's answer.
type Answer struct {
	Reason      int // index in [Table.Reasons]
	Probability float32
}

// Confidence is the share of right reasons among the answers of the model, by
// [Answer.Step]. Cross-validation measured it: see corpus/README.md.
var Confidence = [16]float64{.1, .1, .1, .2, .3, .4, .4, .6, .62, .7, .77, .77, .85, .85, .95, .95}

// Step returns the sixteenth of the range from 0 to 1 that has the probability.
func (a Answer) Step() int {
	return max(0, min(int(a.Probability*float32(len(Confidence))), len(Confidence)-1))
}

// Answer returns the likeliest of the retryable reasons if they reach the limit
// together, else the likeliest of the other reasons. ok is false if that does not
// reach its own limit, which does not hold beside a prior, or if the texts have too
// few known features.
func (m *Model) Answer(r *Reader, l Limits, prior Prior) (a Answer, ok bool) {
	if r.Known() < l.Known {
		return a, false
	}
	p := m.Scores(r)
	if prior.Weight != 0 {
		p[prior.Reason] *= float32(math.Exp(prior.Weight))
		sum := float32(0)
		for i := range m.reasons {
			sum += p[i]
		}
		for i := range m.reasons {
			p[i] /= sum
		}
	}
	retry := float32(0)
	for i := range m.reasons {
		if m.retryable[i] {
			retry += p[i]
		}
	}
	again := retry >= l.Retry
	a.Probability = -1
	for i := range m.reasons {
		if m.retryable[i] == again && p[i] > a.Probability {
			a = Answer{i, p[i]}
		}
	}
	return a, again || prior.Weight != 0 || a.Probability >= l.Other
}
