package classify

import (
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/errclass/errclass/classify/internal/collect"
	"github.com/errclass/errclass/classify/internal/memory"
	"github.com/errclass/errclass/classify/internal/signal"
	"github.com/errclass/errclass/internal/model"
)

// RuleModel is the [Result.Rule] if the model decided. See [WithModel].
const RuleModel = "model"

// ruleConfidence is the share of right results, by the strength of the deciding
// rule. Source: corpus/README.md.
var ruleConfidence = [signal.Strengths]float64{
	signal.NoStrength: 0.5,
	signal.Word:       0.88,
	signal.Phrase:     0.96,
	signal.Code:       0.95,
	signal.Cause:      0.98,
	signal.Fact:       0.99, // an estimate: the corpus has texts, not typed errors
	signal.User:       1,
	signal.Own:        1,
}

// confidence returns the confidence of a result, by the strength of the deciding
// signal. For [Minimal] it returns 0, because its rules were not measured.
func (c *Classifier) confidence(s signal.Strength) float64 {
	if c.textOnly && s < signal.User {
		return 0
	}
	return ruleConfidence[s]
}

// guess is the decision of the model. If the model does not decide, reason is
// signal.NoReason.
type guess struct {
	reason signal.Reason
	step   int // see model.Confidence
}

// weight returns how much a signal counts in a comparison with the model's answer. The
// weight 0 is special: the model must not overrule the signal. For the argument coded,
// see [model.Weight].
func weight(s *signal.Signal, coded bool) float64 {
	if s.Text == nil {
		return 0
	}
	return model.Weight(s.Strength.String(), int(s.Status), coded)
}

// hasCode reports whether the list has evidence besides text, or a code in a text.
func hasCode(list []signal.Signal) bool {
	return slices.ContainsFunc(list, func(s signal.Signal) bool {
		return s.Reason != signal.NoReason && (s.Text == nil || s.Strength == signal.Code)
	})
}

// guess asks the model about the texts that were read. won is the signal that
// decides without the model, or nil. guess returns the zero guess in these cases:
//
//   - The classifier has no model.
//   - The model agrees with won, is not sure enough, or answers "unknown".
//   - The model answers "parsing", but won has a status.
//   - A signal that takes part in the decision has the weight 0 (see the function
//     weight).
//   - A rule that itself gives no reason vetoes the model's answer.
//
// The model numbers the reasons in the order of package signal. ReasonRateLimit is 0.
func (c *Classifier) guess(q *collect.Inquiry, won *signal.Signal) (g guess) {
	if !c.learned {
		return g
	}
	var prior model.Prior
	list := q.List.All()
	coded := hasCode(list)
	for i := range list {
		if s := &list[i]; s.Fate == signal.Counts && weight(s, coded) == 0 {
			return g
		}
	}
	if won != nil {
		prior = model.Prior{
			Reason: int(won.Reason - signal.ReasonRateLimit), Weight: weight(won, coded), Cause: won.Strength == signal.Cause,
		}
	}
	a := ask(q, prior)
	g = guess{reason: signal.ReasonRateLimit + signal.Reason(a.Reason), step: a.Step}
	switch {
	case !a.Sure, g.reason == signal.ReasonUnknown, ruledOut(list, g.reason):
		return guess{}
	case won == nil:
		return g
	case g.reason == won.Reason, g.reason == signal.ReasonParsing && won.Status != 0: // the page of a 500 is not JSON
		return guess{}
	}
	return g
}

// readers has model readers for reuse. A reader has 9 KB: on the stack, it would make the
// stack of each new goroutine grow.
var readers = sync.Pool{New: func() any { return new(model.Reader) }}

