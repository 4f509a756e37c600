package main

import (
	"slices"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/corpus"
)

// score counts correct answers. An answer that the entry accepts is correct.
type score struct {
	entries, category, reason, falseRetries, missedRetries, retries int
	gold, got, hit                                                  map[classify.Category]int
}

func (s *score) add(e corpus.Entry, a answer) {
	if s.gold == nil {
		s.gold, s.got, s.hit = map[classify.Category]int{}, map[classify.Category]int{}, map[classify.Category]int{}
	}
	if slices.Contains(e.AcceptCategory, a.Category) {
		a.Category = e.Category
	}
	if slices.Contains(e.Accept, a.Reason) {
		a.Reason = e.Reason
	}
	s.entries++
	s.gold[e.Category]++
	s.got[a.Category]++
	if e.Category == classify.CategoryRetryable {
		s.retries++
	}
	switch {
	case a.Category == e.Category:
		s.category++
		s.hit[e.Category]++
	case a.Category == classify.CategoryRetryable:
		s.falseRetries++
	case e.Category == classify.CategoryRetryable:
		s.missedRetries++
	}
	if a.Reason == e.Reason {
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
