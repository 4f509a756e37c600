package scan

import (
	"errors"
	"math/bits"
	"slices"
)

// A sample compiles some patterns of a set, to estimate the steps of the whole set.
type sample struct {
	*Budget
	exprs   []string
	weights []weight
	total   int // sum of the weights
	left    int // steps that may still be spent on single patterns
}

const (
	maxSample   = 4_000_000 // steps for compiling single patterns
	maxSuspects = 1_500_000 // steps for the suspects: see the functions below; the last one may exceed the limit
	maxStratum  = 200_000   // steps for one stratum; the last pattern may exceed the limit
	sampled     = 16        // number of patterns of each stratum to compile
	suspects    = 12        // number of suspects for each of the functions below
	together    = 500_000   // total weight of the patterns that checkTogether adds to those with many classes
	freeJoint   = 1_000_000 // limit on the steps for compiling the patterns of checkTogether, plus
	jointly     = 2         // this many steps for each estimated step
)

// strata is the number of groups (strata) of patterns. Patterns of a group have a
// similar ratio of the worst-case steps to the usual steps.
const strata = 5

func (w weight) stratum() int {
	return min((bits.Len(uint(w.worst/w.steps))+1)/3, strata-1)
}

// Each of these functions measures a property that can cost many steps. Patterns
// with the largest results are suspects.

func (w weight) overlaps() int { return max(w.worst, maxOne) - maxOne }
func (w weight) length() int   { return max(w.steps, maxOne) - maxOne }
func (w weight) classes() int  { return max(w.wide, 2) - 2 }

// check compiles the suspects (patterns that may cost many steps) and some patterns
// of each stratum. It returns the estimated steps of the whole set. If a pattern or
// the set needs too many steps, it returns an error.
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

// stratum is a group of patterns with a similar ratio of the worst-case steps to the
// usual steps: see strata.
type stratum struct {
	count, weight int
	seen          int
	tried, spent  int // weight of the compiled patterns, and their actual steps
}

func (s *stratum) add(w weight) {
	s.count++
	s.weight += w.steps
}

// picks reports whether the next pattern of the stratum should be compiled. The
// picked patterns are spread evenly.
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

// top returns the patterns with the largest sizes, in descending order. It leaves
// out patterns of size 0.
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

// try compiles a single pattern and returns the number of steps. It returns an error
// only if the pattern exceeds its own limit. Other errors are found later, in the
// order of the patterns.
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

// checkTogether compiles a sample as one set:
//
//  1. Compile the patterns with the most classes.
//  2. Compile these patterns again, together with some other patterns.
//  3. Assume that the remaining patterns cost as much, relative to their weight, as
//     those other patterns.
//
// It returns an error if the set would take more than maxSteps steps, or if its table
// would be too large.
func (s *sample) checkTogether(maxSteps int) error {
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
	if inAll(alone.steps, all.steps) > maxSteps || inAll(alone.entries, all.entries) > maxBase {
		return &PatternError{wide[0], &BudgetError{all.steps, errStates}}
	}
	return nil
}

// A cost is the number of steps to compile some patterns, and the number of table
// entries.
type cost struct{ steps, entries int }

// cost compiles the picked patterns into one automaton.
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
