package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/corpus"
	"github.com/errclass/errclass/internal/model"
)

// folds is the number of parts of the cross-validation.
const folds = 5

// foldOf returns the part to which the messages of a product belong.
func foldOf(product string) int { return int(sha256.Sum256([]byte(product))[0]) % folds }

// answer is a category and a reason.
type answer struct {
	category classify.Category
	reason   classify.Reason
}

// known is the answer of the rules to a message.
type known struct {
	answer
	strength string // strength of the signal that decided; "" = none
}

// ask returns the answers of the rules, without the model.
func ask(entries []corpus.Entry) []known {
	all := make([]known, len(entries))
	for i, e := range entries {
		x := classify.Standard.Explain(classify.Evidence{Message: e.Message})
		all[i].answer = answer{x.Result.Category, x.Result.Reason}
		for _, s := range x.Signals {
			if s.Decided {
				all[i].strength = s.Strength
			}
		}
	}
	return all
}

// choose returns the model's answer. If the probabilities of all retryable reasons
// add up to threshold or more, choose takes the likeliest retryable reason.
// Otherwise it takes the likeliest of the other reasons.
func choose(p map[classify.Reason]float64, threshold float64) answer {
	retry := 0.0
	for _, reason := range classify.Reasons() {
		if reason.Policy().Category == classify.CategoryRetryable {
			retry += p[reason]
		}
	}
	best := answer{reason: classify.ReasonUnknown}
	likeliest := -1.0
	for _, reason := range classify.Reasons() {
		isRetry := reason.Policy().Category == classify.CategoryRetryable
		if isRetry == (retry >= threshold) && p[reason] > likeliest {
			best.reason, likeliest = reason, p[reason]
		}
	}
	best.category = best.reason.Policy().Category
	return best
}

// blend combines the answers of the rules and the model. It multiplies the
// probability of the rules' reason by e^weight. Then it scales all probabilities
// so that they add up to 1.
func blend(p map[classify.Reason]float64, rules known, weight float64) map[classify.Reason]float64 {
	all, sum := map[classify.Reason]float64{}, 0.0
	for _, reason := range classify.Reasons() {
		all[reason] = p[reason]
		if reason == rules.reason {
			all[reason] *= math.Exp(weight)
		}
		sum += all[reason]
	}
	for reason := range all {
		all[reason] /= sum
	}
	return all
}

// crossValidate trains on four of the five parts and tests on the fifth, for each
// part in turn. It writes the results.
func crossValidate(w io.Writer, entries []corpus.Entry, rules []known, train func([]corpus.Entry) *model.Model) {
	predicted := make([]map[classify.Reason]float64, len(entries))
	start := time.Now()
	for fold := range folds {
		var training []corpus.Entry
		for _, e := range entries {
			if foldOf(e.Product) != fold {
				training = append(training, e)
			}
		}
		m := train(training)
		for i, e := range entries {
			if foldOf(e.Product) == fold {
				p := m.Predict(e.Message)
				predicted[i] = map[classify.Reason]float64{}
				for j, reason := range classify.Reasons() {
					predicted[i][reason] = float64(p[j])
				}
			}
		}
	}
	fmt.Fprintf(w, "%d folds in %.0f s\n", folds, time.Since(start).Seconds())
	fresh := func(e corpus.Entry) bool { return e.Slice != "dev" && e.Slice != "second" }
	for _, part := range []struct {
		name string
		in   func(corpus.Entry) bool
	}{
		{"all slices", func(corpus.Entry) bool { return true }},
		{"without dev and second", fresh},
		{"second", func(e corpus.Entry) bool { return e.Slice == "second" }},
	} {
		fmt.Fprintf(w, "\n%-44s category macro-F1 reason false missed\n", part.name)
		report := func(name string, decide func(i int) answer) {
			var s score
			for i, e := range entries {
				if part.in(e) {
					s.add(e, decide(i))
				}
			}
			fmt.Fprintf(w, "%-44s %8.1f %8.1f %6.1f %5.1f %6.1f\n", name, s.share(s.category), 100*s.macroF1(), s.share(s.reason), s.share(s.falseRetries),
				100*float64(s.missedRetries)/float64(max(s.retries, 1)))
		}
		report("rules alone", func(i int) answer { return rules[i].answer })
		for _, t := range []float64{0.5, 0.6, 0.7, 0.8} {
			report(fmt.Sprintf("model alone, retry from %.2f", t), func(i int) answer { return choose(predicted[i], t) })
		}
		for _, t := range []float64{0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8} {
			report(fmt.Sprintf("rules, model if unknown, retry from %.2f", t), func(i int) answer {
				if rules[i].reason == classify.ReasonUnknown {
					return choose(predicted[i], t)
				}
				return rules[i].answer
			})
		}
		for _, t := range []float64{0.5, 0.6, 0.7, 0.8} {
			report(fmt.Sprintf("rules, model if unknown or a word, from %.2f", t), func(i int) answer {
				if rules[i].reason == classify.ReasonUnknown || rules[i].strength == "word" {
					return choose(blend(predicted[i], rules[i], weights[rules[i].strength]), t)
				}
				return rules[i].answer
			})
		}
		for _, t := range []float64{0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8} {
			report(fmt.Sprintf("both, by the strength of the rule, from %.2f", t), func(i int) answer {
				if strength := rules[i].strength; strength != "cause" && strength != "fact" {
					return choose(blend(predicted[i], rules[i], weights[strength]), t)
				}
				return rules[i].answer
			})
		}
	}
}

// weights maps the strength of the deciding signal to the weight of the rules'
// answer.
var weights = map[string]float64{"": 0, "word": 2, "phrase": 3, "code": 3, "cause": 5}

// score counts correct answers. An accepted answer counts as correct.
type score struct {
	entries, category, reason, falseRetries, missedRetries, retries int
	gold, got, hit                                                  map[classify.Category]int
}

func (s *score) add(e corpus.Entry, a answer) {
	if s.gold == nil {
		s.gold, s.got, s.hit = map[classify.Category]int{}, map[classify.Category]int{}, map[classify.Category]int{}
	}
	if slices.Contains(e.AcceptCategory, a.category) {
		a.category = e.Category
	}
	if slices.Contains(e.Accept, a.reason) {
		a.reason = e.Reason
	}
	s.entries++
	s.gold[e.Category]++
	s.got[a.category]++
	if e.Category == classify.CategoryRetryable {
		s.retries++
	}
	switch {
	case a.category == e.Category:
		s.category++
		s.hit[e.Category]++
	case a.category == classify.CategoryRetryable:
		s.falseRetries++
	case e.Category == classify.CategoryRetryable:
		s.missedRetries++
	}
	if a.reason == e.Reason {
		s.reason++
	}
}

// share returns n as a percentage of the entries.
func (s *score) share(n int) float64 { return 100 * float64(n) / float64(max(s.entries, 1)) }

// macroF1 returns the mean of F1 over the categories that occur.
func (s *score) macroF1() (mean float64) {
	n := 0
	for _, c := range classify.Categories() {
		if all := s.gold[c] + s.got[c]; all > 0 {
			mean += 2 * float64(s.hit[c]) / float64(all)
			n++
		}
	}
	return mean / float64(max(n, 1))
}
