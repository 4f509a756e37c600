package scan

import (
	"errors"
	"math"
	"unicode/utf8"
)

// A Tester matches texts against one pattern of a set. The total number of steps is
// limited. A Tester is not safe for concurrent use.
type Tester struct {
	budget  *Budget
	pattern int
	m       *Matcher
	cost    []int // for each stage of the pattern, the steps for one match of its last piece
}

// Tester returns a tester for a pattern that b has compiled as part of a set. The
// pattern is compiled alone.
func (b *Budget) Tester(pattern int, expr string) (t *Tester, err error) {
	alone := b.alone(expr)
	*alone.left = maxAll // enough, because the pattern was accepted in the set
	m, err := alone.matcher([]string{expr})
	var at *PatternError
	if errors.As(err, &at) {
		return nil, &PatternError{pattern, at.Err}
	}
	if err != nil {
		return nil, err
	}
	t = &Tester{budget: b, pattern: pattern, m: m, cost: make([]int, len(m.stages))}
	for i, s := range m.stages {
		t.cost[i] = 2
		for _, l := range s.gap { // a match of the piece may read the whole gap backwards
			t.cost[i] += 2 + max(l.min, l.max)/4
		}
	}
	return t, nil
}

// Match reports whether the pattern matches text. If that takes too many steps, it
// returns a [*PatternError] that wraps a [*BudgetError].
func (t *Tester) Match(text string) (matched bool, err error) {
	t.budget.texts += len(text)
	if !t.spend(10 + len(text)/8) {
		return false, t.fault()
	}
	if !utf8.ValidString(text) {
		text = repair(text)
	}
	w := new(walk)
	w.begin(t.m, text)
	const often = 256 // offsets between two checks of the budget
	steps := 0
	w.room.shorten = math.MaxInt // no limit: each match costs steps, so the budget limits the list
	for i := range len(text) + 1 {
		steps += t.piecesAt(w, i)
		if w.set[0] != 0 {
			return true, nil
		}
		if i%often == 0 || i == len(text) {
			if !t.spend(steps / 4) {
				return false, t.fault()
			}
			steps = 0
		}
	}
	if len(w.matches) > 0 {
		w.join()
	}
	return w.set[0] != 0, nil
}

// spend counts steps. It returns false if the limit on steps is exceeded.
func (t *Tester) spend(steps int) bool {
	*t.budget.work += steps
	t.budget.checked += steps
	return t.budget.checked <= 2*(maxExamples+t.budget.texts)
}

func (t *Tester) fault() error { return &PatternError{t.pattern, &BudgetError{err: errExamples}} }

// Checked returns the number of steps that all testers of b have taken so far.
func (b *Budget) Checked() int { return b.checked }

// PrecheckTexts returns an error if checking some texts would take too many steps.
// steps is an estimate. bytes is the total length of the texts. The error names the
// pattern with the given index.
func (b *Budget) PrecheckTexts(pattern, steps, bytes int) error {
	if steps > maxExamples+bytes {
		return &PatternError{pattern, &BudgetError{err: errExamples}}
	}
	return nil
}

// piecesAt is like walk.piecesAt, but also returns the work in quarters of a step.
// The work includes the later call of walk.join.
func (t *Tester) piecesAt(w *walk, i int) (steps int) {
	s := t.m.roots[w.kindAt(i-1)]
	for end := i; ; end++ {
		if s&acceptFlag != 0 {
			before := len(w.matches)
			for at := t.m.step(s, acceptColumn); ; at++ {
				steps += 4 + end - i // a case-sensitive piece is read twice
				if !t.m.accepts[at].more {
					break
				}
			}
			w.accept(s, i, end)
			for _, h := range w.matches[before:] {
				steps += t.costOf(h)
			}
		}
		if steps++; end == len(w.text) {
			return steps
		}
		if s = t.m.step(s, uint32(t.m.classes[w.text[end]])); s == 0 {
			return steps
		}
	}
}

func (t *Tester) costOf(h pieceMatch) (steps int) {
	for at := h.accepts; ; at++ {
		a := &t.m.accepts[at]
		if a.isStage {
			steps += 4 * t.cost[a.id]
		}
		if !a.same {
			return steps
		}
	}
}
