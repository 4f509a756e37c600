package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/model"
)

// tally counts answers and, among them, the right answers.
type tally struct {
	answers, right int
	confidence     float64 // sum
}

func (t *tally) add(right bool, confidence float64) {
	t.answers++
	t.confidence += confidence
	if right {
		t.right++
	}
}

func (t *tally) share() float64 { return float64(t.right) / float64(max(t.answers, 1)) }

// calibrationError returns the mean difference between the confidence of the
// answers and the share of right answers. The mean is over ten equal ranges of
// confidence, weighted by the number of answers.
func calibrationError(ranges map[int]*tally) float64 {
	sum, answers := 0.0, 0
	for _, t := range ranges {
		sum += math.Abs(t.confidence - float64(t.right))
		answers += t.answers
	}
	return sum / float64(max(answers, 1))
}

// writeReliability writes the share of right reasons in three tables: by the
// strength of the match that decided, by the probability of the model, and by the
// confidence.
func writeReliability(w io.Writer, questions []question) {
	strengths, steps, ranges := map[string]*tally{}, map[int]*tally{}, map[int]*tally{}
	for i := range questions {
		q := &questions[i]
		a := q.answer(model.Chosen)
		right := a.Reason == q.Reason || slices.Contains(q.Accept, a.Reason)
		if a.Rule == classify.RuleModel {
			at(steps, a.step).add(right, a.Confidence)
		} else {
			at(strengths, q.strength).add(right, a.Confidence)
		}
		at(ranges, min(int(a.Confidence*10), 9)).add(right, a.Confidence)
	}
	fmt.Fprintf(w, "\ndecided by       answers  right  confidence\n")
	for _, strength := range slices.Sorted(maps.Keys(strengths)) {
		t := strengths[strength]
		fmt.Fprintf(w, "%-15q %8d %6.3f %11.3f\n", strength, t.answers, t.share(), t.confidence/float64(t.answers))
	}
	for _, step := range slices.Sorted(maps.Keys(steps)) {
		t := steps[step]
		fmt.Fprintf(w, "model from %.3f %7d %6.3f %11.3f\n", float64(step)/16, t.answers, t.share(), t.confidence/float64(t.answers))
	}
	fmt.Fprintf(w, "\nconfidence from  answers  right  mean\n")
	for _, tenth := range slices.Sorted(maps.Keys(ranges)) {
		t := ranges[tenth]
		fmt.Fprintf(w, "%-15.1f %8d %6.3f %5.3f\n", float64(tenth)/10, t.answers, t.share(), t.confidence/float64(t.answers))
	}
	fmt.Fprintf(w, "expected calibration error %.3f\n", calibrationError(ranges))
}

func at[K comparable](tallies map[K]*tally, key K) *tally {
	if tallies[key] == nil {
		tallies[key] = new(tally)
	}
	return tallies[key]
}