// ask returns the model's answer to the texts that were read, and caches it.
func ask(q *collect.Inquiry, prior model.Prior) (a memory.Answer) {
	key := math.Float64bits(prior.Weight) + uint64(prior.Reason)<<1
	if prior.Cause {
		key++
	}
	set, hash := q.Seen.AnswerOf(q.ModelTexts[:], key)
	if a, ok := memory.RecallAnswer(set, hash); ok {
		return a
	}
	r := readers.Get().(*model.Reader)
	m := readForModel(q, r)
	// If r is full, the model has perhaps not read the part of the text that the rule
	// matched. Then the model gives no answer.
	if prior.Weight == 0 || !r.Full() {
		answer, sure := m.Answer(r, model.Chosen, prior)
		a = memory.Answer{Reason: answer.Reason, Step: answer.Step(), Sure: sure}
	}
	*r = model.Reader{}
	readers.Put(r)
	memory.RememberAnswer(set, hash, a)
	return a
}

// readForModel reads the texts of q with the model, and returns the model.
func readForModel(q *collect.Inquiry, r *model.Reader) *model.Model {
	m := model.Standard()
	for _, text := range q.ModelTexts {
		m.Read(r, text)
	}
	return m
}

// ruledOut reports whether a matched text rule vetoes the given reason. Only rules that
// themselves give no reason can veto.
func ruledOut(list []signal.Signal, reason signal.Reason) bool {
	for i := range list {
		s := &list[i]
		if s.Reason == signal.NoReason && s.Text != nil && slices.Contains(s.Text.Vetoes, reason.String()) {
			return true
		}
	}
	return false
}

// place encodes g as a number for package memory. The number is larger than all rule
// indexes. rules is the number of rules.
func (g guess) place(rules int) int { return rules + int(g.reason)*len(model.Confidence) + g.step }

// guessAt decodes a number that guess.place returned.
func guessAt(place, rules int) guess {
	place -= rules
	return guess{signal.Reason(place / len(model.Confidence)), place % len(model.Confidence)}
}

// answer sets r to the model's answer.
func (g guess) answer(r *Result) {
	r.Category, r.Reason, r.Rule = Category(g.reason.Category().String()), Reason(g.reason.String()), RuleModel
	r.Confidence = model.Confidence[g.step]
}

// Model is the prediction of the learned model for the texts of the evidence.
type Model struct {
	Reason      Reason  // the likeliest reason
	Probability float64 // the probability of Reason, not calibrated; [Result.Confidence] is calibrated
	// Words lists up to five words with the largest weights, in descending order.
	Words []ModelWord
	// RunnerUp is the second likeliest reason.
	RunnerUp            Reason
	RunnerUpProbability float64
}

// ModelWord is a word of the text, in lower case.
type ModelWord struct {
	Text string
	// Weight is the word's contribution to the score of the reason. The mean of its
	// contributions to all reasons is subtracted. A score is the logarithm of the
	// odds.
	Weight float64
}

// explainModel returns the model's answer to the texts that were read. It returns
// nil without a model, or if the model knows no word.
func (c *Classifier) explainModel(q *collect.Inquiry) *Model {
	if !c.learned {
		return nil
	}
	var r model.Reader
	m := readForModel(q, &r)
	if r.Known() == 0 {
		return nil
	}
	p := m.Scores(&r)
	first, second := 0, 1
	for i := range m.Reasons() {
		switch {
		case p[i] > p[first]:
			first, second = i, first
		case i != first && p[i] > p[second]:
			second = i
		}
	}
	x := Model{
		Reason: Reason(m.Reasons()[first]), Probability: float64(p[first]),
		RunnerUp: Reason(m.Reasons()[second]), RunnerUpProbability: float64(p[second]),
	}
	for _, w := range m.Words(strings.Join(q.ModelTexts[:], "\n"), first, 5) {
		x.Words = append(x.Words, ModelWord(w))
	}
	return &x
}

// This constant overflows if an entry in package memory has too few bits. Each of 2048
// rules and each possible guess needs a number of its own that fits into an entry.
const _ = uint(1<<memory.RuleBits - 2 - 2048 - int(signal.Reasons)*len(model.Confidence))

// This constant overflows if an answer in package memory cannot hold every reason and
// every index of model.Confidence.
const _ = uint(memory.MaxReasons-int(signal.Reasons)) + uint(memory.MaxSteps-len(model.Confidence))
