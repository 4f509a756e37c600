package scan

import (
	"errors"
	"math/bits"
	"slices"
)

// A sample compiles some patterns of a set to estimate the cost of the whole set.
type sample struct {
	*Budget
	exprs   []string
	weights []weight
	total   int // sum of the weights
	left    int // steps that may still be spent on single patterns
}

const (
	maxSample   = 4_000_000 // steps for compiling single patterns
	maxSuspects = 1_500_000 // steps for the suspects; the last one may exceed them
	maxStratum  = 200_000   // steps for one stratum; the last pattern may exceed them
	sampled     = 16        // patterns compiled of each stratum
	suspects    = 12        // suspects according to each of the functions overlaps, length and classes
	together    = 500_000   // weight of the patterns that are compiled together
	freeJoint   = 1_000_000 // steps for compiling these, plus
	jointly     = 2         // steps for each step of their weight
)

// strata is the number of groups (strata) from which patterns are sampled. The
// stratum of a pattern depends on how many more states the pattern may need than its
// text shows.
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

// check compiles single patterns: the suspects, and some of each stratum. It refuses
// a pattern that needs too many steps. From the sampled patterns, it estimates the
// steps of the whole set, and returns the estimate. It refuses the set if the
// estimate is too high.
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

// stratum is a group of patterns that may need more states than their text
// shows, all by about the same factor.
type stratum struct {
	count, weight int
	seen          int
	tried, spent  int // weight of the patterns that were compiled, and their steps
}

func (s *stratum) add(w weight) {
	s.count++
	s.weight += w.steps
}

// picks reports whether the next pattern of the group should be compiled. The
// picked patterns are spread evenly over the group.
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

// top returns the patterns for which size has the largest results, in descending
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
// error only if the budget is exceeded. Other errors are found later, in the order
// of the patterns.
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

// faultOf compiles a single pattern and returns the error, if any.
func (s *sample) faultOf(i int) error {
	_, err := s.alone(s.exprs[i]).build(s.exprs[i : i+1])
	var at *PatternError
	if errors.As(err, &at) {
		return &PatternError{i, at.Err}
	}
	return err
}

// checkTogether compiles a sample as one set: the patterns with the most classes,
// and some others. It assumes that the remaining patterns add as much as the sample.
// If the whole set would need more steps than the argument most, checkTogether
// returns an error. The cost shows only together: patterns that match the same bytes
// need a state for each combination.
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
	if inAll(alone.steps, all.steps) > most || inAll(alone.places, all.places) > maxPlace {
		return &PatternError{wide[0], &BudgetError{all.steps, errStates}}
	}
	return nil
}

// A cost has the number of steps that compiling some patterns takes, and the number
// of entries in the resulting table.
type cost struct{ steps, places int }

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
