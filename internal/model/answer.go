package model

import "math"

// Limits says how sure the model must be before an answer is used.
type Limits struct {
	Retry float32 // probability of all retryable reasons together
	Other float32 // probability of another reason
	Known int     // least number of features of the text that the model has
	// Few is a number of known features. If a text has fewer, the probability must
	// be at least the limit Sure.
	Few  int
	Sure float32
}

// Chosen has the limits that cross-validation chose. See corpus/README.md for the
// results.
var Chosen = Limits{Retry: 0.75, Other: 0.35, Known: 10, Few: 30, Sure: 0.8}

// Prior is the reason that the rules have found. [Model.Answer] multiplies the odds
// of this reason by e^Weight. In the zero Prior, the rules have found no reason.
type Prior struct {
	Reason int // index in [Table.Reasons]
	Weight float64
	// Cause is true if the rule names the cause of the failure. If this cause is
	// permanent, the model gives no retryable answer.
	Cause bool
}

// Weight returns the weight of the [Prior] for a match of a text rule.
// Cross-validation chose the weights. The weight depends on
//   - the strength of the rule,
//   - the HTTP status that the rule finds, or 0,
//   - whether the error has a signal that is not text, such as a code.
//
// The result 0 means that the model must not change the answer of the rule. If the rule
// finds a status, the result is 0, unless the status is 500 and the strength is "code".
func Weight(strength string, status int, coded bool) float64 {
	switch {
	case status == 500 && strength == "code":
		return 5
	case status != 0:
		return 0
	case strength == "word":
		return 1
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

// Confidence is the share of answers with the right reason, for each step of the
// answer's probability (see [Answer.Step]). The figures come from the cross-validation
// in corpus/README.md.
var Confidence = [16]float64{.1, .1, .1, .2, .3, .41, .43, .44, .62, .62, .62, .62, .69, .76, .78, .91}

// Step returns the index of a.Probability in [Confidence]. There are 16 steps of
// equal size, numbered from 0 to 15.
func (a Answer) Step() int {
	return max(0, min(int(a.Probability*float32(len(Confidence))), len(Confidence)-1))
}

// Answer returns the likeliest retryable reason or the likeliest other reason. If
// all retryable reasons together have a probability of at least l.Retry, the answer
// is retryable. Otherwise the answer is another reason. ok is false in these cases:
//   - The model knows too few features of the text.
//   - The answer is less likely than the limits demand.
//   - The answer is retryable, but the prior is a permanent cause.
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
