package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/corpus"
	"github.com/errclass/errclass/internal/model"
)

// folds is the number of parts of the cross-validation.
const folds = 5

// foldOf returns the number of the part (fold) that has all messages of a product.
func foldOf(product string) int { return int(sha256.Sum256([]byte(product))[0]) % folds }

// question is one message of the corpus, the result of the rules, and a model that
// was not trained on messages of the same product.
type question struct {
	corpus.Entry
	rules    classify.Result
	strength string            // of the match that decided; "" = none
	coded    bool              // a match is a code
	vetoed   []classify.Reason // reasons that are excluded by matching rules without a reason
	model    *model.Model
	reader   model.Reader
}

// ask returns a question, still without a model, for each entry.
func ask(entries []corpus.Entry) []question {
	vetoes := map[string][]string{}
	for _, r := range rulesAlone.Rules() {
		vetoes[r.ID] = r.Vetoes
	}
	all := make([]question, len(entries))
	for i, e := range entries {
		x := rulesAlone.Explain(classify.Evidence{Message: e.Message})
		all[i].Entry, all[i].rules = e, x.Result
		for _, s := range x.Signals {
			all[i].coded = all[i].coded || s.Strength == "code"
			switch {
			case s.Decided:
				all[i].strength = s.Strength
			case s.Reason == "":
				for _, target := range vetoes[s.Rule] {
					all[i].vetoed = append(all[i].vetoed, classify.Reason(target))
				}
			}
		}
	}
	return all
}

// crossValidate divides the entries into five parts. For each part, it trains a
// model on the other four parts and sets the model of the questions in this part.
// The parts are processed concurrently.
func crossValidate(entries []corpus.Entry, train func([]corpus.Entry) *model.Model) []question {
	questions := ask(entries)
	var group sync.WaitGroup
	for fold := range folds {
		group.Go(func() {
			var training []corpus.Entry
			for _, e := range entries {
				if foldOf(e.Product) != fold {
					training = append(training, e)
				}
			}
			m := train(training)
			for i := range questions {
				if q := &questions[i]; foldOf(q.Product) == fold {
					q.model = m
					m.Read(&q.reader, q.Message)
				}
			}
		})
	}
	group.Wait()
	return questions
}

// statusOf returns the HTTP status in the id of a rule, such as "http/404" or
// "http-near/502". It returns 0 for all other rules.
func statusOf(rule string) int {
	family, code, _ := strings.Cut(rule, "/")
	if family != "http" && family != "http-near" {
		return 0
	}
	code, _, _ = strings.Cut(code, "-")
	status, _ := strconv.Atoi(code)
	return status
}

// answer is the category, reason and confidence that the classifier would return
// with a model that was not trained on the message's product.
type answer struct {
	ID         string            `json:"id"`
	Category   classify.Category `json:"category"`
	Reason     classify.Reason   `json:"reason"`
	Rule       string            `json:"rule"`
	Confidence float64           `json:"confidence"`
	step       int               // index in model.Confidence, if the model decided
}

// answer combines the answers of the rules and the model in the same way as package
// classify.
func (q *question) answer(l model.Limits) answer {
	r := answer{ID: q.ID, Category: q.rules.Category, Reason: q.rules.Reason, Rule: q.rules.Rule, Confidence: q.rules.Confidence}
	var prior model.Prior
	if q.strength != "" {
		weight := model.Weight(q.strength, statusOf(r.Rule), q.coded)
		if weight == 0 || q.reader.Full() {
			return r
		}
		prior = model.Prior{Reason: slices.Index(classify.Reasons(), r.Reason), Weight: weight, Cause: q.strength == "cause"}
	}
	a, ok := q.model.Answer(&q.reader, l, prior)
	reason := classify.Reasons()[a.Reason]
	switch {
	case !ok, reason == classify.ReasonUnknown, reason == r.Reason, slices.Contains(q.vetoed, reason),
		reason == classify.ReasonParsing && statusOf(r.Rule) != 0:
		return r
	}
	return answer{
		ID: q.ID, Category: reason.Policy().Category, Reason: reason, Rule: classify.RuleModel,
		Confidence: model.Confidence[a.Step()], step: a.Step(),
	}
}

// writePredictions writes one answer as JSON for each message.
func writePredictions(w io.Writer, questions []question) error {
	out := json.NewEncoder(w)
	for i := range questions {
		if err := out.Encode(questions[i].answer(model.Chosen)); err != nil {
			return err
		}
	}
	return nil
}

// writeScores writes the results for all slices together, for all slices without
// "dev" and "second", and for each slice. The rules have already been measured on
// "dev" and "second", so the results on these two say less about new messages.
func writeScores(w io.Writer, questions []question) {
	names := []string{"all slices", "without dev and second"}
	for _, q := range questions {
		if !slices.Contains(names, q.Slice) {
			names = append(names, q.Slice)
		}
	}
	for i, name := range names {
		in := func(q *question) bool {
			return i == 0 || i == 1 && q.Slice != "dev" && q.Slice != "second" || q.Slice == name
		}
		fmt.Fprintf(w, "\n%-40s category macro-F1 reason false missed\n", name)
		report := func(setting string, decide func(q *question) answer) {
			var s score
			for i := range questions {
				if q := &questions[i]; in(q) {
					s.add(q.Entry, decide(q))
				}
			}
			fmt.Fprintf(w, "%-40s %8.1f %8.1f %6.1f %5.1f %6.1f\n", setting, s.share(s.category), 100*s.macroF1(), s.share(s.reason), s.share(s.falseRetries),
				100*float64(s.missedRetries)/float64(max(s.retries, 1)))
		}
		report("rules alone", func(q *question) answer { return answer{Category: q.rules.Category, Reason: q.rules.Reason} })
		retries := []float32{model.Chosen.Retry}
		if i < 2 {
			retries = []float32{0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75}
		}
		for _, retry := range retries {
			l := model.Chosen
			l.Retry = retry
			report(fmt.Sprintf("rules, then the model, retry from %.2f", retry), func(q *question) answer { return q.answer(l) })
		}
	}
}
