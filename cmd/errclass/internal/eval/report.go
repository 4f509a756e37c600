package eval

import (
	"cmp"
	"maps"
	"slices"

	"github.com/errclass/errclass/classify"
)

// Score counts right and wrong answers.
type Score struct {
	Entries       int `json:"entries"`
	RightCategory int `json:"right_category"`
	RightReason   int `json:"right_reason"`
	// FalseRetries counts entries that are wrongly classified as retryable.
	// MissedRetries counts retryable entries that are classified otherwise.
	FalseRetries  int `json:"false_retries"`
	MissedRetries int `json:"missed_retries"`
	Retryable     int `json:"retryable"` // entries with the right category retryable
}

// CategoryAccuracy returns the share of entries with a right category, from 0 to 1.
func (s Score) CategoryAccuracy() float64 { return share(s.RightCategory, s.Entries) }

// ReasonAccuracy returns the share of entries with a right reason, from 0 to 1.
func (s Score) ReasonAccuracy() float64 { return share(s.RightReason, s.Entries) }

// FalseRetryShare returns the share of entries that are false retries, from 0 to 1.
func (s Score) FalseRetryShare() float64 { return share(s.FalseRetries, s.Entries) }

// MissedRetryShare returns the share of retryable entries that are missed retries.
// The share is from 0 to 1.
func (s Score) MissedRetryShare() float64 { return share(s.MissedRetries, s.Retryable) }

// Report is the result of [Evaluate]. In the names of fields, gold means the expected
// answer. In the names of fields, got means the prediction.
type Report struct {
	Score
	CategoryAccuracy float64 `json:"category_accuracy"`
	ReasonAccuracy   float64 `json:"reason_accuracy"`
	// MacroF1 is the mean F1 of all categories, with equal weights.
	MacroF1         float64         `json:"macro_f1"`
	Categories      []CategoryScore `json:"categories"`
	Confusion       []Confused      `json:"confusion"`        // pairs of categories, right answers included
	ReasonConfusion []Confused      `json:"reason_confusion"` // pairs of reasons, only wrong answers; most frequent first
	Slices          []Slice         `json:"slices"`           // by name
	Products        []Product       `json:"products"`         // most wrong answers first
	Families        []Family        `json:"families"`
	// Deciders has a score for each family of rules. The family with the most decided
	// entries comes first.
	Deciders    []Decider   `json:"deciders"`
	Reliability Reliability `json:"reliability"`
	Misses      []Miss      `json:"misses"` // wrong categories, then wrong reasons, each in corpus order
}

// CategoryScore is the score of one category.
type CategoryScore struct {
	Category  string  `json:"category"`
	Gold      int     `json:"gold"`
	Got       int     `json:"got"`
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
}

// Confused counts the entries with a certain expected answer and prediction.
type Confused struct {
	Gold  string `json:"gold"`
	Got   string `json:"got"`
	Count int    `json:"count"`
}

// Miss is an entry with a wrong category or reason.
type Miss struct {
	ID           string            `json:"id"`
	Slice        string            `json:"slice"`
	Product      string            `json:"product,omitempty"`
	GoldCategory classify.Category `json:"gold_category"`
	GoldReason   classify.Reason   `json:"gold_reason"`
	Category     classify.Category `json:"category"`
	Reason       classify.Reason   `json:"reason"`
	Rule         string            `json:"rule"`
	Confidence   float64           `json:"confidence"`
	Message      string            `json:"message"`
	WrongReason  bool              `json:"wrong_reason"`
	WrongRetry   bool              `json:"wrong_retry"` // a false or a missed retry
	// Signals are set by [Report.Explain]. The first one decided the result.
	Signals []classify.Signal `json:"-"`
}

// WrongCategory reports whether the category is neither right nor accepted.
func (m Miss) WrongCategory() bool { return m.Category != m.GoldCategory }

