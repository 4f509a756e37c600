package model

import "math"

// Limits says how sure the model must be before its answer is used.
type Limits struct {
	Retry float32 // probability of all retryable reasons together
	Other float32 // probability of another reason
	Known int     // number of features of the text that the model has
	// For a text with less than Few such features, the probability must be at least
	// Sure.
	Few  int
	Sure float32
}

// Chosen is the limits that were chosen by cross-validation. corpus/README.md shows
// the results.
var Chosen = Limits{Retry: 0.75, Other: 0.35, Known: 10, Few: 30, Sure: 0.8}

// Prior is the reason that the rules have found. [Model.Answer] multiplies the odds
// of this reason by e^Weight. The zero Prior means that the rules have found none.
type Prior struct {
	Reason int // index in [Table.Reasons]
	Weight float64
	// Cause is true if the rule names the cause of the failure. If this cause is
	// permanent, the model gives no retryable answer: a retry fails even if the text
	// also has words such as "lost" or "reconnecting".
	Cause bool
}

// Weight returns the weight of the [Prior] for a match of a text rule. The weight
// depends on the strength of the rule and on the HTTP status that the rule finds (0 =
// none). coded is true if the error also has a code, a status or another signal that
// is not text. The result 0 means that the model must not change the answer of the
// rule. If the rule finds a status, the model may change the answer only for 500,
// which programs use for failures of any kind. Cross-validation chose the weights.
func Weight(strength string, status int, coded bool) float64 {
	switch {
	case status == 500 && strength == "code":
		return 5
	case status != 0:
		return 0
	case strength == "word":
		return 2
	case strength == "phrase":
		return 3.5
	case strength == "cause" && !coded:
		return 5
	}
	return 0
}

// Answer is the model's answer.
type Answer struct {
	Reason      int // index in [Table.Reasons]
	Probability float32
}

// Confidence is the share of right reasons among the answers of each step (see
// [Answer.Step]), measured by cross-validation: see corpus/README.md.
var Confidence = [16]float64{.1, .1, .1, .2, .3, .45, .5, .52, .68, .69, .75, .76, .76, .78, .79, .95}

// Step returns the index of a.Probability in [Confidence]: the range from 0 to 1 is
// divided into 16 steps of equal size, numbered from 0 to 15.
func (a Answer) Step() int {
	return max(0, min(int(a.Probability*float32(len(Confidence))), len(Confidence)-1))
}

// Answer returns the likeliest of the retryable reasons if the probabilities of all
// retryable reasons add up to at least l.Retry. Otherwise it returns the likeliest of
// the other reasons. ok is false if the model has too few of the features that r has
// read, if the answer is less likely than l demands, or if the answer is retryable
// although prior is a permanent cause.
func (m *Model) Answer(r *Reader, l Limits, prior Prior) (a Answer, ok bool) {
	known := r.Known()
	if known < l.Known {
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
	sure := a.Probability
	if again {
		sure = retry
	}
	if prior.Cause && again && !m.retryable[prior.Reason] {
		return a, false
	}
	return a, (again || sure >= l.Other) && (known >= l.Few || sure >= l.Sure)
}
