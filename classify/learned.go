package classify

import (
	"github.com/errclass/errclass/classify/internal/collect"
	"github.com/errclass/errclass/classify/internal/memory"
	"github.com/errclass/errclass/classify/internal/signal"
	"github.com/errclass/errclass/internal/model"
)

// RuleModel is the [Result.Rule] of an answer of the model. See [WithModel].
const RuleModel = "model"

// ruleConfidence is the share of right reasons among the answers of the rules, by
// the strength of what decided. corpus/README.md shows how it was measured.
var ruleConfidence = [signal.Strengths]float64{
	signal.NoStrength: 0.5,
	signal.Word:       0.8,
	signal.Phrase:     0.93,
	signal.Code:       0.95,
	signal.Cause:      0.98,
	signal.Fact:       0.99, // no corpus of texts has facts
	signal.User:       1,
	signal.Own:        1,
}

// confidence returns the confidence of an answer that a signal decides. It is 0 if
// the rules were not measured: those of [Minimal].
func (c *Classifier) confidence(s signal.Strength) float64 {
	if c.textOnly && s < signal.User {
		return 0
	}
	return ruleConfidence[s]
}

// guess is an answer of the model. NoReason means that it is not sure enough.
type guess struct {
	reason signal.Reason
	step   int // see model.Confidence
}

// ruleWeight is how much the answer of a text rule counts beside the model. Where
// the list has another signal or a status, the model has no say.
var ruleWeight = [signal.Strengths]float64{signal.Word: model.WordWeight, signal.Phrase: model.PhraseWeight}

// guess asks the model about the texts that were read. won is the signal that
// decides, nil if there is none. There is no answer if the model agrees with won, if
// the list has a signal that it must not overrule, if it is not sure enough, or if a
// hint rules its answer out. The model has the reasons in the order of package signal, from the first on.
func (c *Classifier) guess(q *collect.Inquiry, won *signal.Signal) (g guess) {
	if !c.learned {
		return g
	}
	var prior model.Prior
	for i, list := 0, q.List.All(); i < len(list); i++ {
		s := &list[i]
		if s.Fate == signal.Counts && (s.Text == nil || s.Status != 0 || ruleWeight[s.Strength] == 0) {
			return g
		}
	}
	if won != nil {
		prior = model.Prior{Reason: int(won.Reason - signal.ReasonRateLimit), Weight: ruleWeight[won.Strength]}
	}
	m := model.Standard()
	var r model.Reader
	for _, text := range q.Heard {
		m.Read(&r, text)
	}
	a, ok := m.Answer(&r, model.Chosen, prior)
	g = guess{reason: signal.ReasonRateLimit + signal.Reason(a.Reason), step: a.Step()}
	if !ok || g.reason == signal.ReasonUnknown || won != nil && g.reason == won.Reason || ruledOut(q.List.All(), g.reason) {
		return guess{}
	}
	return g
}

// ruledOut reports whether a hint in the list vetoes a reason.
func ruledOut(list []signal.Signal, reason signal.Reason) bool {
	for i := range list {
		if list[i].Reason != signal.NoReason || list[i].Text == nil {
			continue
		}
		for _, target := range list[i].Text.Vetoes {
			if target == reason.String() {
				return true
			}
		}
	}
	return false
}

// place is the number under which package memory keeps g: above the places of all
// rules.
func (g guess) place(rules int) int { return rules + int(g.reason)*len(model.Confidence) + g.step }

// guessAt is the guess with a place above those of all rules.
func guessAt(place, rules int) guess {
	place -= rules
	return guess{signal.Reason(place / len(model.Confidence)), place % len(model.Confidence)}
}

// answer sets the answer of r to that of the model.
func (g guess) answer(r *Result) {
	r.Category, r.Reason, r.Rule = Category(g.reason.Category().String()), Reason(g.reason.String()), RuleModel
	r.Confidence = model.Confidence[g.step]
}

// Model tells what the model says about the texts of the evidence.
type Model struct {
	Reason      Reason  // the likeliest reason
	Probability float64 // of Reason, as the model gives it; [Result.Confidence] is calibrated
	// Words has at most five words that spoke most for Reason, the heaviest first.
	Words []ModelWord
	// RunnerUp is the second likeliest reason.
	RunnerUp            Reason
	RunnerUpProbability float64
}

// ModelWord is a word of the text, in lower case.
type ModelWord struct {
	Text string
	// Weight is what the word adds to the logarithm of the odds of the reason,
	// compared with the mean of all reasons.
	Weight float64
}

// explainModel returns what the model says about the texts that were read; nil if
// the classifier has no model or the texts have no known words.
func (c *Classifier) explainModel(q *collect.Inquiry) *Model {
	if !c.learned {
		return nil
	}
	m := model.Standard()
	var r model.Reader
	var all string
	for _, text := range q.Heard {
		m.Read(&r, text)
		all += text + "\n"
	}
	if r.Known() == 0 {
		return nil
	}
	p := m.Scores(&r)
	first, second := 0, 1
	for i := range m.Reasons() {
		switch {
		case p[i] > p[first]:
			first, second = i, first
		case i != first && (second == first || p[i] > p[second]):
			second = i
		}
	}
	x := Model{
		Reason: Reason(m.Reasons()[first]), Probability: float64(p[first]),
		RunnerUp: Reason(m.Reasons()[second]), RunnerUpProbability: float64(p[second]),
	}
	for _, w := range m.Words(all, first, 5) {
		x.Words = append(x.Words, ModelWord(w))
	}
	return &x
}

// The number of a guess and the places of all standard rules fit into a slot of
// package memory, or this does not compile.
const _ = uint(1<<memory.RuleBits - 2 - 2048 - int(signal.Reasons)*len(model.Confidence))
