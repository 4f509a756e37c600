package scan

import (
	"errors"
	"math/bits"
	"slices"
)

// A sample compiles some patterns of a set to estimate how many steps the whole set
// takes.
type sample struct {
	*Budget
	exprs   []string
	weights []weight
	total   int // sum of the weights
	left    int // steps that may still be spent on single patterns
}

const (
	maxSample   = 4_000_000 // steps for compiling single patterns
	maxSuspects = 1_500_000 // steps for the suspects (see below); the last one may exceed the limit
	maxStratum  = 200_000   // steps for one stratum; the last pattern may exceed the limit
	sampled     = 16        // number of patterns of each stratum to compile
	suspects    = 12        // number of suspects for each of the functions overlaps, length and classes
	together    = 500_000   // total weight of the patterns that checkTogether compiles, without those with the most classes
	freeJoint   = 1_000_000 // limit on the steps for compiling these, plus
	jointly     = 2         // this many steps for each estimated step
)

// strata is the number of groups (strata) from which patterns are sampled. The
// stratum of a pattern depends on the ratio of its worst weight to its usual weight.
const strata = 5

func (w weight) stratum() int {
	return min((bits.Len(uint(w.worst/w.steps))+1)/3, strata-1)
}

// Each of these functions measures a property of patterns that can cost many steps.
// The patterns with the largest results are called suspects. A pattern with the
// result 0 is never a suspect.

func (w weight) overlaps() int { return max(w.worst, maxOne) - maxOne }
func (w weight) length() int   { return max(w.steps, maxOne) - maxOne }
func (w weight) classes() int  { return max(w.wide, 2) - 2 }

// check compiles single patterns: the suspects, and some of each stratum. It returns
// an error if one of them takes too many steps. From the steps of the patterns of
// the strata, it estimates the steps of the whole set. If the estimate is too high,
// check returns an error, and otherwise the estimate.
func (s *sample) check() (estimate int, err error) {
	suspected := append(s.top(weight.overlaps), s.top(weight.length)...)
	if len(suspected) == 0 && s.total <= together {
		return s.total, nil // building the set takes no longer than a sample
	}
	for _, i := range suspected {
		if s.left < maxSample-maxSuspects {
			break
		}
		if _, err := s.try(i); err != nil {
			return 0, err
		}
	}
	var of [strata]stratum
	for _, w := range s.weights {
		of[w.stratum()].add(w)
	}
	costliest, most := 0, 0
	for i, w := range s.weights {
		st := &of[w.stratum()]
		if !st.picks() || st.spent > maxStratum || s.left <= 0 {
			continue
		}
		steps, err := s.try(i)
		if err != nil {
			return 0, err
		}
		st.spent, st.tried = st.spent+steps, st.tried+w.steps
		if steps > most {
			costliest, most = i, steps
		}
	}
	for i := range of {
		estimate += of[i].estimate()
	}
	if estimate > maxWeight {
		return 0, &PatternError{costliest, &BudgetError{most, errAll}}
	}
	return estimate, nil
}

// stratum is a group of patterns for which the ratio of the actual to the estimated
// steps is likely to be similar.
type stratum struct {
	count, weight int
	seen          int
	tried, spent  int // total weight of the compiled patterns, and the steps that they took
}

func (s *stratum) add(w weight) {
	s.count++
	s.weight += w.steps
}

// picks reports whether the next pattern of the stratum should be compiled. The
// compiled patterns are spread evenly over the stratum.
func (s *stratum) picks() bool {
	s.seen++
	return (s.seen-1)*sampled/s.count != s.seen*sampled/s.count
}

func (s *stratum) estimate() int {
	if s.tried == 0 {
		return s.weight
	}
	return int(float64(s.weight) * float64(s.spent) / float64(s.tried))
}

// top returns the patterns for which size returns the largest results, in descending
// order. It leaves out the patterns with the result 0.
func (s *sample) top(size func(weight) int) (all []int) {
	for i, w := range s.weights {
		at := len(all)
		for at > 0 && size(w) > size(s.weights[all[at-1]]) {
			at--
		}
		if at < suspects && size(w) > 0 {
			all = slices.Insert(all, at, i)
			all = all[:min(len(all), suspects)]
		}
	}
	return all
}

// try compiles a single pattern and returns the steps that this took. It returns an
// error only if the pattern exceeds its own limit on steps. Other errors are found
// later, in the order of the patterns.
func (s *sample) try(i int) (steps int, err error) {
	alone := s.alone(s.exprs[i])
	limited := *alone.left > s.left
	*alone.left = min(*alone.left, s.left)
	_, err = alone.build(s.exprs[i : i+1])
	steps = alone.Steps()
	s.left -= steps
	var much *BudgetError
	if errors.As(err, &much) && !limited {
		return steps, &PatternError{i, much}
	}
	return steps, nil
}

// faultOf compiles a single pattern and returns the error, or nil.
func (s *sample) faultOf(i int) error {
	_, err := s.alone(s.exprs[i]).build(s.exprs[i : i+1])
	var at *PatternError
	if errors.As(err, &at) {
		return &PatternError{i, at.Err}
	}
	return err
}

// checkTogether compiles a sample as one set: the patterns with the most classes,
// and some others. It assumes that each of the remaining patterns adds as many steps
// and table entries as the others in the sample do on average. It returns an error
// if the whole set would then take more steps than most, or too large a table.
// Compiling single patterns does not show this: if patterns match the same bytes,
// the automaton of the set needs a state for each combination of them.
func (s *sample) checkTogether(most int) error {
	wide := s.top(weight.classes)
	if len(wide) == 0 || s.total <= together {
		return nil
	}
	var picked []int
	steps := 0
	add := func(i int) {
		if w := s.weights[i].steps; w <= together/2 {
			picked = append(picked, i)
			steps += w
		}
	}
	for _, i := range wide {
		add(i)
	}
	alone, err := s.cost(picked, steps)
	if err != nil {
		return err
	}
	before, n := steps, len(s.exprs)
	some := int(float64(n) * together / float64(s.total))
	for i := 0; i < n && steps < before+together; i++ {
		if i*some/n != (i+1)*some/n && !slices.Contains(wide, i) {
			add(i)
		}
	}
	all, err := s.cost(picked, steps)
	if err != nil {
		return err
	}
	if steps == before {
		return nil
	}
	times := float64(s.total-before) / float64(steps-before)
	inAll := func(alone, all int) int { return alone + int(times*float64(all-alone)) }
	if inAll(alone.steps, all.steps) > most || inAll(alone.entries, all.entries) > maxBase {
		return &PatternError{wide[0], &BudgetError{all.steps, errStates}}
	}
	return nil
}

// A cost has the number of steps that compiling some patterns takes, and the number
// of entries in the resulting table.
type cost struct{ steps, entries int }

// cost compiles the picked patterns into one automaton. It returns the steps that
// the compilation took and the size of the table.
func (s *sample) cost(picked []int, weight int) (c cost, err error) {
	exprs := make([]string, len(picked))
	for n, i := range picked {
		exprs[n] = s.exprs[i]
	}
	b := NewBudget(exprs)
	*b.left, b.work = freeJoint+jointly*weight, s.work
	a, err := b.build(exprs)
	var at *PatternError
	var much *BudgetError
	switch {
	case err == nil:
		return cost{b.Steps(), len(a.all.edges)}, nil
	case errors.As(err, &much) && errors.As(err, &at):
		return c, &PatternError{picked[at.Index], much}
	}
	return c, nil // other errors are found later
}