// Evaluate compares the predictions with the entries. An accepted answer counts as
// the right one. Every entry must have a prediction.
func Evaluate(entries []Entry, predictions Predictions) Report {
	var r Report
	categories, reasons := map[Confused]int{}, map[Confused]int{}
	g := newGroups()
	var reliability ranges
	var wrongReasons []Miss
	for _, e := range entries {
		p := predictions[e.ID]
		category, reason := e.judge(p)
		categories[Confused{Gold: string(e.Category), Got: string(category)}]++
		one := score(e, category, reason)
		r.add(one)
		g.add(e, p, one, category)
		reliability.add(p.Confidence, reason == e.Reason)
		if category == e.Category && reason == e.Reason {
			continue
		}
		m := Miss{
			ID: e.ID, Slice: e.Slice, Product: e.Product, GoldCategory: e.Category, GoldReason: e.Reason,
			Category: category, Reason: p.Reason, Rule: p.Rule, Confidence: p.Confidence,
			Message: e.Message, WrongReason: reason != e.Reason, WrongRetry: one.FalseRetries+one.MissedRetries > 0,
		}
		if m.WrongReason {
			reasons[Confused{Gold: string(e.Reason), Got: string(reason)}]++
		}
		if m.WrongCategory() {
			r.Misses = append(r.Misses, m)
		} else {
			wrongReasons = append(wrongReasons, m)
		}
	}
	r.Misses = append(r.Misses, wrongReasons...)
	r.CategoryAccuracy, r.ReasonAccuracy = r.Score.CategoryAccuracy(), r.Score.ReasonAccuracy()
	r.Confusion, r.ReasonConfusion = confusion(categories), confusion(reasons)
	r.Categories, r.MacroF1 = byCategory(r.Confusion)
	r.Reliability = reliability.result()
	g.report(&r)
	return r
}

// Explain sets the signals of all wrong answers. The classifier must be the one that
// made the predictions.
func (r *Report) Explain(c *classify.Classifier) {
	for i := range r.Misses {
		r.Misses[i].Signals = c.Explain(classify.Evidence{Message: r.Misses[i].Message}).Signals
	}
}

// judge returns the predicted category and reason. It replaces each accepted value by the
// expected value.
func (e Entry) judge(p Prediction) (classify.Category, classify.Reason) {
	if slices.Contains(e.AcceptCategory, p.Category) {
		p.Category = e.Category
	}
	if slices.Contains(e.Accept, p.Reason) {
		p.Reason = e.Reason
	}
	return p.Category, p.Reason
}

// score returns the score of one entry with this predicted answer.
func score(e Entry, category classify.Category, reason classify.Reason) Score {
	s := Score{Entries: 1}
	if e.Category == classify.CategoryRetryable {
		s.Retryable = 1
	}
	if category == e.Category {
		s.RightCategory = 1
	} else if category == classify.CategoryRetryable {
		s.FalseRetries = 1
	} else if e.Category == classify.CategoryRetryable {
		s.MissedRetries = 1
	}
	if reason == e.Reason {
		s.RightReason = 1
	}
	return s
}

func (s *Score) add(o Score) {
	s.Entries += o.Entries
	s.RightCategory += o.RightCategory
	s.RightReason += o.RightReason
	s.FalseRetries += o.FalseRetries
	s.MissedRetries += o.MissedRetries
	s.Retryable += o.Retryable
}

// confusion returns the counted pairs, the most frequent first.
func confusion(counts map[Confused]int) []Confused {
	all := make([]Confused, 0, len(counts))
	for pair, n := range counts {
		pair.Count = n
		all = append(all, pair)
	}
	slices.SortFunc(all, func(a, b Confused) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Gold, b.Gold), cmp.Compare(a.Got, b.Got))
	})
	return all
}

// byCategory returns a score for each expected or predicted category.
func byCategory(pairs []Confused) (scores []CategoryScore, macroF1 float64) {
	hits := map[string]int{}
	all := map[string]*CategoryScore{}
	of := func(name string) *CategoryScore {
		if all[name] == nil {
			all[name] = &CategoryScore{Category: name}
		}
		return all[name]
	}
	for _, p := range pairs {
		of(p.Gold).Gold += p.Count
		of(p.Got).Got += p.Count
		if p.Gold == p.Got {
			hits[p.Gold] = p.Count
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		s := all[name]
		s.Precision, s.Recall = share(hits[name], s.Got), share(hits[name], s.Gold)
		s.F1 = share(2*hits[name], s.Got+s.Gold)
		macroF1 += s.F1 / float64(len(all))
		scores = append(scores, *s)
	}
	return scores, macroF1
}

func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
