package scan

import (
	"errors"
	"math/bits"
	"slices"
)

// A sample is what is compiled of a set to find out what the whole set costs.
type sample struct {
	*Budget
	exprs   []string
	weights []weight
	total   int // of the weights
	left    int // steps that may still be spent on patterns by themselves
}

const (
	maxSample   = 4_000_000 // steps of patterns by themselves
	maxSuspects = 1_500_000 // of suspects, and one pattern more
	maxStratum  = 200_000   // of one stratum, and one pattern more
	sampled     = 16        // patterns of a stratum
	suspects    = 12        // patterns that may need the most states
	together    = 500_000   // weight of the patterns that are compiled together
	freeJoint   = 1_000_000 // steps of them, more for
	jointly     = 2         // each step of their weight
)

// strata are the kinds of patterns that are sampled by themselves: by how many
// states they may need beyond those that their text tells.
const strata = 5

func (w weight) stratum() int {
	return min((bits.Len(uint(w.worst/w.steps))+1)/3, strata-1)
}

// The sizes that suspects are found by; 0 is nothing to suspect.

func (w weight) overlaps() int { return max(w.worst, maxOne) - maxOne }
func (w weight) length() int   { return max(w.steps, maxOne) - maxOne }
func (w weight) classes() int  { return max(w.wide, 2) - 2 }

// check compiles patterns by themselves: the suspects, and some of each stratum.
// It refuses a pattern that is too much work, and a set that is so if all its
// patterns are like the sample. It returns the estimated steps of the set.
func (s *sample) check() (estimate int, err error) {
	suspected := append(s.top(weight.overlaps), s.top(weight.length)...)
	if len(suspected) == 0 && s.total <= together {
		return s.total, nil // building it tells as soon
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

// stratum is a kind of patterns.
type stratum struct {
	count, weight int
	seen          int
	tried, spent  int // weight of the patterns that were tried, and steps that they took
}

func (s *stratum) add(w weight) {
	s.count++
	s.weight += w.steps
}

// picks reports whether the next pattern is one of those to be tried, which are
// spread evenly.
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

// top returns the suspects by one size, the largest first.
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

// try compiles a pattern by itself, and returns the steps that it took. Faults of
// other kinds are found later, in the order of the patterns.
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

// faultOf compiles a pattern by itself, and returns why it is refused, if it is.
func (s *sample) faultOf(i int) error {
	_, err := s.alone(s.exprs[i]).build(s.exprs[i : i+1])
	var at *PatternError
	if errors.As(err, &at) {
		return &PatternError{i, at.Err}
	}
	return err
}

// checkTogether compiles the patterns of the most classes together with some of
// the others. A class goes on beside whatever it has in common with other
// patterns: there are states for each choice of those that do, and edges for each
// byte of the class. What the others make of them is so for all others of the set.
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

// A cost is what patterns take.
type cost struct{ steps, places int }

// cost compiles patterns together.
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
	return c, nil // a fault of another kind is found later
}
